/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/calendars.h"

#include "conf/calendar.h"
#include "sched/process/clock.h"
#include "sched/qmaster/local/inside.h"

void calendars_decide(struct local *local)
{
	struct local_instances *instances = &local->instances;

	if (!calendars_are_due(local))
		return;
	instances->calendars_seen = clock_date();
	instances->next_change = INT64_MAX;
	for (size_t i = 0; i < instances->n; i++) {
		struct calendar_change now = { CALENDAR_UNSAID, CALENDAR_FOREVER };

		if (instances->items[i].calendar)
			calendar_changes(instances->items[i].calendar, instances->calendars_seen, &now, 1);
		letters_set(instances->items[i].letters, 'C', now.state == CALENDAR_SUSPENDED);
		instances->next_change = now.until < instances->next_change ? now.until : instances->next_change;
	}
}

bool calendars_are_due(const struct local *local)
{
	int64_t date = clock_date();

	return date >= local->instances.next_change || date < local->instances.calendars_seen;
}

uint64_t calendars_due_ns(const struct local *local)
{
	return local->instances.next_change == INT64_MAX ? NEVER_NS : clock_at_date_ns(local->instances.next_change);
}
