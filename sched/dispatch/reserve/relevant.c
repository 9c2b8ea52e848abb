/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Find the bookings that matter to a parallel job in a PE. These are bookings of slots, and of
 * consumables that the job requests by name, on the suitable instances, their hosts and the whole
 * cluster. Default consumptions, quotas and exclusive use by others do not count: no reservation is
 * tried when these change. Grid Engine does it this way. Therefore some reservations begin later
 * than necessary.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/search/parallel.h"

static size_t object_count(const struct dispatch *dispatch)
{
	return 1 + dispatch->cluster.nhosts + dispatch->cluster.ninstances + dispatch->advances.nplaces;
}

uint32_t relevant_object(const struct cluster *cluster, enum level level, uint32_t object)
{
	return level == LEVEL_GLOBAL ? 0 : level == LEVEL_HOST ? 1 + object : 1 + (uint32_t)cluster->nhosts + object;
}

uint32_t relevant_place(const struct cluster *cluster, uint32_t place)
{
	return 1 + (uint32_t)(cluster->nhosts + cluster->ninstances) + place;
}

/* Mark an instance: the place in its advance reservation, or the instance and its host. */
static void mark_instance(const struct search *search, struct changes_view *view, uint32_t instance)
{
	const struct cluster *cluster = &search->d->cluster;

	if (search->category->advance) {
		view->objects[relevant_place(cluster, advance_place(search->category->advance, instance))] = true;
		return;
	}
	view->objects[relevant_object(cluster, LEVEL_HOST, cluster->instances[instance].host)] = true;
	view->objects[relevant_object(cluster, LEVEL_QUEUE, instance)] = true;
}

static void mark(struct search *search, struct changes_view *view)
{
	const struct cluster *cluster = &search->d->cluster;
	bool as_master;

	for (size_t k = 0; k < cluster->nconsumables; k++)
		view->columns[k] = cluster->columns[cluster->consumables[k]].is_slots ||
				   search->category->requested[cluster->consumables[k]];
	view->objects[relevant_object(cluster, LEVEL_GLOBAL, 0)] = !search->category->advance;
	for (uint32_t i = 0; i < cluster->ninstances; i++)
		if (queue_list_has(&search->d->ranking.list, i) && match_ever(search, i, &as_master) &&
		    match_has_forced(search, i))
			mark_instance(search, view, i);
}

static struct changes_view *equal(const struct dispatch *dispatch, const struct changes_view *view)
{
	for (size_t i = 0; i < dispatch->nviews; i++)
		if (memcmp(dispatch->views[i]->columns, view->columns, dispatch->cluster.nconsumables) == 0 &&
		    memcmp(dispatch->views[i]->objects, view->objects, object_count(dispatch)) == 0)
			return dispatch->views[i];
	return NULL;
}

static void destroy(struct changes_view *view)
{
	if (view)
		changes_view_free(view);
	free(view);
}

/* Find or create a view. Many categories need equal views and share them. */
static int view_find(struct search *search)
{
	struct changes_view *view = calloc(1, sizeof(*view)), **place;

	if (view) {
		view->columns = calloc(search->d->cluster.nconsumables + 1, sizeof(*view->columns));
		view->objects = calloc(object_count(search->d), sizeof(*view->objects));
	}
	if (!view || !view->columns || !view->objects) {
		destroy(view);
		return -ENOMEM;
	}
	mark(search, view);
	search->with->changes = equal(search->d, view);
	place = search->with->changes ? NULL : array_add(&search->d->views, &search->d->nviews, sizeof(*place));
	if (!place) {
		destroy(view);
		return search->with->changes ? 0 : -ENOMEM;
	}
	*place = search->with->changes = view;
	return 0;
}

int relevant_changes(struct search *search)
{
	int rc = search->with->changes ? 0 : view_find(search);

	return rc ? rc : changes_gather(search->with->changes, &search->d->changes);
}

void relevant_forget(struct dispatch *dispatch)
{
	for (size_t i = 0; i < dispatch->nviews; i++)
		destroy(dispatch->views[i]);
	free(dispatch->views);
	dispatch->views = NULL;
	dispatch->nviews = 0;
}
