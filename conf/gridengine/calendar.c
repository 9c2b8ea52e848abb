/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader of calendar_conf(5):
 *
 *     year = entry {blank entry}
 *         entry = days ["=" times] ["=" state] | state
 *     week = entry {blank entry}
 *         entry = weekdays ["=" times] ["=" state] | times ["=" state] | state
 *
 * Names may have any case and be abbreviated to three letters or more, as in Grid Engine. A blank
 * after a comma does not end an entry, because `qconf` folds long lines there.
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

struct scan {			/* text of one attribute */
	const char *at;
	const char *attribute;
	struct error *error;
};

static const char *const weekday_names[] = { "sunday",	 "monday", "tuesday", "wednesday",
					     "thursday", "friday", "saturday" };
static const char *const month_names[] = { "january", "february", "march", "april", "may", "june", "july",
					   "august", "september", "october", "november", "december" };

/* Words and numbers */

static int scan_fault(const struct scan *scan, const char *allowed)
{
	size_t n = strcspn(scan->at, " \t");

	if (n == 0)
		return error_set(scan->error, -EINVAL, "%s ends where %s", scan->attribute, allowed);
	return error_set(scan->error, -EINVAL, "\"%.*s\" found in %s, where %s", n > 40 ? 40 : (int)n, scan->at,
			 scan->attribute, allowed);
}

static bool scan_take(struct scan *scan, char c)
{
	if (*scan->at != c)
		return false;
	scan->at++;
	if (c == ',')
		scan->at += strspn(scan->at, " \t");
	return true;
}

static bool at_end_of_entry(const struct scan *scan)
{
	return *scan->at == '\0' || *scan->at == ' ' || *scan->at == '\t';
}

static int scan_number(struct scan *scan, long low, long high, const char *allowed, uint32_t *value)
{
	const char *p = scan->at;
	long n = 0;

	for (; isdigit((unsigned char)*p); p++)
		n = n > high ? n : 10 * n + (*p - '0');
	if (p == scan->at || n < low || n > high)
		return scan_fault(scan, allowed);
	scan->at = p;
	*value = (uint32_t)n;
	return 0;
}

/*
 * Take the next word if it is an abbreviation of one of the names. Returns the index of the name,
 * or -1.
 */
static int scan_name(struct scan *scan, const char *const *names, int n)
{
	size_t length = 0;

	while (isalpha((unsigned char)scan->at[length]))
		length++;
	for (int i = 0; length >= 3 && i < n; i++)
		if (strncasecmp(scan->at, names[i], length) == 0) {
			scan->at += length;
			return i;
		}
	return -1;
}

static bool scan_state(struct scan *scan, enum calendar_state *state)
{
	static const char *const names[] = { "off", "suspended" };
	int found;

	if (strncasecmp(scan->at, "on", 2) == 0 && !isalpha((unsigned char)scan->at[2])) {
		scan->at += 2;
		*state = CALENDAR_ON;
		return true;
	}
	found = scan_name(scan, names, 2);
	if (found >= 0)
		*state = found == 0 ? CALENDAR_OFF : CALENDAR_SUSPENDED;
	return found >= 0;
}

/* Times */

static int scan_time(struct scan *scan, uint32_t *seconds)
{
	static const struct {
		uint32_t high, seconds;
		const char *allowed;
	} parts[] = {
		{ 24, 3600, "an hour from 0 to 24 is allowed" }, { 59, 60, "a minute from 0 to 59 is allowed" },
		{ 59, 1, "a second from 0 to 59 is allowed" },
	};
	const char *begin = scan->at;
	uint32_t n;

	*seconds = 0;
	for (size_t i = 0; i < 3 && (i == 0 || scan_take(scan, ':')); i++) {
		if (scan_number(scan, 0, parts[i].high, parts[i].allowed, &n))
			return -EINVAL;
		*seconds += n * parts[i].seconds;
	}
	if (*seconds <= CALENDAR_DAY)
		return 0;
	scan->at = begin;
	return scan_fault(scan, "a time up to 24:00:00 is allowed");
}

