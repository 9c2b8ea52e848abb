/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt of a parallel search: parallel.c, for range.c and reserve.c. */
#ifndef SCHED_DISPATCH_SEARCH_PARALLEL_H
#define SCHED_DISPATCH_SEARCH_PARALLEL_H

#include "sched/dispatch/search/search.h"

int parallel_create(struct dispatch *dispatch);	/* -ENOMEM */
void parallel_free(struct dispatch *dispatch);

/* So many slots in the PE s->with. 0, -ENOENT, -ENOMEM; `grant` is overwritten. */
int parallel_try(struct search *search, uint32_t slots, struct grant *grant);

/*
 * soft.c: the queue list in the order of a search with soft requests, and how many of these each
 * instance does not fulfil, in an array that grows. -ENOMEM.
 */
int soft_sort(struct search *search, uint32_t **violations);

/*
 * range.c: slots that the PE itself has left; as many of them as can be had, but not fewer than
 * `least`; the first number of its range, be it one that the PE's rule does not divide, if there is
 * one that it does, however many are left. 0, -ENOENT, -ENOMEM.
 */
uint32_t parallel_left(const struct search *search);
int parallel_most(struct search *search, uint32_t least, struct grant *grant);
int parallel_least(struct search *search, uint32_t *slots);
/*
 * The amounts that the search for places now has tried in vain, in its order, again with `test`: 0,
 * if the first one of which that is true is the smallest of all; -ENOENT, -ENOMEM.
 */
typedef int parallel_test(struct search *search, uint32_t slots, struct grant *spare);
int parallel_tried_in_vain(struct search *search, parallel_test *test, struct grant *spare);
/*
 * rule_out.c: is a host out of question for the category, in this PE? It is from now on, if so many
 * slots will never fit; after an attempt in vain. -ENOMEM.
 */
bool rule_out_has(const struct search *search, uint32_t host);
int rule_out_host(struct search *search, uint32_t host, uint32_t slots);
/* Slots that each host must give that takes part; one where the rule does not divide them. */
uint32_t parallel_host_least(const struct pe *pe, uint32_t slots);
/*
 * Instances of cluster queues that are out of question for so many slots say nothing about whose
 * turn it is; a sequential job meets them in vain.
 */
bool parallel_queue_counts(struct search *search, uint32_t instance, uint32_t slots);
/* The same, whatever the queue has configured: who is let in. */
bool parallel_queue_admits(struct search *search, uint32_t instance);

#endif
