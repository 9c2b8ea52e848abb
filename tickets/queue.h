/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues of pending tasks, one queue for all tasks that a policy can distinguish only by their
 * turn. Shared by the functional and override policies. Private to tickets/.
 */
#ifndef TICKETS_QUEUE_H
#define TICKETS_QUEUE_H

#include "tickets/tickets.h"

struct task_queue {			/* tasks that are equal for the policy */
	/* TICKETS_NONE if the object has nothing that the policy assigns. */
	uint32_t sharer[SHARER_KINDS];
	uint32_t job_value;		/* -js or -ot */
	uint32_t first_class, last_class;	/* chained by scratch->next_class */
	/* range of its tasks in scratch->members; begin is the head */
	uint32_t begin, end;
	uint32_t pool[SHARER_KINDS];	/* override: pools of its sharers */
	/* Override: leads to the queue that represents its component. */
	uint32_t component;
	uint32_t queues;		/* representative: number of queues in the component */
	double value;			/* functional: last evaluation of the head */
	/* functional: accumulated tickets of the head, if they count */
	double accumulated;
	uint64_t version;		/* version of the state at the evaluation */
};

struct queue_entry {
	/* Value of the head at its evaluation; never below the true value. */
	double rank;
	uint32_t turn;			/* for equal ranks the smaller turn comes first */
	uint32_t queue;
};

/*
 * Fill scratch->queues and scratch->members, and return the number of queues. Objects and jobs
 * count with their override tickets if `override`, otherwise with their functional shares. A class
 * for which all of these are 0 is in no queue. Queues are in the order of first appearance. If
 * `dependent`, the tasks of a queue are sorted by the tickets of earlier policies, descending, then
 * by age (submission, job number, task). Otherwise they are in list order.
 */
size_t queues_build(const struct ticket_classes *classes, const struct sharers *sharers,
		    const struct pending_tasks *pending, bool override, bool dependent, struct ticket_scratch *scratch);

/* A binary heap of queues, best on top. */
struct queue_heap {
	struct queue_entry *items;
	size_t n;
};

void queue_heap_build(struct queue_heap *heap);
void queue_heap_sink(struct queue_heap *heap, size_t i);
void queue_heap_pop(struct queue_heap *heap);	/* removes the top */

#endif
