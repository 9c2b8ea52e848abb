/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage of running tasks, and the load that they still cause. Both are booked before a run searches
 * for places.
 */
#ifndef SCHED_DISPATCH_RUNNING_H
#define SCHED_DISPATCH_RUNNING_H

#include "sched/dispatch/bookings.h"
#include "sched/dispatch/search/categories.h"

struct schedule_lines;

/*
 * Book what running and suspended tasks use. `lines`: write the bookings there, unless it is NULL.
 * Return 0 or -ENOMEM.
 */
int running_book(struct bookings *bookings, struct categories *categories, const struct run *run,
		 struct schedule_lines *lines);

/* Running tasks without a time limit that are assumed to run beyond a time. */
struct unlimited_tasks {
	uint64_t n;
	uint32_t job_number;		/* the job that ends last */
	int64_t end;			/* TIMELINE_NEVER: no end */
};
/* Find these tasks. Return 0 or -ENOMEM. */
int running_unlimited(struct bookings *bookings, struct categories *categories, const struct run *run, int64_t beyond,
		      struct unlimited_tasks *found);

#endif
