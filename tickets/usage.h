/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage: lists of named values, their decay and their combined value. share_tree(5), sched_conf(5)
 * halftime, halflife_decay_list, usage_weight_list.
 */
#ifndef TICKETS_USAGE_H
#define TICKETS_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names are small numbers of the caller, each at most once. Their order affects sums. */
struct usage {
	struct usage_item { uint32_t name; double value; } *items;
	size_t n;
};

/* Return the value of a name, 0 if it is absent. */
double usage_get(const struct usage *usage, uint32_t name);
/* Add to a name; a new name is appended. Return 0, or -ENOMEM with nothing changed. */
int usage_add(struct usage *usage, uint32_t name, double value);
/*
 * Raise the value of a name to `value`; a new name is appended. Return 1 if it has changed, 0 if it
 * was at least as large, or -ENOMEM with nothing changed.
 */
int usage_raise(struct usage *usage, uint32_t name, double value);
/* Make `to` equal to `from`. Return 0, or -ENOMEM with nothing changed. */
int usage_copy(struct usage *to, const struct usage *from);
void usage_free(struct usage *usage);

struct usage_weights {		/* usage_weight_list, by name */
	const double *by_name;	/* n values; names without a weight 0 */
	const bool *listed;
	size_t n;
	double sum;		/* sum of the list, in its order */
	/* by_name / sum. NULL: computed when needed, which costs a division each. */
	const double *parts;
};

/*
 * Return the combined value of a list: each value times its part of the weights, added in the
 * list's order. 0 unless the sum of the weights is positive.
 */
double usage_combine(const struct usage *usage, const struct usage_weights *weights);

/*
 * Return the decay constant for a half-life in minutes: the factor for one minute. This is Grid
 * Engine's linear approximation, not 0.5^(1/H): with 168 h, 0.49999 of a value is left after 168 h.
 * Negative half-life: 0, values are forgotten at once. 0: 1, no decay. Below ln 2 minutes the
 * approximation is negative.
 */
double decay_constant(double half_life_minutes);

/* Constants by name. Names beyond n, and those with NaN, use the default. */
struct usage_decay {
	double constant;
	const double *by_name;
	size_t n;
	/* Zero-initialise: the last factors used, since most lists decay over equal times. */
	struct decay_factor {
		double constant, minutes, factor;
	} last[2];
	/*
	 * Memory of the caller for n + 1 factors, or NULL: the factors for `minutes`, by name, and
	 * that of all other names.
	 */
	double *factors;
	double minutes;
	bool finite;			/* every factor is finite */
};

/*
 * Decay a list from its time stamp to `now` (seconds since 1970), in place. Does nothing without a
 * stamp or if `now` is not later. A factor that is not a number (a fractional power of a negative
 * constant) counts as 0 and is added to *clamped.
 */
void usage_decay(struct usage *usage, struct usage_decay *decay, int64_t stamp, int64_t now, uint64_t *clamped);

#endif
