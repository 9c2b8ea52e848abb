/* SPDX-License-Identifier: Apache-2.0 */
/* The number of slots of a parallel job whose request is a range: range.c. */
#ifndef SCHED_DISPATCH_SEARCH_RANGE_H
#define SCHED_DISPATCH_SEARCH_RANGE_H

#include <stdint.h>

struct grant;
struct search;

enum { COST_LEAST, COST_BIN, COST_HIGHEST, COSTS };

/* Recent cost of each algorithm, as a negative number: PE_RANGE_ALG=auto takes the greatest. */
struct range_costs {
	int32_t scores[COSTS];
};

/*
 * parallel_most() finds as many slots as possible, but at least `least`. parallel_least() returns
 * the first number of the range if the allocation rule allows any number of the range. The rule
 * need not allow this one, and the slots left do not matter. Both return 0, -ENOENT or -ENOMEM.
 */
int parallel_most(struct search *search, uint32_t least, struct grant *grant);
int parallel_least(struct search *search, uint32_t *slots);
/*
 * Apply `test` to the amounts that the search for now has tried without success, in the order of
 * that search. Return 0 if the first amount that passes is the smallest of all, -ENOENT, or
 * -ENOMEM.
 */
typedef int parallel_test(struct search *search, uint32_t slots, struct grant *spare);
int parallel_retry_failed(struct search *search, parallel_test *test, struct grant *spare);

#endif
