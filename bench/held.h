/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A full machine with a queue that is held at one length: in each step some tasks end, as many jobs
 * are submitted as have started, the scheduler runs, and what it has ordered starts. Time goes from
 * one end to the next. So a run finds few changes, however long the queue is.
 */
#ifndef BENCH_HELD_H
#define BENCH_HELD_H

#include <stddef.h>
#include <stdint.h>

#include "sched/sched.h"

struct held_shape {
	size_t pending, running;	/* jobs, tasks: about so many */
	size_t hosts;			/* among which the machine's slots are divided */
	size_t users, groups;		/* in the share tree */
	size_t reservations;		/* max_reservation; all jobs want one */
	size_t limits;			/* different run time limits that jobs have */
	size_t ends;			/* in a step; as many jobs are submitted as start */
	const char *algorithm;
	uint32_t seed;
};

#define HELD_SLOTS 93312		/* of the machine */
#define HELD_BEGIN 1700000000		/* the clock of the first run */

struct held_end {
	int64_t at;
	uint32_t job_number, slots, start_s;	/* start_s: before `at` */
};

struct held {
	const struct held_shape *shape;
	struct sched *s;
	int64_t now;
	uint32_t jobs;			/* submitted so far: the number of the last one */
	uint32_t started;		/* of these */
	uint32_t random;
	uint64_t order;			/* the last one carried out */
	size_t nends, nrunning, capacity;
	struct held_end *ends;		/* a heap: conf/heap.h */
};

/* Write the cell's files into an empty directory. 0 or -errno. */
int held_write(const char *directory, const struct held_shape *shape);

/* Tell of the machine and of the jobs; the first runs fill it. 0 or -errno, and why on stderr. */
int held_begin(struct held *held, struct sched *sched, const struct held_shape *shape);
/* What happens before the next run, at h->now then; and what it has ordered. */
int held_change(struct held *held);
int held_start(struct held *held);
void held_free(struct held *held);

#endif
