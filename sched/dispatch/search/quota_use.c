/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/quota_use.h"

#include <errno.h>

#include "sched/dispatch/search/search.h"

int quota_use_each(const struct supply *supply, const struct category *category, const struct category_pe *with,
		   const struct grant_entry *entry, bool master, quota_use *use, const void *context)
{
	const struct queue_instance *instance = &supply->cluster.instances[entry->instance];
	size_t n = quota_rules(supply->quotas, &with->view, instance->queue, instance->host, supply->hits);
	struct quota_limit_now limit;
	int rc = 0;

	for (size_t h = 0; h < n && (rc == 0 || rc == -ENOENT); h++)
		for (size_t k = 0; ; k++) {
			rc = quota_limit(supply->quotas, supply->hits[h], &with->view, instance->queue,
					 instance->host, k, &limit);
			if (rc == 0)
				rc = use(context, supply->hits[h], limit.count,
					 limit_use(supply, category, limit.complex, entry->slots, master));
			if (rc != 0)
				break;
		}
	return rc == -ENOENT ? 0 : rc;
}

static int count_take(const void *context, uint32_t rule, struct quota_count *count, double amount)
{
	(void)context;
	(void)rule;
	count->taken += amount;
	return 0;
}

static int count_give(const void *context, uint32_t rule, struct quota_count *count, double amount)
{
	(void)context;
	(void)rule;
	count->taken -= amount;
	return 0;
}

static int count_clear(const void *context, uint32_t rule, struct quota_count *count, double amount)
{
	(void)context;
	(void)rule;
	(void)amount;
	count->taken = 0.0;
	return 0;
}

int quota_take(struct search *search, uint32_t instance, uint32_t slots, enum quota_taking what)
{
	static quota_use *const uses[] = {
		[QUOTA_TAKE] = count_take,
		[QUOTA_GIVE_BACK] = count_give,
		[QUOTA_CLEAR] = count_clear,
	};
	const struct grant_entry entry = { instance, slots };

	return quota_use_each(search->supply, search->question.category, search->with, &entry, false, uses[what], NULL);
}
