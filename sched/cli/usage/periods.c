/* SPDX-License-Identifier: Apache-2.0 */
/* Periods of local time, by mktime(3), so that changes of the clock are respected. */
#include <stdio.h>
#include <time.h>

#include "sched/cli/usage/usage.h"

/* Return the broken-down local time of a second up to USAGE_TIME_MOST. */
static struct tm local(int64_t time)
{
	time_t seconds = (time_t)time;
	struct tm tm = { 0 };

	localtime_r(&seconds, &tm);
	return tm;
}

/* Return the midnight that is `days`, `months` and `years` after that of the day of `tm`. */
static int64_t midnight(struct tm tm, int days, int months, int years)
{
	struct tm day = { .tm_mday = tm.tm_mday + days, .tm_mon = tm.tm_mon + months, .tm_year = tm.tm_year + years,
			  .tm_isdst = -1 };

	return (int64_t)mktime(&day);
}

/* Set the day of `tm` to the first one of its period. */
static struct tm first_day(enum usage_key key, struct tm tm)
{
	if (key == USAGE_YEAR)
		tm.tm_mon = 0;
	if (key == USAGE_YEAR || key == USAGE_MONTH)
		tm.tm_mday = 1;
	else if (key == USAGE_WEEK)
		tm.tm_mday -= (tm.tm_wday + 6) % 7;
	return tm;
}

int64_t usage_period_begin(enum usage_key key, int64_t time)
{
	return midnight(first_day(key, local(time)), 0, 0, 0);
}

int64_t usage_period_next(enum usage_key key, int64_t time)
{
	const struct tm first = first_day(key, local(time));
	int64_t next = midnight(first,
				key == USAGE_DAY    ? 1
				: key == USAGE_WEEK ? 7
						    : 0,
				key == USAGE_MONTH, key == USAGE_YEAR);

	return next > time ? next : time + 1;
}

void usage_period_name(enum usage_key key, int64_t time, char name[USAGE_PERIOD_BYTES])
{
	static const char *const formats[USAGE_KEYS] = {
		[USAGE_YEAR] = "%Y", [USAGE_MONTH] = "%Y-%m", [USAGE_WEEK] = "%G-W%V", [USAGE_DAY] = "%Y-%m-%d"
	};
	const struct tm tm = local(time);

	if (!strftime(name, USAGE_PERIOD_BYTES, formats[key], &tm))
		snprintf(name, USAGE_PERIOD_BYTES, "-");
}
