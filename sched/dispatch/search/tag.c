/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/tag.h"

#include <math.h>

#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/pattern.h"
#include "sched/dispatch/search/search.h"

bool tags_matter(const struct search *search)
{
	return search->question.category->by_name != NULL;
}

static void tag(struct search *search, uint32_t instance, enum tag tag)
{
	tags_set(&search->shared->tags, instance, tag);
}

/* Answers to requests */

struct answer {				/* answer of an object to one request */
	bool is_known;			/* the object has the attribute */
	enum tag when;
	uint32_t at_end;		/* slots, when all bookings have ended */
};

static const struct answer unknown, never = { .is_known = true, .when = TAG_NEVER },
				    always = { true, TAG_NOW, UINT32_MAX };

/* Return what is booked after all ends. Without bookings in time that is nothing. */
static double booked_at_end(const struct search *search, const struct timelines *timelines, uint32_t line)
{
	return search->question.counts != COUNT_NOW && line != TIMELINE_EMPTY
		       ? timeline_max(timelines, line, TIMELINE_NEVER - 1, TIMELINE_NEVER)
		       : 0.0;
}

/*
 * Return the amount to compare a request with first: the whole amount if reservations are possible,
 * otherwise the amount left now.
 */
static double in_principle(const struct search *search, double all, double used)
{
	return search->supply->reserves ? all : all - used;
}

static struct answer exclusive_answer(const struct search *search, const struct offer *offer, bool wanted)
{
	const struct timelines *timelines = &search->supply->cluster.timelines;
	double now = match_booked(search, offer->used, offer->used_line),
	       at_end = booked_at_end(search, timelines, offer->used_line);

	if (wanted) {
		now += match_booked(search, offer->shared, offer->shared_line);
		at_end += booked_at_end(search, timelines, offer->shared_line);
	}
	return (struct answer){ true, now == 0 && at_end == 0 ? TAG_NOW : TAG_LATER, at_end == 0 ? UINT32_MAX : 0 };
}

static struct answer consumable_answer(const struct search *search, const struct column *column,
				       const struct offer *offer, enum level level, uint32_t object, double need)
{
	enum complex_relop relop = column->complex->relop;
	double left, at_end;

	if ((relop != RELOP_EXCL || need != 0) &&
	    !match_satisfies(relop, need, in_principle(search, offer->fixed, offer->used)))
		return never;
	if (relop == RELOP_EXCL)
		return exclusive_answer(search, offer, need != 0);
	if (need == 0)
		return always;
	left = match_left(search, column, offer, level, object);
	at_end = offer->fixed - booked_at_end(search, &search->supply->cluster.timelines, offer->used_line);
	if (column->complex->consumable == CONSUMABLE_HOST)
		return (struct answer){ true, TAG_NOW, match_satisfies(relop, need, at_end) ? UINT32_MAX : 0 };
	if (column->complex->consumable != CONSUMABLE_JOB)
		return (struct answer){ true, TAG_NOW, match_slots_in(at_end, need, UINT32_MAX) };
	return (struct answer){ true,
				match_satisfies(relop, need, left) && match_satisfies(relop, need, at_end) ? TAG_NOW
													   : TAG_LATER,
				UINT32_MAX };
}

static struct answer answer(struct search *search, const struct resource_request *request, enum level level,
			    uint32_t object)
{
	struct column *column = request->column == UINT32_MAX ? NULL
							      : &search->supply->cluster.columns[request->column];
	const struct offer *offer =
		column ? category_offer(&search->supply->cluster, search->question.category, column, level, object)
		       : NULL;

	if (!offer || (!offer->fixed_text && !offer->load_text))
		return unknown;
	if (isnan(request->value))
		return never;
	if (offer->fixed_text && column->complex->consumable != CONSUMABLE_NO)
		return consumable_answer(search, column, offer, level, object, request->value);
	return match_fits(search, request, level, object) ? always : never;
}

