/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run into the segment: a generation with the tables that all runs have, and with those of
 * everybody else who has something to show of a run: policies and dispatch.
 */
#ifndef SCHED_RUN_PUBLICATION_H
#define SCHED_RUN_PUBLICATION_H

#include "sched/run/run.h"
#include "shm/generation.h"

/* who has columns or tables of his own in a generation; any function may be NULL */
struct publisher {
	void *self;
	/* Columns of the waiting jobs of a block. Called side by side with other blocks. */
	void (*block)(void *self, const struct block *block, struct generation_writer *writer);
	/*
	 * Columns of jobs of which nothing waits, and tables; behind all blocks. The jobs of
	 * run->started stand by their numbers then, as in the table of started tasks. -ENOMEM.
	 */
	int (*tables)(void *self, struct run *run, struct generation_writer *writer);
	/* The generation is what readers see from now on, or was given up. */
	void (*end)(void *self, bool published);
};

/* The phase. -ENOMEM: readers keep the generation before. */
int run_publish(struct run *run, const struct publisher *others, size_t n);

/* publish_usage.c: started tasks, and who has used what. -ENOMEM. */
int publish_usage(struct generation_writer *writer, struct run *run);

/* columns in the chunks of a generation; to be passed as a value */
struct results {
	uint8_t *base;
	const uint64_t *chunks;
};

/* Those that begin at byte `at` of each chunk. */
static inline struct results results_begin(const struct generation_writer *writer, uint64_t at)
{
	return (struct results){ writer->segment->base + at, writer->directory->results };
}

/* In the chunk of a job's row; there the job stands at row % CHUNK_ROWS. */
static inline void *results_of(struct results results, uint32_t row)
{
	return results.base + results.chunks[row / CHUNK_ROWS];
}

#endif
