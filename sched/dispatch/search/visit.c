/* SPDX-License-Identifier: Apache-2.0 */
/* What a host could give to a parallel job, instance by instance. */
#include <errno.h>
#include <stdlib.h>

#include "conf/array.h"
#include "sched/dispatch/search/attempt.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/cluster/load.h"
#include "sched/dispatch/reserve/host_capacity.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/parallel.h"
#include "sched/dispatch/search/tag.h"

static uint32_t instance_slots(struct search *search, uint32_t instance, uint32_t most, bool *master_only)
{
	if (!match_static(search, instance, master_only))
		return 0;
	return match_object(search, LEVEL_QUEUE, instance, most);
}

uint32_t visit_headroom(const struct search *search, uint32_t host)
{
	const struct cluster *cluster = &search->d->cluster;
	const struct load_when when = { search->begin, search->end };
	bool with_loads = search->later || !search->found;
	uint32_t most = 0;

	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX && most < UINT32_MAX;
	     i = cluster->instances[i].next_on_host) {
		uint32_t headroom = queue_list_has(&search->d->list, i)
					    ? load_headroom(cluster, i, search->category->need,
							    search->later ? &when : NULL, with_loads)
					    : 0;

		most = headroom > most ? headroom : most;
	}
	return most;
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

/* An attempt of which nobody is to know tags nothing. */
bool visit_tags(const struct search *search)
{
	return tags_matter(search) && !search->untold;
}

/*
 * A host that gives nothing now gives nothing for the rest of the run, but for instances that were
 * dropped and come back. As long as it gives something all its instances keep the mark, because the
 * first one in the queue list, whether it fits or not, says when it is the host's turn. What may be
 * tagged, or put out of question by quotas, is looked at by each job.
 */
static void turn_down(struct search *search, uint32_t host)
{
	const struct cluster *cluster = &search->d->cluster;

	if (search->with->mark == QUEUE_LIST_NONE || search->later || tags_matter(search) ||
	    quotas_reach_far(search->d->quotas))
		return;
	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX; i = cluster->instances[i].next_on_host)
		if (queue_list_has(&search->d->list, i))
			queue_list_unmark(&search->d->list, i, search->with->mark);
}

/* The places of a host in the order of the queue list: few, so insertion sorts them. */
static bool comes_before(const struct dispatch *dispatch, uint32_t a, uint32_t b)
{
	struct queue_key x = queue_list_key(&dispatch->list, a), y = queue_list_key(&dispatch->list, b);

	return queue_key_compare(&x, &y) < 0;
}

static void places_sort(const struct dispatch *dispatch, struct tried_instance *places, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct tried_instance place = places[i];
		size_t k = i;

		for (; k > 0 && comes_before(dispatch, place.instance, places[k - 1].instance); k--)
			places[k] = places[k - 1];
		places[k] = place;
	}
}

/*
 * On the host itself. As soon as a search for places now has found an amount, 8.1.9 forgets about
 * thresholds on loads for those that it tries then, not about those on consumables.
 */
static uint32_t host_left(struct host_attempt *attempt, uint32_t host, bool *overloaded)
{
	struct search *search = attempt->s;
	uint32_t left = match_object(search, LEVEL_HOST, host, attempt->wanted), headroom;

	*overloaded = false;
	if (left == 0)
		return left;
	headroom = visit_headroom(search, host);
	*overloaded = headroom == 0;
	if (*overloaded)
		match_why(search, WHY_OVERLOADED, "load_thresholds", search->d->cluster.host_names[host], 0, 0);
	return headroom < left ? headroom : left;
}

/*
 * Has it a say even with no slots? Quotas are asked about all instances that the job may use, for
 * what they put out of question by the way; and all that are in question may be tagged.
 */
static bool has_a_say(struct host_attempt *attempt, uint32_t instance, bool *is_asked)
{
	struct search *search = attempt->s;
	bool master_only;

	*is_asked = quotas_reach_far(search->d->quotas) && match_ever(search, instance, &master_only) &&
		    match_has_forced(search, instance);
	return *is_asked || visit_tags(search);
}

static bool is_master(struct search *search, uint32_t instance)
{
	return tag_of(search->d, instance) == TAG_NOW && match_master(search, instance);
}

/* In its instances that are in question: they are the places of the visit. The slots that they have together. */
static int places_look(struct host_attempt *attempt, struct visit *visit, uint64_t *slots)
{
	struct search *search = attempt->s;
	const struct cluster *cluster = &search->d->cluster;

	*slots = 0;
	for (uint32_t i = cluster->hosts[visit->host].first_instance; i != UINT32_MAX;
	     i = cluster->instances[i].next_on_host) {
		struct tried_instance place = { .instance = i };

		if (!queue_list_has(&search->d->list, i) || !parallel_queue_counts(search, i, attempt->wanted))
			continue;
		place.left = visit->left ? instance_slots(search, i, attempt->wanted, &place.master_only) : 0;
		if (!has_a_say(attempt, i, &place.is_asked) && place.left == 0)
			continue;
		place.is_master = place.left > 0 && !visit_tags(search) && is_master(search, i);
		if (place_add(attempt->p, place))
			return -ENOMEM;
		*slots += place.left;
		visit->n++;
	}
	if (visit->n > 1)
		places_sort(search->d, &attempt->p->places[visit->first], visit->n);
	return 0;
}

/* Quotas are asked whether instances have slots, and are needed, or not. */
void visit_look(struct host_attempt *attempt, const struct visit *visit)
{
	struct search *search = attempt->s;
	bool tags = visit_tags(search), far = quotas_reach_far(search->d->quotas);
	uint32_t at_end = 0;

	if (!tags && !far)
		return;
	if (!search->by_the_way && !search->category->advance && (tags || visit->left < attempt->least))
		at_end = tag_host(search, visit->host, attempt->wanted, tags);
	for (uint32_t k = 0; k < visit->n && (visit->left >= attempt->least || at_end >= attempt->least); k++) {
		const struct tried_instance *place = &attempt->p->places[visit->first + k];

		if (match_skips_queue(search, place->instance))
			continue;
		if (place->is_asked)
			match_quotas(search, place->instance, 1);
		if (tags)
			tag_instance(search, place->instance);
	}
	for (uint32_t k = 0; k < visit->n && tags; k++) {
		struct tried_instance *place = &attempt->p->places[visit->first + k];

		place->is_master = place->left > 0 && is_master(search, place->instance);
	}
}

int visit_host(struct host_attempt *attempt, uint32_t host)
{
	bool overloaded;
	struct visit visit = { .host = host,
			       .first = (uint32_t)attempt->p->nplaces,
			       .left = host_left(attempt, host, &overloaded) };
	uint64_t slots;

	if (places_look(attempt, &visit, &slots))
		return -ENOMEM;
	if (visit.n == 0 && !overloaded)
		turn_down(attempt->s, host);
	if (attempt->s->later && !attempt->s->after)
		host_was_visited(attempt->s, host, slots < visit.left ? (uint32_t)slots : visit.left);
	return visit_add(attempt->p, visit);
}
