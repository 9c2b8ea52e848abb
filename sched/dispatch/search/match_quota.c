/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The amounts that quotas leave to a job on an instance, and the objects that Grid Engine 8.1.9 no
 * longer tries when nothing is left: sge_resource_quota(5).
 */
#include <errno.h>
#include <string.h>

#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/pattern.h"
#include "sched/dispatch/search/search.h"

bool match_bounds(const struct search *search, const struct quota_limit_now *limit)
{
	const struct complex *complex = limit->complex;
	const struct resource_request *request = category_request(search->supply, search->question.category, complex);

	if (limit_is_counted(complex))
		return false;
	if (!request)
		return complex->requestable == REQUESTABLE_FORCED && !search->question.category->pe;
	return search->question.category->pe ||
	       !match_offer(&search->supply->cluster.columns[request->column], request, limit->text, limit->value);
}

static void limit_why(struct search *search, const struct quota_limit_now *limit, uint32_t rule, uint32_t instance,
		      double need, double left)
{
	char name[160];

	if (search->question.silent)
		return;
	quota_rule_name(search->supply->quotas, rule, name, sizeof(name));
	match_why(search, WHY_QUOTA, why_text(search->shared->why, "%s: %s", name, limit->complex->name),
		  search->supply->cluster.instances[instance].name, need, left);
}

static uint32_t limit_slots(struct search *search, const struct quota_limit_now *limit, uint32_t rule,
			    uint32_t instance, uint32_t most, bool master)
{
	double need = category_amount(search->supply, search->question.category, limit->complex), left;
	uint32_t n;

	if (match_bounds(search, limit)) {
		limit_why(search, limit, rule, instance, need, limit->value);
		return 0;
	}
	if (need <= 0 || !limit_is_counted(limit->complex) ||
	    (search->question.category->pe && complex_is_per_slot(limit->complex) == master))
		return most;
	left = limit->value - match_limited(search, limit->count->used, limit->count->line) - limit->count->taken;
	n = complex_is_per_slot(limit->complex) ? match_slots_in(left, need, most) : need <= left ? most : 0;
	if (n == 0)
		limit_why(search, limit, rule, instance, need, left);
	return n;
}

bool match_skips_host(const struct search *search, uint32_t host)
{
	return search->skips && search->shared->skips.hosts[host] == search->number;
}

bool match_skips_queue(const struct search *search, uint32_t instance)
{
	return search->skips &&
	       search->shared->skips.queues[search->supply->cluster.instances[instance].queue] == search->number;
}

bool match_skip_host(struct search *search, uint32_t host)
{
	search->skips = true;
	search->shared->skips.hosts[host] = search->number;
	return false;
}

bool match_skip_queue(struct search *search, uint32_t queue)
{
	search->skips = true;
	search->shared->skips.queues[queue] = search->number;
	return false;
}

void match_skip_reach(struct search *search, uint32_t rule, uint32_t instance)
{
	const struct queue_instance *queue_instance = &search->supply->cluster.instances[instance];
	enum quota_reach reach = quota_reach(search->supply->quotas, rule, &search->with->view);

	if (reach == QUOTA_REACH_QUEUE)
		match_skip_queue(search, queue_instance->queue);
	if (reach == QUOTA_REACH_HOST)
		match_skip_host(search, queue_instance->host);
	for (uint32_t q = 0; reach == QUOTA_REACH_QUEUES && q < search->supply->cell->nqueues; q++)
		if (quota_puts_out_queue(search->supply->quotas, rule, &search->with->view, q))
			match_skip_queue(search, q);
	for (uint32_t h = 0; reach == QUOTA_REACH_HOSTS && h < search->supply->cluster.nhosts; h++)
		if (quota_puts_out_host(search->supply->quotas, rule, &search->with->view, h))
			match_skip_host(search, h);
}

/*
 * Return whether a rule is used up at the time of the search, apart from what the attempt has
 * taken.
 */
static bool is_used_up(const struct search *search, uint32_t rule, const struct queue_instance *instance)
{
	struct quota_limit_now limit;

	for (size_t k = 0; quota_limit(search->supply->quotas, rule, &search->with->view, instance->queue,
				       instance->host, k, &limit) == 0;
	     k++) {
		double need = limit_use(search->supply, search->question.category, limit.complex, 1, false);

		if (need > 0 &&
		    match_slots_in(limit.value - match_limited(search, limit.count->used, limit.count->line), need,
				   1) == 0)
			return true;
	}
	return false;
}

bool match_quotas_used_up(const struct search *search, uint32_t instance)
{
	const struct queue_instance *queue_instance = &search->supply->cluster.instances[instance];
	size_t n = quota_rules(search->supply->quotas, &search->with->view, queue_instance->queue, queue_instance->host,
			       search->supply->hits);

	for (size_t h = 0; h < n; h++)
		if (is_used_up(search, search->supply->hits[h], queue_instance))
			return true;
	return false;
}

/*
 * Return whether the instance is ruled out for good. If a set has nothing left at present, Grid
 * Engine 8.1.9 does not check the sets after it and assumes that this never changes.
 */
static bool is_never(const struct search *search, const struct queue_instance *instance, size_t n)
{
	const struct search now = search_at(search, search->supply->now);
	bool any = false;

	for (size_t h = 0; h + 1 < n && !any; h++)
		any = is_used_up(&now, search->supply->hits[h], instance);
	return any;
}

/*
 * Return the slots that quotas allow. `master`: check the limits on what a parallel job takes once,
 * instead of what each slot takes. A sequential job takes both.
 */
static uint32_t quota_slots(struct search *search, uint32_t instance, uint32_t most, bool master)
{
	const struct queue_instance *queue_instance = &search->supply->cluster.instances[instance];
	size_t n = quota_rules(search->supply->quotas, &search->with->view, queue_instance->queue, queue_instance->host,
			       search->supply->hits);
	struct quota_limit_now limit;
	uint32_t slots = search->question.purpose == SEARCH_FORECAST_TRIED && !master &&
					 is_never(search, queue_instance, n)
				 ? 0
				 : most;

	for (size_t h = 0; h < n && slots > 0; h++)
		for (size_t k = 0; slots > 0; k++) {
			int rc = quota_limit(search->supply->quotas, search->supply->hits[h], &search->with->view,
					     queue_instance->queue, queue_instance->host, k, &limit);

			if (rc == -ENOENT)
				break;
			slots = rc ? 0 : limit_slots(search, &limit, search->supply->hits[h], instance, slots, master);
			if (slots == 0 && !master)
				match_skip_reach(search, search->supply->hits[h], instance);
		}
	return slots;
}

uint32_t match_quotas(struct search *search, uint32_t instance, uint32_t most)
{
	return match_skips_queue(search, instance) ? 0 : quota_slots(search, instance, most, false);
}

bool match_master_queue(struct search *search, uint32_t instance)
{
	const struct queue_instance *queue_instance = &search->supply->cluster.instances[instance];

	return !search->question.category->master_queues ||
	       queue_list_matches(search->supply->cell, search->question.category->master_queues,
				  search->supply->cluster.queue_names[queue_instance->queue],
				  search->supply->cluster.host_names[queue_instance->host]);
}

bool match_master(struct search *search, uint32_t instance)
{
	return match_master_queue(search, instance) &&
	       (!search->question.category->pe || quota_slots(search, instance, 1, true)) &&
	       match_once(search, instance, LEVEL_GLOBAL);
}
