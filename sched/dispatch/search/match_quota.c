/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What quotas leave to a job on an instance, and what 8.1.9 does not try any more when they leave
 * nothing: sge_resource_quota(5).
 */
#include <errno.h>
#include <string.h>

#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/pattern.h"

bool match_bounds(const struct search *s, const struct quota_limit_now *limit)
{
	const struct complex *complex = limit->complex;
	const struct resource_request *w = category_request(s->d, s->category, complex);

	if (limit_is_counted(complex))
		return false;
	if (!w)
		return complex->requestable == REQUESTABLE_FORCED && !s->category->pe;
	return s->category->pe || !match_offer(&s->d->cluster.columns[w->column], w, limit->text, limit->value);
}

static void limit_why(struct search *s, const struct quota_limit_now *limit, uint32_t rule, uint32_t instance, double need, double left)
{
	char name[160];

	if (s->silent)
		return;
	quota_rule_name(s->d->quotas, rule, name, sizeof(name));
	match_why(s, WHY_QUOTA, why_text(s->d->why, "%s: %s", name, limit->complex->name), s->d->cluster.instances[instance].name, need, left);
}

static uint32_t limit_slots(struct search *s, const struct quota_limit_now *limit, uint32_t rule, uint32_t instance, uint32_t most, bool master)
{
	double need = category_amount(s->d, s->category, limit->complex), left;
	uint32_t n;

	if (match_bounds(s, limit)) {
		limit_why(s, limit, rule, instance, need, limit->value);
		return 0;
	}
	if (need <= 0 || !limit_is_counted(limit->complex) || (s->category->pe && (limit->complex->consumable == CONSUMABLE_JOB) != master))
		return most;
	left = limit->value - match_limited(s, limit->count->used, limit->count->line) - limit->count->taken;
	n = limit->complex->consumable == CONSUMABLE_JOB ? (need <= left ? most : 0) : match_slots_in(left, need, most);
	if (n == 0)
		limit_why(s, limit, rule, instance, need, left);
	return n;
}

bool match_skips_host(const struct search *s, uint32_t host)
{
	return s->skips && s->d->skipped_hosts[host] == s->number;
}

bool match_skips_queue(const struct search *s, uint32_t instance)
{
	return s->skips && s->d->skipped_queues[s->d->cluster.instances[instance].queue] == s->number;
}

bool match_skip_host(struct search *s, uint32_t host)
{
	s->skips = true;
	s->d->skipped_hosts[host] = s->number;
	return false;
}

bool match_skip_queue(struct search *s, uint32_t queue)
{
	s->skips = true;
	s->d->skipped_queues[queue] = s->number;
	return false;
}

void match_skip_reach(struct search *s, uint32_t rule, uint32_t instance)
{
	const struct queue_instance *i = &s->d->cluster.instances[instance];
	enum quota_reach reach = quota_reach(s->d->quotas, rule, &s->with->view);

	if (reach == QUOTA_REACH_QUEUE)
		match_skip_queue(s, i->queue);
	if (reach == QUOTA_REACH_HOST)
		match_skip_host(s, i->host);
	for (uint32_t q = 0; reach == QUOTA_REACH_QUEUES && q < s->d->cell->nqueues; q++)
		if (quota_puts_out_queue(s->d->quotas, rule, &s->with->view, q))
			match_skip_queue(s, q);
	for (uint32_t h = 0; reach == QUOTA_REACH_HOSTS && h < s->d->cluster.nhosts; h++)
		if (quota_puts_out_host(s->d->quotas, rule, &s->with->view, h))
			match_skip_host(s, h);
}

/* Has a rule nothing left at the moment of the search, whatever an attempt has taken? */
static bool is_used_up(const struct search *s, uint32_t rule, const struct queue_instance *i)
{
	struct quota_limit_now limit;

	for (size_t k = 0; quota_limit(s->d->quotas, rule, &s->with->view, i->queue, i->host, k, &limit) == 0; k++) {
		double need = limit_use(s->d, s->category, limit.complex, 1, false);

		if (need > 0 && match_slots_in(limit.value - match_limited(s, limit.count->used, limit.count->line), need, 1) == 0)
			return true;
	}
	return false;
}

/*
 * Where a set has nothing left at present, 8.1.9 does not come to the sets behind it, and takes
 * that for never.
 */
static bool is_never(const struct search *s, const struct queue_instance *i, size_t n)
{
	struct search now = *s;
	bool any = false;

	search_at(&now, s->d->now);
	for (size_t h = 0; h + 1 < n && !any; h++)
		any = is_used_up(&now, s->d->hits[h], i);
	return any;
}

/*
 * `master`: what a parallel job takes once is looked at, instead of what each slot takes. A
 * sequential one takes both.
 */
static uint32_t quota_slots(struct search *s, uint32_t instance, uint32_t most, bool master)
{
	const struct queue_instance *i = &s->d->cluster.instances[instance];
	size_t n = quota_rules(s->d->quotas, &s->with->view, i->queue, i->host, s->d->hits);
	struct quota_limit_now limit;
	uint32_t slots = s->after && !master && is_never(s, i, n) ? 0 : most;

	for (size_t h = 0; h < n && slots > 0; h++)
		for (size_t k = 0; slots > 0; k++) {
			int rc = quota_limit(s->d->quotas, s->d->hits[h], &s->with->view, i->queue, i->host, k, &limit);

			if (rc == -ENOENT)
				break;
			slots = rc ? 0 : limit_slots(s, &limit, s->d->hits[h], instance, slots, master);
			if (slots == 0 && !master)
				match_skip_reach(s, s->d->hits[h], instance);
		}
	return slots;
}

uint32_t match_quotas(struct search *s, uint32_t instance, uint32_t most)
{
	return match_skips_queue(s, instance) ? 0 : quota_slots(s, instance, most, false);
}

bool match_master_queue(struct search *s, uint32_t instance)
{
	const struct queue_instance *i = &s->d->cluster.instances[instance];

	return !s->category->master_queues || queue_list_matches(s->d->cell, s->category->master_queues, s->d->cluster.queue_names[i->queue],
								 s->d->cluster.host_names[i->host]);
}

bool match_once_at(struct search *s, uint32_t instance)
{
	return quota_slots(s, instance, 1, true) && match_once(s, instance, LEVEL_QUEUE);
}

bool match_master(struct search *s, uint32_t instance)
{
	return match_master_queue(s, instance) && (!s->category->pe || quota_slots(s, instance, 1, true)) && match_once(s, instance, LEVEL_GLOBAL);
}
