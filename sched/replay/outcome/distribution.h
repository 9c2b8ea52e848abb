/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution of n values: waiting times in seconds, slowdowns. */
#ifndef SCHED_REPLAY_OUTCOME_DISTRIBUTION_H
#define SCHED_REPLAY_OUTCOME_DISTRIBUTION_H

#include <stddef.h>

struct distribution {		/* n 0: all members are 0 */
	size_t n;
	double mean, least, p5, p25, median, p75, p95, most;
};

/*
 * Compute the distribution of values in ascending order without NaN and infinity. A quantile is one
 * of the values, by nearest rank: the p-th of n is number ceil(p n), counted from 1. The mean is
 * added up in their order.
 */
void distribution_of(struct distribution *distribution, const double *sorted, size_t n);

#endif
