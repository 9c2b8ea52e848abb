/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots a parallel job asks for, as qsub -pe writes them: "4" "2-8" "4-" "-8" "1,4,9-". "2-8:3"
 * are 2, 5 and 8: a qmaster keeps the list "2,5,8" as such a range.
 */
#ifndef SCHED_MIRROR_SLOTS_H
#define SCHED_MIRROR_SLOTS_H

#include <stdbool.h>

#include "conf/cell.h"
#include "conf/error.h"
#include "urgency/resources.h"

#define SLOTS_LIMIT 9999999u	/* of sge_pe(5) */

struct slot_ranges {
	/* ascending by their first number; an open end is SLOTS_OPEN; only those without a step overlap */
	struct slot_range *items;
	size_t n;
};

/* -EINVAL, -ENOMEM with the reason in `error`. */
int slots_parse(struct slot_ranges *ranges, const char *text, struct error *error);
void slots_free(struct slot_ranges *ranges);

/*
 * Return how many slots a job is assumed to get: urgency_slots of the parallel environment that it asks for, which may be NULL or a
 * pattern.
 */
uint32_t slots_assumed(const struct slot_ranges *ranges, const struct cell *cell, const char *pe);

bool slots_contain(const struct slot_ranges *ranges, uint64_t slots);

#endif
