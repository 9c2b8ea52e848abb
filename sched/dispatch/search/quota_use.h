/* SPDX-License-Identifier: Apache-2.0 */
/* The use of quotas by the slots of a job in an instance. */
#ifndef SCHED_DISPATCH_SEARCH_QUOTA_USE_H
#define SCHED_DISPATCH_SEARCH_QUOTA_USE_H

#include "sched/dispatch/search/category.h"

struct search;
struct supply;

/*
 * Called for a limit of a rule that counts for an entry, with the amount that the entry uses of it.
 */
typedef int quota_use(const void *context, uint32_t rule, struct quota_count *count, double amount);
/*
 * Call `use` for each limit that counts for an entry in a PE. `master`: the entry has the master
 * task. End at the first result that is not 0 and return it.
 */
int quota_use_each(const struct supply *supply, const struct category *category, const struct category_pe *with,
		   const struct grant_entry *entry, bool master, quota_use *use, const void *context);

/*
 * Add what an attempt has taken so far to the quotas. It is cleared at the end. Return 0 or
 * -ENOMEM.
 */
enum quota_taking { QUOTA_TAKE, QUOTA_GIVE_BACK, QUOTA_CLEAR };
int quota_take(struct search *search, uint32_t instance, uint32_t slots, enum quota_taking what);

#endif