static int times_add(struct calendar_entry *entry, uint32_t begin, uint32_t end)
{
	struct calendar_times *times = array_add(&entry->times, &entry->ntimes, sizeof(*times));

	if (!times)
		return -ENOMEM;
	*times = (struct calendar_times){ begin, end };
	return 0;
}

/*
 * Add a period. If the period ends before it begins, it covers the day except the time from its end
 * to its beginning.
 */
static int times_put(struct calendar_entry *entry, uint32_t begin, uint32_t end)
{
	int rc = begin < end ? times_add(entry, begin, end) : times_add(entry, 0, end);

	return rc == 0 && begin > end ? times_add(entry, begin, CALENDAR_DAY) : rc;
}

static void times_simplify(struct calendar_entry *entry)
{
	for (size_t i = 0; i < entry->ntimes; i++)
		if (entry->times[i].begin == 0 && entry->times[i].end == CALENDAR_DAY)
			entry->ntimes = 0;		/* no times: all day long */
}

static int scan_times(struct scan *scan, struct calendar_entry *entry)
{
	const char *from;
	uint32_t begin, end;
	int rc;

	do {
		from = scan->at;
		rc = scan_time(scan, &begin);
		if (rc == 0 && !scan_take(scan, '-'))
			rc = scan_fault(scan, "\"-\" and the end of the time are expected");
		if (rc == 0)
			rc = scan_time(scan, &end);
		if (rc)
			return rc;
		if (begin == end) {
			scan->at = from;
			return scan_fault(scan, "the end must differ from the beginning: all day long is 0-24");
		}
		rc = times_put(entry, begin, end);
	} while (rc == 0 && scan_take(scan, ','));
	times_simplify(entry);
	return rc;
}

/* Days */

static int scan_weekday(struct scan *scan, unsigned *day)
{
	int found = scan_name(scan, weekday_names, 7);

	*day = (unsigned)found;
	return found >= 0 ? 0 : scan_fault(scan, "a weekday is expected: mon tue wed thu fri sat sun");
}

static int scan_weekdays(struct scan *scan, struct calendar_entry *entry)
{
	const char *from;
	unsigned first, last;

	do {
		from = scan->at;
		if (scan_weekday(scan, &first))
			return -EINVAL;
		entry->weekdays |= 1u << first;
		if (!scan_take(scan, '-'))
			continue;
		if (scan_weekday(scan, &last))
			return -EINVAL;
		if (first == last) {
			scan->at = from;
			return scan_fault(scan, "two different weekdays make a range");
		}
		for (; first != last; first = (first + 1) % 7)
			entry->weekdays |= 1u << first;
		entry->weekdays |= 1u << last;
	} while (scan_take(scan, ','));
	return 0;
}

static int scan_month(struct scan *scan, uint32_t *month)
{
	int found = scan_name(scan, month_names, 12);

	*month = (uint32_t)found + 1;
	return found >= 0 ? 0 : scan_number(scan, 1, 12, "a month is expected: 1 to 12, jan to dec", month);
}

/*
 * Read a day. A day that its month does not have is the first day after the month if `after`, else
 * the last day of the month.
 */
static int scan_day(struct scan *scan, bool after, int64_t *order, int32_t *number)
{
	uint32_t day, month, year;

	if (scan_number(scan, 1, 31, "a day from 1 to 31 is allowed", &day))
		return -EINVAL;
	if (!scan_take(scan, '.'))
		return scan_fault(scan, "\".\" and a month are expected after the day");
	if (scan_month(scan, &month))
		return -EINVAL;
	if (!scan_take(scan, '.'))
		return scan_fault(scan, "\".\" and a year are expected after the month");
	if (scan_number(scan, 1970, 2037, "a year from 1970 to 2037 is allowed", &year))
		return -EINVAL;
	*order = (year * 16 + month) * 32 + day;
	*number = calendar_day((int)year, (int)month, (int)day, after);
	return 0;
}

static int days_add(struct calendar_entry *entry, int32_t first, int32_t last)
{
	struct calendar_days *days = array_add(&entry->days, &entry->ndays, sizeof(*days));

	if (!days)
		return -ENOMEM;
	*days = (struct calendar_days){ first, last };
	return 0;
}

