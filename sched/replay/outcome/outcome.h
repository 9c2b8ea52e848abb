/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a replay's watch is told, kept so that answers.h can be made of it: a record of each job,
 * how many slots there were when, and what was promised to whom.
 *
 *     outcome_create(&o, "fair");
 *     replay_create(&r, s, &options, outcome_watch(o), &error);
 *     ... replay ...
 *     if (outcome_error(o)) ...
 *     answers_make(&answers, o, &axis, &error);
 *     outcome_destroy(o);
 *
 * Exact: all that answers.h says of jobs, since each job is kept: 104 bytes, and 24 more for each
 * time that it was vacated. Besides, 16 bytes for each change of the number of slots, and at most
 * PROMISE_SAMPLES samples of what is promised: when there are more, every other one is forgotten.
 *
 * Each task of an array is a job here, since it is one that waits and runs.
 *
 * Not thread-safe; several outcomes may be filled on several threads.
 */
#ifndef SCHED_REPLAY_OUTCOME_OUTCOME_H
#define SCHED_REPLAY_OUTCOME_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/text_set.h"
#include "sched/replay/replay.h"

enum outcome_name { OUTCOME_USER, OUTCOME_GROUP, OUTCOME_PROJECT, OUTCOME_QUEUE, OUTCOME_NAMES };

enum outcome_state {
	/* its place in the trace is not reached, or it was refused */
	OUTCOME_ABSENT,
	OUTCOME_WAITING, OUTCOME_RUNNING, OUTCOME_ENDED,
	OUTCOME_REMOVED,		/* -now y, and there was no room: it never started */
};

struct outcome_job {
	uint64_t line, number;		/* of the trace */
	int64_t submit;			/* epoch seconds, virtual */
	int64_t start;			/* the first one; 0: not yet */
	int64_t began, end;		/* of the last time that it ran; end 0: it runs or waits */
	int64_t recorded_submit, recorded_start;	/* 0: the trace does not say */
	uint32_t task, slots;
	uint32_t run_s;			/* as recorded; UINT32_MAX: unknown */
	uint32_t names[OUTCOME_NAMES];	/* for outcome_name(); 0: none, else one more */
	uint8_t state;			/* enum outcome_state */
	bool backfilled, vacated, limited, suspended;	/* at least once */
};

struct outcome_slots {			/* from `since` on there were so many */
	int64_t since;
	uint64_t slots;
};

struct promises;
struct outcome;

/* `name` is that of the policy, for people; copied. 0 or -ENOMEM. The caller destroys. */
int outcome_create(struct outcome **outcome, const char *name);
void outcome_destroy(struct outcome *outcome);

/* For replay_create(); belongs to the outcome. */
const struct replay_watch *outcome_watch(struct outcome *outcome);

/*
 * What the trace itself has recorded of the same jobs, in the same form: those of which it knows
 * when they started and how long they ran. -ENODATA: it knows that of none; -ENOMEM.
 */
int outcome_recorded(struct outcome **made, const struct outcome *outcome, const char *name);

/* 0, or -ENOMEM: something is missing here since then. */
int outcome_error(const struct outcome *outcome);

const char *outcome_title(const struct outcome *outcome);

/* One for each index of the replay; those that are OUTCOME_ABSENT are no jobs. */
const struct outcome_job *outcome_jobs(const struct outcome *outcome, size_t *n);
const struct outcome_slots *outcome_slots(const struct outcome *outcome, size_t *n);
/* By what job->names[] has; "" for 0. */
const char *outcome_name(const struct outcome *outcome, enum outcome_name kind, uint32_t number);
/* different ones: 1 to that */
size_t outcome_names(const struct outcome *outcome, enum outcome_name kind);
/* Its number; 0: there is no such name. */
uint32_t outcome_find(const struct outcome *outcome, enum outcome_name kind, const char *name);
const struct promises *outcome_promises(const struct outcome *outcome);

struct outcome_counts {
	uint64_t runs;
	uint64_t refused;
	char refused_why[256];		/* of the first one; "" */
	uint64_t refused_line;
	int64_t now;			/* of the last run; 0: there was none */
	size_t most_pending;		/* tasks, behind a run */
	uint64_t vacated, limited, removed, suspended;	/* how many times */
};
void outcome_counts(const struct outcome *outcome, struct outcome_counts *counts);

/*
 * Each time that a job ran, in no order of time: one that goes on counts up to `until`, and one at
 * whose end the job was vacated is `lost`.
 */
typedef void outcome_visit(void *context, const struct outcome_job *job, int64_t began, int64_t end, bool lost);
void outcome_walk(const struct outcome *outcome, int64_t until, outcome_visit *visit, void *context);

/* Seconds from submission to the first start; of a job that waits, up to `now`. */
static inline int64_t outcome_wait(const struct outcome_job *job, int64_t now)
{
	return (job->start ? job->start : now) - job->submit;
}

#endif
