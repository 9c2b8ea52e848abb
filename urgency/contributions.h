/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contributions to urgency that depend on the clock: sge_priority(5), sched_conf(5)
 * weight_waiting_time, weight_deadline.
 */
#ifndef URGENCY_CONTRIBUTIONS_H
#define URGENCY_CONTRIBUTIONS_H

#include <stdint.h>

/*
 * wtcontr. Grid Engine 8.1.9 subtracts 32-bit unsigned seconds: a submission in the future counts
 * as 136 years of waiting, and so it does here.
 */
static inline double waiting_contribution(double weight_waiting_time, int64_t now, int64_t submission)
{
	return weight_waiting_time * (double)(uint32_t)((uint64_t)now - (uint64_t)submission);
}

/* dlcontr. `deadline` 0: none. The full weight from one second before the deadline on, for ever. */
static inline double deadline_contribution(double weight_deadline, int64_t now, int64_t deadline)
{
	if (deadline == 0)
		return 0.0;
	int32_t left = (int32_t)(uint32_t)((uint64_t)deadline - (uint64_t)now);
	return weight_deadline / (left > 1 ? left : 1);
}

/* urg. The order of addition is part of the result. */
static inline double urgency_sum(double wtcontr, double dlcontr, double rrcontr)
{
	return wtcontr + dlcontr + rrcontr;
}

#endif
