/* SPDX-License-Identifier: Apache-2.0 */
/* What a run has decided: kept until orders are made of it. */
#ifndef SCHED_DISPATCH_DECISIONS_H
#define SCHED_DISPATCH_DECISIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/mirror/pool.h"
#include "sched/policy/policy.h"

struct grant;
struct grant_entry;
struct pending_job;

struct decision {			/* a task starts */
	uint32_t job_number, task;
	bool is_array;
	uint32_t pe;			/* of cell->pes; NONE */
	uint32_t slots;
	uint32_t first, n;		/* its entries, master queue first */
	double prio;			/* the policy's key */
	struct policy_given given;
};

struct suspension {			/* on a threshold, or its end */
	uint32_t job_number, task;
	uint32_t instance;		/* of the cluster */
	bool suspend;
};

struct decisions {			/* zero-initialise */
	struct decision *items;
	struct grant_entry *entries;
	struct suspension *suspensions;
	uint32_t *removals;		/* job numbers: immediate jobs that could not start */
	size_t n, nentries, nsuspensions, nremovals;
};

/* immediate jobs whose removal was ordered */
struct removed {
	struct pool numbers;
	const struct state *state;	/* that these are about; only its address matters */
};

void decisions_clear(struct decisions *d);
void decisions_free(struct decisions *d);
/* -ENOMEM */
int decisions_add(struct decisions *d, const struct pending_job *job, const struct grant *grant, const struct policy_given *given);

/* suspend.c: which tasks are to be suspended or resumed by suspend_thresholds. -ENOMEM. */
int suspensions_find(struct dispatch *d, struct run *run);

#endif
