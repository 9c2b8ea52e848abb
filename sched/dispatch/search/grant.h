/* SPDX-License-Identifier: Apache-2.0 */
/* The places of a task that a search has found, or that a running task has. */
#ifndef SCHED_DISPATCH_SEARCH_GRANT_H
#define SCHED_DISPATCH_SEARCH_GRANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cluster;
struct complex;

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

/* What an entry of a grant takes from an object. The amount depends on how a complex is counted. */
struct grant_share {
	uint32_t slots;
	bool is_master;		/* the master task is among the slots */
	bool is_first;		/* no earlier entry of the grant takes from the object */
};

/*
 * Return the share of entry i in its host. `is_first` is true for each entry if the cluster has no
 * HOST consumable, which alone depends on it.
 */
struct grant_share grant_share(const struct cluster *cluster, const struct grant *grant, size_t i);
/* Return the amount of a consumable that a share takes. `need`: per slot, per job or per host. */
double grant_share_amount(const struct complex *complex, double need, struct grant_share share);

#endif
