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
#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/search/parallel.h"
#include "sched/dispatch/search/search.h"

static size_t object_count(const struct supply *supply)
{
	return 1 + supply->cluster.nhosts + supply->cluster.ninstances + supply->advances.nplaces;
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
	const struct cluster *cluster = &search->supply->cluster;

	if (search->question.category->advance) {
		view->objects[relevant_place(cluster, advance_place(search->question.category->advance, instance))] =
			true;
		return;
	}
	view->objects[relevant_object(cluster, LEVEL_HOST, cluster->instances[instance].host)] = true;
	view->objects[relevant_object(cluster, LEVEL_QUEUE, instance)] = true;
}

static void mark(struct search *search, struct changes_view *view)
{
	const struct cluster *cluster = &search->supply->cluster;
	bool as_master;

	for (size_t k = 0; k < cluster->nconsumables; k++)
		view->columns[k] = cluster->columns[cluster->consumables[k]].is_slots ||
				   search->question.category->requested[cluster->consumables[k]];
	view->objects[relevant_object(cluster, LEVEL_GLOBAL, 0)] = !search->question.category->advance;
	for (uint32_t i = 0; i < cluster->ninstances; i++)
		if (queue_list_has(&search->shared->ranking.list, i) && match_ever(search, i, &as_master) &&
		    match_has_forced(search, i))
			mark_instance(search, view, i);
}

static struct changes_view *equal(const struct reservations *reservations, const struct supply *supply,
				  const struct changes_view *view)
{
	for (size_t i = 0; i < reservations->nviews; i++)
		if (memcmp(reservations->views[i]->columns, view->columns, supply->cluster.nconsumables) == 0 &&
		    memcmp(reservations->views[i]->objects, view->objects, object_count(supply)) == 0)
			return reservations->views[i];
	return NULL;
}

static void destroy(struct changes_view *view)
{
	if (view)
		changes_view_free(view);
	free(view);
}

/* Find or create a view. Many categories need equal views and share them. */
static int view_find(struct reservations *reservations, struct search *search)
{
	struct changes_view *view = calloc(1, sizeof(*view)), **place;

	if (view) {
		view->columns = calloc(search->supply->cluster.nconsumables + 1, sizeof(*view->columns));
		view->objects = calloc(object_count(search->supply), sizeof(*view->objects));
	}
	if (!view || !view->columns || !view->objects) {
		destroy(view);
		return -ENOMEM;
	}
	mark(search, view);
	search->with->changes = equal(reservations, search->supply, view);
	place = search->with->changes ? NULL : array_add(&reservations->views, &reservations->nviews, sizeof(*place));
	if (!place) {
		destroy(view);
		return search->with->changes ? 0 : -ENOMEM;
	}
	*place = search->with->changes = view;
	return 0;
}

int relevant_changes(struct reservations *reservations, struct search *search)
{
	int rc = search->with->changes ? 0 : view_find(reservations, search);

	return rc ? rc : changes_gather(search->with->changes, &reservations->changes);
}

void relevant_forget(struct reservations *reservations)
{
	for (size_t i = 0; i < reservations->nviews; i++)
		destroy(reservations->views[i]);
	free(reservations->views);
	reservations->views = NULL;
	reservations->nviews = 0;
}
