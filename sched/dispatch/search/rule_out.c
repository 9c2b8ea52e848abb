/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts that Grid Engine 8.1.9 rules out for all jobs of a category, if it has more than one job.
 * With $pe_slots, a host is ruled out if the first amount that a search tries will never fit, even
 * after all running jobs have ended. It does not matter that smaller amounts would fit. Queues that
 * quotas have put out of question in this attempt count as if they never had room.
 */
#include <errno.h>
#include <stdlib.h>

#include "sched/dispatch/search/parallel.h"
#include "sched/dispatch/search/quota_use.h"
#include "sched/dispatch/search/search.h"

/* states of a host; zero: it is tried */
enum ruled_out { RULED_OUT = 1, RULED_OUT_NEXT };

bool rule_out_has(const struct search *search, uint32_t host)
{
	return search->question.shares && search->with->out && search->with->out[host] == RULED_OUT;
}

void rule_out_settle(const struct search *search)
{
	for (size_t h = 0; search->with->out && h < search->supply->cluster.nhosts; h++)
		if (search->with->out[h])
			search->with->out[h] = RULED_OUT;
}

/*
 * Return whether quotas have put the queue out of question, or leave nothing now. Without
 * reservations, Grid Engine 8.1.9 assumes that the latter never changes.
 */
static bool is_used_up(const struct search *search, uint32_t instance)
{
	return match_skips_queue(search, instance) ||
	       (!search->supply->reserves && match_quotas_used_up(search, instance));
}

static uint32_t instance_slots(struct search *search, uint32_t instance, uint32_t most)
{
	bool as_master;

	if (!queue_list_has(&search->shared->ranking.list, instance) || !match_static(search, instance, &as_master))
		return 0;
	most = match_object(search, LEVEL_QUEUE, instance, most);
	return most > 0 ? match_quotas(search, instance, most) : 0;
}

/*
 * Find out whether the slots fit after all bookings have ended, by free resources and quotas. Load
 * does not matter.
 */
static int fits_ever(const struct search *search, uint32_t host, uint32_t slots, bool *fits)
{
	const struct cluster *cluster = &search->supply->cluster;
	const struct search_question question = {
		.category = search->question.category,
		.purpose = SEARCH_RESERVE,
		.counts = search->supply->reserves ? search->question.counts : COUNT_NOTHING,
		.begin = TIMELINE_NEVER - 1,
		.end = TIMELINE_NEVER,
		.silent = true,
		.only = search->question.only,
	};
	struct search ever = search_with(search, question);
	uint32_t sum = 0;
	int rc = 0;

	ever.number = skips_next(&search->shared->skips);
	if (match_object(&ever, LEVEL_HOST, host, slots) == slots)
		for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX && sum < slots && rc == 0;
		     i = cluster->instances[i].next_on_host) {
			uint32_t n = is_used_up(search, i) ? 0 : instance_slots(&ever, i, slots - sum);

			sum += n;
			rc = n > 0 ? quota_take(&ever, i, n, QUOTA_TAKE) : 0;
		}
	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX; i = cluster->instances[i].next_on_host)
		quota_take(&ever, i, 0, QUOTA_CLEAR);
	*fits = sum == slots;
	return rc;
}

int rule_out_host(struct search *search, uint32_t host, uint32_t slots)
{
	bool fits;
	int rc = fits_ever(search, host, slots, &fits);

	if (rc || fits)
		return rc;
	if (!search->with->out)
		search->with->out = calloc(search->supply->cluster.nhosts, 1);
	if (!search->with->out)
		return -ENOMEM;
	search->with->out[host] = RULED_OUT_NEXT;
	return 0;
}
