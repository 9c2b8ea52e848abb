/* SPDX-License-Identifier: Apache-2.0 */
/* Inside answers: jobs by who has submitted them and by what they are like. */
#ifndef SCHED_REPLAY_OUTCOME_GROUPS_H
#define SCHED_REPLAY_OUTCOME_GROUPS_H

#include "sched/replay/outcome/answers.h"

/* The jobs that started, by ascending wait or slowdown; of equals the earlier one first. */
struct ranking {
	struct ranked {
		double value;
		size_t job;
	} *items;
	size_t n;
};

/* a->by, of the jobs and what they ran up to `until`. -ENOMEM. */
int groups_make(struct answers *answers, const struct ranking *waits, const struct ranking *slowdowns, int64_t until);
/* promised, due, and the distances, once groups are there. -ENOMEM. */
int shares_make(struct answers *answers);
/* starving and longest. */
void starving_find(struct answers *answers, const struct ranking *waits, int64_t until);

/*
 * Each time that a job ran, or waited for its first start, by who had it, for sums of one after the
 * other.
 */
struct owned_time {
	uint32_t who, slots;		/* who: as group_of() */
	int64_t began, end;
};
/* -ENOMEM. The caller frees. */
int owned_times_make(struct owned_time **items, size_t *n, const struct answers *answers, enum grouping by);
int owned_waits_make(struct owned_time **items, size_t *n, const struct answers *answers, enum grouping by);
/* Those of `who` from *at on, which moves behind them, into a series that is settled then. */
void owned_times_add(struct series *series, const struct owned_time *items, size_t n, size_t *at, uint32_t who);

/* The group that a job is in; of names 0 is that of those without. Below groups_count(). */
size_t group_of(const struct outcome_job *job, enum grouping by);
size_t groups_count(const struct outcome *outcome, enum grouping by);
const char *grouping_name(const struct outcome *outcome, enum grouping by, size_t number);

#endif
