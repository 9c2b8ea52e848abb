/* SPDX-License-Identifier: Apache-2.0 */
/* An attempt of a parallel search, between parallel.c and visit.c. */
#ifndef SCHED_DISPATCH_SEARCH_ATTEMPT_H
#define SCHED_DISPATCH_SEARCH_ATTEMPT_H

#include "sched/dispatch/search/search.h"

/* an instance of a host that an attempt has looked at */
struct tried_instance {
	uint32_t instance, left;	/* slots that it could still give */
	bool is_master, master_only;
	bool is_asked;			/* about it quotas are asked, whether it has slots or not */
};

struct visit {				/* a host */
	uint32_t host, left;
	uint32_t first, n;		/* its places */
};

struct parallel {			/* scratch of attempts */
	struct visit *visits;
	size_t nvisits, visit_capacity;
	struct tried_instance *places;
	size_t nplaces, place_capacity;
	uint32_t stamp;
	uint32_t *violations;		/* by instance: soft requests that it does not fulfil */
};

struct host_attempt {
	struct search *s;
	struct parallel *p;
	struct grant *grant;
	uint32_t wanted, found;
	uint32_t least;			/* slots that a host must give to take part */
	bool has_master;
};

/*
 * Slots until the last of a host's instances is overloaded: Grid Engine takes the most that one of
 * them allows for all.
 */
uint32_t visit_headroom(const struct search *search, uint32_t host);

/* The next visit: what a host could give. -ENOMEM. */
int visit_host(struct host_attempt *attempt, uint32_t host);
/*
 * At each visit: its instances are tagged, and quotas are asked about them, for what that puts out of
 * question; if the host can give its share now, or when all bookings have ended.
 */
void visit_look(struct host_attempt *attempt, const struct visit *visit);
/* Does the attempt tag instances? */
bool visit_tags(const struct search *search);

#endif
