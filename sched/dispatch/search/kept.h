/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Categories that outlive a run: what jobs of a request ask for is read once, not in each run, and
 * what a run has found out about it is forgotten (category_renew()). One for each request, since
 * reasons are told in the words and the order of the request that a run meets first.
 */
#ifndef SCHED_DISPATCH_SEARCH_KEPT_H
#define SCHED_DISPATCH_SEARCH_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct category;

struct kept_category {
	struct category *category;	/* NULL: none */
	uint64_t made;			/* of the request: struct request_facts */
	uint64_t run;			/* the last one that took it, as `runs` counts them */
};

struct kept_categories {		/* zero-initialise */
	struct kept_category *items;	/* by request */
	size_t capacity, n;
	uint64_t runs;			/* so far */
};

/* A run begins, and nobody has one. Bounds how many there are. */
void kept_begin(struct kept_categories *categories);
/* NULL: there is none, or it is taken in this run. */
struct category *kept_take(struct kept_categories *categories, uint32_t request, uint64_t made);
/*
 * The same for what no run changes: whether it is taken makes no difference. NULL: there is none.
 */
const struct category *kept_look(const struct kept_categories *categories, uint32_t request, uint64_t made);
/* Who has taken it can't use it. */
void kept_drop(struct kept_categories *categories, uint32_t request);
/*
 * A new one, which its maker takes in this run or not. true: it is kept, and not his any more;
 * false: there is no room, or another one of the request is taken.
 */
bool kept_put(struct kept_categories *categories, uint32_t request, uint64_t made, struct category *category,
	      bool takes);
void kept_free(struct kept_categories *categories);

#endif
