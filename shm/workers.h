/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that share the work of a phase. The caller is one of the workers. The others sleep
 * between two calls.
 *
 *     workers_run(workers, sort_block, &sort, nblocks);
 *             calls sort_block(&sort, 0) ... sort_block(&sort, nblocks - 1), in any order and in
 *             parallel
 *
 * An item writes only data that no other item reads or writes in the same call. The result
 * therefore does not depend on the number of workers, nor on which worker processes which item.
 */
#ifndef SHM_WORKERS_H
#define SHM_WORKERS_H

#include <stddef.h>

#include "shm/topology.h"

struct workers;

/*
 * Start `n` workers, including the caller; 1 makes no thread. Returns 0, -ENOMEM, -EAGAIN, or
 * -EINVAL if n is 0.
 */
int workers_create(struct workers **workers, unsigned n);
void workers_destroy(struct workers *workers);	/* NULL is a no-op */

unsigned workers_count(const struct workers *workers);

/*
 * Bind the threads to nodes in turn, each to all CPUs of its node. The caller counts for node 0 but
 * is not bound. Nothing is bound on a machine with one node or to a foreign topology. Do not call
 * this during a run. Returns 0, or -errno of the first thread that could not be bound. That thread
 * stays unbound; the others are bound.
 */
int workers_bind(struct workers *workers, const struct topology *topology);

/*
 * Process all items and return when they are done. The caller then sees everything that they wrote.
 * Do not call this from within an item.
 */
void workers_run(struct workers *workers, void (*item)(void *context, size_t i), void *context, size_t items);

/*
 * Process all items like workers_run(), but with item i on the workers of node i % nodes. Other
 * workers take it when they have no items left. `nodes` is at least 1.
 */
void workers_run_on(struct workers *workers, void (*item)(void *context, size_t i), void *context, size_t items,
		    unsigned nodes);

#endif
