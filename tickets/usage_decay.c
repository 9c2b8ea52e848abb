/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/usage_decay.h"

#include <float.h>
#include <math.h>
#include <time.h>

enum { DAY_SECONDS = 86400, WEEK_SECONDS = 7 * DAY_SECONDS };

double half_life_decay(uint32_t half_life)
{
	return half_life > 0 ? 1.0 - 0.693 / half_life : 1.0;
}

double half_life_left(double decay, int64_t elapsed)
{
	return elapsed > 0 ? fmax(pow(decay, (double)elapsed), DBL_MIN) : 1.0;
}

double half_life_charged(double decay, int64_t seconds)
{
	return seconds > 0 ? (double)seconds * pow(decay, (double)seconds) : 0.0;
}

/* Return the begin of a month. Month 12 is January of the next year. */
static int64_t month_begin(struct tm *day, int month)
{
	day->tm_mon = month;
	day->tm_mday = 1;
	return (int64_t)mktime(day);
}

/*
 * Return the end of a period that ends. Days and weeks have 86400 seconds and seven times that,
 * whatever clock changes occur, as in Slurm. Months follow the calendar.
 */
static int64_t period_end(enum reset_period period, struct tm *day)
{
	int days;

	switch (period) {
	case RESETS_DAILY:
		return (int64_t)mktime(day) + DAY_SECONDS;
	case RESETS_WEEKLY:
		days = 7 - day->tm_wday;
		return (int64_t)mktime(day) + days * DAY_SECONDS;
	case RESETS_MONTHLY:
		return month_begin(day, day->tm_mon + 1);
	case RESETS_QUARTERLY:
		return month_begin(day, day->tm_mon / 3 * 3 + 3);
	default:			/* RESETS_YEARLY */
		return month_begin(day, 12);
	}
}

int64_t reset_next(enum reset_period period, int64_t last)
{
	time_t time = (time_t)last;
	struct tm day;
	int64_t next;

	if (period == RESETS_NEVER || !localtime_r(&time, &day))
		return INT64_MAX;
	day.tm_hour = day.tm_min = day.tm_sec = 0;
	day.tm_isdst = -1;
	next = period_end(period, &day);
	if (next <= last && period <= RESETS_WEEKLY)
		next += DAY_SECONDS;	/* in the last hour of a day with 25 hours */
	return next > last ? next : INT64_MAX;	/* the year is out of range */
}

int reset_due(enum reset_period period, int64_t *last, int64_t now)
{
	int64_t next = reset_next(period, *last), length = period == RESETS_DAILY    ? DAY_SECONDS
							   : period == RESETS_WEEKLY ? WEEK_SECONDS
										     : 0;

	if (next == INT64_MAX || now < next)
		return 0;
	if (length > 0)
		next = now - (int64_t)(((uint64_t)now - (uint64_t)next) % (uint64_t)length);
	*last = next;
	return 1;
}
