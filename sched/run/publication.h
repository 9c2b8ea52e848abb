/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publication of a run in the segment: a generation with the tables of all runs and with the tables
 * of other publishers, which are policies and dispatch.
 */
#ifndef SCHED_RUN_PUBLICATION_H
#define SCHED_RUN_PUBLICATION_H

#include "sched/run/run.h"
#include "shm/generation.h"

/* source of additional columns or tables of a generation; any function may be NULL */
struct publisher {
	void *self;
	/* Write columns of the pending jobs of a block. Called for several blocks in parallel. */
	void (*block)(void *self, const struct block *block, struct generation_writer *writer);
	/*
	 * Write columns of jobs without pending tasks, and tables. Called after all blocks. The
	 * jobs of run->started are then sorted by number, as in the table of started tasks.
	 * -ENOMEM.
	 */
	int (*tables)(void *self, struct run *run, struct generation_writer *writer);
	/* Finish: the generation was published, or abandoned if `published` is false. */
	void (*end)(void *self, bool published);
};

/* Publish the run. -ENOMEM: readers keep the previous generation. */
int run_publish(struct run *run, const struct publisher *others, size_t n);

/* Write started tasks and usage of users, projects and departments (publish_usage.c). -ENOMEM. */
int publish_usage(struct generation_writer *writer, struct run *run);

/* columns in the chunks of a generation; to be passed by value */
struct results {
	uint8_t *base;
	const uint64_t *chunks;
};

/* Return the columns that begin at byte `at` of each chunk. */
static inline struct results results_begin(const struct generation_writer *writer, uint64_t at)
{
	return (struct results){ writer->segment->base + at, writer->directory->results };
}

/* Return the columns in the chunk of a row. The index of the row in them is row % CHUNK_ROWS. */
static inline void *results_of(struct results results, uint32_t row)
{
	return results.base + results.chunks[row / CHUNK_ROWS];
}

#endif
