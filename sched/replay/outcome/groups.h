/* SPDX-License-Identifier: Apache-2.0 */
/* Private to answers: jobs by user, group, project and class. */
#ifndef SCHED_REPLAY_OUTCOME_GROUPS_H
#define SCHED_REPLAY_OUTCOME_GROUPS_H

#include "sched/replay/outcome/answers.h"

/* Jobs that have started, by ascending wait or slowdown; equal ones by index. */
struct ranking {
	struct ranked {
		double value;
		size_t job;
	} *items;
	size_t n;
};

/* Make answers->by from the jobs and their run times up to `until`. -ENOMEM. */
int groups_make(struct answers *answers, const struct ranking *waits, const struct ranking *slowdowns, int64_t until);
/* Compute promised, due and the distances, after groups_make(). -ENOMEM. */
int shares_make(struct answers *answers);
/* Compute starving and longest. */
void starving_find(struct answers *answers, const struct ranking *waits, int64_t until);

/*
 * Time during which a job ran, or waited for its first start; sorted by owner, so that owners can
 * be summed up one after the other.
 */
struct owned_time {
	uint32_t who, slots;		/* owner: number from group_of() */
	int64_t began, end;
};
/* Make the list of run times, or of waiting times. -ENOMEM. The caller frees it. */
int owned_times_make(struct owned_time **items, size_t *n, const struct answers *answers, enum grouping by);
int owned_waits_make(struct owned_time **items, size_t *n, const struct answers *answers, enum grouping by);
/* Add the times of `who` from *at on to a series and settle it. *at moves to the next owner. */
void owned_times_add(struct series *series, const struct owned_time *items, size_t n, size_t *at, uint32_t who);

/* Return the group of a job, below groups_count(). Jobs without a name are in group 0. */
size_t group_of(const struct outcome_job *job, enum grouping by);
size_t groups_count(const struct outcome *outcome, enum grouping by);

#endif
