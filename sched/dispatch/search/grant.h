/* SPDX-License-Identifier: Apache-2.0 */
/* The places of a task that a search has found, or that a running task has. */
#ifndef SCHED_DISPATCH_SEARCH_GRANT_H
#define SCHED_DISPATCH_SEARCH_GRANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct grant_entry {
	uint32_t instance, slots;
};

struct grant {				/* places of a task; entries[0] is the master queue */
	struct grant_entry *entries;
	size_t n, capacity;
	uint32_t pe;			/* index into cell->pes; NONE */
	/* Total of a running task, including slots in instances that no longer exist. */
	uint32_t slots;
	uint32_t violations;		/* violated soft requests */
	/* The start overloads nothing: range.c. */
	bool unadjusted;
	int64_t begin;
};

void grant_clear(struct grant *grant);
/* Add slots. Slots of one instance are added up. Return 0 or -ENOMEM. */
int grant_add(struct grant *grant, uint32_t instance, uint32_t slots, bool at_head);
void grant_free(struct grant *grant);

#endif
