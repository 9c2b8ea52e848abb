/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A total update: a list of all objects for each kind, in one delivery. The qmaster sends it after
 * a registration, and whenever it finds that we are out of step. It replaces everything at its end,
 * or nothing. First its order and numbers are checked, then its configuration is activated, then
 * all other objects are passed to the mirror as a snapshot. It is read in place without a copy.
 */
#include <errno.h>

#include "sched/qmaster/gridengine/known.h"
#include "sched/qmaster/gridengine/settlement.h"
#include "sched/qmaster/gridengine/take.h"
#include "sched/qmaster/gridengine/take_event.h"
#include "sched/qmaster/gridengine/take_usage.h"

/* Lists that a snapshot of a cell must have. */
#define NEEDED ((enum gdi_event[]){ GDI_EV_EXECHOST_LIST, GDI_EV_JOB_LIST, GDI_EV_CQUEUE_LIST, GDI_EV_AR_LIST })

static bool has_needed(uint32_t places)
{
	bool all = true;

	for (size_t i = 0; i < sizeof(NEEDED) / sizeof(enum gdi_event); i++)
		all = all && places >> reported_event_place(NEEDED[i]) & 1;
	return all;
}

/* Check the order and count the events; the last is AR_LIST. -EPROTO. */
static int update_check(const struct take *take, struct gdi_list events, uint32_t *n, struct error *error)
{
	uint64_t due = take->next;
	uint32_t places = 0;
	unsigned last = 0;
	struct reported_event event;

	for (*n = 0; reported_event_next(&events, &event);) {
		unsigned place = reported_event_place(event.type);

		if (due && event.number != due)
			return error_set(error, -EPROTO, "a total update has event %u instead of event %llu",
					 event.number, (unsigned long long)due);
		if (place <= last)
			return error_set(error, -EPROTO, "a total update has event %u, %s, out of order",
					 event.number, reported_event_name(event.type));
		last = place;
		places |= 1u << place;
		due = (uint64_t)event.number + 1;
		++*n;
		if (event.type == GDI_EV_AR_LIST)
			return has_needed(places)
				       ? 0
				       : error_set(error, -EPROTO, "a total update without hosts, jobs or queues");
	}
	return error_set(error, -EPROTO, "a total update is incomplete: it ends after event %llu",
			 (unsigned long long)due - 1);
}

/* Call `take` for each event. An object that cannot be understood is left out. */
static int each(struct sge *sge, struct gdi_list events, uint32_t n,
		int (*take)(struct sge *sge, struct reported_event *event, struct error *error), struct error *error)
{
	struct reported_event reported_event;
	int rc = 0;

	while (rc == 0 && n-- > 0 && reported_event_next(&events, &reported_event)) {
		rc = take(sge, &reported_event, error);
		take_clear(sge->take);
	}
	return rc;
}

static int configuration_take(struct sge *sge, struct reported_event *event, struct error *error)
{
	return reported_event_is(event, REPORTED_CONFIGURATION)
		       ? take_refuse(sge, event, cell_objects_event(sge->objects, event->type, &event->element, error),
				     error)
		       : 0;
}

static int configure(struct sge *sge, struct gdi_list events, uint32_t n, struct error *error)
{
	int rc = cell_objects_update_begin(sge->objects);

	if (rc)
		return error_set(error, rc, "out of memory");
	rc = each(sge, events, n, configuration_take, error);
	if (rc == 0 && cell_objects_update_end(sge->objects))
		rc = error_set(error, -ENOMEM, "out of memory");
	if (rc)
		cell_objects_update_abandon(sge->objects);
	return rc ? rc : take_configure(sge, error);
}

static int content_take(struct sge *sge, struct reported_event *event, struct error *error)
{
	struct gdi_element element;
	int rc = 0;

	while (rc == 0 && gdi_next(&event->elements, &element)) {
		rc = take_refuse(sge, event, take_element(sge, event->type, &element, error), error);
		take_clear(sge->take);
	}
	return rc;
}

/* Pass the snapshot to the mirror. Users and projects come after the jobs booked for them. */
static int snapshot_take(struct sge *sge, struct gdi_list events, uint32_t n, struct error *error)
{
	struct event event;
	int rc;

	event_init(&event, EVENT_SNAPSHOT_BEGIN);
	rc = take_to_mirror(sge, &event, error);
	rc = rc ? rc : each(sge, events, n, content_take, error);
	rc = rc ? rc : take_usage_settle(sge, error);
	if (rc)
		return rc;
	/* Tasks that were not removed have been reported again. */
	mirror_forget_ends(sge->intake->mirror);
	event_init(&event, EVENT_SNAPSHOT_END);
	return take_to_mirror(sge, &event, error);
}

void take_update_drop(struct sge *sge)
{
	if (!sge->take->before)
		return;
	mirror_snapshot_abort(sge->intake->mirror);
	known_destroy(sge->known);
	sge->known = sge->take->before;
	sge->take->before = NULL;
}

int take_update(struct sge *sge, struct gdi_list *events, struct error *error)
{
	struct gdi_list all = *events;
	struct known *known;
	struct reported_event event;
	uint32_t n;
	int rc = update_check(sge->take, all, &n, error);

	rc = rc ? rc : take_usage_settle(sge, error);
	rc = rc ? rc : configure(sge, all, n, error);
	if (rc)
		return rc;
	known = known_create();
	if (!known)
		return error_set(error, -ENOMEM, "out of memory");
	sge->take->before = sge->known;
	sge->known = known;
	rc = snapshot_take(sge, all, n, error);
	if (rc) {
		take_update_drop(sge);
		return rc;
	}
	known_destroy(sge->take->before);
	sge->take->before = NULL;
	while (n-- > 0 && reported_event_next(events, &event))
		sge->take->next = (uint64_t)event.number + 1;
	sge->updated = true;
	settlement_updated(sge);
	return 0;
}
