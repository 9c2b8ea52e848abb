/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/tag.h"

#include <math.h>

#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/pattern.h"

void tags_reset(struct dispatch *d)
{
	d->tag_search++;
	d->ntagged = 0;
}

struct tags tags_hide(struct dispatch *d)
{
	struct tags kept = { d->tag_search, d->ntagged };

	tags_reset(d);
	return kept;
}

void tags_show(struct dispatch *d, struct tags kept)
{
	d->tag_search = kept.search;
	d->ntagged = kept.n;
}

bool tags_matter(const struct search *s)
{
	return s->category->by_name != NULL;
}

enum tag tag_of(const struct dispatch *d, uint32_t instance)
{
	const struct queue_instance *i = &d->cluster.instances[instance];

	return i->tag_search == d->tag_search ? i->tag : TAG_NOW;
}

void tag_take(struct dispatch *d, uint32_t instance)
{
	d->cluster.instances[instance].tag = TAG_NOW;
}

static void tag(struct dispatch *d, uint32_t instance, enum tag tag)
{
	struct queue_instance *i = &d->cluster.instances[instance];

	if (i->tag_search != d->tag_search)
		d->tagged[d->ntagged++] = instance;
	i->tag_search = d->tag_search;
	i->tag = (unsigned char)tag;
}

/* Answers */

struct answer {				/* of an object, to one request */
	bool is_known;			/* it has something of it */
	enum tag when;
	uint32_t at_end;		/* slots, when all bookings have ended */
};

static const struct answer unknown, never = { .is_known = true, .when = TAG_NEVER }, always = { true, TAG_NOW, UINT32_MAX };

/* Where nothing is booked in time, nothing is then. */
static double booked_at_end(const struct search *s, const struct timelines *t, uint32_t line)
{
	return s->timed && line != TIMELINE_EMPTY ? timeline_max(t, line, TIMELINE_NEVER - 1, TIMELINE_NEVER) : 0.0;
}

/* Requests are compared first with all that there is, or, where nothing is reserved, with what is left now. */
static double in_principle(const struct search *s, double all, double used)
{
	return s->d->reserves ? all : all - used;
}

static struct answer exclusive_answer(const struct search *s, const struct offer *o, bool wanted)
{
	const struct timelines *t = &s->d->cluster.timelines;
	double now = match_booked(s, o->used, o->used_line), at_end = booked_at_end(s, t, o->used_line);

	if (wanted) {
		now += match_booked(s, o->shared, o->shared_line);
		at_end += booked_at_end(s, t, o->shared_line);
	}
	return (struct answer){ true, now == 0 && at_end == 0 ? TAG_NOW : TAG_LATER, at_end == 0 ? UINT32_MAX : 0 };
}

static struct answer consumable_answer(const struct search *s, const struct column *column, const struct offer *o, enum level level, uint32_t object,
				       double need)
{
	enum complex_relop relop = column->complex->relop;
	double left, at_end;

	if ((relop != RELOP_EXCL || need != 0) && !match_satisfies(relop, need, in_principle(s, o->fixed, o->used)))
		return never;
	if (relop == RELOP_EXCL)
		return exclusive_answer(s, o, need != 0);
	if (need == 0)
		return always;
	left = match_left(s, column, o, level, object);
	at_end = o->fixed - booked_at_end(s, &s->d->cluster.timelines, o->used_line);
	if (column->complex->consumable != CONSUMABLE_JOB)
		return (struct answer){ true, TAG_NOW, match_slots_in(at_end, need, UINT32_MAX) };
	return (struct answer){ true, match_satisfies(relop, need, left) && match_satisfies(relop, need, at_end) ? TAG_NOW : TAG_LATER, UINT32_MAX };
}

static struct answer answer(struct search *s, const struct resource_request *w, enum level level, uint32_t object)
{
	struct column *column = w->column == UINT32_MAX ? NULL : &s->d->cluster.columns[w->column];
	const struct offer *o = column ? category_offer(&s->d->cluster, s->category, column, level, object) : NULL;

	if (!o || (!o->fixed_text && !o->load_text))
		return unknown;
	if (isnan(w->value))
		return never;
	if (o->fixed_text && column->complex->consumable != CONSUMABLE_NO)
		return consumable_answer(s, column, o, level, object, w->value);
	return match_fits(s, w, level, object) ? always : never;
}

