/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Urgency of all jobs of a run, and its spread: sge_priority(5), sched_conf(5). Pure passes over
 * columns.
 */
#ifndef URGENCY_URGENCY_H
#define URGENCY_URGENCY_H

#include <stddef.h>
#include <stdint.h>

struct urgency_params {
	double weight_waiting_time;	/* per second */
	double weight_deadline;
	int64_t now;			/* epoch seconds */
};

struct urgency_jobs {			/* columns */
	size_t n;
	const int64_t *submission;	/* epoch seconds */
	const int64_t *deadline;	/* epoch seconds, 0 = none */
	const double *rrcontr;
	double *urg;			/* result */
};

struct urgency_spread {			/* start with urgency_spread_start */
	double min, max;
};

/*
 * The maximum starts at the smallest positive double: jobs that are all negative are measured
 * against 0.
 */
extern const struct urgency_spread urgency_spread_start;

/* Sets urg and widens the spread. */
void urgency_compute(const struct urgency_params *params, const struct urgency_jobs *jobs, struct urgency_spread *spread);

#endif
