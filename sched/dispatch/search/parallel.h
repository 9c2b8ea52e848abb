/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts of a parallel search: one PE, one number of slots, one time. */
#ifndef SCHED_DISPATCH_SEARCH_PARALLEL_H
#define SCHED_DISPATCH_SEARCH_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct grant;
struct pe;
struct search;

/* Instance of a host that an attempt has tried. */
struct tried_instance {
	uint32_t instance, left;	/* slots that it could still give */
	bool is_master, master_only;
	bool is_asked;			/* check quotas for the instance, even if it has no slots */
};

struct visit {				/* visit of a host */
	uint32_t host, left;
	uint32_t first, n;		/* range of its instances in `places` */
};

struct parallel {			/* scratch of attempts; zero-initialise */
	struct visit *visits;
	size_t nvisits, visit_capacity;
	struct tried_instance *places;
	size_t nplaces, place_capacity;
	uint32_t attempts;		/* number of attempts in this run */
	uint32_t *visited;		/* per host: last attempt that has visited it */
	uint32_t *violations;		/* per instance: soft requests that it does not satisfy */
	uint32_t *instances;		/* instances of hosts that may have room */
};

/* Begin a run. Return 0 or -ENOMEM. */
int parallel_begin(struct parallel *parallel, size_t nhosts);
void parallel_free(struct parallel *parallel);

/*
 * Try to find `slots` slots in the PE search->with. Return 0, -ENOENT or -ENOMEM. `grant` is
 * overwritten.
 */
int parallel_try(struct search *search, uint32_t slots, struct grant *grant);

/*
 * soft.c: Sort the queue list for a search with soft requests. Count the soft requests that each
 * instance does not satisfy, in an array that grows. Return 0 or -ENOMEM.
 */
int soft_sort(struct search *search, uint32_t **violations);

/*
 * rule_out.c. rule_out_has() returns whether a host is ruled out for the category in this PE.
 * rule_out_host() rules the host out if `slots` slots will never fit, with effect from the next
 * rule_out_settle(). Call it after a failed attempt. Return 0 or -ENOMEM.
 */
bool rule_out_has(const struct search *search, uint32_t host);
int rule_out_host(struct search *search, uint32_t host, uint32_t slots);
void rule_out_settle(const struct search *search);
#endif
