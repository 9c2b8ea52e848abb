/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots that a parallel job requests, in the notation of qsub -pe: "4" "2-8" "4-" "-8" "1,4,9-".
 * "2-8:3" means 2, 5 and 8: a qmaster keeps the list "2,5,8" as such a range.
 */
#ifndef SCHED_MIRROR_SLOTS_H
#define SCHED_MIRROR_SLOTS_H

#include <stdbool.h>

#include "conf/cell.h"
#include "conf/base/error.h"
#include "urgency/resources.h"

#define SLOTS_LIMIT 9999999u	/* maximum according to sge_pe(5) */

struct slot_ranges {
	/*
	 * Ascending by first number; an open end is SLOTS_OPEN. Only ranges without a step overlap.
	 */
	struct slot_range *items;
	size_t n;
};

/* Parse a list of slots. -EINVAL, -ENOMEM with the reason in `error`. */
int slots_parse(struct slot_ranges *ranges, const char *text, struct error *error);
void slots_free(struct slot_ranges *ranges);

/*
 * Return how many slots a job is assumed to get, which is urgency_slots of its parallel
 * environment. `pe` may be NULL or a pattern.
 */
uint32_t slots_assumed(const struct slot_ranges *ranges, const struct cell *cell, const char *pe);

bool slots_contain(const struct slot_ranges *ranges, uint64_t slots);

#endif
