/* SPDX-License-Identifier: Apache-2.0 */
/* The decisions of a run, kept until they become orders. */
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
struct supply;
struct grant;
struct pending_job;

struct decision {			/* start of a task */
	uint32_t job_number, task;
	bool is_array;
	/* a job with higher priority has a reservation in this run */
	bool backfilled;
	uint32_t pe;			/* index into cell->pes; NONE */
	uint32_t slots;
	uint32_t first, n;		/* entries of the task, master queue first */
	double prio;			/* sort key of the policy */
	struct policy_given given;
};

struct decision_entry {
	/* owned by the run or the mirror: valid as long as the run */
	const char *queue;
	uint32_t slots;
};

/* a task that must release its slot; texts are owned by the run */
struct eviction {
	uint32_t job_number, task;	/* 0, 0: the slot has a reported claim but no task */
	struct order_vacate order;
};

struct suspension {			/* suspension by a threshold, or its end */
	uint32_t job_number, task;
	uint32_t instance;		/* number in the cluster */
	bool suspend;
};

struct decisions {			/* zero-initialise */
	struct decision *items;
	struct decision_entry *entries;
	struct suspension *suspensions;
	struct eviction *evictions;
	uint32_t *removals;		/* numbers of immediate jobs that could not start */
	size_t n, nentries, nsuspensions, nevictions, nremovals;
};

/* Immediate jobs whose removal was ordered. */
struct removed {
	struct pool numbers;
	const struct state *state;	/* state that they belong to; only its address matters */
};

void decisions_clear(struct decisions *decisions);
void decisions_free(struct decisions *decisions);
/* Add the start of a task. Return 0 or -ENOMEM. */
int decisions_add(struct decisions *decisions, const struct cluster *cluster, const struct pending_job *job,
		  const struct grant *grant, const struct policy_given *given);
/*
 * Add the start of a task on one instance, which need not be in the cluster. Return 0 or -ENOMEM.
 */
int decisions_add_at(struct decisions *decisions, const struct pending_job *job, const struct decision_entry *at,
		     const struct policy_given *given);

/* Remove an immediate job that does not start. Return 0 or -ENOMEM. */
int decisions_remove(struct decisions *decisions, uint32_t job_number);

/*
 * suspend.c: Decide which tasks are suspended or resumed because of suspend_thresholds. Return 0 or
 * -ENOMEM.
 */
int suspensions_find(const struct supply *supply, struct decisions *decisions, struct run *run);

#endif
