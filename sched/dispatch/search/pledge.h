/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs and advance reservations for which free resources are kept. Jobs are listed when they get a
 * reservation in this run. This serves only pending reasons; the bookings in time decide what may
 * start.
 */
#ifndef SCHED_DISPATCH_PLEDGE_H
#define SCHED_DISPATCH_PLEDGE_H

#include "sched/dispatch/cluster/cluster.h"

struct grant;
struct search;

struct pledge {
	uint32_t job_number;
	int64_t begin;
};

struct pledges {			/* pledges of a run; zero-initialise */
	struct pledge *items;
	size_t n, capacity;
	/* Earliest item that uses the instance or the host, + 1; 0: none. */
	uint32_t *by_instance, *by_host;
	size_t ninstances, nhosts;
	/* Texts already made: many objects are kept for the same job. */
	struct pledge_text { const char *resource, *text; struct pledge job; int64_t takes; } texts[256];
	/* remaining number of places of advance reservations to inspect */
	uint32_t checks_left;
};

void pledges_begin(struct pledges *pledges);	/* begin a run without pledges */
void pledges_free(struct pledges *pledges);
/*
 * Record the reservation of a job. Only needed if reasons are collected. Without memory it is not
 * recorded.
 */
void pledges_add(struct pledges *pledges, const struct cluster *cluster, uint32_t job_number,
		 const struct grant *grant);

/*
 * Describe the job or reservation that causes the search to find less at an object than is free
 * now: "slots: job 4, 1700000120, 14400". The parts are the resource, the holder, its begin
 * (seconds since 1970; 0: now), and how long the search's job would use the resource (seconds; 0:
 * without end). NULL: no holder is known that begins before the job would end.
 */
const char *pledge_keeper(const struct search *search, const char *resource, enum level level, uint32_t object);

#endif
