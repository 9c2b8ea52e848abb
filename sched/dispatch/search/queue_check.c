/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/queue_check.h"
#include "sched/dispatch/search/search.h"


/*
 * Results for a cluster queue. The result for its configuration can differ between one slot and
 * several.
 */
enum { QUEUE_KNOWN = 1, QUEUE_ADMITS = 2, QUEUE_FOR_ONE = 4, QUEUE_FOR_SEVERAL = 8 };

static unsigned queue_check(struct search *search, uint32_t instance)
{
	uint32_t queue = search->supply->cluster.instances[instance].queue;
	unsigned char *known = &search->with->queues[queue];

	if (*known == 0)
		*known = (unsigned char)(QUEUE_KNOWN | (match_queue_admits(search, queue) ? QUEUE_ADMITS : 0) |
					 (match_queue_configured(search, queue, 1) ? QUEUE_FOR_ONE : 0) |
					 (match_queue_configured(search, queue, 2) ? QUEUE_FOR_SEVERAL : 0));
	return *known;
}

bool queue_check_counts(struct search *search, uint32_t instance, uint32_t slots)
{
	unsigned known = queue_check(search, instance);

	return known & QUEUE_ADMITS && known & (slots == 1 ? QUEUE_FOR_ONE : QUEUE_FOR_SEVERAL);
}

bool queue_check_admits(struct search *search, uint32_t instance)
{
	return queue_check(search, instance) & QUEUE_ADMITS;
}
