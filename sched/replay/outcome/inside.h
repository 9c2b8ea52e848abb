/* SPDX-License-Identifier: Apache-2.0 */
/* Private to outcome: its data. */
#ifndef SCHED_REPLAY_OUTCOME_INSIDE_H
#define SCHED_REPLAY_OUTCOME_INSIDE_H

#include "sched/replay/outcome/outcome.h"
#include "sched/replay/outcome/promises.h"

struct outcome_stint {			/* an earlier run time of a job, before its last one */
	size_t job;
	int64_t began, end;
};

struct outcome {
	char *title;
	struct replay_watch watch;
	struct outcome_job *jobs;
	size_t njobs, jobs_capacity;
	struct outcome_stint *stints;
	size_t nstints, stints_capacity;
	struct outcome_slots *slots;
	size_t nslots, slots_capacity;
	struct text_set names[OUTCOME_NAMES];
	uint32_t *active[PROMISE_KINDS];	/* pending and running jobs, by name */
	size_t active_capacity[PROMISE_KINDS];
	struct promises *promises;
	struct outcome_counts counts;
	int error;
};

#endif
