/* SPDX-License-Identifier: Apache-2.0 */
#include "urgency/urgency.h"

#include <float.h>

#include "urgency/contributions.h"

const struct urgency_spread urgency_spread_start = { .min = DBL_MAX, .max = DBL_MIN };

void urgency_compute(const struct urgency_params *params, const struct urgency_jobs *jobs, struct urgency_spread *spread)
{
	double min = spread->min, max = spread->max;

	for (size_t i = 0; i < jobs->n; i++) {
		double wtcontr = waiting_contribution(params->weight_waiting_time, params->now, jobs->submission[i]);
		double dlcontr = deadline_contribution(params->weight_deadline, params->now, jobs->deadline[i]);
		double urg = urgency_sum(wtcontr, dlcontr, jobs->rrcontr[i]);

		jobs->urg[i] = urg;
		min = urg < min ? urg : min;
		max = urg > max ? urg : max;
	}
	spread->min = min;
	spread->max = max;
}
