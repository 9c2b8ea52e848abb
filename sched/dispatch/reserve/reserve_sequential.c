/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reservations: find the time at which a job can start. See sched_conf(5), max_reservation.
 * Instances that are full or closed by a calendar are considered. Instances that were overloaded
 * when the run began are not. Load also limits the number of slots that a parallel job gets on a
 * host.
 *
 * One slot: the earliest time after which everything that the job needs stays free, and the first
 * instance with that time. Instances that quotas have ruled out before are excluded. Soft requests
 * do not matter. Several slots: reserve_parallel.c.
 *
 * Jobs that are tried later may start before a reservation if they end by then or do not need what
 * is booked. Each search checks the whole time for which it needs a place.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "conf/base/array.h"
#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/search/host_room.h"
#include "sched/dispatch/search/search.h"

#define PART 64				/* instances per group with a known minimum */

/* One slot */

static int64_t later_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * Return the time after which the object is not in use, for a job that wants it exclusively. For
 * other jobs Grid Engine 8.1.9 counts the slots of exclusive jobs, and one such slot is not in the
 * way.
 */
static int64_t exclusive_from(const struct search *search, const struct offer *offer, bool wanted)
{
	const struct timelines *timelines = &search->supply->cluster.timelines;
	int64_t from = search->supply->now;

	if (offer->fixed != 0)
		from = later_of(from, timeline_below(timelines, offer->used_line, wanted ? 0 : offer->fixed));
	return wanted && offer->fixed != 0 ? later_of(from, timeline_below(timelines, offer->shared_line, 0)) : from;
}

/* Return the time after which an object has what a slot needs, or TIMELINE_NEVER. */
static int64_t object_from(struct search *search, enum level level, uint32_t object)
{
	const struct cluster *cluster = &search->supply->cluster;
	int64_t from = search->supply->now;

	for (size_t k = 0; k < cluster->nconsumables && from != TIMELINE_NEVER; k++) {
		struct column *column = &cluster->columns[cluster->consumables[k]];
		const struct offer *offer =
			category_offer(&search->supply->cluster, search->question.category, column, level, object);
		double need = search->question.category->need[k];

		if (!offer || !offer->fixed_text)
			continue;
		if (column->complex->relop == RELOP_EXCL)
			from = later_of(from, exclusive_from(search, offer, need != 0));
		else if (need != 0)
			from = need > offer->fixed
				       ? TIMELINE_NEVER
				       : later_of(from, timeline_below(&cluster->timelines, offer->used_line,
								       offer->fixed - need));
	}
	return from;
}

static int64_t rule_from(struct search *search, uint32_t rule, const struct queue_instance *instance)
{
	struct quota_limit_now limit;
	int64_t from = search->supply->now;

	for (size_t k = 0; quota_limit(search->supply->quotas, rule, &search->with->view, instance->queue,
				       instance->host, k, &limit) == 0;
	     k++) {
		double need = limit_use(search->supply, search->question.category, limit.complex, 1, true);

		if (match_bounds(search, &limit) || need > limit.value)
			return TIMELINE_NEVER;
		if (need > 0)
			from = later_of(from, timeline_below(&search->supply->cluster.limits, limit.count->line,
							     limit.value - need));
	}
	return from;
}

/*
 * Return the time after which quotas allow the job. A rule that allows nothing earlier than `best`,
 * the time of another instance, rules out the same objects as a rule that has nothing left.
 */
static int64_t quotas_from(struct search *search, uint32_t instance, int64_t best)
{
	const struct queue_instance *queue_instance = &search->supply->cluster.instances[instance];
	size_t n = quota_rules(search->supply->quotas, &search->with->view, queue_instance->queue, queue_instance->host,
			       search->supply->hits);
	int64_t from = search->supply->now;

	for (size_t h = 0; h < n && from != TIMELINE_NEVER; h++) {
		int64_t own = rule_from(search, search->supply->hits[h], queue_instance);

		if (own >= best)
			match_skip_reach(search, search->supply->hits[h], instance);
		from = later_of(from, own);
	}
	return from;
}

/* Return whether the job would fit if nothing were booked. */
static bool fits_ever(struct search *search, uint32_t instance)
{
	bool as_master;

	return match_static(search, instance, &as_master) &&
	       match_object(search, LEVEL_HOST, search->supply->cluster.instances[instance].host, 1) &&
	       match_object(search, LEVEL_QUEUE, instance, 1);
}

/* Return the time after which the instance has room, ignoring quotas. */
static int64_t place_from(struct search *search, uint32_t instance)
{
	if (!fits_ever(search, instance))
		return TIMELINE_NEVER;
	return later_of(object_from(search, LEVEL_HOST, search->supply->cluster.instances[instance].host),
			object_from(search, LEVEL_QUEUE, instance));
}

static int64_t instance_from(struct search *search, uint32_t instance)
{
	int64_t from = place_from(search, instance);

	return from == TIMELINE_NEVER ? from : later_of(from, quotas_from(search, instance, TIMELINE_NEVER));
}

