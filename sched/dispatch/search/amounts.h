/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The amounts of slots that a parallel job accepts in a PE, ascending and without duplicates. They
 * are never expanded, since an open range has millions.
 */
#ifndef SCHED_DISPATCH_SEARCH_AMOUNTS_H
#define SCHED_DISPATCH_SEARCH_AMOUNTS_H

#include "conf/cell.h"
#include "sched/mirror/slots.h"

struct amounts {
	/* `last` is one of its amounts; most lists have one part */
	struct amounts_part { uint32_t first, last, step; } *parts, own;
	size_t nparts, n;
};

/*
 * Create the amounts from `least` to `most` that the allocation rule allows. The ranges ascend by
 * their first number. An amount that several ranges have is counted once. Return 0 or -ENOMEM.
 */
int amounts_create(struct amounts *amounts, const struct slot_ranges *ranges, const struct pe *pe, uint32_t least,
		   uint32_t most);
void amounts_free(struct amounts *amounts);
/* Return amount number i, or 0 if there are not so many. */
uint32_t amounts_at(const struct amounts *amounts, size_t i);
/* Return how many amounts are not greater than `most`. */
size_t amounts_to(const struct amounts *amounts, uint64_t most);

#endif
