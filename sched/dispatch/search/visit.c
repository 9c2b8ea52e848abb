/* SPDX-License-Identifier: Apache-2.0 */
/* Visits: how many slots a host could give to a parallel job, instance by instance. */
#include <errno.h>
#include <stdlib.h>

#include "conf/base/array.h"
#include "sched/dispatch/search/attempt.h"
#include "sched/dispatch/search/host_room.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/parallel.h"
#include "sched/dispatch/search/queue_check.h"
#include "sched/dispatch/search/search.h"
#include "sched/dispatch/search/tag.h"

static uint32_t instance_slots(struct search *search, uint32_t instance, uint32_t most, bool *master_only)
{
	if (!match_static(search, instance, master_only))
		return 0;
	return match_object(search, LEVEL_QUEUE, instance, most);
}

static int place_add(struct parallel *parallel, struct tried_instance place)
{
	size_t capacity = 2 * parallel->place_capacity + 64;

	if (parallel->nplaces == parallel->place_capacity) {
		if (array_grow(&parallel->places, capacity, sizeof(*parallel->places)))
			return -ENOMEM;
		parallel->place_capacity = capacity;
	}
	parallel->places[parallel->nplaces++] = place;
	return 0;
}

static int visit_add(struct parallel *parallel, struct visit visit)
{
	size_t capacity = 2 * parallel->visit_capacity + 64;

	if (parallel->nvisits == parallel->visit_capacity) {
		if (array_grow(&parallel->visits, capacity, sizeof(*parallel->visits)))
			return -ENOMEM;
		parallel->visit_capacity = capacity;
	}
	parallel->visits[parallel->nvisits++] = visit;
	return 0;
}

void visits_note(struct search *search, uint32_t slots)
{
	struct queue_ranking *ranking = &search->shared->ranking;
	struct host_order *order = &ranking->hosts;

	if (!host_order_visit(order, search->with->pe, slots == 1, search->question.may_reserve))
		return;
	for (uint32_t i = queue_list_first(&ranking->list, QUEUE_LIST_NONE); i != QUEUE_LIST_NONE;
	     i = queue_list_next(&ranking->list, i, QUEUE_LIST_NONE)) {
		uint32_t host = search->supply->cluster.instances[i].host;

		if (!host_order_has(order, host) && queue_check_counts(search, i, slots))
			host_order_note(order, host);
	}
	host_order_end(order);
}

/* A forecast must leave no trace, so it sets no tags. */
bool visit_tags(const struct search *search)
{
	return tags_matter(search) && !search_is_forecast(search);
}

/*
 * Remove the mark from the instances of a host that gives nothing now. It gives nothing for the
 * rest of the run, except for instances that were dropped and return. As long as a host gives
 * something, all its instances keep the mark, because its first instance in the queue list,
 * suitable or not, determines when the host is visited. Hosts that may be tagged, or for which
 * quotas may rule out objects, are visited for each job.
 */
static void turn_down(struct search *search, uint32_t host)
{
	const struct cluster *cluster = &search->supply->cluster;

	if (search->with->mark == QUEUE_LIST_NONE || search_is_later(search) || tags_matter(search) ||
	    quotas_reach_far(search->supply->quotas))
		return;
	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX; i = cluster->instances[i].next_on_host)
		if (queue_list_has(&search->shared->ranking.list, i))
			queue_list_unmark(&search->shared->ranking.list, i, search->with->mark);
}

/*
 * Sort the places of a host in the order of the queue list. There are few, so insertion sort is
 * used.
 */
static bool comes_before(const struct queue_list *list, uint32_t a, uint32_t b)
{
	struct queue_key x = queue_list_key(list, a), y = queue_list_key(list, b);

	return queue_key_compare(&x, &y) < 0;
}

static void places_sort(const struct queue_list *list, struct tried_instance *places, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct tried_instance place = places[i];
		size_t k = i;

		for (; k > 0 && comes_before(list, place.instance, places[k - 1].instance); k--)
			places[k] = places[k - 1];
		places[k] = place;
	}
}

/*
 * Return the slots that the host itself allows. After a search for now has found an amount, Grid
 * Engine 8.1.9 ignores thresholds on loads for further amounts, but not thresholds on consumables.
 */