static int scan_range(struct scan *scan, struct calendar_entry *entry)
{
	struct scan begin = *scan;
	int64_t first_order, last_order;
	int32_t first, last;

	if (scan_day(scan, true, &first_order, &first))
		return -EINVAL;
	if (!scan_take(scan, '-'))
		*scan = begin;			/* read the same day again */
	if (scan_day(scan, false, &last_order, &last))
		return -EINVAL;
	if (last_order >= first_order)
		return days_add(entry, first, last);
	return scan_fault(&begin, "the last day must not be before the first");
}

static int scan_days(struct scan *scan, struct calendar_entry *entry)
{
	int rc;

	do
		rc = scan_range(scan, entry);
	while (rc == 0 && scan_take(scan, ','));
	return rc;
}

/* Entries */

/* Read the part after the days: times, a state, or both. */
static int scan_rest(struct scan *scan, struct calendar_entry *entry)
{
	bool times = isdigit((unsigned char)*scan->at);
	int rc = times ? scan_times(scan, entry) : 0;

	if (rc || (times && !scan_take(scan, '=')) || scan_state(scan, &entry->state))
		return rc;
	return scan_fault(scan, times ? "a state is expected: off, on, suspended"
				      : "times or a state are expected: off, on, suspended");
}

static int year_entry(struct scan *scan, struct calendar_entry *entry)
{
	int rc;

	if (scan_state(scan, &entry->state))
		return 0;
	if (!isdigit((unsigned char)*scan->at))
		return scan_fault(scan, "days (24.12.2026) or a state are expected: off, on, suspended");
	rc = scan_days(scan, entry);
	return rc == 0 && scan_take(scan, '=') ? scan_rest(scan, entry) : rc;
}

static int week_entry(struct scan *scan, struct calendar_entry *entry)
{
	int rc;

	entry->weekdays = CALENDAR_WEEK;
	if (isdigit((unsigned char)*scan->at))
		return scan_rest(scan, entry);
	if (scan_state(scan, &entry->state))
		return 0;
	entry->weekdays = 0;
	rc = scan_weekdays(scan, entry);
	return rc == 0 && scan_take(scan, '=') ? scan_rest(scan, entry) : rc;
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

typedef int scan_entry(struct scan *scan, struct calendar_entry *entry);

static int entries_scan(struct scan *scan, struct calendar_entries *entries, scan_entry *entry)
{
	struct calendar_entry *calendar_entry;
	int rc = 0;

	for (; rc == 0 && *scan->at != '\0'; scan->at += strspn(scan->at, " \t")) {
		calendar_entry = array_add(&entries->items, &entries->n, sizeof(*calendar_entry));
		if (!calendar_entry)
			return -ENOMEM;
		calendar_entry->state = CALENDAR_OFF;
		rc = entry(scan, calendar_entry);
		if (rc == 0 && !at_end_of_entry(scan))
			rc = scan_fault(scan, "a blank is expected, and the next entry");
	}
	return rc;
}

static int entries_parse(const struct field *field, struct calendar_entries *entries, const char *text,
			 struct error *error, scan_entry *entry)
{
	struct scan scan = { .at = text, .attribute = field->name, .error = error };
	int rc = text_is_none(text) ? 0 : entries_scan(&scan, entries, entry);

	if (rc)
		entries_clear(entries);
	return rc;
}

static int field_year(const struct field *field, void *member, const char *text, struct error *error)
{
	return entries_parse(field, member, text, error, year_entry);
}

static int field_week(const struct field *field, void *member, const char *text, struct error *error)
{
	return entries_parse(field, member, text, error, week_entry);
}

static const struct field table[] = {
	REQUIRED("calendar_name", field_name, struct calendar, name, NULL),
	REQUIRED("year", field_year, struct calendar, year, "NONE"),
	REQUIRED("week", field_week, struct calendar, week, "NONE"),
};

static void calendar_clear(void *item)
{
	struct calendar *calendar = item;

	entries_clear(&calendar->year);
	entries_clear(&calendar->week);
}

const struct kind kind_calendars = { KIND("calendar", calendars, struct calendar), KIND_TABLE(table), .clear = calendar_clear };
