/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calendar_conf(5):
 *
 *     year = entry {blank entry}
 *         entry = days ["=" times] ["=" state] | state
 *     week = entry {blank entry}
 *         entry = weekdays ["=" times] ["=" state] | times ["=" state] | state
 *
 * Names are taken in any case, and by three letters or more, as Grid Engine does. A blank behind a
 * comma is no end of an entry: that is how `qconf` folds long lines.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/calendar.h"
#include "conf/fields.h"
#include "conf/lists.h"
#include "conf/gridengine/readers.h"

struct scan {			/* of one attribute */
	const char *at;
	const char *attribute;
	struct error *error;
};

static const char *const weekday_names[] = { "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday" };
static const char *const month_names[] = { "january", "february", "march", "april", "may", "june", "july", "august", "september",
	"october", "november", "december" };

/* Words and numbers */

static int scan_fault(const struct scan *s, const char *allowed)
{
	size_t n = strcspn(s->at, " \t");

	if (n == 0)
		return error_set(s->error, -EINVAL, "%s ends where %s", s->attribute, allowed);
	return error_set(s->error, -EINVAL, "\"%.*s\" found in %s, where %s", n > 40 ? 40 : (int)n, s->at, s->attribute, allowed);
}

static bool scan_take(struct scan *s, char c)
{
	if (*s->at != c)
		return false;
	s->at++;
	if (c == ',')
		s->at += strspn(s->at, " \t");
	return true;
}

static bool at_end_of_entry(const struct scan *s)
{
	return *s->at == '\0' || *s->at == ' ' || *s->at == '\t';
}

static int scan_number(struct scan *s, long low, long high, const char *allowed, uint32_t *value)
{
	const char *p = s->at;
	long n = 0;

	for (; isdigit((unsigned char)*p); p++)
		n = n > high ? n : 10 * n + (*p - '0');
	if (p == s->at || n < low || n > high)
		return scan_fault(s, allowed);
	s->at = p;
	*value = (uint32_t)n;
	return 0;
}

/* The word that comes next is the beginning of one of the names; -1. */
static int scan_name(struct scan *s, const char *const *names, int n)
{
	size_t length = 0;

	while (isalpha((unsigned char)s->at[length]))
		length++;
	for (int i = 0; length >= 3 && i < n; i++)
		if (strncasecmp(s->at, names[i], length) == 0) {
			s->at += length;
			return i;
		}
	return -1;
}

static bool scan_state(struct scan *s, enum calendar_state *state)
{
	static const char *const names[] = { "off", "suspended" };
	int found;

	if (strncasecmp(s->at, "on", 2) == 0 && !isalpha((unsigned char)s->at[2])) {
		s->at += 2;
		*state = CALENDAR_ON;
		return true;
	}
	found = scan_name(s, names, 2);
	if (found >= 0)
		*state = found == 0 ? CALENDAR_OFF : CALENDAR_SUSPENDED;
	return found >= 0;
}

/* Times */

static int scan_time(struct scan *s, uint32_t *seconds)
{
	static const struct {
		uint32_t high, seconds;
		const char *allowed;
	} parts[] = {
		{ 24, 3600, "an hour from 0 to 24 is allowed" }, { 59, 60, "a minute from 0 to 59 is allowed" },
		{ 59, 1, "a second from 0 to 59 is allowed" },
	};
	const char *begin = s->at;
	uint32_t n;

	*seconds = 0;
	for (size_t i = 0; i < 3 && (i == 0 || scan_take(s, ':')); i++) {
		if (scan_number(s, 0, parts[i].high, parts[i].allowed, &n))
			return -EINVAL;
		*seconds += n * parts[i].seconds;
	}
	if (*seconds <= CALENDAR_DAY)
		return 0;
	s->at = begin;
	return scan_fault(s, "a time up to 24:00:00 is allowed");
}

static int times_add(struct calendar_entry *e, uint32_t begin, uint32_t end)
{
	struct calendar_times *t = array_add(&e->times, &e->ntimes, sizeof(*t));

	if (!t)
		return -ENOMEM;
	*t = (struct calendar_times){ begin, end };
	return 0;
}

