/* SPDX-License-Identifier: Apache-2.0 */
/* Urgency of all jobs of a run, and its spread: sge_priority(5). */
#ifndef URGENCY_URGENCY_H
#define URGENCY_URGENCY_H

#include <stddef.h>

#include "urgency/contributions.h"

struct urgency_spread {			/* start with urgency_spread_start */
	double min, max;
};

/*
 * The maximum starts at the smallest positive double: jobs that are all negative are measured
 * against 0.
 */
extern const struct urgency_spread urgency_spread_start;

/* Sets urg[i] to the urgency of jobs[i], and widens the spread. */
void urgency_compute(const struct urgency_params *params, const struct urgency_inputs *jobs, size_t n, double *urg,
		     struct urgency_spread *spread);

#endif
