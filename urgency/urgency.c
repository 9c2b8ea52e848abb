/* SPDX-License-Identifier: Apache-2.0 */
#include "urgency/urgency.h"

#include <float.h>

const struct urgency_spread urgency_spread_start = { .min = DBL_MAX, .max = DBL_MIN };

void urgency_compute(const struct urgency_params *params, const struct urgency_inputs *jobs, size_t n, double *urg,
		     struct urgency_spread *spread)
{
	double min = spread->min, max = spread->max;

	for (size_t i = 0; i < n; i++) {
		double sum = urgency_contributions(params, &jobs[i]).urg;

		urg[i] = sum;
		min = sum < min ? sum : min;
		max = sum > max ? sum : max;
	}
	spread->min = min;
	spread->max = max;
}
