/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For whom is kept what is free now: jobs that have got a reservation in this run, and advance
 * reservations. For reasons alone: what may start where is decided by what is booked in time.
 */
#ifndef SCHED_DISPATCH_PLEDGE_H
#define SCHED_DISPATCH_PLEDGE_H

#include "sched/dispatch/search/search.h"

struct pledge {
	uint32_t job_number;
	int64_t begin;
};

struct pledges {			/* of a run; zero-initialise */
	struct pledge *items;
	size_t n, capacity;
	/* by instance and by host: the earliest that takes something there, + 1; 0: none */
	uint32_t *by_instance, *by_host;
	size_t ninstances, nhosts;
	/* texts as they were made: many objects are kept for the same job */
	struct pledge_text { const char *resource, *text; struct pledge job; int64_t takes; } texts[256];
	uint32_t looks;			/* places of advance reservations that may still be looked at */
};

void pledges_begin(struct dispatch *dispatch);	/* a run begins: there are none */
void pledges_free(struct dispatch *dispatch);
/* A job has a reservation. Without memory nobody is told of it. */
void pledges_add(struct dispatch *dispatch, uint32_t job_number, const struct grant *grant);

/*
 * For whom the search finds less at an object than there is now: "slots: job 4, 1700000120, 14400",
 * what of, who, from when on (epoch seconds; 0: now), and how long (seconds; 0: for ever) the
 * search's job takes it. NULL: nobody is known who has it before the job would be done.
 */
const char *pledge_keeper(const struct search *search, const char *resource, enum level level, uint32_t object);

#endif