/* One that ends before it begins is the day without what lies between. */
static int times_put(struct calendar_entry *e, uint32_t begin, uint32_t end)
{
	int rc = begin < end ? times_add(e, begin, end) : times_add(e, 0, end);

	return rc == 0 && begin > end ? times_add(e, begin, CALENDAR_DAY) : rc;
}

static void times_simplify(struct calendar_entry *e)
{
	for (size_t i = 0; i < e->ntimes; i++)
		if (e->times[i].begin == 0 && e->times[i].end == CALENDAR_DAY)
			e->ntimes = 0;		/* all day long */
}

static int scan_times(struct scan *s, struct calendar_entry *e)
{
	const char *from;
	uint32_t begin, end;
	int rc;

	do {
		from = s->at;
		rc = scan_time(s, &begin);
		if (rc == 0 && !scan_take(s, '-'))
			rc = scan_fault(s, "\"-\" and the end of the time are expected");
		if (rc == 0)
			rc = scan_time(s, &end);
		if (rc)
			return rc;
		if (begin == end) {
			s->at = from;
			return scan_fault(s, "the end must differ from the beginning: all day long is 0-24");
		}
		rc = times_put(e, begin, end);
	} while (rc == 0 && scan_take(s, ','));
	times_simplify(e);
	return rc;
}

/* Days */

static int scan_weekday(struct scan *s, unsigned *day)
{
	int found = scan_name(s, weekday_names, 7);

	*day = (unsigned)found;
	return found >= 0 ? 0 : scan_fault(s, "a weekday is expected: mon tue wed thu fri sat sun");
}

static int scan_weekdays(struct scan *s, struct calendar_entry *e)
{
	const char *from;
	unsigned first, last;

	do {
		from = s->at;
		if (scan_weekday(s, &first))
			return -EINVAL;
		e->weekdays |= 1u << first;
		if (!scan_take(s, '-'))
			continue;
		if (scan_weekday(s, &last))
			return -EINVAL;
		if (first == last) {
			s->at = from;
			return scan_fault(s, "two different weekdays make a range");
		}
		for (; first != last; first = (first + 1) % 7)
			e->weekdays |= 1u << first;
		e->weekdays |= 1u << last;
	} while (scan_take(s, ','));
	return 0;
}

static int scan_month(struct scan *s, uint32_t *month)
{
	int found = scan_name(s, month_names, 12);

	*month = (uint32_t)found + 1;
	return found >= 0 ? 0 : scan_number(s, 1, 12, "a month is expected: 1 to 12, jan to dec", month);
}

/* Days that a month does not have: the last one before, or the first one behind it. */
static int scan_day(struct scan *s, bool behind, int64_t *order, int32_t *number)
{
	uint32_t day, month, year;

	if (scan_number(s, 1, 31, "a day from 1 to 31 is allowed", &day))
		return -EINVAL;
	if (!scan_take(s, '.'))
		return scan_fault(s, "\".\" and a month are expected behind the day");
	if (scan_month(s, &month))
		return -EINVAL;
	if (!scan_take(s, '.'))
		return scan_fault(s, "\".\" and a year are expected behind the month");
	if (scan_number(s, 1970, 2037, "a year from 1970 to 2037 is allowed", &year))
		return -EINVAL;
	*order = (year * 16 + month) * 32 + day;
	*number = calendar_day((int)year, (int)month, (int)day, behind);
	return 0;
}

static int days_add(struct calendar_entry *e, int32_t first, int32_t last)
{
	struct calendar_days *d = array_add(&e->days, &e->ndays, sizeof(*d));

	if (!d)
		return -ENOMEM;
	*d = (struct calendar_days){ first, last };
	return 0;
}

static int scan_range(struct scan *s, struct calendar_entry *e)
{
	struct scan begin = *s;
	int64_t first_order, last_order;
	int32_t first, last;

	if (scan_day(s, true, &first_order, &first))
		return -EINVAL;
	if (!scan_take(s, '-'))
		*s = begin;			/* the same day again */
	if (scan_day(s, false, &last_order, &last))
		return -EINVAL;
	if (last_order >= first_order)
		return days_add(e, first, last);
	return scan_fault(&begin, "the last day must not be before the first");
}

