/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of eligible jobs in list order, for policies that do not need tasks class by class. */
#include <errno.h>

#include "conf/base/columns.h"
#include "sched/run/run.h"

/* bits of a block's second value: order of the block, and whether it has arrays */
enum { BY_AGE = 1, BY_NUMBER = 2, ARRAYS = 4 };

static unsigned block_order(const struct jobs *jobs, uint32_t before, uint32_t row)
{
	int64_t a = job_fact(jobs, before, submission), b = job_fact(jobs, row, submission);
	bool ascending = job_fact(jobs, before, number) < job_fact(jobs, row, number);

	return (ascending ? BY_NUMBER : 0) | (a < b || (a == b && ascending) ? BY_AGE : 0);
}

/* Count the tasks that may start. `first` holds the count until block_place(). */
static void block_count(const struct block *block)
{
	struct waiting_columns *columns = &block->run->waiting;
	struct jobs *jobs = &block->run->mirror->state->jobs;
	unsigned is = BY_AGE | BY_NUMBER, has = 0;
	uint64_t tasks = 0;

	for (size_t k = block->begin; k < block->end; k++) {
		uint32_t row = columns->rows[k];
		struct job_extra *extra = jobs_find_extra(jobs, row);
		uint32_t n = extra ? run_eligible_tasks(block->run, row, extra) : 1;

		columns->first[k] = n;
		columns->why[k] = block->run->unreached;
		if (k > 0)
			is &= block_order(jobs, columns->rows[k - 1], row);
		has |= n > 1 ? ARRAYS : 0;
		tasks += n;
	}
	block->values[0] = (double)tasks;
	block->values[1] = is | has;
}

/* Set the first task of each job. The block's first value is the index of its first task. */
static void block_place(const struct block *block)
{
	struct run *run = block->run;
	uint32_t next = (uint32_t)block->values[0];

	for (size_t k = block->begin; k < block->end; k++) {
		uint32_t n = run->waiting.first[k];

		run->waiting.first[k] = n > 0 ? next : NONE;
		for (; n > 0; n--)
			run->pending.job[next++] = (uint32_t)k;
	}
}

static int reserve(struct pending_columns *columns, uint64_t n)
{
	columns->n = n;
	return array_reserve(&columns->capacity, n, COLUMN(columns->job));
}

int run_collect_listed(struct run *run)
{
	unsigned all = BY_AGE | BY_NUMBER, any = 0;
	uint64_t tasks = 0;

	run_blocks(run, block_count, NULL);
	for (size_t i = 0; i < run_nblocks(run); i++) {
		uint64_t n = (uint64_t)run->block.items[2 * i];

		all &= (unsigned)run->block.items[2 * i + 1];
		any |= (unsigned)run->block.items[2 * i + 1];
		run->block.items[2 * i] = (double)tasks;
		tasks += n;
	}
	run->waiting.by_age = all & BY_AGE;
	run->waiting.by_number = all & BY_NUMBER;
	run->waiting.arrays = any & ARRAYS;
	if (tasks >= UINT32_MAX || reserve(&run->pending, tasks))
		return -ENOMEM;
	run_blocks(run, block_place, NULL);
	return 0;
}
