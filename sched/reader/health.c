/* SPDX-License-Identifier: Apache-2.0 */
/* What the scheduler's log tells, up to the run; and what its qmaster keeps. */
#include "sched/reader/handle.h"
#include "sched/run/records_state.h"

static bool health_copy(const struct fl_view *view, struct health_record *record)
{
	const struct state_head *head = view_state(&view->view);

	if (head)
		view_copy(record, &head->health, sizeof(*record));
	return head != NULL;
}

int fl_health(const struct fl_view *view, struct fl_health *health)
{
	struct health_record r;

	if (!health_copy(view, &r))
		return -ENOENT;
	*health = (struct fl_health){ .starts = r.starts, .reservations = r.reservations, .unbooked = r.unbooked, .withheld = r.withheld,
				      .refused = r.refused, .orders_kept = r.kept, .hosts_up = r.hosts_up, .store_failures = r.store_failures };
	return 0;
}

static void text_copy(char *to, size_t bytes, const char *from)
{
	memcpy(to, from, bytes);
	to[bytes - 1] = '\0';
}

int fl_place(const struct fl_view *view, struct fl_place *place)
{
	struct health_record r;
	const struct place_record *p = &r.place;

	if (!health_copy(view, &r) || p->state == PLACE_NONE || p->state > PLACE_HANDING_BACK)
		return -ENOENT;
	*place = (struct fl_place){ .state = (enum fl_place_state)p->state, .since = p->since, .shadow = p->shadow, .asked = p->asked,
				    .done = p->done, .known = p->known, .living = p->living, .builtin = p->builtin, .us = p->us };
	text_copy(place->host, sizeof(place->host), p->host);
	text_copy(place->name, sizeof(place->name), p->name);
	text_copy(place->reason, sizeof(place->reason), p->reason);
	return 0;
}

int fl_files(const struct fl_view *view, struct fl_files *files)
{
	const struct state_head *head = view_state(&view->view);

	if (!head)
		return -ENOENT;
	files->state = view_string(&view->view, LOAD_ONCE(head->state_directory));
	files->accounting = view_string(&view->view, LOAD_ONCE(head->accounting));
	return 0;
}

int fl_source(const struct fl_view *view, struct fl_source *source)
{
	struct health_record r;

	if (!health_copy(view, &r) || r.source.state == SOURCE_NONE || r.source.state > SOURCE_ENDED)
		return -ENOENT;
	*source = (struct fl_source){ .state = (enum fl_source_state)r.source.state, .refused = r.source.refused, .unknown = r.source.unknown };
	return 0;
}

int fl_phase(const struct fl_view *view, size_t k, struct fl_phase *phase)
{
	struct health_record r;

	if (k >= PHASES_MOST || !health_copy(view, &r) || r.phases[k].name[0] == '\0')
		return -ENOENT;
	memcpy(phase->name, r.phases[k].name, sizeof(phase->name));
	phase->name[sizeof(phase->name) - 1] = '\0';
	phase->ns = r.phases[k].ns;
	return 0;
}
