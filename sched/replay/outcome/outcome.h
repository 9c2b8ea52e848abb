/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of a replay from which answers.h computes figures: a record of each job, the number of
 * slots over time, and the promised shares.
 *
 *     outcome_create(&o, "fair");
 *     replay_create(&r, s, &options, outcome_watch(o), &error);
 *     ... replay ...
 *     if (outcome_error(o)) ...
 *     answers_make(&answers, o, &axis, &error);
 *     outcome_destroy(o);
 *
 * Figures of jobs in answers.h are exact, since each job is kept: 104 bytes, and 24 more for each
 * time that it was vacated. In addition, 16 bytes are kept for each change of the number of slots,
 * and at most PROMISE_SAMPLES samples of promises. If there are more samples, every other one is
 * dropped.
 *
 * Each task of an array is a job here, because tasks wait and run by themselves.
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
	/* Not reached in the trace, or refused. */
	OUTCOME_ABSENT,
	OUTCOME_WAITING, OUTCOME_RUNNING, OUTCOME_ENDED,
	OUTCOME_REMOVED,		/* never started: -now y, and there was no room */
};

struct outcome_job {
	uint64_t line, number;		/* line and number in the trace */
	int64_t submit;			/* epoch seconds, virtual */
	int64_t start;			/* the first start; 0: not yet */
	/* begin and end of the last run time; end 0: running or pending */
	int64_t began, end;
	int64_t recorded_submit, recorded_start;	/* 0: the trace has none */
	uint32_t task, slots;
	uint32_t run_s;			/* recorded; UINT32_MAX: unknown */
	/* for outcome_name(); 0: none, otherwise the index plus one */
	uint32_t names[OUTCOME_NAMES];
	uint8_t state;			/* enum outcome_state */
	bool backfilled, vacated, limited, suspended;	/* at least once */
};

struct outcome_slots {			/* number of slots from `since` on */
	int64_t since;
	uint64_t slots;
};

struct promises;
struct outcome;

/* Create an outcome. `name` is the policy's name for people. The caller destroys it. -ENOMEM. */
int outcome_create(struct outcome **outcome, const char *name);
void outcome_destroy(struct outcome *outcome);

/* Return the watch for replay_create(); it belongs to the outcome. */
const struct replay_watch *outcome_watch(struct outcome *outcome);

/*
 * Make an outcome of the recorded starts and run times of the same jobs, as far as the trace has
 * both. -ENODATA: no job has both; -ENOMEM.
 */
int outcome_recorded(struct outcome **made, const struct outcome *outcome, const char *name);

/* Return 0, or -ENOMEM: the outcome is incomplete since then. */
int outcome_error(const struct outcome *outcome);

const char *outcome_title(const struct outcome *outcome);

/* Return the jobs, one for each index of the replay. OUTCOME_ABSENT: not a job. */
const struct outcome_job *outcome_jobs(const struct outcome *outcome, size_t *n);
const struct outcome_slots *outcome_slots(const struct outcome *outcome, size_t *n);
/* Return the name of a number in job->names[]; "" for 0. */
const char *outcome_name(const struct outcome *outcome, enum outcome_name kind, uint32_t number);
/* Return the number of different names, which is also the largest number. */
size_t outcome_names(const struct outcome *outcome, enum outcome_name kind);
/* Return the number of a name; 0: there is no such name. */
uint32_t outcome_find(const struct outcome *outcome, enum outcome_name kind, const char *name);
const struct promises *outcome_promises(const struct outcome *outcome);

struct outcome_counts {
	uint64_t runs;
	uint64_t refused;
	char refused_why[256];		/* reason of the first refusal; "" */
	uint64_t refused_line;
	int64_t now;			/* time of the last run; 0: no run yet */
	size_t most_pending;		/* tasks, after a run */
	uint64_t vacated, limited, removed, suspended;	/* number of times */
};
void outcome_counts(const struct outcome *outcome, struct outcome_counts *counts);

/*
 * Call `visit` with each run time of each job, in no order of time. A job that is running counts up
 * to `until`. `lost`: the job was vacated at the end of this run time.
 */
typedef void outcome_visit(void *context, const struct outcome_job *job, int64_t began, int64_t end, bool lost);
void outcome_walk(const struct outcome *outcome, int64_t until, outcome_visit *visit, void *context);

/* Return the seconds from submission to the first start, or to `now` if the job has not started. */
static inline int64_t outcome_wait(const struct outcome_job *job, int64_t now)
{
	return (job->start ? job->start : now) - job->submit;
}

#endif
