/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pending tasks in queues, one queue for all tasks that a policy can't tell apart but by their turn: what functional and
 * override policy share. Private to tickets/.
 */
#ifndef TICKETS_QUEUE_H
#define TICKETS_QUEUE_H

#include "tickets/tickets.h"

struct task_queue {			/* equal in all that the policy looks at */
	uint32_t sharer[SHARER_KINDS];	/* TICKETS_NONE where the object has none of what the policy hands out */
	uint32_t job_value;		/* -js or -ot */
	uint32_t begin, end;		/* its tasks in scratch->members; begin is the head */
	uint32_t number, task;		/* of the head: job number, task id */
	int64_t submission;		/* and epoch seconds; see queue_head() */
	double value;			/* last evaluation of the head */
	double rank;			/* by which the heap orders: value, or value + accumulated; never below the true one */
	uint64_t version;		/* of the state it was evaluated in */
};

/*
 * Fill scratch->queues and scratch->members. `share_of` says how many tickets or shares an object brings; a class whose objects and
 * job value all bring nothing stands in no queue. Queues are in the order of first appearance. Inside: dependent ones by what earlier
 * policies gave, descending, then age (submission, job number, task); else in list order.
 * Returns the number of queues.
 */
size_t queues_build(const struct ticket_classes *classes, const struct sharers *sharers, const struct ticket_tasks *pending,
		    bool override, bool dependent, struct ticket_scratch *scratch);

/*
 * A binary heap of queues, best on top. `before` orders two queues by the ranks they had when evaluated.
 */
struct queue_heap {
	struct task_queue **items;
	size_t n;
	bool by_submission;		/* ties: earlier submission first; else smaller job number at once */
};

/* Note who the head is, so that comparing queues touches nothing else. Returns the head. */
static inline uint32_t queue_head(struct task_queue *q, const struct ticket_tasks *tasks, const struct ticket_scratch *scratch)
{
	uint32_t head = scratch->members[q->begin];

	q->number = tasks->job_number[head];
	q->task = tasks->task[head];
	q->submission = tasks->submission[head];
	return head;
}

/* Override: queues that share all but the user. */
struct queue_group {
	struct queue_heap queues;	/* by the user's part */
	uint32_t project, department, job_value;
	double value;			/* of the best queue when evaluated */
	uint32_t number, task;		/* of its head then */
	uint64_t version;		/* of project and department then */
};

void queue_heap_build(struct queue_heap *h);
void queue_heap_sink(struct queue_heap *h, size_t i);
void queue_heap_pop(struct queue_heap *h);	/* drops the top */

/*
 * Sort tasks[0..n) by what has accumulated, descending, ties by position ascending (NULL: the task itself). Natural merge sort: nearly
 * sorted input costs one pass. `other` has room for n.
 */
void accumulated_sort(uint32_t *tasks, uint32_t *other, size_t n, const struct tickets *tickets, const uint32_t *position);

struct ranked {				/* a pending task below a share tree node */
	double key;
	uint32_t task, weight;
};

/* The same for ranked tasks, by key. */
void ranked_sort(struct ranked *items, struct ranked *other, size_t n, const uint32_t *position);

/* Position of each task in the order of age (submission, job number, task), or NULL when the list is in that order. */
const uint32_t *tasks_by_age(const struct ticket_tasks *tasks, struct ticket_scratch *scratch);
const uint32_t *tasks_by_number(const struct ticket_tasks *tasks, struct ticket_scratch *scratch);

#endif