static uint32_t host_left(struct host_attempt *attempt, uint32_t host, bool *overloaded)
{
	struct search *search = attempt->search;
	uint32_t left = match_object(search, LEVEL_HOST, host, attempt->wanted), headroom;

	*overloaded = false;
	if (left == 0)
		return left;
	headroom = match_headroom(search, host);
	*overloaded = headroom == 0;
	if (*overloaded)
		match_why(search, WHY_OVERLOADED, "load_thresholds", search->supply->cluster.host_names[host], 0, 0);
	return headroom < left ? headroom : left;
}

/*
 * Return whether an instance matters even without slots. Quotas are checked for all instances that
 * the job may use, because they may rule out other objects. All suitable instances may be tagged.
 */
static bool has_a_say(struct host_attempt *attempt, uint32_t instance, bool *is_asked)
{
	struct search *search = attempt->search;
	bool master_only;

	*is_asked = quotas_reach_far(search->supply->quotas) && match_ever(search, instance, &master_only) &&
		    match_has_forced(search, instance);
	return *is_asked || visit_tags(search);
}

static bool is_master(struct search *search, uint32_t instance)
{
	return tags_of(&search->shared->tags, instance) == TAG_NOW && match_master(search, instance);
}

/* Add the suitable instances of the host as the places of the visit, and sum their slots. */
static int places_collect(struct host_attempt *attempt, struct visit *visit, uint64_t *slots)
{
	struct search *search = attempt->search;
	const struct cluster *cluster = &search->supply->cluster;

	*slots = 0;
	for (uint32_t i = cluster->hosts[visit->host].first_instance; i != UINT32_MAX;
	     i = cluster->instances[i].next_on_host) {
		struct tried_instance place = { .instance = i };

		if (!queue_list_has(&search->shared->ranking.list, i) ||
		    !queue_check_counts(search, i, attempt->wanted))
			continue;
		place.left = visit->left ? instance_slots(search, i, attempt->wanted, &place.master_only) : 0;
		if (!has_a_say(attempt, i, &place.is_asked) && place.left == 0)
			continue;
		place.is_master = place.left > 0 && !visit_tags(search) && is_master(search, i);
		if (place_add(attempt->scratch, place))
			return -ENOMEM;
		*slots += place.left;
		visit->n++;
	}
	if (visit->n > 1)
		places_sort(&search->shared->ranking.list, &attempt->scratch->places[visit->first], visit->n);
	return 0;
}

/* Check quotas whether or not the instances have slots or are needed. */
void visit_check(struct host_attempt *attempt, const struct visit *visit)
{
	struct search *search = attempt->search;
	bool tags = visit_tags(search), far = quotas_reach_far(search->supply->quotas);
	uint32_t at_end = 0;

	if (!tags && !far)
		return;
	if (!search_is_forecast(search) && !search->question.category->advance &&
	    (tags || visit->left < attempt->least))
		at_end = tag_host(search, visit->host, attempt->wanted, tags);
	for (uint32_t k = 0; k < visit->n && (visit->left >= attempt->least || at_end >= attempt->least); k++) {
		const struct tried_instance *place = &attempt->scratch->places[visit->first + k];

		if (match_skips_queue(search, place->instance))
			continue;
		if (place->is_asked)
			match_quotas(search, place->instance, 1);
		if (tags)
			tag_instance(search, place->instance);
	}
	for (uint32_t k = 0; k < visit->n && tags; k++) {
		struct tried_instance *place = &attempt->scratch->places[visit->first + k];

		place->is_master = place->left > 0 && is_master(search, place->instance);
	}
}

int visit_host(struct host_attempt *attempt, uint32_t host)
{
	bool overloaded;
	struct visit visit = { .host = host,
			       .first = (uint32_t)attempt->scratch->nplaces,
			       .left = host_left(attempt, host, &overloaded) };
	uint64_t slots;

	if (places_collect(attempt, &visit, &slots))
		return -ENOMEM;
	if (visit.n == 0 && !overloaded)
		turn_down(attempt->search, host);
	if (search_is_later(attempt->search) && attempt->search->question.purpose != SEARCH_FORECAST_TRIED)
		host_was_visited(attempt->search, host, slots < visit.left ? (uint32_t)slots : visit.left);
	return visit_add(attempt->scratch, visit);
}
