/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers that hosts have when they are sorted by load: 0 for the lowest value, 1 for the next
 * one, and so on; hosts of the same value have the same number. What number a value has, and what
 * value a number, while values come and go: a few hundred steps for 10,000 of them.
 */
#ifndef SCHED_DISPATCH_SEARCH_NUMBERS_H
#define SCHED_DISPATCH_SEARCH_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

struct number_block;

struct numbers {			/* zero-initialise; private */
	struct number_block *blocks;
	/* of those used, ascending: which one, its first value, how many values; then the others */
	uint32_t *order, *held;
	double *first;
	size_t nblocks;			/* used */
};

/* None, with room for so many different values. -ENOMEM. */
int numbers_begin(struct numbers *numbers, size_t values);
void numbers_free(struct numbers *numbers);

/* One more, one less host with this value. */
void numbers_add(struct numbers *numbers, double value);
void numbers_remove(struct numbers *numbers, double value);

/* How many different values are less. */
uint32_t numbers_of(const struct numbers *numbers, double value);
/* INFINITY: so many there are not. */
double numbers_value(const struct numbers *numbers, uint32_t number);

#endif
