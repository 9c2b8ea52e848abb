/* SPDX-License-Identifier: Apache-2.0 */
/* Shared override tickets for the queues of one component, best first. Private to tickets/. */
#ifndef TICKETS_OVERRIDE_PICK_H
#define TICKETS_OVERRIDE_PICK_H

#include "tickets/queue.h"

/* Tickets that one object gives to its tasks, while these are picked. */
struct queue_pool {
	uint32_t oticket, active;
	/* tasks that could be picked, and queues that contain them */
	uint32_t tasks, queues;
	double part;			/* tickets that one more task would get */
	/* version of `active`: number of picks at its last change */
	uint64_t version;
};

static inline double part_of_next(const struct queue_pool *pool)
{
	return (double)pool->oticket / (pool->active + 1);
}

struct queue_group {			/* queues that differ only in the user */
	struct queue_heap queues;	/* sorted by the user's part */
	const struct queue_pool *project, *department;
	uint32_t job_value;
	uint32_t turn;			/* turn of the best queue at its last search */
	double user;			/* user's part of that queue */
	double value;			/* at the last evaluation */
	uint64_t version;		/* newest version of project and department at that time */
};

/*
 * Pick all tasks of the queues scratch->heap[begin..end), which share no object with any other
 * queue. Set override tickets and add them to the accumulated tickets. Only memory of these queues
 * in scratch is used, so components can be processed in parallel.
 */
void override_pick(const struct pending_tasks *pending, struct ticket_scratch *scratch, uint32_t begin, uint32_t end);

#endif
