/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A total update: a list of all objects for each kind, in one delivery, when the qmaster registers
 * us, and whenever it finds that we are out of step. It replaces everything at its end, or nothing:
 * first its order and numbers are looked at, then its configuration is put in force, then
 * everything else goes into the mirror as a snapshot. It is read where it lies, and nothing of it
 * is copied first.
 */
#include <errno.h>

#include "sched/qmaster/gridengine/known.h"
#include "sched/qmaster/gridengine/settlement.h"
#include "sched/qmaster/gridengine/take.h"
#include "sched/qmaster/gridengine/take_event.h"
#include "sched/qmaster/gridengine/take_usage.h"

/* Lists without which it would be no picture of a cell. */
#define NEEDED ((enum gdi_event[]){ GDI_EV_EXECHOST_LIST, GDI_EV_JOB_LIST, GDI_EV_CQUEUE_LIST, GDI_EV_AR_LIST })

static bool has_needed(uint32_t places)
{
	bool all = true;

	for (size_t i = 0; i < sizeof(NEEDED) / sizeof(enum gdi_event); i++)
		all = all && places >> told_event_place(NEEDED[i]) & 1;
	return all;
}

/* How many events it is; the last is AR_LIST. -EPROTO. */
static int update_check(const struct take *t, struct gdi_list events, uint32_t *n, struct error *error)
{
	uint64_t due = t->next;
	uint32_t places = 0;
	unsigned last = 0;
	struct told_event e;

	for (*n = 0; told_event_next(&events, &e);) {
		unsigned place = told_event_place(e.type);

		if (due && e.number != due)
			return error_set(error, -EPROTO, "in a total update event %u comes where %llu is due", e.number, (unsigned long long)due);
		if (place <= last)
			return error_set(error, -EPROTO, "in a total update event %u, %s, comes out of order", e.number, told_event_name(e.type));
		last = place;
		places |= 1u << place;
		due = (uint64_t)e.number + 1;
		++*n;
		if (e.type == GDI_EV_AR_LIST)
			return has_needed(places) ? 0 : error_set(error, -EPROTO, "a total update without hosts, jobs or queues");
	}
	return error_set(error, -EPROTO, "a total update ends in the middle, behind event %llu", (unsigned long long)due - 1);
}

/* What can't be understood of one event leaves out what it is about. */
static int each(struct sge *g, struct gdi_list events, uint32_t n, int (*take)(struct sge *g, struct told_event *e, struct error *error),
		struct error *error)
{
	struct told_event e;
	int rc = 0;

	while (rc == 0 && n-- > 0 && told_event_next(&events, &e)) {
		rc = take(g, &e, error);
		take_clear(g->take);
	}
	return rc;
}

static int configuration_take(struct sge *g, struct told_event *e, struct error *error)
{
	return told_event_is(e, TOLD_CONFIGURATION) ? take_refuse(g, e, cell_objects_event(g->objects, e->type, &e->element, error), error) : 0;
}

static int configure(struct sge *g, struct gdi_list events, uint32_t n, struct error *error)
{
	int rc = cell_objects_update_begin(g->objects);

	if (rc)
		return error_set(error, rc, "out of memory");
	rc = each(g, events, n, configuration_take, error);
	if (rc == 0 && cell_objects_update_end(g->objects))
		rc = error_set(error, -ENOMEM, "out of memory");
	if (rc)
		cell_objects_update_abandon(g->objects);
	return rc ? rc : take_configure(g, error);
}

static int content_take(struct sge *g, struct told_event *e, struct error *error)
{
	struct gdi_element element;
	int rc = 0;

	while (rc == 0 && gdi_next(&e->elements, &element)) {
		rc = take_refuse(g, e, take_element(g, e->type, &element, error), error);
		take_clear(g->take);
	}
	return rc;
}

/* Users and projects come behind the jobs that were booked for them. */
static int snapshot_take(struct sge *g, struct gdi_list events, uint32_t n, struct error *error)
{
	struct event event;
	int rc;

	event_init(&event, EVENT_SNAPSHOT_BEGIN);
	rc = take_tell(g, &event, error);
	rc = rc ? rc : each(g, events, n, content_take, error);
	rc = rc ? rc : take_usage_settle(g, error);
	if (rc)
		return rc;
	mirror_forget_ends(g->intake->mirror);	/* those that are not removed have been told again */
	event_init(&event, EVENT_SNAPSHOT_END);
	return take_tell(g, &event, error);
}

void take_update_drop(struct sge *g)
{
	if (!g->take->before)
		return;
	mirror_snapshot_abort(g->intake->mirror);
	known_destroy(g->known);
	g->known = g->take->before;
	g->take->before = NULL;
}

int take_update(struct sge *g, struct gdi_list *events, struct error *error)
{
	struct gdi_list all = *events;
	struct known *known;
	struct told_event e;
	uint32_t n;
	int rc = update_check(g->take, all, &n, error);

	rc = rc ? rc : take_usage_settle(g, error);
	rc = rc ? rc : configure(g, all, n, error);
	if (rc)
		return rc;
	known = known_create();
	if (!known)
		return error_set(error, -ENOMEM, "out of memory");
	g->take->before = g->known;
	g->known = known;
	rc = snapshot_take(g, all, n, error);
	if (rc) {
		take_update_drop(g);
		return rc;
	}
	known_destroy(g->take->before);
	g->take->before = NULL;
	while (n-- > 0 && told_event_next(events, &e))
		g->take->next = (uint64_t)e.number + 1;
	g->updated = true;
	settlement_updated(g);
	return 0;
}
