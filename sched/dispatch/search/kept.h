/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Categories that are kept from run to run. The requests of jobs are read once, not in each run.
 * Results of a run are discarded (category_renew()). There is one kept category per request, since
 * reasons use the words and the order of the first request in the run.
 */
#ifndef SCHED_DISPATCH_SEARCH_KEPT_H
#define SCHED_DISPATCH_SEARCH_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct category;

struct kept_category {
	struct category *category;	/* NULL: none */
	uint64_t made;			/* see struct request_facts */
	uint64_t run;			/* last run that used it, as `runs` counts */
};

struct kept_categories {		/* zero-initialise */
	struct kept_category *items;	/* by request */
	size_t capacity, n;
	uint64_t runs;			/* number of runs */
};

/* Begin a run: no category is in use. Limits the number of categories. */
void kept_begin(struct kept_categories *categories);
/* Return the category of a request. NULL: there is none, or it is already used in this run. */
struct category *kept_take(struct kept_categories *categories, uint32_t request, uint64_t made);
/*
 * Return the category of a request for reading what no run changes, whether it is in use or not.
 * NULL: there is none.
 */
const struct category *kept_read(const struct kept_categories *categories, uint32_t request, uint64_t made);
/* Remove a category that cannot be used after kept_take(). */
void kept_drop(struct kept_categories *categories, uint32_t request);
/*
 * Add a new category; `takes`: it is in use in this run. Returns true if the category is kept and
 * owned here. Returns false if there is no room, or another category of the request is in use.
 */
bool kept_put(struct kept_categories *categories, uint32_t request, uint64_t made, struct category *category,
	      bool takes);
void kept_free(struct kept_categories *categories);

#endif
