/* SPDX-License-Identifier: Apache-2.0 */
/* What a run has decided: kept until orders are made of it. */
#ifndef SCHED_DISPATCH_DECISIONS_H
#define SCHED_DISPATCH_DECISIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/mirror/pool.h"
#include "sched/policy/policy.h"
#include "sched/qmaster/order.h"

struct cluster;
struct dispatch;
struct grant;
struct pending_job;

struct decision {			/* a task starts */
	uint32_t job_number, task;
	bool is_array;
	bool backfilled;		/* a job before it has a reservation in this run */
	uint32_t pe;			/* of cell->pes; NONE */
	uint32_t slots;
	uint32_t first, n;		/* its entries, master queue first */
	double prio;			/* the policy's key */
	struct policy_given given;
};

struct decision_entry {
	const char *queue;		/* of the run, or the mirror's: it lives as long as the run */
	uint32_t slots;
};

struct eviction {			/* a task is to give back its slot; texts as the run has them */
	uint32_t job_number, task;	/* 0, 0: of a claim that was told */
	struct order_vacate order;
};

struct suspension {			/* on a threshold, or its end */
	uint32_t job_number, task;
	uint32_t instance;		/* of the cluster */
	bool suspend;
};

struct decisions {			/* zero-initialise */
	struct decision *items;
	struct decision_entry *entries;
	struct suspension *suspensions;
	struct eviction *evictions;
	uint32_t *removals;		/* job numbers: immediate jobs that could not start */
	size_t n, nentries, nsuspensions, nevictions, nremovals;
};

/* immediate jobs whose removal was ordered */
struct removed {
	struct pool numbers;
	const struct state *state;	/* that these are about; only its address matters */
};

void decisions_clear(struct decisions *decisions);
void decisions_free(struct decisions *decisions);
/* -ENOMEM */
int decisions_add(struct decisions *decisions, const struct cluster *cluster, const struct pending_job *job,
		  const struct grant *grant, const struct policy_given *given);
/* The same on one instance, which the cluster need not have. */
int decisions_add_at(struct decisions *decisions, const struct pending_job *job, const struct decision_entry *at,
		     const struct policy_given *given);

/* suspend.c: which tasks are to be suspended or resumed by suspend_thresholds. -ENOMEM. */
int suspensions_find(struct dispatch *dispatch, struct run *run);

#endif
