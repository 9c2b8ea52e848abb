/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about the qmaster's objects that orders must contain and the mirror does not need:
 * versions, the tasks for which the qmaster has a record, and their states there. take*.c fills
 * this in; settlement.c and packed_*.c read it. A total update builds a new one beside the current
 * one.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_KNOWN_H
#define SCHED_QMASTER_GRIDENGINE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/mirror/event.h"

struct known;

/* Values of JAT_status. */
enum { KNOWN_IDLE = 0, KNOWN_RUNNING = 0x80, KNOWN_TRANSFERRING = 0x200, KNOWN_FINISHED = 0x10000 };

struct known_task {			/* a task with a record at the qmaster */
	uint32_t job_number, id;
	uint32_t status;		/* JAT_status */
	/* State as last passed to the mirror, once the task is started; "" */
	char letters[8];
	bool reported;			/* started in the mirror */
	bool dirty;			/* usage must be summed up again: take_usage.c */
	int64_t start_time;		/* epoch seconds, if `told` */
	uint32_t next, previous;	/* tasks of the same job */
	struct known_pe_task *pe_tasks;	/* owned: see take_usage.c */
};

/* Ids of a job that are not started, according to the qmaster. */
struct known_ids {
	struct ranges free;		/* without a record, held or not */
	struct ranges held[HOLD_KINDS];	/* subsets of `free` */
	struct ranges enrolled;		/* with a record, status idle */
	struct ranges enrolled_held[HOLD_KINDS];	/* with a record, idle or started */
	struct ranges in_error;		/* subset of the ids with a record */
	struct ranges restarted;	/* subset of the ids with a record, idle or started */
};

struct known_job {
	uint32_t job_number, version;	/* JB_version */
	bool is_array, immediate;	/* JB_type */
	bool doubtful;			/* a change was not understood: no task may start */
	bool rare;			/* has, or had, attributes that few jobs have */
	/* The qmaster had priorities or tickets of the job when it first reported the job. */
	bool shown;
	uint32_t tasks;			/* first task; UINT32_MAX */
	/*
	 * Ids of an array, or of a job with a task that has a record. NULL: only task 1, pending.
	 */
	struct known_ids *ids;
};

struct known_instance {
	uint32_t version;		/* QU_version */
	bool suspended;			/* suspended by a subordinate_list of another queue */
	/* Values last passed to the mirror. */
	uint32_t slots;
	char state[16];
	/* Future changes by its calendar; owned; NULL: not reported. */
	struct calendar_change *changes;
	size_t nchanges;
};

struct known *known_create(void);	/* NULL: no memory */
void known_destroy(struct known *known);

/* Functions for orders. NULL or false: the object is not known. */
const struct known_job *known_job(const struct known *known, uint32_t job_number);
/* "q@host" */
bool known_instance_version(const struct known *known, const char *queue, uint32_t *version);
bool known_pe_controls_slaves(const struct known *known, const char *pe);
/* Find the version from the last USER_* or PROJECT_* event. Orders about usage must name it. */
bool known_user_version(const struct known *known, const char *user, uint32_t *version);
bool known_project_version(const struct known *known, const char *project, uint32_t *version);
uint32_t known_tree_version(const struct known *known);	/* version of the root */

/*
 * Functions for take*.c. Pointers are valid until the next call that adds or removes an object of
 * the same kind.
 */

/* Find a job, or create it. NULL: no memory. */
struct known_job *known_job_get(struct known *known, uint32_t job_number);
/* NULL: not known. */
struct known_job *known_job_find(struct known *known, uint32_t job_number);
/* Return the ids of a job, created if needed. NULL: no memory. */
struct known_ids *known_job_ids(struct known_job *job);
/* Remove a job with its tasks. No effect if it is not known. */
void known_job_remove(struct known *known, uint32_t job_number);

/* Find a task, or create it. NULL: no memory. */
struct known_task *known_task_get(struct known *known, struct known_job *job, uint32_t id);
struct known_task *known_task_find(struct known *known, uint32_t job_number, uint32_t id);
const struct known_task *known_task_next(const struct known *known, const struct known_job *job,
					 const struct known_task *after);
void known_task_remove(struct known *known, uint32_t job_number, uint32_t id);

enum known_kind { KNOWN_INSTANCE, KNOWN_USER, KNOWN_PROJECT, KNOWN_PE, KNOWN_HOST, KNOWN_SETTINGS, KNOWN_KINDS };

/*
 * Set the number of an object: its version. For a PE it is 1 if the PE controls slaves. For a host
 * it is the number of tasks that avoid it, or a checksum of its configuration (KNOWN_SETTINGS).
 * -ENOMEM.
 */
int known_put(struct known *known, enum known_kind kind, const char *name, uint32_t number);
void known_drop(struct known *known, enum known_kind kind, const char *name);
void known_set_tree_version(struct known *known, uint32_t version);
/* Return whether the object has this number. */
bool known_is(const struct known *known, enum known_kind kind, const char *name, uint32_t number);
uint32_t known_avoided_by(const struct known *known, const char *host);	/* 0 if not known */
/* Return an instance. NULL: not known. A caller that sets `changes` frees the old value. */
struct known_instance *known_instance(struct known *known, const char *queue);
/* Return the n-th instance that ever existed. NULL: there were fewer. `there`: it still exists. */
const char *known_instance_at(const struct known *known, size_t n, bool *there);

#endif
