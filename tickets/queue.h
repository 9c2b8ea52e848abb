/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pending tasks in queues, one queue for all tasks that a policy can distinguish only by their
 * turn: what functional and override policy share. Private to tickets/.
 */
#ifndef TICKETS_QUEUE_H
#define TICKETS_QUEUE_H

#include "tickets/tickets.h"

struct task_queue {			/* equal in all that the policy looks at */
	/* TICKETS_NONE where the object has none of what the policy hands out */
	uint32_t sharer[SHARER_KINDS];
	uint32_t job_value;		/* -js or -ot */
	uint32_t first_class, last_class;	/* chained by scratch->next_class */
	uint32_t begin, end;		/* its tasks in scratch->members; begin is the head */
	uint32_t pool[SHARER_KINDS];	/* override: of its sharers */
	/* override: leads to the queue that stands for its component, */
	uint32_t component;
	uint32_t queues;		/* and has this number of queues */
	double value;			/* functional: last evaluation of the head */
	double accumulated;		/* functional: of the head, if that counts */
	uint64_t version;		/* of the state it was evaluated in */
};

struct queue_entry {
	/* what the head is worth, when evaluated; never below the true one */
	double rank;
	uint32_t turn;			/* among equals the smaller comes first */
	uint32_t queue;
};

/*
 * Fill scratch->queues and scratch->members. Objects and jobs bring their override tickets if
 * `override`, else their functional shares; a class to which nothing is brought stands in no queue.
 * Queues are in the order of first appearance. Inside: dependent ones by what earlier policies
 * gave, descending, then age (submission, job number, task); else in list order. Returns the number
 * of queues.
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
void queue_heap_pop(struct queue_heap *heap);	/* drops the top */

#endif
