/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `algorithm default`: Grid Engine's priorities, sge_priority(5) and share_tree(5), as a policy.
 *
 *     configure   configure.c      ticket parameters of the cell
 *                 tree.c           its share tree, over the existing users and projects
 *     collect     slices.c         eligible tasks, class by class, as tickets are assigned
 *     urgency     urgency.c        resources, waiting time, deadline
 *     tickets     tickets.c        share tree, functional, override
 *     normalize   normalize.c      prio; after a job start, that of the next task
 *     hosts       reprioritize.c   tickets of running tasks
 *     publish     publish.c        tickets of jobs and tasks, the share tree
 *
 * Everything but gridengine_policy is private to this directory. The formulas are in urgency/ and
 * tickets/.
 */
#ifndef SCHED_POLICY_GRIDENGINE_GRIDENGINE_H
#define SCHED_POLICY_GRIDENGINE_GRIDENGINE_H

#include "sched/policy/policy.h"
#include "tickets/calculate.h"
#include "urgency/urgency.h"

extern const struct policy_kind gridengine_policy;
extern const struct policy_migration gridengine_migration;	/* migrate.c */

struct slice;				/* slices.c: results of one worker */

struct class_walk {			/* classes of pending tasks, by first appearance */
	uint32_t *order;
	size_t n, capacity;
	struct slice *slices;
	size_t nslices;
};

/* Tickets of the tasks of run->pending, class by class: see struct pending_tasks. */
struct pending_tickets {
	uint32_t *weight;
	double *override, *functional, *share_tree, *accumulated;
	size_t capacity;
};

struct cell_tree {			/* the cell's share tree */
	struct share_tree nodes;
	bool exists, is_stale;
	uint32_t *names;		/* string ids of configured nodes, held */
	size_t nnames;
};

struct gridengine {
	struct policy policy;
	struct ticket_params tickets;
	struct urgency_params urgency;
	struct cell_tree tree;
	struct class_walk classes;
	struct pending_tickets pending;
	struct tickets *running;	/* tickets of the tasks of run->running */
	size_t running_capacity;
	double *rrcontr;		/* by request */
	size_t rrcontr_capacity;
	struct urgency_spread spread;	/* over all eligible jobs */
	struct ticket_totals totals;
	int64_t ordered;		/* when hosts were last sent tickets; 0: never */
};

/* Functions of struct policy_kind */
int gridengine_collect(struct policy *policy, struct run *run);
int gridengine_urgency(struct policy *policy, struct run *run);
int gridengine_tickets(struct policy *policy, struct run *run);
int gridengine_normalize(struct policy *policy, struct run *run);
void gridengine_given(const struct policy *policy, const struct run *run, uint32_t task, struct policy_given *given);
double gridengine_next(const struct policy *policy, const struct run *run, uint32_t place, uint32_t task,
		       bool enrolled);
int gridengine_hosts(struct policy *policy, const struct run *run, struct orders *orders);
void gridengine_settle(struct policy *policy, struct run *run);
void gridengine_block(struct policy *policy, const struct block *block, struct generation_writer *writer);
int gridengine_publish(struct policy *policy, struct run *run, struct generation_writer *writer);

/* urgency.c: return the urgency of one job; keep it for readers of a suspended task. */
double urgency_of_job(const struct gridengine *gridengine, const struct run *run, uint32_t row);
void urgency_keep(struct kept_record *kept, const struct gridengine *gridengine, const struct run *run, uint32_t row);

void slices_free(struct class_walk *walk);

/* tree.c: build the tree over the objects that exist now. -ENOMEM. */
int tree_configure(struct cell_tree *tree, struct run *run);
void tree_free(struct cell_tree *tree, struct strings *strings);
/* Return the functions that weigh usage of the tree's nodes. They decay what they read. */
struct sharetree_sources tree_sources(struct run *run);

static inline struct tickets pending_tickets(const struct pending_tickets *tickets, size_t task)
{
	return (struct tickets){ .override = tickets->override[task],
				 .functional = tickets->functional[task],
				 .share_tree = tickets->share_tree[task] };
}

/*
 * Prefetch what the job AHEAD jobs later will need. Tasks are in the order of classes, jobs in the
 * order of the list. Always inlined: gcc regards a function that only prefetches as one without
 * effect and drops the calls that it does not inline at once.
 */
#define AHEAD 12
static inline __attribute__((always_inline)) void pending_fetch(const struct waiting_columns *columns,
								const struct pending_tickets *tickets, size_t job)
{
	uint32_t first = job + AHEAD < columns->n ? columns->first[job + AHEAD] : NONE;

	if (first == NONE)
		return;
	__builtin_prefetch(&tickets->override[first]);
	__builtin_prefetch(&tickets->functional[first]);
	__builtin_prefetch(&tickets->share_tree[first]);
}

#endif