static int scan_days(struct scan *s, struct calendar_entry *e)
{
	int rc;

	do
		rc = scan_range(s, e);
	while (rc == 0 && scan_take(s, ','));
	return rc;
}

/* Entries */

/* What may follow the days: their times, their state, both. */
static int scan_rest(struct scan *s, struct calendar_entry *e)
{
	bool times = isdigit((unsigned char)*s->at);
	int rc = times ? scan_times(s, e) : 0;

	if (rc || (times && !scan_take(s, '=')) || scan_state(s, &e->state))
		return rc;
	return scan_fault(s, times ? "a state is expected: off, on, suspended" : "times or a state are expected: off, on, suspended");
}

static int year_entry(struct scan *s, struct calendar_entry *e)
{
	int rc;

	if (scan_state(s, &e->state))
		return 0;
	if (!isdigit((unsigned char)*s->at))
		return scan_fault(s, "days (24.12.2026) or a state are expected: off, on, suspended");
	rc = scan_days(s, e);
	return rc == 0 && scan_take(s, '=') ? scan_rest(s, e) : rc;
}

static int week_entry(struct scan *s, struct calendar_entry *e)
{
	int rc;

	e->weekdays = CALENDAR_WEEK;
	if (isdigit((unsigned char)*s->at))
		return scan_rest(s, e);
	if (scan_state(s, &e->state))
		return 0;
	e->weekdays = 0;
	rc = scan_weekdays(s, e);
	return rc == 0 && scan_take(s, '=') ? scan_rest(s, e) : rc;
}

static void entries_clear(struct calendar_entries *entries)
{
	for (size_t i = 0; i < entries->n; i++) {
		free(entries->items[i].days);
		free(entries->items[i].times);
	}
	free(entries->items);
	*entries = (struct calendar_entries){ 0 };
}

typedef int scan_entry(struct scan *s, struct calendar_entry *e);

static int entries_scan(struct scan *s, struct calendar_entries *entries, scan_entry *entry)
{
	struct calendar_entry *e;
	int rc = 0;

	for (; rc == 0 && *s->at != '\0'; s->at += strspn(s->at, " \t")) {
		e = array_add(&entries->items, &entries->n, sizeof(*e));
		if (!e)
			return -ENOMEM;
		e->state = CALENDAR_OFF;
		rc = entry(s, e);
		if (rc == 0 && !at_end_of_entry(s))
			rc = scan_fault(s, "a blank is expected, and the next entry");
	}
	return rc;
}

static int entries_parse(const struct field *field, struct calendar_entries *entries, const char *text, struct error *e, scan_entry *entry)
{
	struct scan s = { .at = text, .attribute = field->name, .error = e };
	int rc = text_is_none(text) ? 0 : entries_scan(&s, entries, entry);

	if (rc)
		entries_clear(entries);
	return rc;
}

static int field_year(const struct field *field, void *member, const char *text, struct error *e)
{
	return entries_parse(field, member, text, e, year_entry);
}

static int field_week(const struct field *field, void *member, const char *text, struct error *e)
{
	return entries_parse(field, member, text, e, week_entry);
}

static const struct field table[] = {
	REQUIRED("calendar_name", field_name, struct calendar, name, NULL),
	REQUIRED("year", field_year, struct calendar, year, "NONE"),
	REQUIRED("week", field_week, struct calendar, week, "NONE"),
};

static int calendar_read(struct reader *r, const char *path, void *item)
{
	struct fields f;
	int rc = fields_read(&f, table, sizeof(table) / sizeof(*table), path, item, r->report);

	fields_close(&f);
	return rc;
}

static void calendar_clear(void *item)
{
	struct calendar *calendar = item;

	free(calendar->name);
	entries_clear(&calendar->year);
	entries_clear(&calendar->week);
}

const struct kind kind_calendars = {
	"calendar", offsetof(struct cell, calendars), offsetof(struct cell, ncalendars), sizeof(struct calendar),
	calendar_read, calendar_clear,
};
