/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cluster queues and hosts that a search no longer tries, because a quota, or the queue or the host
 * as a whole, has ruled them out for its job. Each search has a number, so a new search begins
 * without skips. For a parallel job, each attempt for an amount in a PE has its own number.
 */
#ifndef SCHED_DISPATCH_SEARCH_SKIPS_H
#define SCHED_DISPATCH_SEARCH_SKIPS_H

#include <stddef.h>
#include <stdint.h>

struct skips {				/* zero-initialise */
	uint32_t *queues, *hosts;	/* number of the last search that skipped each of them */
	uint32_t searches;		/* number of searches so far */
};

/* Create it for a cell. The number of searches continues. Return 0 or -ENOMEM. */
int skips_create(struct skips *skips, size_t nqueues, size_t nhosts);
/* Free the memory of a cell. */
void skips_forget(struct skips *skips);
/* Return the number of a new search. */
static inline uint32_t skips_next(struct skips *skips)
{
	return ++skips->searches;
}

#endif
