/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bookings matter to a parallel job in a PE: slots, and what it requests by name, of the
 * instances that could hold it, of their hosts and of the whole cluster. What it takes by default
 * does not count, nor do quotas, nor exclusive use of which others are in the way: a reservation is
 * not tried when those change. Grid Engine has it so; it reserves later than it could now and then.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/search/parallel.h"

static size_t object_count(const struct dispatch *d)
{
	return 1 + d->cluster.nhosts + d->cluster.ninstances + d->advances.nplaces;
}

uint32_t relevant_object(const struct cluster *c, enum level level, uint32_t object)
{
	return level == LEVEL_GLOBAL ? 0 : level == LEVEL_HOST ? 1 + object : 1 + (uint32_t)c->nhosts + object;
}

uint32_t relevant_place(const struct cluster *c, uint32_t place)
{
	return 1 + (uint32_t)(c->nhosts + c->ninstances) + place;
}

/* In an advance reservation what is booked there, else on the instance and its host. */
static void mark_instance(const struct search *s, struct changes_view *v, uint32_t instance)
{
	const struct cluster *c = &s->d->cluster;

	if (s->category->advance) {
		v->objects[relevant_place(c, advance_place(s->category->advance, instance))] = true;
		return;
	}
	v->objects[relevant_object(c, LEVEL_HOST, c->instances[instance].host)] = true;
	v->objects[relevant_object(c, LEVEL_QUEUE, instance)] = true;
}

static void mark(struct search *s, struct changes_view *v)
{
	const struct cluster *c = &s->d->cluster;
	bool as_master;

	for (size_t k = 0; k < c->nconsumables; k++)
		v->columns[k] = c->columns[c->consumables[k]].is_slots || s->category->requested[c->consumables[k]];
	v->objects[relevant_object(c, LEVEL_GLOBAL, 0)] = !s->category->advance;
	for (uint32_t i = 0; i < c->ninstances; i++)
		if (queue_list_has(&s->d->list, i) && match_ever(s, i, &as_master) && match_has_forced(s, i))
			mark_instance(s, v, i);
}

static struct changes_view *equal(const struct dispatch *d, const struct changes_view *v)
{
	for (size_t i = 0; i < d->nviews; i++)
		if (memcmp(d->views[i]->columns, v->columns, d->cluster.nconsumables) == 0 &&
		    memcmp(d->views[i]->objects, v->objects, object_count(d)) == 0)
			return d->views[i];
	return NULL;
}

static void destroy(struct changes_view *v)
{
	if (v)
		changes_view_free(v);
	free(v);
}

/* Many categories look at the same: they share a view. */
static int view_find(struct search *s)
{
	struct changes_view *v = calloc(1, sizeof(*v)), **place;

	if (v) {
		v->columns = calloc(s->d->cluster.nconsumables + 1, sizeof(*v->columns));
		v->objects = calloc(object_count(s->d), sizeof(*v->objects));
	}
	if (!v || !v->columns || !v->objects) {
		destroy(v);
		return -ENOMEM;
	}
	mark(s, v);
	s->with->changes = equal(s->d, v);
	place = s->with->changes ? NULL : array_add(&s->d->views, &s->d->nviews, sizeof(*place));
	if (!place) {
		destroy(v);
		return s->with->changes ? 0 : -ENOMEM;
	}
	*place = s->with->changes = v;
	return 0;
}

int relevant_changes(struct search *s)
{
	int rc = s->with->changes ? 0 : view_find(s);

	return rc ? rc : changes_gather(s->with->changes, &s->d->changes);
}

void relevant_forget(struct dispatch *d)
{
	for (size_t i = 0; i < d->nviews; i++)
		destroy(d->views[i]);
	free(d->views);
	d->views = NULL;
	d->nviews = 0;
}