static bool is_once(const struct search *s, const struct resource_request *w)
{
	return w->column != UINT32_MAX && s->d->cluster.columns[w->column].complex->consumable == CONSUMABLE_JOB;
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Slots, and what the job takes by default: all of it must be there now. */
static bool defaults_are_there(struct search *s, enum level level, uint32_t object, uint32_t *at_end)
{
	const struct cluster *c = &s->d->cluster;

	for (size_t k = 0; k < c->nconsumables; k++) {
		struct column *column = &c->columns[c->consumables[k]];
		const struct offer *o = category_offer(c, s->category, column, level, object);
		struct answer found;

		if (!o || !o->fixed_text || s->category->requested[c->consumables[k]] || column->complex->consumable == CONSUMABLE_JOB)
			continue;
		found = consumable_answer(s, column, o, level, object, s->category->need[k]);
		if (found.when != TAG_NOW)
			return false;
		*at_end = least_of(*at_end, found.at_end);
	}
	return true;
}

/* In the order of names, where that makes a difference. */
static const struct resource_request *request_at(const struct category *category, size_t k)
{
	return category->by_name ? category->by_name[k] : &category->hard[k];
}

static enum tag host_answer(struct search *s, uint32_t host, uint32_t *at_end)
{
	enum tag last = TAG_NOW;

	if (!defaults_are_there(s, LEVEL_HOST, host, at_end))
		return TAG_NEVER;
	for (size_t k = 0; k < s->category->nhard; k++) {
		const struct resource_request *w = request_at(s->category, k);
		struct answer found = answer(s, w, LEVEL_HOST, host);

		if (found.is_known && found.when == TAG_NEVER && !is_once(s, w))
			return TAG_NEVER;
		if (!found.is_known || found.when == TAG_NEVER)
			continue;
		last = found.when;
		*at_end = least_of(*at_end, found.at_end);
	}
	return last;
}

/* Where both are given, one of them must mean some queue there. */
static bool is_named(const struct search *s, uint32_t host)
{
	const struct category *category = s->category;
	const char *name = s->d->cluster.host_names[host];

	return !category->hard_queues || !category->master_queues || queue_list_means_host(s->d->cell, category->hard_queues, name) ||
	       queue_list_means_host(s->d->cell, category->master_queues, name);
}

uint32_t tag_host(struct search *s, uint32_t host, uint32_t most, bool tags)
{
	const struct cluster *c = &s->d->cluster;
	uint32_t at_end = most;
	enum tag when;

	if (!match_host(s, host) || !is_named(s, host))
		return 0;
	when = host_answer(s, host, &at_end);
	for (uint32_t i = c->hosts[host].first_instance; tags && when == TAG_LATER && i != UINT32_MAX; i = c->instances[i].next_on_host)
		if (queue_list_has(&s->d->list, i))
			tag(s->d, i, TAG_LATER);
	return when == TAG_NEVER ? 0 : at_end;
}

/* Instances */

/* A limit on what the job takes once. */
static enum tag limit_tag(const struct search *s, const struct quota_limit_now *limit)
{
	const struct resource_request *w = category_request(s->d, s->category, limit->complex);
	double left, at_end;

	if (!w || limit->complex->consumable != CONSUMABLE_JOB || w->value == 0)
		return TAG_NOW;
	if (w->value > in_principle(s, limit->value, limit->count->used))
		return TAG_NEVER;
	left = limit->value - match_limited(s, limit->count->used, limit->count->line);
	at_end = limit->value - booked_at_end(s, &s->d->cluster.limits, limit->count->line);
	return w->value > left || w->value > at_end ? TAG_LATER : TAG_NOW;
}

static enum tag quotas_tag(const struct search *s, uint32_t instance)
{
	const struct queue_instance *i = &s->d->cluster.instances[instance];
	size_t n = quota_rules(s->d->quotas, &s->with->view, i->queue, i->host, s->d->hits);
	enum tag least = TAG_NOW;
	struct quota_limit_now limit;

	for (size_t h = 0; h < n; h++)
		for (size_t k = 0; quota_limit(s->d->quotas, s->d->hits[h], &s->with->view, i->queue, i->host, k, &limit) == 0; k++) {
			enum tag one = limit_tag(s, &limit);

			least = one < least ? one : least;
		}
	return least;
}

/* Does its host, or the cluster, know a request and satisfy it, be it later? */
static bool others_know(struct search *s, const struct resource_request *w, uint32_t host)
{
	return answer(s, w, LEVEL_HOST, host).when > TAG_NEVER || answer(s, w, LEVEL_GLOBAL, 0).when > TAG_NEVER;
}

static enum tag requests_tag(struct search *s, uint32_t instance, enum tag so_far)
{
	uint32_t at_end = UINT32_MAX;

	if (!defaults_are_there(s, LEVEL_QUEUE, instance, &at_end))
		return so_far;
	for (size_t k = 0; k < s->category->nhard; k++) {
		const struct resource_request *w = request_at(s->category, k);
		struct answer found = answer(s, w, LEVEL_QUEUE, instance);
		bool is_never = found.is_known ? found.when == TAG_NEVER : !others_know(s, w, s->d->cluster.instances[instance].host);

		if (is_never && !is_once(s, w))
			return so_far;
		if (is_once(s, w) && (is_never || (found.is_known && found.when == TAG_LATER)))
			so_far = is_never ? TAG_NEVER : TAG_LATER;
	}
	return so_far;
}

void tag_instance(struct search *s, uint32_t instance)
{
	enum tag quotas;
	bool as_master;

	if (!match_master_queue(s, instance))
		tag(s->d, instance, TAG_NEVER);
	if (!match_ever(s, instance, &as_master) || !match_has_forced(s, instance))
		return;
	quotas = s->category->free_of_quotas ? TAG_NOW : quotas_tag(s, instance);
	if (quotas < tag_of(s->d, instance))
		tag(s->d, instance, quotas);
	tag(s->d, instance, requests_tag(s, instance, tag_of(s->d, instance)));
}
