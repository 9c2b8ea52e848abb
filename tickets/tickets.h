/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who gets tickets, and how many: the data that all ticket policies share. sge_priority(5),
 * share_tree(5), sched_conf(5).
 *
 * Pure arithmetic: the caller owns every array, nothing here allocates but the scratch of struct
 * ticket_scratch, and the same input gives the same output to the last bit: sums are made in the
 * order of the arrays, whoever makes them.
 *
 * Most jobs are alike. What decides a task's tickets (owner, project, department, -js, -ot) is
 * interned by the caller as a class; running tasks of one class have equal tickets, and pending
 * ones of one class stand next to each other, so that a policy goes through memory from front to
 * end. Nothing costs (tasks x tree nodes) or (tasks x classes).
 */
#ifndef TICKETS_TICKETS_H
#define TICKETS_TICKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/index.h"

#define TICKETS_NONE UINT32_MAX

struct ticket_params {			/* of sched_conf(5) */
	double share_tickets;		/* weight_tickets_share */
	double functional_tickets;	/* weight_tickets_functional */
	double weight_user, weight_project, weight_department, weight_job;
	double compensation_factor;
	bool share_functional_shares, share_override_tickets;
	uint32_t max_functional_jobs_to_schedule;
	char policy_hierarchy[4];
};

struct sharer {				/* a user, project or department object */
	uint32_t oticket, fshare;
	uint32_t running;		/* tasks that refer to it; set by sharers_count() */
	/* running ones and those that a selection has put beside them */
	uint32_t active;
	uint64_t version;		/* of `active`, for functional selection's heap */
	/* functional tickets that it would bring to one more task */
	double term;
	/* override: the first queue that refers to it; its numbers there (override.c) */
	uint32_t queue, pool;
};

/* the order in which overrides are added */
enum sharer_kind { SHARER_USER, SHARER_PROJECT, SHARER_DEPARTMENT, SHARER_KINDS };

struct sharers {			/* by kind */
	struct sharer *items[SHARER_KINDS];
	size_t n[SHARER_KINDS];
};

struct tickets {			/* of one task */
	double override, functional, share_tree;
};

/* The order of addition is part of the result. */
static inline double tickets_total(const struct tickets *tickets)
{
	return tickets->share_tree + tickets->functional + tickets->override;
}

struct ticket_class {
	uint32_t sharer[SHARER_KINDS];	/* index, TICKETS_NONE: no such object */
	uint32_t node;			/* share tree node, TICKETS_NONE: none */
	uint32_t jobshare, override_tickets;
	uint32_t running, pending;	/* tasks of this class that take part */
	uint32_t begin;			/* its first pending task; the others follow */
	struct tickets running_tickets;	/* of each running task, this call */
};

struct ticket_tasks {			/* running tasks, in job list order */
	size_t n;
	const uint32_t *class_id;
	/* smallest number of slots requested, >= 1: how much a task dilutes its node */
	const uint32_t *weight;
	struct tickets *tickets;	/* results */
};

/* class by class; those of a class in job list order, an array's by id */
struct pending_tasks {
	size_t n;
	const uint32_t *job;		/* the task's job: its place among the jobs of the list */
	const uint32_t *weight;		/* as above */
	/*
	 * by job: its rank by submission and number; by number alone. NULL: the list is in that
	 * order
	 */
	const uint32_t *age, *number;
	double *override, *functional, *share_tree;	/* results */
	double *accumulated;		/* what earlier policies gave */
};

/* Added up as in tickets_total(). */
static inline double pending_total(const struct pending_tasks *tasks, size_t task)
{
	return tasks->share_tree[task] + tasks->functional[task] + tasks->override[task];
}

static inline uint32_t pending_age(const struct pending_tasks *tasks, uint32_t task)
{
	return tasks->age ? tasks->age[tasks->job[task]] : tasks->job[task];
}

static inline uint32_t pending_number(const struct pending_tasks *tasks, uint32_t task)
{
	return tasks->number ? tasks->number[tasks->job[task]] : tasks->job[task];
}

struct ticket_classes {
	struct ticket_class *items;
	size_t n;			/* including classes that nobody uses at present */
	/* the classes of pending tasks, in order of first appearance */
	const uint32_t *order;
	size_t norder;
};

struct task_queue;
struct queue_entry;
struct queue_group;
struct queue_pool;

/*
 * Who does the work: item(context, 0) ... item(context, items - 1), side by side if there is
 * anybody. Items are independent, so results are the same. `run` NULL: one after the other.
 */
struct ticket_workers {
	void (*run)(void *self, void (*item)(void *context, size_t i), void *context, size_t items);
	void *self;
};

static inline void tickets_share_work(const struct ticket_workers *workers, void (*item)(void *context, size_t i),
				      void *context, size_t items)
{
	if (workers->run)
		workers->run(workers->self, item, context, items);
	for (size_t i = 0; !workers->run && i < items; i++)
		item(context, i);
}

/*
 * In which order a selection has picked pending tasks: all else that it has come to follows from
 * that. For one worker alone; the caller frees `tasks`.
 */
struct picked_tasks {
	uint32_t *tasks;
	size_t n, capacity;
	bool lost;			/* there was no memory for all */
};

struct pick_witness {			/* zero-initialise before each run */
	struct picked_tasks override, functional;
};

void picked_tasks_add(struct picked_tasks *picked, uint32_t task);

/*
 * Memory between calls, grown as needed. Zero-initialise, but for `workers` and `witness`;
 * ticket_scratch_free() gives it back.
 */
struct ticket_scratch {
	struct ticket_workers workers;
	struct pick_witness *witness;	/* borrowed; NULL: nobody wants to know */
	/* permutations of pending tasks: by queue; by share tree node */
	uint32_t *members, *other_members;
	/* what those are ranked by; between two policies anybody's */
	double *keys, *other_keys;
	size_t tasks;			/* capacity of the above */
	struct task_queue *queues;
	struct queue_entry *heap;
	struct queue_group *groups, **group_heap;
	struct queue_pool *pools;
	uint32_t *components;		/* where each component's queues begin in `heap` */
	/* by class: the next one of its queue, or of its share tree node */
	uint32_t *next_class;
	size_t classes;			/* capacity of the above; pools: SHARER_KINDS times */
	struct index queue_index;	/* by what the policy looks at */
	uint32_t *queue_hashes;
	uint32_t *nodes, *depths;	/* share tree: nodes by depth; where each depth begins */
	uint32_t *node_class;		/* by node: first class on it */
	size_t node_capacity;
};

/* -ENOMEM: nothing was lost. */
int ticket_scratch_reserve(struct ticket_scratch *scratch, size_t tasks, size_t classes, size_t nodes);
void ticket_scratch_free(struct ticket_scratch *scratch);

/* How many running tasks refer to each object: tasks, not jobs and not slots. */
void sharers_count(struct sharers *sharers, const struct ticket_classes *classes);

/* Undo what a selection counted: active = running. */
void sharers_reset(struct sharers *sharers);

/* A value that is NaN becomes 0, one beyond +-TICKETS_LIMIT that limit; counts it. */
#define TICKETS_LIMIT 1e150
static inline double tickets_finite(double value, uint64_t *clamped)
{
	if (value >= -TICKETS_LIMIT && value <= TICKETS_LIMIT)
		return value;
	++*clamped;
	return value > 0 ? TICKETS_LIMIT : value < 0 ? -TICKETS_LIMIT : 0.0;
}

#endif
