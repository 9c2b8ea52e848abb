/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What orders must say of the qmaster's objects and the mirror has no use for: versions, which
 * tasks the qmaster has a record of, how they stand there. Filled by take*.c, read by settlement.c
 * and packed_*.c. A total update builds it anew beside the one in force.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_KNOWN_H
#define SCHED_QMASTER_GRIDENGINE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/mirror/event.h"

struct known;

/* JAT_status */
enum { KNOWN_IDLE = 0, KNOWN_RUNNING = 0x80, KNOWN_TRANSFERRING = 0x200, KNOWN_FINISHED = 0x10000 };

struct known_task {			/* with a record of its own at the qmaster */
	uint32_t job_number, id;
	uint32_t status;		/* JAT_status */
	char letters[8];		/* as the mirror was told, once it is started; "" */
	bool told;			/* it is started in the mirror */
	bool dirty;			/* what it has used has to be added up: take_usage.c */
	int64_t start_time;		/* epoch seconds, of one that is told */
	uint32_t next, previous;	/* of the same job */
	struct known_pe_task *pe_tasks;	/* owned: see take_usage.c */
};

/* Ids of a job that are not started, as the qmaster has them. */
struct known_ids {
	struct ranges free;		/* without a record of their own, held or not */
	struct ranges held[HOLD_KINDS];	/* of those */
	struct ranges enrolled;		/* with a record, status idle */
	struct ranges enrolled_held[HOLD_KINDS];
	struct ranges in_error;		/* of those with a record */
};

struct known_job {
	uint32_t job_number, version;	/* JB_version */
	bool is_array, immediate;	/* JB_type */
	bool doubtful;			/* a change of it could not be understood: nothing of it starts */
	bool rare;			/* it has, or had, what few jobs have */
	bool shown;			/* when it was told first, the qmaster had priorities or tickets of it */
	uint32_t tasks;			/* first of them; UINT32_MAX */
	struct known_ids *ids;		/* of an array, or where a task has a record; NULL: task 1 waits */
};

struct known_instance {
	uint32_t version;		/* QU_version */
	bool suspended;			/* by a subordinate_list of another queue */
	/* what the mirror was told last */
	uint32_t slots;
	char state[16];
	struct calendar_change *changes;	/* of its calendar, to come; owned; NULL: not told */
	size_t nchanges;
};

struct known *known_create(void);	/* NULL: no memory */
void known_destroy(struct known *known);

/* NULL, false: not known. */
const struct known_job *known_job(const struct known *known, uint32_t job_number);
bool known_instance_version(const struct known *known, const char *queue, uint32_t *version);	/* "q@host" */
bool known_pe_controls_slaves(const struct known *known, const char *pe);
/* As the last USER_* or PROJECT_* has it: orders about usage must name it. */
bool known_user_version(const struct known *known, const char *user, uint32_t *version);
bool known_project_version(const struct known *known, const char *project, uint32_t *version);
uint32_t known_tree_version(const struct known *known);	/* of the root */
/* Is this task of this job still at the qmaster with status finished, to be removed? */
bool known_finished(const struct known *known, uint32_t job_number, uint32_t task);
/* Does it wait there with a record of its own? */
bool known_enrolled(const struct known *known, uint32_t job_number, uint32_t task);

/*
 * For take*.c. Pointers are valid until the next call that adds to or removes from the same kind.
 */

/* It is made, as one that is new, if it is not known. NULL: no memory. */
struct known_job *known_job_get(struct known *known, uint32_t job_number);
struct known_job *known_job_find(struct known *known, uint32_t job_number);	/* NULL: not known */
/* Its `ids`, made if there are none. NULL: no memory. */
struct known_ids *known_job_ids(struct known_job *job);
void known_job_remove(struct known *known, uint32_t job_number); /* with its tasks; nothing, if it is not known */

struct known_task *known_task_get(struct known *known, struct known_job *job,
				  uint32_t id); /* made if new; NULL: no memory */
struct known_task *known_task_find(struct known *known, uint32_t job_number, uint32_t id);
const struct known_task *known_task_next(const struct known *known, const struct known_job *job,
					 const struct known_task *after);
void known_task_remove(struct known *known, uint32_t job_number, uint32_t id);

enum known_kind { KNOWN_INSTANCE, KNOWN_USER, KNOWN_PROJECT, KNOWN_PE, KNOWN_HOST, KNOWN_SETTINGS, KNOWN_KINDS };

/*
 * A number that objects of a kind have: their version; of PEs 1, if they control slaves; of hosts
 * how many tasks avoid them, and of what is configured of them a sum. -ENOMEM.
 */
int known_put(struct known *known, enum known_kind kind, const char *name, uint32_t number);
void known_drop(struct known *known, enum known_kind kind, const char *name);
void known_set_tree_version(struct known *known, uint32_t version);
bool known_is(const struct known *known, enum known_kind kind, const char *name, uint32_t number); /* it has this one */
uint32_t known_avoided_by(const struct known *known, const char *host);	/* 0, if it is not known */
/* NULL: it is not known. Who sets `changes` frees what was there. */
struct known_instance *known_instance(struct known *known, const char *queue);
/* The n-th instance there ever was; NULL: there were not so many. `there`: there still is. */
const char *known_instance_at(const struct known *known, size_t n, bool *there);

#endif