static bool is_once(const struct search *search, const struct resource_request *request)
{
	return request->column != UINT32_MAX &&
	       search->supply->cluster.columns[request->column].complex->consumable == CONSUMABLE_JOB;
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Check the slots and default consumptions, which must be available now. */
static bool defaults_are_there(struct search *search, enum level level, uint32_t object, uint32_t *at_end)
{
	const struct cluster *cluster = &search->supply->cluster;

	for (size_t k = 0; k < cluster->nconsumables; k++) {
		struct column *column = &cluster->columns[cluster->consumables[k]];
		const struct offer *offer = category_offer(cluster, search->question.category, column, level, object);
		struct answer found;

		if (!offer || !offer->fixed_text || search->question.category->requested[cluster->consumables[k]] ||
		    column->complex->consumable == CONSUMABLE_JOB)
			continue;
		found = consumable_answer(search, column, offer, level, object, search->question.category->need[k]);
		if (found.when != TAG_NOW)
			return false;
		*at_end = least_of(*at_end, found.at_end);
	}
	return true;
}

/* Return request k, in the order of names where that makes a difference. */
static const struct resource_request *request_at(const struct category *category, size_t k)
{
	return category->by_name ? category->by_name[k] : &category->hard[k];
}

static enum tag host_answer(struct search *search, uint32_t host, uint32_t *at_end)
{
	enum tag last = TAG_NOW;

	if (!defaults_are_there(search, LEVEL_HOST, host, at_end))
		return TAG_NEVER;
	for (size_t k = 0; k < search->question.category->nhard; k++) {
		const struct resource_request *request = request_at(search->question.category, k);
		struct answer found = answer(search, request, LEVEL_HOST, host);

		if (found.is_known && found.when == TAG_NEVER && !is_once(search, request))
			return TAG_NEVER;
		if (!found.is_known || found.when == TAG_NEVER)
			continue;
		last = found.when;
		*at_end = least_of(*at_end, found.at_end);
	}
	return last;
}

/* Return whether one of the queue lists selects a queue on the host, if both are set. */
static bool is_named(const struct search *search, uint32_t host)
{
	const struct category *category = search->question.category;
	const char *name = search->supply->cluster.host_names[host];

	return !category->hard_queues || !category->master_queues ||
	       queue_list_means_host(search->supply->cell, category->hard_queues, name) ||
	       queue_list_means_host(search->supply->cell, category->master_queues, name);
}

uint32_t tag_host(struct search *search, uint32_t host, uint32_t most, bool tags)
{
	const struct cluster *cluster = &search->supply->cluster;
	uint32_t at_end = most;
	enum tag when;

	if (!match_host(search, host) || !is_named(search, host))
		return 0;
	when = host_answer(search, host, &at_end);
	for (uint32_t i = cluster->hosts[host].first_instance; tags && when == TAG_LATER && i != UINT32_MAX;
	     i = cluster->instances[i].next_on_host)
		if (queue_list_has(&search->shared->ranking.list, i))
			tag(search, i, TAG_LATER);
	return when == TAG_NEVER ? 0 : at_end;
}

/* Instances */

/* Return the tag from a limit on a JOB consumable. */
static enum tag limit_tag(const struct search *search, const struct quota_limit_now *limit)
{
	const struct resource_request *request =
		category_request(search->supply, search->question.category, limit->complex);
	double left, at_end;

	if (!request || limit->complex->consumable != CONSUMABLE_JOB || request->value == 0)
		return TAG_NOW;
	if (request->value > in_principle(search, limit->value, limit->count->used))
		return TAG_NEVER;
	left = limit->value - match_limited(search, limit->count->used, limit->count->line);
	at_end = limit->value - booked_at_end(search, &search->supply->cluster.limits, limit->count->line);
	return request->value > left || request->value > at_end ? TAG_LATER : TAG_NOW;
}

static enum tag quotas_tag(const struct search *search, uint32_t instance)
{
	const struct queue_instance *queue_instance = &search->supply->cluster.instances[instance];
	size_t n = quota_rules(search->supply->quotas, &search->with->view, queue_instance->queue, queue_instance->host,
			       search->supply->hits);
	enum tag least = TAG_NOW;
	struct quota_limit_now limit;

	for (size_t h = 0; h < n; h++)
		for (size_t k = 0; quota_limit(search->supply->quotas, search->supply->hits[h], &search->with->view,
					       queue_instance->queue, queue_instance->host, k, &limit) == 0;
		     k++) {
			enum tag one = limit_tag(search, &limit);

			least = one < least ? one : least;
		}
	return least;
}

/* Return whether the host or the cluster knows a request and satisfies it, now or later. */
static bool others_know(struct search *search, const struct resource_request *request, uint32_t host)
{
	return answer(search, request, LEVEL_HOST, host).when > TAG_NEVER ||
	       answer(search, request, LEVEL_GLOBAL, 0).when > TAG_NEVER;
}

static enum tag requests_tag(struct search *search, uint32_t instance, enum tag so_far)
{
	uint32_t at_end = UINT32_MAX;

	if (!defaults_are_there(search, LEVEL_QUEUE, instance, &at_end))
		return so_far;
	for (size_t k = 0; k < search->question.category->nhard; k++) {
		const struct resource_request *request = request_at(search->question.category, k);
		struct answer found = answer(search, request, LEVEL_QUEUE, instance);
		bool is_never = found.is_known ? found.when == TAG_NEVER
					       : !others_know(search, request,
							      search->supply->cluster.instances[instance].host);

		if (is_never && !is_once(search, request))
			return so_far;
		if (is_once(search, request) && (is_never || (found.is_known && found.when == TAG_LATER)))
			so_far = is_never ? TAG_NEVER : TAG_LATER;
	}
	return so_far;
}

void tag_instance(struct search *search, uint32_t instance)
{
	enum tag quotas;
	bool as_master;

	if (!match_master_queue(search, instance))
		tag(search, instance, TAG_NEVER);
	if (!match_ever(search, instance, &as_master) || !match_has_forced(search, instance))
		return;
	quotas = search->question.category->free_of_quotas ? TAG_NOW : quotas_tag(search, instance);
	if (quotas < tags_of(&search->shared->tags, instance))
		tag(search, instance, quotas);
	tag(search, instance, requests_tag(search, instance, tags_of(&search->shared->tags, instance)));
}
