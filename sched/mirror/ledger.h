/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger: what runs have booked since somebody took it to keep it (store/). It names what has
 * changed, each thing once, so that keeping costs in proportion to that; the values are where they
 * always are. Without a ledger nothing is noted and nothing is asked.
 *
 * Whoever keeps it also knows what was booked before this scheduler was started, and is asked when
 * a job or task is met for the first time: so what is told again after a restart is booked by what
 * it adds, and the end of a task once.
 *
 * Notes are made before what they are about happens: too many do no harm. -ENOMEM notes nothing.
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

struct ledger_names {			/* string ids, held by the ledger; NONE: none */
	uint32_t user, project;
};

struct ledger_sum {			/* what was booked for them */
	double cpu, mem, io, wallclock;	/* s, GB s, GB, s */
	uint64_t tasks;			/* that finished */
};

struct ledger_object {
	uint32_t kind, object;		/* enum sharer_kind, number in mirror.objects */
};

struct debited;

/*
 * Questions. What can't be answered now (-EIO, ...) is asked again in the next run; until then
 * nothing is booked for that job.
 */
struct ledger_calls {
	void *context;
	/*
	 * What was booked for a job before. 1: in `debited`, empty at first, usage in the mirror's
	 * names; 0: nothing; 2: nothing, but something for another job of this number; -errno.
	 */
	int (*debited)(void *context, uint32_t job_number, int64_t submission_time, struct debited *debited);
	/*
	 * Was this end booked and kept before? 1, 0 or -errno. NULL: what is kept is never told
	 * again.
	 */
	int (*ended)(void *context, const struct ledger_task *end);
};

struct ledger {
	struct ledger_calls calls;
	struct strings *strings;	/* borrowed */
	struct pool objects;		/* struct ledger_object: their usage was booked or told */
	struct pool jobs;		/* numbers: what is debited has changed */
	struct pool tasks;		/* struct ledger_task: the same; each of a job in `jobs` */
	/* numbers of jobs that have ended: nothing is debited any more */
	struct pool closed;
	struct pool ended;		/* struct ledger_task: their ends are booked */
	struct pool names;		/* struct ledger_names */
	struct ledger_sum *sums;	/* by number in `names` */
	size_t sums_capacity;
	uint64_t postponed;		/* jobs that the last run could not book */
};

/* NULL: no memory. */
struct ledger *ledger_create(const struct ledger_calls *calls, struct strings *strings);
void ledger_destroy(struct ledger *ledger);	/* NULL is a no-op */
/* All that is noted has been kept. */
void ledger_clear(struct ledger *ledger);

/* All of these do nothing when `l` is NULL. 0 or -ENOMEM. */
int ledger_note_object(struct ledger *ledger, uint32_t kind, uint32_t object);
int ledger_note_job(struct ledger *ledger, uint32_t job_number);
/* noted, and not yet kept */
bool ledger_has_job(const struct ledger *ledger, uint32_t job_number);
int ledger_note_task(struct ledger *ledger, const struct ledger_task *task);	/* and its job */
/* So that ledger_note_closed() cannot fail. */
int ledger_reserve_closed(struct ledger *ledger);
void ledger_note_closed(struct ledger *ledger, uint32_t job_number);
/* Ends that are going to be booked, but for those that are `settled`; and that they were not. */
int ledger_note_ends(struct ledger *ledger, const struct ended_task *tasks, size_t n);
void ledger_drop_ends(struct ledger *ledger, const struct ended_task *tasks, size_t n);
/*
 * Where to add what is booked for a user and project (string ids; NONE). NULL: no ledger, or no
 * memory.
 */
struct ledger_sum *ledger_sum(struct ledger *ledger, uint32_t user, uint32_t project);

/*
 * Was the end of a task that now runs (again) booked? 1: its usage is not to be booked; 0; -EAGAIN:
 * can't be told now.
 */
int ledger_task_settled(struct ledger *ledger, uint32_t job_number, int64_t submission_time, struct task *task);
/*
 * Mark those of some ends that are booked already, and all but the first that are the same. 0,
 * -EAGAIN or -ENOMEM.
 */
int ledger_ends_settle(struct ledger *ledger, struct ended_task *tasks, size_t n);
/*
 * What was booked for a job before, which the ledger is asked when it is met for the first time;
 * its sum the qmaster may have reported since. *debited: valid until another job is met. 0, -EAGAIN
 * or -ENOMEM.
 */
int ledger_meet(struct ledger *ledger, struct state *state, uint32_t job_number, int64_t submission_time,
		struct debited **debited);

#endif
