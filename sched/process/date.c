/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/date.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIME_MAX_S 0x1p53
#define SECONDS_MOST INT64_C(253402300799)	/* the end of the year 9999 */

static int two_digits(const char *p)
{
	return 10 * (p[0] - '0') + p[1] - '0';
}

/*
 * Convert a date to epoch seconds. A date that mktime(3) has to correct is refused: the 30th of
 * February, or an hour that a change of the clock skips. `offset_s`: seconds east of Greenwich,
 * NULL: local time.
 */
static int date_make(const struct tm *written, const int *offset_s, int64_t *time)
{
	struct tm tm = *written;
	time_t seconds = offset_s ? timegm(&tm) : mktime(&tm);

	if (tm.tm_year != written->tm_year || tm.tm_mon != written->tm_mon || tm.tm_mday != written->tm_mday ||
	    tm.tm_hour != written->tm_hour || tm.tm_min != written->tm_min || tm.tm_sec != written->tm_sec)
		return -EINVAL;
	seconds -= offset_s ? *offset_s : 0;
	if (seconds < 0 || (double)seconds > TIME_MAX_S)
		return -EINVAL;
	*time = (int64_t)seconds;
	return 0;
}

/* Dates of Grid Engine */

/* Return the year before MMDDhhmm: none, YY or CCYY. */
static int year_parse(const char *text, size_t digits, int this_year)
{
	int year = digits >= 10 ? two_digits(text) : 0;

	if (digits == 8)
		return this_year;
	if (digits == 10)
		return year < 70 ? 2000 + year : 1900 + year;
	return 100 * year + two_digits(text + 2);
}

static int digits_parse(const char *text, int64_t now, int64_t *time)
{
	size_t digits = strspn(text, "0123456789");
	const char *seconds = text[digits] == '.' ? text + digits + 1 : "00", *p;
	time_t today = (time_t)now;
	struct tm tm = { .tm_isdst = -1 }, here;

	if ((digits != 8 && digits != 10 && digits != 12) || (text[digits] && text[digits] != '.') ||
	    strlen(seconds) != 2 || !isdigit((unsigned char)seconds[0]) || !isdigit((unsigned char)seconds[1]) ||
	    !localtime_r(&today, &here))
		return -EINVAL;
	p = text + digits - 8;
	tm.tm_year = year_parse(text, digits, here.tm_year + 1900) - 1900;
	tm.tm_mon = two_digits(p) - 1;
	tm.tm_mday = two_digits(p + 2);
	tm.tm_hour = two_digits(p + 4);
	tm.tm_min = two_digits(p + 6);
	tm.tm_sec = two_digits(seconds);
	return date_make(&tm, NULL, time);
}

/* Dates of ISO 8601 */

/* Match the text with a form, in which 0 stands for a digit. */
static bool has_form(const char *text, const char *form)
{
	for (; *form; text++, form++)
		if (*form == '0' ? !isdigit((unsigned char)*text) : *text != *form)
			return false;
	return true;
}

/* Read "", "Z", "+01:00", "+0100" or "+01"; *offset_s is not set for "". */
static int offset_parse(const char *text, bool *has_offset, int *offset_s)
{
	const char *p = text + 1;
	size_t n = strlen(text);
	int minutes;

	*has_offset = n > 0;
	*offset_s = 0;
	if (n == 0 || !strcmp(text, "Z") || !strcmp(text, "z"))
		return 0;
	if ((*text != '+' && *text != '-') ||
	    !((n == 3 && has_form(p, "00")) || (n == 5 && has_form(p, "0000")) || (n == 6 && has_form(p, "00:00"))))
		return -EINVAL;
	minutes = n == 3 ? 0 : two_digits(text + n - 2);
	if (minutes > 59 || two_digits(p) > 23)
		return -EINVAL;
	*offset_s = (*text == '-' ? -1 : 1) * (two_digits(p) * 3600 + minutes * 60);
	return 0;
}

static int iso_parse(const char *text, int64_t *time)
{
	struct tm tm = { .tm_isdst = -1 };
	bool has_offset;
	int offset_s;

	if (!has_form(text, "0000-00-00"))
		return -EINVAL;
	tm.tm_year = 100 * two_digits(text) + two_digits(text + 2) - 1900;
	tm.tm_mon = two_digits(text + 5) - 1;
	tm.tm_mday = two_digits(text + 8);
	text += strlen("0000-00-00");
	if (has_form(text, "T00:00") || has_form(text, " 00:00")) {
		tm.tm_hour = two_digits(text + 1);
		tm.tm_min = two_digits(text + 4);
		text += strlen("T00:00");
		if (has_form(text, ":00")) {
			tm.tm_sec = two_digits(text + 1);
			text += strlen(":00");
		}
	}
	if (offset_parse(text, &has_offset, &offset_s))
		return -EINVAL;
	return date_make(&tm, has_offset ? &offset_s : NULL, time);
}

static int seconds_parse(const char *text, int64_t *time)
{
	size_t digits = strspn(text, "0123456789");

	if (digits == 0 || digits > 12 || text[digits])
		return -EINVAL;
	*time = strtoll(text, NULL, 10);
	return *time >= 1 && *time <= SECONDS_MOST ? 0 : -EINVAL;
}

int date_parse(const char *text, int64_t now, int64_t *time)
{
	if (*text == '@')
		return seconds_parse(text + 1, time);
	return iso_parse(text, time) ? digits_parse(text, now, time) : 0;
}
