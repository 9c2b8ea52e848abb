/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tickets: the data that all ticket policies share. sge_priority(5), share_tree(5), sched_conf(5).
 *
 * Pure arithmetic. The caller owns every array; only struct ticket_scratch allocates memory. Equal
 * input gives equal output to the last bit: sums are made in the order of the arrays, whichever
 * thread makes them.
 *
 * Most jobs are similar. The caller interns the attributes that determine a task's tickets (owner,
 * project, department, -js, -ot) as a class. Running tasks of one class have equal tickets. Pending
 * tasks of one class are contiguous, so a policy reads memory sequentially. No cost is proportional
 * to tasks x tree nodes or tasks x classes.
 */
#ifndef TICKETS_TICKETS_H
#define TICKETS_TICKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/index.h"

#define TICKETS_NONE UINT32_MAX

struct ticket_params {			/* from sched_conf(5) */
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
	uint32_t running;		/* running tasks of the object; set by sharers_count() */
	/* Running tasks and tasks that a selection has added. */
	uint32_t active;
	/* version of `active`, for the heap of functional selection */
	uint64_t version;
	/* Functional tickets that it would give to one more task. */
	double term;
	/* Override: first queue of the object, and its index among the pools (override.c). */
	uint32_t queue, pool;
};

/* Kinds of objects, in the order in which overrides are added. */
enum sharer_kind { SHARER_USER, SHARER_PROJECT, SHARER_DEPARTMENT, SHARER_KINDS };

struct sharers {			/* by kind */
	struct sharer *items[SHARER_KINDS];
	size_t n[SHARER_KINDS];
};

struct tickets {			/* tickets of one task */
	double override, functional, share_tree;
};

/* Return the sum. The order of addition affects the result. */
static inline double tickets_total(const struct tickets *tickets)
{
	return tickets->share_tree + tickets->functional + tickets->override;
}

struct ticket_class {
	uint32_t sharer[SHARER_KINDS];	/* index, TICKETS_NONE: no such object */
	uint32_t node;			/* share tree node, TICKETS_NONE: none */
	uint32_t jobshare, override_tickets;
	uint32_t running, pending;	/* tasks of this class that are considered */
	uint32_t begin;			/* first pending task; the others follow it */
	struct tickets running_tickets;	/* tickets of each running task, in this call */
};

struct ticket_tasks {			/* running tasks, in job list order */
	size_t n;
	const uint32_t *class_id;
	/* Smallest number of slots requested, >= 1: how much a task dilutes its node. */
	const uint32_t *weight;
	struct tickets *tickets;	/* results */
};

/* Pending tasks class by class, within a class in job list order, within an array by id. */
struct pending_tasks {
	size_t n;
	/* job of each task: its position among the jobs of the list */
	const uint32_t *job;
	const uint32_t *weight;		/* see struct ticket_tasks */
	/*
	 * Per job: its rank by submission and number; its rank by number alone. NULL: the list is
	 * in that order.
	 */
	const uint32_t *age, *number;
	double *override, *functional, *share_tree;	/* results */
	double *accumulated;		/* tickets of earlier policies */
};

/* Return the sum, added in the order of tickets_total(). */
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
	size_t n;			/* including classes without tasks at present */
	/* Classes of pending tasks, in order of first appearance. */
	const uint32_t *order;
	size_t norder;
};

struct task_queue;
struct queue_entry;
struct queue_group;
struct queue_pool;

/*
 * Workers that execute item(context, 0) ... item(context, items - 1), in parallel if possible.
 * Items are independent, so the results do not depend on it. `run` NULL: one after the other.
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
 * The order in which a selection has picked pending tasks. All other results of the selection
 * follow from it. Only for a single worker; the caller frees `tasks`.
 */
struct picked_tasks {
	uint32_t *tasks;
	size_t n, capacity;
	bool lost;			/* memory was exhausted */
};

struct pick_witness {			/* zero-initialise before each run */
	struct picked_tasks override, functional;
};

void picked_tasks_add(struct picked_tasks *picked, uint32_t task);

/*
 * Memory that is kept between calls and grows as needed. Zero-initialise it, except `workers` and
 * `witness`. ticket_scratch_free() releases it.
 */
struct ticket_scratch {
	struct ticket_workers workers;
	struct pick_witness *witness;	/* borrowed; NULL: no recording */
	/* Permutations of pending tasks: by queue; by share tree node. */
	uint32_t *members, *other_members;
	/* Sort keys of these; free for other use between two policies. */
	double *keys, *other_keys;
	size_t tasks;			/* capacity of the above */
	struct task_queue *queues;
	struct queue_entry *heap;
	struct queue_group *groups, **group_heap;
	struct queue_pool *pools;
	uint32_t *components;		/* start of each component's queues in `heap` */
	/* Per class: the next class of its queue, or of its share tree node. */
	uint32_t *next_class;
	size_t classes;			/* capacity of the above; pools: SHARER_KINDS times */
	struct index queue_index;	/* keys: the values that matter for the policy */
	uint32_t *queue_hashes;
	uint32_t *nodes, *depths;	/* share tree: nodes by depth; start of each depth */
	uint32_t *node_class;		/* per node: first class on it */
	size_t node_capacity;
};

/* Return 0 or -ENOMEM. After -ENOMEM nothing is lost. */
int ticket_scratch_reserve(struct ticket_scratch *scratch, size_t tasks, size_t classes, size_t nodes);
void ticket_scratch_free(struct ticket_scratch *scratch);

/* Count the running tasks of each object: tasks, not jobs and not slots. */
void sharers_count(struct sharers *sharers, const struct ticket_classes *classes);

/* Undo what a selection counted: active = running. */
void sharers_reset(struct sharers *sharers);

/* Replace NaN by 0, and limit values to +-TICKETS_LIMIT. Count each replacement. */
#define TICKETS_LIMIT 1e150
static inline double tickets_finite(double value, uint64_t *clamped)
{
	if (value >= -TICKETS_LIMIT && value <= TICKETS_LIMIT)
		return value;
	++*clamped;
	return value > 0 ? TICKETS_LIMIT : value < 0 ? -TICKETS_LIMIT : 0.0;
}

#endif
