/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts of a parallel search: parallel.c, used by range.c and reserve_parallel.c. */
#ifndef SCHED_DISPATCH_SEARCH_PARALLEL_H
#define SCHED_DISPATCH_SEARCH_PARALLEL_H

#include "sched/dispatch/search/search.h"

struct parallel;

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
 * range.c. parallel_left() returns the slots that the PE itself has left. parallel_most() finds as
 * many of them as possible, but at least `least`. parallel_least() returns the first number of the
 * range if the allocation rule allows any number of the range. The rule need not allow this one,
 * and the slots left do not matter. The last two return 0, -ENOENT or -ENOMEM.
 */
uint32_t parallel_left(const struct search *search);
int parallel_most(struct search *search, uint32_t least, struct grant *grant);
int parallel_least(struct search *search, uint32_t *slots);
/*
 * Apply `test` to the amounts that the search for now has tried without success, in the order of
 * that search. Return 0 if the first amount that passes is the smallest of all, -ENOENT, or
 * -ENOMEM.
 */
typedef int parallel_test(struct search *search, uint32_t slots, struct grant *spare);
int parallel_retry_failed(struct search *search, parallel_test *test, struct grant *spare);
/*
 * rule_out.c. rule_out_has() returns whether a host is ruled out for the category in this PE.
 * rule_out_host() rules the host out if `slots` slots will never fit; call after a failed attempt.
 * Return 0 or -ENOMEM.
 */
bool rule_out_has(const struct search *search, uint32_t host);
int rule_out_host(struct search *search, uint32_t host, uint32_t slots);
/*
 * Return the slots that each used host must give, or 1 if the fixed number of the rule does not
 * divide `slots`.
 */
uint32_t parallel_host_least(const struct pe *pe, uint32_t slots);

#endif
