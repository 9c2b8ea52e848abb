/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the scheduler's log at the time of the run, and paths of the qmaster's files. */
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
	struct health_record record;

	if (!health_copy(view, &record))
		return -ENOENT;
	*health = (struct fl_health){ .starts = record.starts,
				      .reservations = record.reservations,
				      .unbooked = record.unbooked,
				      .withheld = record.withheld,
				      .refused = record.refused,
				      .orders_kept = record.kept,
				      .hosts_up = record.hosts_up,
				      .store_failures = record.store_failures };
	return 0;
}

int fl_evicted(const struct fl_view *view, uint64_t *sections)
{
	struct health_record record;

	if (!health_copy(view, &record))
		return -ENOENT;
	*sections = record.readers_evicted;
	return 0;
}

static void text_copy(char *to, size_t bytes, const char *from)
{
	memcpy(to, from, bytes);
	to[bytes - 1] = '\0';
}

int fl_place(const struct fl_view *view, struct fl_place *place)
{
	struct health_record record;
	const struct place_record *place_record = &record.place;

	if (!health_copy(view, &record) || place_record->state == PLACE_NONE ||
	    place_record->state > PLACE_HANDING_BACK)
		return -ENOENT;
	*place = (struct fl_place){ .state = (enum fl_place_state)place_record->state,
				    .since = place_record->since,
				    .shadow = place_record->shadow,
				    .asked = place_record->asked,
				    .done = place_record->done,
				    .known = place_record->known,
				    .living = place_record->living,
				    .builtin = place_record->builtin,
				    .us = place_record->us };
	text_copy(place->host, sizeof(place->host), place_record->host);
	text_copy(place->name, sizeof(place->name), place_record->name);
	text_copy(place->reason, sizeof(place->reason), place_record->reason);
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
	struct health_record record;

	if (!health_copy(view, &record) || record.source.state == SOURCE_NONE || record.source.state > SOURCE_ENDED)
		return -ENOENT;
	*source = (struct fl_source){ .state = (enum fl_source_state)record.source.state,
				      .refused = record.source.refused,
				      .unknown = record.source.unknown };
	return 0;
}

int fl_phase(const struct fl_view *view, size_t k, struct fl_phase *phase)
{
	struct health_record record;

	if (k >= PHASES_MOST || !health_copy(view, &record) || record.phases[k].name[0] == '\0')
		return -ENOENT;
	memcpy(phase->name, record.phases[k].name, sizeof(phase->name));
	phase->name[sizeof(phase->name) - 1] = '\0';
	phase->ns = record.phases[k].ns;
	return 0;
}
