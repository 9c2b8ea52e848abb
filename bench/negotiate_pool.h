/* SPDX-License-Identifier: Apache-2.0 */
/* Pool for bench/negotiate: slots, submitters in groups, and their jobs; always the same. */
#ifndef BENCH_NEGOTIATE_POOL_H
#define BENCH_NEGOTIATE_POOL_H

#include "conf/reader.h"
#include "sched/negotiation/negotiation.h"

struct pool_shape {
	size_t slots, submitters, groups, jobs;
	/* classes of requests, each with a submitter, an autocluster and an ad of its own */
	size_t classes;
	size_t kinds;			/* different ads of requests; 0: as many as classes */
	const char *config;		/* additional lines of condor_config */
	bool ranks;			/* jobs rank slots by an attribute that differs by slot */
	/* every class is an autocluster of its own, whatever it requests */
	bool alone;
	/* slots of 32 processors; the total number of processors stays the same */
	bool partitionable;
};

struct bench_pool {
	struct pool_shape shape;
	struct cell cell;
	struct report report;
	struct slot *slots;
	struct charged_slot *charged;
	size_t nslots;
	struct request_class *classes;
	struct request_run *runs;
	struct cycle_submitter *submitters;
	struct customers customers;
	struct customer *fresh;		/* customers at the beginning of each run */
	char **names;			/* names of the customers */
	struct negotiator *negotiator;
	struct cycle_result result;
	int64_t cycle;
	uint64_t made;
};

/*
 * Make a pool. Returns 0, -ENOMEM, or -errno of the configuration's file. Call bench_pool_destroy()
 * in each case.
 */
int bench_pool_create(struct bench_pool *pool, const struct pool_shape *shape);
void bench_pool_destroy(struct bench_pool *pool);

/* Free all slots and set all usage to zero. */
int bench_pool_reset(struct bench_pool *pool);
/*
 * Fill the pool in a cycle, then free one in `each` of the slots, or a single one if `each` is 0.
 */
int bench_pool_claim(struct bench_pool *pool, size_t each);
/* Claim all slots for hours, the same number by each submitter. */
int bench_pool_claim_all(struct bench_pool *pool);
/* Hand over slots and classes, and run a cycle on them. */
int bench_pool_take(struct bench_pool *pool);
int bench_pool_cycle(struct bench_pool *pool);

#endif
