/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage: lists of named values, their decay and what they are worth together. share_tree(5),
 * sched_conf(5) halftime, halflife_decay_list, usage_weight_list.
 */
#ifndef TICKETS_USAGE_H
#define TICKETS_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* names are small numbers of the caller's, each at most once; the order counts in sums */
struct usage {
	struct usage_item { uint32_t name; double value; } *items;
	size_t n;
};

/* The value of a name, 0 when absent. */
double usage_get(const struct usage *usage, uint32_t name);
/* Add to a name, which is appended if new. -ENOMEM changes nothing. */
int usage_add(struct usage *usage, uint32_t name, double value);
/*
 * Raise a name's value to this one; a name that is new is appended. 1: it has changed; 0: it was as
 * great. -ENOMEM changes nothing.
 */
int usage_raise(struct usage *usage, uint32_t name, double value);
/* Make `to` equal to `from`. -ENOMEM changes nothing. */
int usage_copy(struct usage *to, const struct usage *from);
void usage_free(struct usage *usage);

struct usage_weights {		/* of usage_weight_list, by name */
	const double *by_name;	/* n values; names without a weight 0 */
	const bool *listed;
	size_t n;
	double sum;		/* of the list, in its order */
	/* by_name / sum; NULL: to be worked out, which costs a division each */
	const double *parts;
};

/*
 * What a list is worth: each value times its part of the weights, added in the list's order. 0
 * unless the sum is positive.
 */
double usage_combine(const struct usage *usage, const struct usage_weights *weights);

/*
 * The decay constant of a half-life in minutes: the factor for a minute. Grid Engine's linear
 * approximation, not 0.5^(1/H): 168 h leave 0.49999 of a value after 168 h. Negative: 0, forgotten
 * at once; 0: 1, no decay. Below ln 2 minutes the approximation is negative.
 */
double decay_constant(double half_life_minutes);

/* constants by name; names beyond n, and those that are NaN, use the default */
struct usage_decay {
	double constant;
	const double *by_name;
	size_t n;
	/* zero-initialise: the last ones used, since most lists decay over the same time */
	struct decay_factor {
		double constant, minutes, factor;
	} last[2];
	/*
	 * the caller's room, n + 1 of them, or NULL: the factors for `minutes`, by name, and of all
	 * other names
	 */
	double *factors;
	double minutes;
	bool finite;			/* all of them are */
};

/*
 * Decay a list from its time stamp to `now` (epoch seconds), in place; no-op without a stamp or
 * when now is not later. A factor that is no number (a negative constant to a broken power) is
 * taken as 0 and counted.
 */
void usage_decay(struct usage *usage, struct usage_decay *decay, int64_t stamp, int64_t now, uint64_t *clamped);

#endif
