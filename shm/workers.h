/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that share the work of a phase. The caller is one of them; the others wait, asleep,
 * between two calls.
 *
 *     workers_run(w, sort_block, &sort, nblocks);	sort_block(&sort, 0) ... sort_block(&sort, nblocks - 1), in any order, side by side
 *
 * An item writes what no other item reads or writes in the same call; so the result does not depend
 * on the number of workers, nor on who does what.
 */
#ifndef SHM_WORKERS_H
#define SHM_WORKERS_H

#include <stddef.h>

#include "shm/topology.h"

struct workers;

/* `n` threads, the caller's included; 1 makes none. -ENOMEM, -EAGAIN, -EINVAL: n is 0. */
int workers_create(struct workers **workers, unsigned n);
void workers_destroy(struct workers *workers);	/* NULL is a no-op */

unsigned workers_count(const struct workers *workers);

/*
 * Bind the threads to nodes in turn, each to all CPUs of its node. The caller counts for node 0,
 * but runs where it ran; nobody is bound on one node or to a foreign topology. Not during a run. 0,
 * or -errno of the first that could not be bound: it runs where it ran, the others are bound.
 */
int workers_bind(struct workers *workers, const struct topology *topology);

/*
 * Returns when all items are done; what they wrote is seen by the caller. Not from within an item.
 */
void workers_run(struct workers *workers, void (*item)(void *context, size_t i), void *context, size_t items);

/*
 * The same, but item i is for the workers of node i % nodes; others take it when there is nothing
 * left for them. `nodes` from 1 on.
 */
void workers_run_on(struct workers *workers, void (*item)(void *context, size_t i), void *context, size_t items,
		    unsigned nodes);

#endif
