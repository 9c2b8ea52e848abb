/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who gets tickets, and how many: the data that all ticket policies share. sge_priority(5), share_tree(5), sched_conf(5).
 *
 * Pure arithmetic: the caller owns every array, nothing here allocates but the scratch of struct ticket_scratch, and the
 * same input gives the same output to the last bit: sums are made in the order of the arrays.
 *
 * Most jobs are alike. What decides a task's tickets (owner, project, department, -js, -ot) is interned by the caller as
 * a class; running tasks of one class have equal tickets, and pending ones of one class form part of one queue
 * from which a heap picks. So nothing costs (tasks x tree nodes) or (tasks x classes).
 */
#ifndef TICKETS_TICKETS_H
#define TICKETS_TICKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	uint32_t active;		/* running ones and those that a selection has put beside them */
	uint64_t version;		/* of `active`, for the selection's heap */
	double part;			/* override tickets that one more task would get */
};

enum sharer_kind { SHARER_USER, SHARER_PROJECT, SHARER_DEPARTMENT, SHARER_KINDS };	/* the order in which overrides are added */

struct sharers {			/* by kind */
	struct sharer *items[SHARER_KINDS];
	size_t n[SHARER_KINDS];
};

struct tickets {			/* of one task; together, because policies reach for them in any order */
	double override, functional, share_tree;
	double accumulated;		/* pending tasks: what earlier policies gave */
};

/* The order of addition is part of the result. */
static inline double tickets_total(const struct tickets *t)
{
	return t->share_tree + t->functional + t->override;
}

struct ticket_class {
	uint32_t sharer[SHARER_KINDS];	/* index, TICKETS_NONE: no such object */
	uint32_t node;			/* share tree node, TICKETS_NONE: none */
	uint32_t jobshare, override_tickets;
	uint32_t running, pending;	/* tasks of this class that take part */
	struct tickets running_tickets;	/* of each running task, this call */
};

struct ticket_tasks {			/* pending tasks in job list order; or running ones */
	size_t n;
	const uint32_t *class_id;
	const uint32_t *job_number, *task;
	const int64_t *submission;	/* epoch seconds */
	const uint32_t *weight;		/* smallest number of slots asked for, >= 1: how much a task dilutes its node */
	struct tickets *tickets;	/* results */
};

struct ticket_classes {
	struct ticket_class *items;
	size_t n;			/* including classes that nobody uses at present */
	const uint32_t *order;		/* the classes of pending tasks, in order of first appearance */
	size_t norder;
};

struct task_queue;
struct queue_group;
struct ranked;

/*
 * Memory between calls, grown as needed. Zero-initialise; ticket_scratch_free() gives it back.
 */
struct ticket_scratch {
	struct ranked *ranked, *ranked_other;	/* share tree: tasks of a node next to each other */
	uint32_t *members, *sorted;	/* permutations of pending tasks */
	uint32_t *age, *by_number;	/* position by submission, job number, task; by job number, task */
	size_t tasks;			/* capacity of the above */
	const uint32_t *age_position, *number_position;	/* of this run; NULL when the list is in that order */
	struct task_queue *queues, **heap;
	struct queue_group *groups, **group_heap;
	uint32_t *queue_of_class;
	size_t classes;			/* capacity of the above */
	uint32_t *table;		/* hash of queues */
	size_t table_size;		/* power of two */
};

/* -ENOMEM: nothing was changed. */
int ticket_scratch_reserve(struct ticket_scratch *s, size_t tasks, size_t classes);
void ticket_scratch_free(struct ticket_scratch *s);

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
