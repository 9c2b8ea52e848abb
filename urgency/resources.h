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

struct slot_range {			/* of a parallel job's request, ascending */
	uint32_t min, max;
	uint32_t step;			/* >= 1; from 2 on `max` is one of its numbers; 1 in an open range */
};

enum urgency_slots { URGENCY_SLOTS_MIN, URGENCY_SLOTS_MAX, URGENCY_SLOTS_AVG, URGENCY_SLOTS_NUMBER };

struct slots_rule {			/* of the parallel environment */
	enum urgency_slots rule;
	uint32_t number;		/* for URGENCY_SLOTS_NUMBER */
	uint32_t pe_slots;		/* closes open ranges; an average counts no more than these */
};

/*
 * How many slots a job is assumed to get. n == 0: a sequential job. A request of one number is this
 * number; `rule` NULL (no such parallel environment): 1.
 */
uint32_t assumed_slots(const struct slot_range *ranges, size_t n, const struct slots_rule *rule);

struct request {			/* one hard request */
	double value, urgency;
	/* INT, DOUBLE, TIME, MEMORY, BOOL: value x urgency x slots; else urgency alone */
	bool is_numeric;
};

/* rrcontr. Added in the order of the requests, to the slots' own urgency. */
double resource_contribution(double slots_urgency, uint32_t slots, const struct request *requests, size_t n);

#endif
