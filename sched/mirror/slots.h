/* SPDX-License-Identifier: Apache-2.0 */
/* The slots a parallel job asks for, as qsub -pe writes them: "4" "2-8" "4-" "-8" "1,4,9-". */
#ifndef SCHED_MIRROR_SLOTS_H
#define SCHED_MIRROR_SLOTS_H

#include "conf/error.h"
#include "urgency/resources.h"

#define SLOTS_LIMIT 9999999u	/* of sge_pe(5) */

struct slot_ranges {
	/* ascending by their first number; an open end is SLOTS_OPEN */
	struct slot_range *items;
	size_t n;
};

/* -EINVAL, -ENOMEM with the reason in `error`. */
int slots_parse(struct slot_ranges *ranges, const char *text, struct error *error);
void slots_free(struct slot_ranges *ranges);

#endif
