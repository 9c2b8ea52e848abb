/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs of one slot: the first instance of the queue list that fits, or with soft requests the one
 * with the fewest violations.
 *
 * Grid Engine checks quotas before everything else, even for instances that the job may not use or
 * that are full. A quota that has nothing left there may rule out more than that instance
 * (quota.h). Therefore the order of the checks matters, and also which objects are checked at all.
 * After a host has failed as a whole, no instance on it is checked, not even for other jobs of the
 * category. After a cluster queue has failed as a whole, no other instance of it is checked in this
 * search.
 */
#include <errno.h>

#include "sched/dispatch/search/parallel.h"
#include "sched/dispatch/search/queue_check.h"
#include "sched/dispatch/search/search.h"
#include "sched/dispatch/search/tag.h"

static bool is_skipped(const struct search *search, uint32_t instance)
{
	return match_skips_queue(search, instance) ||
	       match_skips_host(search, search->supply->cluster.instances[instance].host);
}

/* Remove the instance for the category for the rest of the run. */
static bool forget(struct search *search, uint32_t instance)
{
	if (search->with->mark != QUEUE_LIST_NONE)
		queue_list_unmark(&search->shared->ranking.list, instance, search->with->mark);
	return false;
}

static bool forget_host(struct search *search, uint32_t host)
{
	const struct cluster *cluster = &search->supply->cluster;

	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX; i = cluster->instances[i].next_on_host)
		forget(search, i);
	return match_skip_host(search, host);
}

static bool fits(struct search *search, uint32_t instance)
{
	const struct queue_instance *queue_instance = &search->supply->cluster.instances[instance];
	bool far = quotas_reach_far(search->supply->quotas), as_master;

	search->failed = NULL;
	if (!match_quotas(search, instance, 1))
		return far ? false : forget(search, instance);
	if ((far || search->question.category->advance) && !queue_check_counts(search, instance, 1))
		return match_skip_queue(search, queue_instance->queue);
	if (!match_host(search, queue_instance->host))
		return forget_host(search, queue_instance->host);
	if (!match_static(search, instance, &as_master) || !match_has_forced(search, instance))
		return forget(search, instance);
	if (!match_object(search, LEVEL_HOST, queue_instance->host, 1))
		return forget_host(search, queue_instance->host);
	return match_object(search, LEVEL_QUEUE, instance, 1) || forget(search, instance);
}

/*
 * Return whether the search may use sieves. A category without its own mark shares results for
 * common requests with other categories.
 */
static bool may_sift(const struct search *search)
{
	return search->with->mark == QUEUE_LIST_NONE && !search->question.category->ar &&
	       !quotas_reach_far(search->supply->quotas);
}

int search_sequential(struct search *search, struct grant *grant)
{
	struct queue_list *list = &search->shared->ranking.list;
	struct category_pe *with = &search->question.category->pes[0];
	uint32_t best = QUEUE_LIST_NONE, mark;
	bool sifts;

	search->with = with;
	ranking_number(&search->shared->ranking, false);
	ranking_search(&search->shared->ranking, true);
	if (!match_object(search, LEVEL_GLOBAL, 0, 1))
		return -ENOENT;
	category_mark(&search->shared->ranking, with);
	sifts = may_sift(search);
	mark = sifts ? sieve_first(search) : with->mark;
	for (uint32_t i = queue_list_first(list, mark); i != QUEUE_LIST_NONE; i = queue_list_next(list, i, mark)) {
		uint32_t violations;

		if (is_skipped(search, i) || !fits(search, i)) {
			mark = sifts && search->failed ? sieve_failed(search, search->failed, mark) : mark;
			continue;
		}
		violations = category_is_soft(search->question.category) ? match_violations(search, i) : 0;
		if (best == QUEUE_LIST_NONE || violations < grant->violations) {
			best = i;
			grant->violations = violations;
		}
		if (violations == 0)
			break;
	}
	if (best == QUEUE_LIST_NONE)
		return -ENOENT;
	grant->begin = search->question.begin;
	return grant_add(grant, best, 1, false);
}

int search_side_effects(struct search *search)
{
	if (search->question.category->ckpt && !cell_checkpoint(search->supply->cell, search->question.category->ckpt))
		return 0;
	ranking_number(&search->shared->ranking, false);
	if (search->question.category->pe)
		tags_reset(&search->shared->tags);
	else
		ranking_search(&search->shared->ranking, true);
	return 0;
}
