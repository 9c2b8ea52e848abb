/* SPDX-License-Identifier: Apache-2.0 */
/* Shared override tickets for the queues of one component, best first. Private to tickets/. */
#ifndef TICKETS_OVERRIDE_PICK_H
#define TICKETS_OVERRIDE_PICK_H

#include "tickets/queue.h"

/* what one object brings to its tasks, while they are picked */
struct queue_pool {
	uint32_t oticket, active;
	uint32_t tasks, queues;		/* that could be picked, and where they stand */
	double part;			/* tickets that one more task would get */
	uint64_t version;		/* of `active`: picks so far when it changed */
};

static inline double part_of_next(const struct queue_pool *pool)
{
	return (double)pool->oticket / (pool->active + 1);
}

struct queue_group {			/* queues that share all but the user */
	struct queue_heap queues;	/* by the user's part */
	const struct queue_pool *project, *department;
	uint32_t job_value;
	uint32_t turn;			/* of the best queue when looked for */
	double user;			/* and what its user brings */
	double value;			/* when evaluated */
	uint64_t version;		/* of project and department then */
};

/*
 * Pick all tasks of the queues scratch->heap[begin..end), which share no object with any other
 * queue. Sets override tickets and adds them to what has accumulated. Touches only their places in
 * scratch, so that components can be picked from side by side.
 */
void override_pick(const struct pending_tasks *pending, struct ticket_scratch *scratch, uint32_t begin, uint32_t end);

#endif
