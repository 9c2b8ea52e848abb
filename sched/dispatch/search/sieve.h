/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results that many categories have in common and that do not change in a run, such as `-l
 * rare=TRUE`, or that there is any `gpu` at all. Without sieves each category would reject the
 * instances without it one by one. If there are more categories than marks in the queue list, they
 * share this work. A sieve is a mark on the instances that satisfy a request. It is made when
 * enough instances were rejected for this request.
 *
 *     sieves_begin(&sieves)                                  begin a run
 *     mark = sieve_failed(&s, &request, mark)                an instance did not satisfy a request:
 *                                                            continue the search with this mark
 *
 * Sieves are not used with advance reservations, which offer what they have reserved. They are not
 * used either if quotas must be checked for all instances (quotas_reach_far()).
 */
#ifndef SCHED_DISPATCH_SEARCH_SIEVE_H
#define SCHED_DISPATCH_SEARCH_SIEVE_H

#include "conf/base/text_set.h"

struct resource_request;
struct search;

struct sieve_lack {			/* instances in the list that do not satisfy the request */
	uint32_t count;
	const char *object;		/* first object that comes closest, and its amount */
	double had;
};

struct sieve {
	uint32_t failures;		/* instances rejected for it, by all categories */
	uint32_t mark;			/* QUEUE_LIST_NONE: not made */
	uint32_t passing;		/* instances that satisfy it */
	/* objects that offer none of it; objects that offer another value */
	struct sieve_lack none, other;
};

struct sieves {				/* zero-initialise */
	struct text_set keys;
	struct sieve *items;		/* indexed by number in `keys` */
	size_t capacity;
	uint32_t made;			/* number of sieves with a mark */
};

void sieves_begin(struct sieves *sieves);
void sieves_free(struct sieves *sieves);

/*
 * Return the mark to continue with: that of the request if it leaves fewer instances, otherwise
 * `mark`.
 */
uint32_t sieve_failed(struct search *search, struct resource_request *request, uint32_t mark);
/* Return the mark to begin with: the best known mark of the category's requests. */
uint32_t sieve_first(const struct search *search);

#endif
