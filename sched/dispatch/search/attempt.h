/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one attempt of a parallel search, shared by parallel.c and visit.c. */
#ifndef SCHED_DISPATCH_SEARCH_ATTEMPT_H
#define SCHED_DISPATCH_SEARCH_ATTEMPT_H

#include "sched/dispatch/search/search.h"

struct host_attempt {
	struct search *search;
	struct parallel *scratch;
	struct grant *grant;
	uint32_t wanted, found;
	uint32_t least;			/* minimum number of slots from a host that is used */
	bool has_master;
};

/*
 * Return the slots that each used host must give, or 1 if the fixed number of the rule does not
 * divide `slots`.
 */
static inline uint32_t attempt_host_least(const struct pe *pe, uint32_t slots)
{
	if (pe->rule == RULE_FIXED)
		return slots % pe->slots_per_host == 0 ? pe->slots_per_host : 1;
	return pe->rule == RULE_PE_SLOTS ? slots : 1;
}

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
