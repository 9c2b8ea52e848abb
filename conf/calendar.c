/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/calendar.h"

#include <time.h>

/* Limit of times, in seconds. No time zone is defined beyond it, and sums do not overflow. */
#define LATEST ((int64_t)1 << 50)
/* Limit on the number of times at which a state is computed. */
#define STEPS 1000

/* Wall time: seconds since 1970-01-01 00:00 that a local clock shows, whatever its time zone. */

static int64_t zone_offset(int64_t at)
{
	time_t t = (time_t)at;
	struct tm tm;

	return localtime_r(&t, &tm) ? tm.tm_gmtoff : 0;
}

static int64_t day_of(int64_t wall)
{
	return wall / CALENDAR_DAY - (wall % CALENDAR_DAY < 0);
}

static unsigned weekday_of(int64_t day)
{
	return (unsigned)(((day + 4) % 7 + 7) % 7);	/* 1970-01-01 was a Thursday */
}

static bool has_day(const struct calendar_entry *entry, int64_t day, bool of_year)
{
	if (!of_year)
		return entry->weekdays & 1u << weekday_of(day);
	for (size_t i = 0; i < entry->ndays; i++)
		if (entry->days[i].first <= day && day <= entry->days[i].last)
			return true;
	return entry->ndays == 0;
}

static bool has_time(const struct calendar_entry *entry, uint32_t seconds)
{
	for (size_t i = 0; i < entry->ntimes; i++)
		if (entry->times[i].begin <= seconds && seconds < entry->times[i].end)
			return true;
	return entry->ntimes == 0;
}

static enum calendar_state entries_state(const struct calendar_entries *entries, int64_t wall, bool of_year)
{
	enum calendar_state state = CALENDAR_UNSAID;
	int64_t day = day_of(wall);

	for (size_t i = 0; i < entries->n; i++) {
		const struct calendar_entry *entry = &entries->items[i];

		if (entry->state > state && has_day(entry, day, of_year) &&
		    has_time(entry, (uint32_t)(wall - day * CALENDAR_DAY)))
			state = entry->state;
	}
	return state;
}

static enum calendar_state wall_state(const struct calendar *calendar, int64_t wall)
{
	enum calendar_state state = entries_state(&calendar->year, wall, true);

	if (state == CALENDAR_UNSAID)
		state = entries_state(&calendar->week, wall, false);
	return state == CALENDAR_ON ? CALENDAR_UNSAID : state;
}

/* Times at which the state may change */

static int64_t earlier_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/*
 * Return the next time at which the entry may change, on a day that the entry applies to. This is
 * the end of the day at the latest.
 */
static int64_t next_time(const struct calendar_entry *entry, int64_t wall)
{
	int64_t begin = day_of(wall) * CALENDAR_DAY, next = begin + CALENDAR_DAY;

	for (size_t i = 0; i < entry->ntimes; i++) {
		if (begin + entry->times[i].begin > wall)
			next = earlier_of(next, begin + entry->times[i].begin);
		if (begin + entry->times[i].end > wall)
			next = earlier_of(next, begin + entry->times[i].end);
	}
	return next;
}

static int64_t next_of_year(const struct calendar_entry *entry, int64_t wall)
{
	int64_t day = day_of(wall),
		next = entry->ndays == 0 && entry->ntimes > 0 ? next_time(entry, wall) : CALENDAR_FOREVER;

	for (size_t i = 0; i < entry->ndays; i++) {
		const struct calendar_days *days = &entry->days[i];

		if (days->first > days->last || days->last < day)
			continue;
		if (days->first > day)
			next = earlier_of(next, (int64_t)days->first * CALENDAR_DAY);
		else
			next = earlier_of(next, entry->ntimes > 0 ? next_time(entry, wall)
								  : ((int64_t)days->last + 1) * CALENDAR_DAY);
	}
	return next;
}

static int64_t next_of_week(const struct calendar_entry *entry, int64_t wall)
{
	int64_t day = day_of(wall);

	if (entry->weekdays & 1u << weekday_of(day))
		return entry->weekdays == CALENDAR_WEEK && entry->ntimes == 0 ? CALENDAR_FOREVER
									      : next_time(entry, wall);
	return (day + 1) * CALENDAR_DAY;
}

static int64_t wall_next(const struct calendar *calendar, int64_t wall)
{
	int64_t next = CALENDAR_FOREVER;

	for (size_t i = 0; i < calendar->year.n; i++)
		next = earlier_of(next, next_of_year(&calendar->year.items[i], wall));
	for (size_t i = 0; i < calendar->week.n; i++)
		next = earlier_of(next, next_of_week(&calendar->week.items[i], wall));
	return next;
}

/*
 * Find the first time in (from, to] at which the offset of the zone differs. The offset must differ
 * at `to`.
 */
static int64_t offset_change(int64_t from, int64_t to)
{
	int64_t offset = zone_offset(from);

	while (to - from > 1) {
		int64_t middle = from + (to - from) / 2;

		if (zone_offset(middle) == offset)
			from = middle;
		else
			to = middle;
	}
	return to;
}

/*
 * Return the next time at which the state may change. Clock changes are found by comparing the
 * zone's offset over steps of at most a day. A longer period in which the wall time alone changes
 * nothing is checked at both ends.
 */
static int64_t moment_next(const struct calendar *calendar, int64_t at)
{
	int64_t offset = zone_offset(at), wall = at + offset, next = wall_next(calendar, wall);
	int64_t step = next == CALENDAR_FOREVER ? CALENDAR_DAY : earlier_of(next - wall, CALENDAR_DAY);

	if (at > LATEST)
		return CALENDAR_FOREVER;
	if (zone_offset(at + step) != offset)
		return offset_change(at, at + step);
	if (next == CALENDAR_FOREVER)
		return next;
	return next - wall <= CALENDAR_DAY ? at + step : at + (next - wall) - CALENDAR_DAY;
}

enum calendar_state calendar_state_at(const struct calendar *calendar, int64_t at)
{
	return at < -LATEST || at > LATEST ? CALENDAR_UNSAID : wall_state(calendar, at + zone_offset(at));
}

size_t calendar_changes(const struct calendar *calendar, int64_t from, struct calendar_change *changes, size_t n)
{
	int64_t at = from;
	size_t i = 0, steps = 0;

	if (n > 0 && (from < -LATEST || from > LATEST)) {
		changes[0] = (struct calendar_change){ CALENDAR_UNSAID, CALENDAR_FOREVER };
		return 1;
	}
	while (i < n && at != CALENDAR_FOREVER && steps < STEPS) {
		enum calendar_state state = calendar_state_at(calendar, at);

		do
			at = moment_next(calendar, at);
		while (++steps < STEPS && at != CALENDAR_FOREVER && calendar_state_at(calendar, at) == state);
		changes[i++] = (struct calendar_change){ state, at };
	}
	return i;
}

int32_t calendar_day(int year, int month, int day, bool after)
{
	static const int before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365 };
	int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	int days = before[month] - before[month - 1] + (month == 2 && leap);
	int years = year - 1;

	if (day > days)
		day = days + after;
	return (years * 365 + years / 4 - years / 100 + years / 400) - 719162 + before[month - 1] +
	       (month > 2 && leap) + day - 1;
}
