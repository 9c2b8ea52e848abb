/* SPDX-License-Identifier: Apache-2.0 */
/* After a job start: take full, suspended and overloaded instances out of the list. */
#ifndef SCHED_DISPATCH_REVIEW_H
#define SCHED_DISPATCH_REVIEW_H

#include "sched/dispatch/search/searches.h"
#include "sched/dispatch/search/supply.h"

struct review {				/* zero-initialise */
	struct supply *supply;		/* borrowed for a run */
	struct searches *searches;	/* borrowed for a run */
	/* some threshold is on a resource that the whole cluster shares */
	bool global_thresholds;
	uint32_t starts;		/* job starts and reservations in this run */
	uint32_t *hosts;		/* per host: last job start that has checked it */
	uint32_t *instances;		/* scratch: instances that a job start may have filled */
};

/* Begin a run. Return 0 or -ENOMEM. */
int review_begin(struct review *review, struct supply *supply, struct searches *searches);
void review_free(struct review *review);
/* Adjust the loads of the hosts on which a task of this grant begins. */
void review_load(struct review *review, const struct grant *grant);
/*
 * Update which instances are open, after a task with this grant begins, or gets a reservation
 * (`begins` is false).
 */
void review_grant(struct review *review, const struct grant *grant, bool begins);

#endif
