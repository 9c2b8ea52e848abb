/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What many categories request alike, and what nothing changes in a run: `-l rare=TRUE`, or that
 * there is any `gpu` at all. Each category would find out by itself which instances don't have it,
 * one by one; where there are more categories than marks in the queue list they share this. A sieve
 * is a mark on the instances that have it, made when so many were turned down for want of it that
 * it pays.
 *
 *     sieves_begin(&sieves)                                  a run begins
 *     mark = sieve_failed(&s, &request, mark)                an instance has not had it: from here
 *                                                            on the search needs only this mark
 *
 * Not with advance reservations, which offer what they have kept, nor where quotas are to be asked
 * about instances, whatever they have (quotas_reach_far()).
 */
#ifndef SCHED_DISPATCH_SEARCH_SIEVE_H
#define SCHED_DISPATCH_SEARCH_SIEVE_H

#include "conf/text_set.h"
#include "sched/dispatch/search/search.h"

struct sieve_lack {			/* of objects of the list that do not have it */
	uint32_t count;
	const char *object;		/* of these the first one that lacks least, and what it has */
	double had;
};

struct sieve {
	uint32_t failures;		/* instances turned down for it, by all categories */
	uint32_t mark;			/* QUEUE_LIST_NONE: not made */
	uint32_t passing;		/* instances that have it */
	struct sieve_lack none, other;	/* they offer none of it; or something else */
};

struct sieves {				/* zero-initialise */
	struct text_set keys;
	struct sieve *items;		/* by number of keys */
	size_t capacity;
	uint32_t made;			/* with a mark */
};

void sieves_begin(struct sieves *sieves);
void sieves_free(struct sieves *sieves);

/* The mark to go on with: that of the request if it leaves fewer instances, else `mark`. */
uint32_t sieve_failed(struct search *search, struct resource_request *request, uint32_t mark);
/* The mark to begin with: the best that the requests of the category are known to have. */
uint32_t sieve_first(const struct search *search);

#endif
