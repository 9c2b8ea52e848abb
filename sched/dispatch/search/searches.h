/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state that the searches of a run share, beside the supply: the order of instances, results
 * that later searches use, and scratch.
 *
 *     searches_begin(&searches, &supply)     begin a run, when the states of instances are known
 */
#ifndef SCHED_DISPATCH_SEARCH_SEARCHES_H
#define SCHED_DISPATCH_SEARCH_SEARCHES_H

#include "sched/dispatch/search/avoid.h"
#include "sched/dispatch/search/parallel.h"
#include "sched/dispatch/search/pledge.h"
#include "sched/dispatch/search/range.h"
#include "sched/dispatch/search/ranking.h"
#include "sched/dispatch/search/sieve.h"
#include "sched/dispatch/search/skips.h"
#include "sched/dispatch/search/tags.h"
#include "sched/dispatch/why/why.h"

struct supply;

struct searches {			/* zero-initialise */
	struct queue_ranking ranking;	/* order of the instances */
	struct sieves sieves;
	struct tags tags;
	struct skips skips;
	struct parallel parallel;
	struct range_costs costs;	/* kept as long as the scheduler lives */
	struct pledges pledges;		/* jobs for which free resources are kept */
	struct avoided_hosts avoided;
	struct why *why;		/* reasons why jobs of this run did not start; borrowed */
};

/* Return 0 or -ENOMEM. */
int searches_begin(struct searches *searches, struct supply *supply);
void searches_free(struct searches *searches);

#endif
