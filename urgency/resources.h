/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resource contribution to urgency: sge_priority(5), the urgency column of complex(5),
 * urgency_slots of sge_pe(5).
 */
#ifndef URGENCY_RESOURCES_H
#define URGENCY_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLOTS_OPEN UINT32_MAX		/* "4-": no upper end */

struct slot_range {			/* range of a parallel job's request, ascending */
	uint32_t min, max;
	/* >= 1; from 2 on `max` is one of its numbers; 1 in an open range */
	uint32_t step;
};

enum urgency_slots { URGENCY_SLOTS_MIN, URGENCY_SLOTS_MAX, URGENCY_SLOTS_AVG, URGENCY_SLOTS_NUMBER };

struct slots_rule {			/* rule of the parallel environment */
	enum urgency_slots rule;
	uint32_t number;		/* for URGENCY_SLOTS_NUMBER */
	/* end of open ranges; an average counts no larger numbers */
	uint32_t pe_slots;
};

/*
 * Return how many slots a job is assumed to get. n == 0: a sequential job. A request for a single
 * number gives this number. `rule` NULL (no such parallel environment): 1.
 */
uint32_t assumed_slots(const struct slot_range *ranges, size_t n, const struct slots_rule *rule);

struct request {			/* a hard request */
	double value, urgency;
	/* INT, DOUBLE, TIME, MEMORY, BOOL: value x urgency x slots; otherwise urgency alone. */
	bool is_numeric;
};

/* Return rrcontr. Requests are added in their order, to the urgency of the slots. */
double resource_contribution(double slots_urgency, uint32_t slots, const struct request *requests, size_t n);

#endif
