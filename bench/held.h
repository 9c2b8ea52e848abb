/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Full machine with a queue of constant length. In each step some tasks end, as many jobs are
 * submitted as have started, the scheduler runs, and its orders are carried out. The clock advances
 * from one end to the next. A run therefore finds few changes, however long the queue is.
 */
#ifndef BENCH_HELD_H
#define BENCH_HELD_H

#include <stddef.h>
#include <stdint.h>

#include "sched/sched.h"

struct held_shape {
	size_t pending, running;	/* approximate number of jobs, tasks */
	size_t hosts;			/* hosts among which the machine's slots are divided */
	size_t users, groups;		/* in the share tree */
	size_t reservations;		/* max_reservation; all jobs request a reservation */
	size_t limits;			/* number of different run time limits of jobs */
	/* tasks that end in a step; as many jobs are submitted as start */
	size_t ends;
	const char *algorithm;
	uint32_t seed;
};

#define HELD_SLOTS 93312		/* slots of the machine */
#define HELD_BEGIN 1700000000		/* clock of the first run */

struct held_end {
	int64_t at;
	uint32_t job_number, slots, start_s;	/* start_s: seconds before `at` */
};

struct held {
	const struct held_shape *shape;
	struct sched *s;
	int64_t now;
	uint32_t jobs;			/* number of the last submitted job */
	uint32_t started;		/* jobs that have started */
	uint32_t random;
	uint64_t order;			/* last order that was carried out */
	size_t nends, nrunning, capacity;
	struct held_end *ends;		/* heap: conf/base/heap.h */
};

/* Write the cell's files into an empty directory. Returns 0 or -errno. */
int held_write(const char *directory, const struct held_shape *shape);

/*
 * Report the machine and the jobs. The first runs fill the machine. Returns 0, or -errno with a
 * message on stderr.
 */
int held_begin(struct held *held, struct sched *sched, const struct held_shape *shape);
/* Report the changes before the next run at held->now, and carry out the run's orders. */
int held_change(struct held *held);
int held_start(struct held *held);
void held_free(struct held *held);

#endif
