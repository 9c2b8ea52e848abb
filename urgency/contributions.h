/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contributions to the urgency of a job: sge_priority(5), sched_conf(5) weight_waiting_time,
 * weight_deadline. The scheduler and readers use this code. To add a contribution, add its weight,
 * its inputs and its part of the sum here.
 */
#ifndef URGENCY_CONTRIBUTIONS_H
#define URGENCY_CONTRIBUTIONS_H

#include <stdint.h>

struct urgency_params {
	double weight_waiting_time;	/* per second */
	double weight_deadline;
	int64_t now;			/* seconds since 1970 */
};

struct urgency_inputs {			/* inputs of a job */
	int64_t submission;		/* seconds since 1970 */
	int64_t deadline;		/* seconds since 1970, 0 = none */
	double rrcontr;			/* resources.h */
};

struct urgency_contributions {		/* contributions and their sum */
	double urg, rrcontr, wtcontr, dlcontr;
};

/*
 * Return wtcontr. Grid Engine 8.1.9 subtracts 32-bit unsigned seconds, so a submission in the
 * future counts as up to 136 years of waiting. This function does the same.
 */
static inline double waiting_contribution(double weight_waiting_time, int64_t now, int64_t submission)
{
	return weight_waiting_time * (double)(uint32_t)((uint64_t)now - (uint64_t)submission);
}

/*
 * Return dlcontr. `deadline` 0: none. From one second before the deadline on, the full weight
 * counts, without end.
 */
static inline double deadline_contribution(double weight_deadline, int64_t now, int64_t deadline)
{
	if (deadline == 0)
		return 0.0;
	int32_t left = (int32_t)(uint32_t)((uint64_t)deadline - (uint64_t)now);
	return weight_deadline / (left > 1 ? left : 1);
}

/* Compute all contributions. The order of addition affects the result. */
static inline struct urgency_contributions urgency_contributions(const struct urgency_params *params,
								 const struct urgency_inputs *job)
{
	struct urgency_contributions contributions = {
		.rrcontr = job->rrcontr,
		.wtcontr = waiting_contribution(params->weight_waiting_time, params->now, job->submission),
		.dlcontr = deadline_contribution(params->weight_deadline, params->now, job->deadline)
	};

	contributions.urg = contributions.wtcontr + contributions.dlcontr + contributions.rrcontr;
	return contributions;
}

#endif
