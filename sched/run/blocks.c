/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes over the pending jobs, block by block, shared among workers.
 *
 * Item i is for a worker of node i % nodes. The chunk of a job's row is on node (chunk % nodes),
 * and most lists are in the order of rows. The items are assigned so that a node gets the blocks of
 * its chunks.
 */
#include <assert.h>
#include <errno.h>

#include "conf/base/array.h"
#include "sched/run/run.h"

#define CHUNK_BLOCKS (CHUNK_ROWS / BLOCK_JOBS)

struct block_call {
	struct run *run;
	void (*work)(const struct block *block);
	void *context;
	size_t nodes;
};

static size_t block_of_item(size_t item, size_t nodes)
{
	size_t round = item / (CHUNK_BLOCKS * nodes), rest = item % (CHUNK_BLOCKS * nodes);

	return (round * nodes + rest % nodes) * CHUNK_BLOCKS + rest / nodes;
}

static void block_run(void *context, size_t item)
{
	const struct block_call *call = context;
	const struct run *run = call->run;
	size_t i = block_of_item(item, call->nodes);
	struct block block = { .run = call->run,
			       .context = call->context,
			       .begin = i * BLOCK_JOBS,
			       .end = (i + 1) * BLOCK_JOBS,
			       .values = run->block.items + 2 * i };

	block.end = block.end < run->waiting.n ? block.end : run->waiting.n;
	if (block.begin < block.end)
		call->work(&block);
}

int run_blocks_reserve(struct run *run)
{
	size_t n = run_nblocks(run);

	if (n <= run->block.capacity)
		return 0;
	if (array_grow(&run->block.items, 2 * (n + n / 4), sizeof(double)))
		return -ENOMEM;
	run->block.capacity = n + n / 4;
	return 0;
}

void run_blocks(struct run *run, void (*work)(const struct block *block), void *context)
{
	struct block_call call = { run, work, context, segment_nodes(run->segment) };
	size_t n = run_nblocks(run), deal = CHUNK_BLOCKS * call.nodes;

	assert(n <= run->block.capacity);
	workers_run_on(run->workers, block_run, &call, call.nodes == 1 ? n : (n + deal - 1) / deal * deal,
		       (unsigned)call.nodes);
}
