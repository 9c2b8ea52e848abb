/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the usage of quotas, by key. */
#ifndef SCHED_DISPATCH_QUOTA_COUNT_H
#define SCHED_DISPATCH_QUOTA_COUNT_H

#include "conf/base/index.h"
#include "sched/dispatch/quota/quota.h"

struct quota_key {
	uint32_t limit;			/* number of the limit, over all rules */
	/* 0: not counted separately, or absent; otherwise a number from 1 */
	uint32_t part[QUOTA_KINDS];
};

struct quota_counted {
	struct quota_key key;
	struct quota_count count;
};

struct quota_counts {			/* zero-initialise */
	struct index index;
	uint32_t *hashes;
	struct quota_counted *items;
	size_t n, capacity;
};

/*
 * Find the counter of a key; a new counter is 0. It is valid until the next call. Return 0 or
 * -ENOMEM.
 */
int quota_counts_get(struct quota_counts *counts, const struct quota_key *key, struct quota_count **count);
void quota_counts_clear(struct quota_counts *counts);
void quota_counts_free(struct quota_counts *counts);

#endif
