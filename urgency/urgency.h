/* SPDX-License-Identifier: Apache-2.0 */
/* The spread of the urgencies of all jobs of a run: sge_priority(5). */
#ifndef URGENCY_URGENCY_H
#define URGENCY_URGENCY_H

#include "urgency/contributions.h"

struct urgency_spread {			/* start with urgency_spread_start */
	double min, max;
};

/*
 * Initial spread. The maximum starts at the smallest positive double, so if all urgencies are
 * negative, they are normalised relative to 0.
 */
extern const struct urgency_spread urgency_spread_start;

static inline void urgency_widen(struct urgency_spread *spread, double urg)
{
	spread->min = urg < spread->min ? urg : spread->min;
	spread->max = urg > spread->max ? urg : spread->max;
}

#endif
