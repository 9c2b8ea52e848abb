/* SPDX-License-Identifier: Apache-2.0 */
#include "urgency/resources.h"

static uint64_t range_last(const struct slot_range *range, uint32_t pe_slots)
{
	return range->max == SLOTS_OPEN ? pe_slots : range->max;
}

/*
 * Return the mean of all requested numbers that the environment has, computed in double, without
 * its fraction.
 */
static uint32_t slots_average(const struct slot_range *ranges, size_t n, uint32_t pe_slots)
{
	double sum = 0.0, count = 0.0, numbers;

	for (size_t i = 0; i < n; i++) {
		uint64_t first = ranges[i].min, last = ranges[i].max < pe_slots ? ranges[i].max : pe_slots;

		if (last < first)
			continue;
		last -= (last - first) % ranges[i].step;
		numbers = (double)((last - first) / ranges[i].step + 1);
		sum += (double)(first + last) * numbers / 2;
		count += numbers;
	}
	return count > 0 ? (uint32_t)(sum / count) : 0;
}

uint32_t assumed_slots(const struct slot_range *ranges, size_t n, const struct slots_rule *rule)
{
	if (n == 0)
		return 1;
	if (n == 1 && ranges[0].min == ranges[0].max)
		return ranges[0].min;
	if (!rule)
		return 1;
	switch (rule->rule) {
	case URGENCY_SLOTS_MIN:
		return ranges[0].min;
	case URGENCY_SLOTS_MAX:
		return (uint32_t)range_last(&ranges[n - 1], rule->pe_slots);
	case URGENCY_SLOTS_AVG:
		return slots_average(ranges, n, rule->pe_slots);
	default:	/* URGENCY_SLOTS_NUMBER */
		return rule->number;
	}
}

double resource_contribution(double slots_urgency, uint32_t slots, const struct request *requests, size_t n)
{
	double sum = slots_urgency * 1.0 * slots;

	for (size_t i = 0; i < n; i++)
		sum += requests[i].is_numeric ? requests[i].value * requests[i].urgency * slots : requests[i].urgency;
	return sum;
}
