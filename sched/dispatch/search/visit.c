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

static uint32_t instance_slots(struct search *s, uint32_t instance, uint32_t most, bool *master_only)
{
	if (!match_static(s, instance, master_only))
		return 0;
	return match_object(s, LEVEL_QUEUE, instance, most);
}

uint32_t visit_headroom(const struct search *s, uint32_t host)
{
	const struct cluster *c = &s->d->cluster;
	const struct load_when when = { s->begin, s->end };
	bool with_loads = s->later || !s->found;
	uint32_t most = 0;

	for (uint32_t i = c->hosts[host].first_instance; i != UINT32_MAX && most < UINT32_MAX; i = c->instances[i].next_on_host) {
		uint32_t headroom = queue_list_has(&s->d->list, i) ? load_headroom(c, i, s->category->need, s->later ? &when : NULL, with_loads) : 0;

		most = headroom > most ? headroom : most;
	}
	return most;
}

static int place_add(struct parallel *p, struct tried_instance place)
{
	size_t capacity = 2 * p->place_capacity + 64;

	if (p->nplaces == p->place_capacity) {
		if (array_grow(&p->places, capacity, sizeof(*p->places)))
			return -ENOMEM;
		p->place_capacity = capacity;
	}
	p->places[p->nplaces++] = place;
	return 0;
}

static int visit_add(struct parallel *p, struct visit visit)
{
	size_t capacity = 2 * p->visit_capacity + 64;

	if (p->nvisits == p->visit_capacity) {
		if (array_grow(&p->visits, capacity, sizeof(*p->visits)))
			return -ENOMEM;
		p->visit_capacity = capacity;
	}
	p->visits[p->nvisits++] = visit;
	return 0;
}

/* An attempt of which nobody is to know tags nothing. */
bool visit_tags(const struct search *s)
{
	return tags_matter(s) && !s->untold;
}

/*
 * A host that gives nothing now gives nothing for the rest of the run, but for instances that were
 * dropped and come back. As long as it gives something all its instances keep the mark, because the
 * first one in the queue list, whether it fits or not, says when it is the host's turn. What may be
 * tagged, or put out of question by quotas, is looked at by each job.
 */
static void turn_down(struct search *s, uint32_t host)
{
	const struct cluster *c = &s->d->cluster;

	if (s->with->mark == QUEUE_LIST_NONE || s->later || tags_matter(s) || quotas_reach_far(s->d->quotas))
		return;
	for (uint32_t i = c->hosts[host].first_instance; i != UINT32_MAX; i = c->instances[i].next_on_host)
		if (queue_list_has(&s->d->list, i))
			queue_list_unmark(&s->d->list, i, s->with->mark);
}

/* The places of a host in the order of the queue list: few, so insertion sorts them. */
static bool comes_before(const struct dispatch *d, uint32_t a, uint32_t b)
{
	struct queue_key x = queue_list_key(&d->list, a), y = queue_list_key(&d->list, b);

	return queue_key_compare(&x, &y) < 0;
}

static void places_sort(const struct dispatch *d, struct tried_instance *places, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct tried_instance place = places[i];
		size_t k = i;

		for (; k > 0 && comes_before(d, place.instance, places[k - 1].instance); k--)
			places[k] = places[k - 1];
		places[k] = place;
	}
}

/*
 * On the host itself. As soon as a search for places now has found an amount, 8.1.9 forgets about
 * thresholds on loads for those that it tries then, not about those on consumables.
 */
static uint32_t host_left(struct host_attempt *a, uint32_t host, bool *overloaded)
{
	struct search *s = a->s;
	uint32_t left = match_object(s, LEVEL_HOST, host, a->wanted), headroom;

	*overloaded = false;
	if (left == 0)
		return left;
	headroom = visit_headroom(s, host);
	*overloaded = headroom == 0;
	if (*overloaded)
		match_why(s, WHY_OVERLOADED, "load_thresholds", s->d->cluster.host_names[host], 0, 0);
	return headroom < left ? headroom : left;
}

/*
 * Has it a say even with no slots? Quotas are asked about all instances that the job may use, for
 * what they put out of question by the way; and all that are in question may be tagged.
 */
static bool has_a_say(struct host_attempt *a, uint32_t instance, bool *is_asked)
{
	struct search *s = a->s;
	bool master_only;

	*is_asked = quotas_reach_far(s->d->quotas) && match_ever(s, instance, &master_only) && match_has_forced(s, instance);
	return *is_asked || visit_tags(s);
}

static bool is_master(struct search *s, uint32_t instance)
{
	return tag_of(s->d, instance) == TAG_NOW && match_master(s, instance);
}

/* In its instances that are in question: they are the places of the visit. The slots that they have together. */
static int places_look(struct host_attempt *a, struct visit *visit, uint64_t *slots)
{
	struct search *s = a->s;
	const struct cluster *c = &s->d->cluster;

	*slots = 0;
	for (uint32_t i = c->hosts[visit->host].first_instance; i != UINT32_MAX; i = c->instances[i].next_on_host) {
		struct tried_instance place = { .instance = i };

		if (!queue_list_has(&s->d->list, i) || !parallel_queue_counts(s, i, a->wanted))
			continue;
		place.left = visit->left ? instance_slots(s, i, a->wanted, &place.master_only) : 0;
		if (!has_a_say(a, i, &place.is_asked) && place.left == 0)
			continue;
		place.is_master = place.left > 0 && !visit_tags(s) && is_master(s, i);
		if (place_add(a->p, place))
			return -ENOMEM;
		*slots += place.left;
		visit->n++;
	}
	if (visit->n > 1)
		places_sort(s->d, &a->p->places[visit->first], visit->n);
	return 0;
}

/* Quotas are asked whether instances have slots, and are needed, or not. */
void visit_look(struct host_attempt *a, const struct visit *v)
{
	struct search *s = a->s;
	bool tags = visit_tags(s), far = quotas_reach_far(s->d->quotas);
	uint32_t at_end = 0;

	if (!tags && !far)
		return;
	if (!s->by_the_way && !s->category->advance && (tags || v->left < a->least))
		at_end = tag_host(s, v->host, a->wanted, tags);
	for (uint32_t k = 0; k < v->n && (v->left >= a->least || at_end >= a->least); k++) {
		const struct tried_instance *place = &a->p->places[v->first + k];

		if (match_skips_queue(s, place->instance))
			continue;
		if (place->is_asked)
			match_quotas(s, place->instance, 1);
		if (tags)
			tag_instance(s, place->instance);
	}
	for (uint32_t k = 0; k < v->n && tags; k++) {
		struct tried_instance *place = &a->p->places[v->first + k];

		place->is_master = place->left > 0 && is_master(s, place->instance);
	}
}

int visit_host(struct host_attempt *a, uint32_t host)
{
	bool overloaded;
	struct visit visit = { .host = host, .first = (uint32_t)a->p->nplaces, .left = host_left(a, host, &overloaded) };
	uint64_t slots;

	if (places_look(a, &visit, &slots))
		return -ENOMEM;
	if (visit.n == 0 && !overloaded)
		turn_down(a->s, host);
	if (a->s->later && !a->s->after)
		host_was_visited(a->s, host, slots < visit.left ? (uint32_t)slots : visit.left);
	return visit_add(a->p, visit);
}
