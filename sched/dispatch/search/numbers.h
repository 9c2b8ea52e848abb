/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers of hosts that are sorted by load: 0 for the lowest value, 1 for the next one, and so
 * on. Hosts of equal value have equal numbers. Conversions between values and numbers, while values
 * are added and removed, take a few hundred steps for 10,000 values.
 */
#ifndef SCHED_DISPATCH_SEARCH_NUMBERS_H
#define SCHED_DISPATCH_SEARCH_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

struct number_block;

struct numbers {			/* zero-initialise; private */
	struct number_block *blocks;
	/*
	 * Used blocks in ascending order of their values, then the unused blocks: index, number of
	 * values, first value.
	 */
	uint32_t *order, *held;
	double *first;
	size_t nblocks;			/* used blocks */
};

/* Begin empty, with room for `values` different values. Return 0 or -ENOMEM. */
int numbers_begin(struct numbers *numbers, size_t values);
void numbers_free(struct numbers *numbers);

/* Add or remove one host with this value. */
void numbers_add(struct numbers *numbers, double value);
void numbers_remove(struct numbers *numbers, double value);

/* Return the number of different values that are less. */
uint32_t numbers_of(const struct numbers *numbers, double value);
/* Return the value of a number, or INFINITY if there are not so many. */
double numbers_value(const struct numbers *numbers, uint32_t number);

#endif
