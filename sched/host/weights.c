/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/host/weights.h"

unsigned weight_of(double tickets, double most)
{
	double weight = most > 0 ? tickets / most * WEIGHT_MAX : WEIGHT_MAX;

	if (weight >= WEIGHT_MAX)
		return WEIGHT_MAX;
	return weight > WEIGHT_MIN ? (unsigned)(weight + 0.5) : WEIGHT_MIN;
}
