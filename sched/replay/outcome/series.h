/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Amounts that last for a while, such as slots in use, added up by intervals of time. Whole numbers
 * are exact up to 2^53: slots times seconds.
 *
 *     series_make(&s, bounds, n);
 *     series_add(&s, start, end, slots);	for each
 *     series_settle(&s);			s.values[k]: slots x seconds up to bounds[k + 1]
 *     series_free(&s);
 */
#ifndef SCHED_REPLAY_OUTCOME_SERIES_H
#define SCHED_REPLAY_OUTCOME_SERIES_H

#include <stddef.h>
#include <stdint.h>

struct series {			/* zero-initialise */
	const int64_t *bounds;	/* n + 1, ascending; borrowed */
	size_t n;
	/* n values. Before series_settle(): only amounts that begin or end within an interval. */
	double *values;
	/* n + 1; where amounts begin and end that last for whole intervals */
	double *changes;
};

/* Make a series with all values 0. `n` >= 1. -ENOMEM. */
int series_make(struct series *series, const int64_t *bounds, size_t n);
void series_free(struct series *series);
void series_clear(struct series *series);
/* Add an amount from `begin` to `end`. The part outside all bounds does not count. */
void series_add(struct series *series, int64_t begin, int64_t end, double amount);
/* Compute the values. Call once, after the last series_add(). */
void series_settle(struct series *series);

/* Equal steps of a chart */
#define AXIS_STEPS 1000u

struct axis {
	int64_t step;		/* seconds: a whole minute, hour or day if possible */
	size_t n;		/* <= AXIS_STEPS */
	int64_t *bounds;	/* n + 1 */
};

/*
 * Make an axis from `begin` to `end` or a little later, in at most `steps`, which is at most
 * AXIS_STEPS. -ENOMEM. The caller frees it.
 */
int axis_make(struct axis *axis, int64_t begin, int64_t end, size_t steps);
void axis_free(struct axis *axis);

#endif
