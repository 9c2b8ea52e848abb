/* SPDX-License-Identifier: Apache-2.0 */
/* A pool for bench/negotiate: slots, submitters in groups, their jobs; the same each time. */
#ifndef BENCH_NEGOTIATE_POOL_H
#define BENCH_NEGOTIATE_POOL_H

#include "conf/reader.h"
#include "sched/negotiation/negotiation.h"

struct pool_shape {
	size_t slots, submitters, groups, jobs;
	size_t classes;			/* of requests: submitter and autocluster; each has an ad of its own */
	size_t kinds;			/* different ads of requests; 0: as many as classes */
	const char *config;		/* more of condor_config */
	bool ranks;			/* jobs rank slots by what differs by slot */
	bool alone;			/* each class is an autocluster of its own, whatever it asks for */
	bool partitionable;		/* slots of 32 processors, so many that the processors are as many */
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
	struct customer *fresh;		/* customers as they are at the begin of each run */
	char **names;			/* of the customers */
	struct negotiator *negotiator;
	struct cycle_result result;
	int64_t cycle;
	uint64_t made;
};

/* -ENOMEM, or -errno of the configuration's file. bench_pool_destroy() in any case. */
int bench_pool_create(struct bench_pool *pool, const struct pool_shape *shape);
void bench_pool_destroy(struct bench_pool *pool);

/* All slots are free, nobody has used anything. */
int bench_pool_reset(struct bench_pool *pool);
/* A cycle has filled the pool; then one in `each` of the slots is free again, or with 0 one. */
int bench_pool_claim(struct bench_pool *pool, size_t each);
/* All slots are claimed for hours, as many by each submitter. */
int bench_pool_claim_all(struct bench_pool *pool);
/* Slots and classes are handed over; a cycle on them. */
int bench_pool_take(struct bench_pool *pool);
int bench_pool_cycle(struct bench_pool *pool);

#endif
