/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one attempt of a parallel search, shared by parallel.c and visit.c. */
#ifndef SCHED_DISPATCH_SEARCH_ATTEMPT_H
#define SCHED_DISPATCH_SEARCH_ATTEMPT_H

#include "sched/dispatch/search/search.h"

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

struct parallel {			/* scratch of attempts */
	struct visit *visits;
	size_t nvisits, visit_capacity;
	struct tried_instance *places;
	size_t nplaces, place_capacity;
	uint32_t attempts;		/* number of attempts in this run */
	uint32_t *visited;		/* per host: last attempt that has visited it */
	uint32_t *violations;		/* per instance: soft requests that it does not satisfy */
	uint32_t *instances;		/* instances of hosts that may have room */
};

struct host_attempt {
	struct search *s;
	struct parallel *p;
	struct grant *grant;
	uint32_t wanted, found;
	uint32_t least;			/* minimum number of slots from a host that is used */
	bool has_master;
};

/*
 * Return the number of slots until the last of a host's instances is overloaded. The greatest
 * number that one of the instances allows applies to all of them, as in Grid Engine.
 */
uint32_t visit_headroom(const struct search *search, uint32_t host);

/* Add a visit: compute what a host could give. Return 0 or -ENOMEM. */
int visit_host(struct host_attempt *attempt, uint32_t host);
/*
 * Tag the instances of a host, and check quotas for them because that may rule out other objects.
 * Called at each visit, with effect only if the host can give its share now or after all bookings
 * have ended.
 */
void visit_check(struct host_attempt *attempt, const struct visit *visit);
/* Note the order in which an attempt for so many slots visits the hosts. */
void visits_note(struct search *search, uint32_t slots);
/* Return whether the attempt tags instances. */
bool visit_tags(const struct search *search);

#endif
