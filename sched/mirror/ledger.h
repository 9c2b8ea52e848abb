/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ledger: list of everything that runs have booked since the last save to the store (store/). Each
 * changed object is listed once, so the cost of saving is proportional to the changes. The values
 * stay in their usual places. Without a ledger nothing is noted and no question is asked.
 *
 * The store also knows the usage that was booked before this scheduler started. It is asked when a
 * job or task is seen for the first time. So a report that is repeated after a restart is booked
 * only by its increase, and the end of a task only once.
 *
 * Notes are made before the change that they name; extra notes do no harm. -ENOMEM notes nothing.
 */
#ifndef SCHED_MIRROR_LEDGER_H
#define SCHED_MIRROR_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/mirror/pool.h"
#include "shm/strings.h"
#include "tickets/usage.h"

struct ended_task;
struct state;
struct task;

struct ledger_task {			/* a task as it was started at that time */
	uint32_t job_number, task;
	int64_t submission_time, start_time;	/* epoch seconds */
};

struct ledger_names {			/* string ids, held by the ledger; NONE: not set */
	uint32_t user, project;
};

struct ledger_sum {			/* usage booked for them */
	double cpu, mem, io, wallclock;	/* s, GB s, GB, s */
	uint64_t tasks;			/* finished tasks */
};

struct ledger_object {
	uint32_t kind, object;		/* enum sharer_kind, number in mirror.objects */
};

struct debited;

/*
 * Questions to the store. A question that cannot be answered now (-EIO, ...) is asked again in the
 * next run; until then nothing is booked for that job.
 */
struct ledger_calls {
	void *context;
	/*
	 * Get the usage booked for a job before. 1: set in `debited`, which is empty at first, with
	 * the mirror's usage names; 0: no usage; 2: no usage for this job, but for another job of
	 * this number; -errno.
	 */
	int (*debited)(void *context, uint32_t job_number, int64_t submission_time, struct debited *debited);
	/*
	 * Return whether this end was booked and stored before: 1, 0 or -errno. NULL: stored ends
	 * are never reported again.
	 */
	int (*ended)(void *context, const struct ledger_task *end);
};

struct ledger {
	struct ledger_calls calls;
	struct strings *strings;	/* borrowed */
	/* struct ledger_object: their usage was booked or reported */
	struct pool objects;
	struct pool jobs;		/* numbers: their debited usage has changed */
	/* struct ledger_task: their debited usage has changed; each of a job in `jobs` */
	struct pool tasks;
	/* numbers of jobs that have ended and have no debited usage any more */
	struct pool closed;
	struct pool ended;		/* struct ledger_task: their ends are booked */
	struct pool names;		/* struct ledger_names */
	struct ledger_sum *sums;	/* indexed by number in `names` */
	size_t sums_capacity;
	uint64_t postponed;		/* jobs that the last run could not book */
};

/* Create a ledger. NULL: no memory. */
struct ledger *ledger_create(const struct ledger_calls *calls, struct strings *strings);
void ledger_destroy(struct ledger *ledger);	/* NULL is a no-op */
/* Clear all notes after they have been stored. */
void ledger_clear(struct ledger *ledger);

/* Functions that do nothing if `ledger` is NULL. 0 or -ENOMEM. */
int ledger_note_object(struct ledger *ledger, uint32_t kind, uint32_t object);
int ledger_note_job(struct ledger *ledger, uint32_t job_number);
/* Return whether the job is noted and not stored yet. */
bool ledger_has_job(const struct ledger *ledger, uint32_t job_number);
/* Note a task and its job. */
int ledger_note_task(struct ledger *ledger, const struct ledger_task *task);
/* Reserve memory so that ledger_note_closed() cannot fail. */
int ledger_reserve_closed(struct ledger *ledger);
void ledger_note_closed(struct ledger *ledger, uint32_t job_number);
/*
 * Note ends that are about to be booked, except `settled` ones; and drop ends that were not booked.
 */
int ledger_note_ends(struct ledger *ledger, const struct ended_task *tasks, size_t n);
void ledger_drop_ends(struct ledger *ledger, const struct ended_task *tasks, size_t n);
/*
 * Return the sum to which usage that is booked for a user and project (string ids; NONE) is added.
 * NULL: no ledger, or no memory.
 */
struct ledger_sum *ledger_sum(struct ledger *ledger, uint32_t user, uint32_t project);

/*
 * Return whether the end of a task that runs (again) was booked. 1: its usage must not be booked;
 * 0; -EAGAIN: not known now.
 */
int ledger_task_settled(struct ledger *ledger, uint32_t job_number, int64_t submission_time, struct task *task);
/*
 * Mark the ends that are booked already, and all duplicates except the first. 0, -EAGAIN or
 * -ENOMEM.
 */
int ledger_ends_settle(struct ledger *ledger, struct ended_task *tasks, size_t n);
/*
 * Find the usage booked for a job before. The ledger is asked when the job is seen for the first
 * time. The qmaster may have reported its sum since. *debited is valid until the next call for
 * another job. 0, -EAGAIN or -ENOMEM.
 */
int ledger_find(struct ledger *ledger, struct state *state, uint32_t job_number, int64_t submission_time,
		struct debited **debited);

#endif