/*
 * Find the first instance in the order of the list, which matters if rules can rule out more than
 * an instance. Quotas are checked first, even where the job may not run.
 */
static uint32_t first_in_order(struct search *search, int64_t global, int64_t *begin)
{
	const struct queue_list *list = &search->shared->ranking.list;
	uint32_t first = UINT32_MAX;

	*begin = TIMELINE_NEVER;
	search->number = skips_next(&search->shared->skips);
	for (uint32_t i = queue_list_first(list, QUEUE_LIST_NONE); i != QUEUE_LIST_NONE;
	     i = queue_list_next(list, i, QUEUE_LIST_NONE)) {
		int64_t from;

		if (match_skips_queue(search, i) || match_skips_host(search, search->supply->cluster.instances[i].host))
			continue;
		from = later_of(global, quotas_from(search, i, *begin));
		from = from < *begin ? later_of(from, place_from(search, i)) : from;
		if (from >= *begin)
			continue;
		*begin = from;
		first = i;
	}
	return first;
}

static size_t parts_of(const struct search *search)
{
	return (search->supply->cluster.ninstances + PART - 1) / PART;
}

/*
 * Begin with the kept times, or without. In a run bookings are only added and instances only leave
 * the list. Therefore a time found for one reservation of a category is never too late for the next
 * one, and only the instances that would be the earliest are checked again. A negative request
 * frees resources, so nothing is kept after it.
 */
static int from_begin(struct search *search)
{
	size_t n = search->supply->cluster.ninstances + parts_of(search);

	if (search->question.category->from && host_room_keeps(search))
		return 0;
	if (array_grow(&search->question.category->from, n + 1, sizeof(*search->question.category->from)))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		search->question.category->from[i] = INT64_MIN;
	return 0;
}

static int64_t from_least(const struct search *search)
{
	const int64_t *least_of = search->question.category->from + search->supply->cluster.ninstances;
	int64_t least = TIMELINE_NEVER;

	for (size_t part = 0; part < parts_of(search); part++)
		least = least_of[part] < least ? least_of[part] : least;
	return least;
}

static bool comes_before(const struct search *search, uint32_t instance, uint32_t other)
{
	const struct queue_list *list = &search->shared->ranking.list;
	struct queue_key a = queue_list_key(list, instance), b = queue_list_key(list, other);

	return queue_key_compare(&a, &b) < 0;
}

/*
 * Check the instances of a group again that may have room at `moment`. Return the first of them
 * that has room, or `first` if that comes before.
 */
static uint32_t first_of(struct search *search, size_t part, int64_t moment, uint32_t first)
{
	int64_t *from = search->question.category->from, least = TIMELINE_NEVER;
	size_t n = search->supply->cluster.ninstances, end = (part + 1) * PART < n ? (part + 1) * PART : n;

	for (uint32_t i = (uint32_t)(part * PART); i < end; i++) {
		if (from[i] <= moment) {
			from[i] = queue_list_has(&search->shared->ranking.list, i) ? instance_from(search, i)
										   : TIMELINE_NEVER;
			if (from[i] <= moment && (first == UINT32_MAX || comes_before(search, i, first)))
				first = i;
		}
		least = from[i] < least ? from[i] : least;
	}
	from[n + part] = least;
	return first;
}

static uint32_t first_by(struct search *search, int64_t moment)
{
	const int64_t *least_of = search->question.category->from + search->supply->cluster.ninstances;
	uint32_t first = UINT32_MAX;

	for (size_t part = 0; part < parts_of(search); part++)
		if (least_of[part] <= moment)
			first = first_of(search, part, moment, first);
	return first;
}

static int sequential_later(struct search *present, struct grant *grant)
{
	struct search search = search_empty(present);
	int64_t global = object_from(present, LEVEL_GLOBAL, 0);
	uint32_t first = UINT32_MAX;

	search.with = &search.question.category->pes[0];
	ranking_number(&search.shared->ranking, false);
	ranking_search(&search.shared->ranking, true);
	if (from_begin(&search))
		return -ENOMEM;
	if (!match_object(&search, LEVEL_GLOBAL, 0, 1))
		global = TIMELINE_NEVER;
	if (quotas_reach_far(search.supply->quotas)) {
		first = first_in_order(&search, global, &grant->begin);
		return first == UINT32_MAX ? -ENOENT : grant_add(grant, first, 1, false);
	}
	while (first == UINT32_MAX) {
		grant->begin = later_of(from_least(&search), global);
		if (grant->begin == TIMELINE_NEVER)
			return -ENOENT;
		first = first_by(&search, grant->begin);
	}
	return grant_add(grant, first, 1, false);
}

int search_later(struct reservations *reservations, struct search *search, bool after_now, struct grant *grant)
{
	grant_clear(grant);
	return search->question.category->pe ? parallel_later(reservations, search, after_now, grant)
					     : sequential_later(search, grant);
}
