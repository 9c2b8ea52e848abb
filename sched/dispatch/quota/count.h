/* SPDX-License-Identifier: Apache-2.0 */
/* What is used of quotas, by key. */
#ifndef SCHED_DISPATCH_QUOTA_COUNT_H
#define SCHED_DISPATCH_QUOTA_COUNT_H

#include "conf/index.h"
#include "sched/dispatch/quota/quota.h"

struct quota_key {
	uint32_t limit;			/* of all rules */
	uint32_t part[QUOTA_KINDS];	/* 0: not told apart, or absent; else a number from 1 */
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

/* The count of a key, 0 if it is new; valid until the next call. -ENOMEM. */
int quota_counts_get(struct quota_counts *counts, const struct quota_key *key, struct quota_count **count);
void quota_counts_clear(struct quota_counts *counts);
void quota_counts_free(struct quota_counts *counts);

#endif
