/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/calendars.h"

#include "conf/calendar.h"
#include "sched/process/clock.h"
#include "sched/qmaster/local/inside.h"

void calendars_decide(struct local *l)
{
	struct local_instances *s = &l->instances;

	if (!calendars_are_due(l))
		return;
	s->calendars_seen = clock_date();
	s->next_change = INT64_MAX;
	for (size_t i = 0; i < s->n; i++) {
		struct calendar_change now = { CALENDAR_UNSAID, CALENDAR_FOREVER };

		if (s->items[i].calendar)
			calendar_changes(s->items[i].calendar, s->calendars_seen, &now, 1);
		letters_set(s->items[i].letters, 'C', now.state == CALENDAR_SUSPENDED);
		s->next_change = now.until < s->next_change ? now.until : s->next_change;
	}
}

bool calendars_are_due(const struct local *l)
{
	int64_t date = clock_date();

	return date >= l->instances.next_change || date < l->instances.calendars_seen;
}

uint64_t calendars_due_ns(const struct local *l)
{
	return l->instances.next_change == INT64_MAX ? NEVER_NS : clock_at_date_ns(l->instances.next_change);
}
