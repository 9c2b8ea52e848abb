/* SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "sched/cli/digits.h"
#include "sched/cli/text.h"

#define LAST_TIME INT64_C(253402400000)		/* a little behind the year 9999 */

static char *put_date(char *p, const struct clock_minute *m, enum time_format format)
{
	char *year = format == TIME_ISO ? p : p + 6, *month = format == TIME_ISO ? p + 5 : p;
	char *day = month + 3;

	memset(p, format == TIME_ISO ? '-' : '/', 10);
	digits_two(year, m->year / 100u);
	digits_two(year + 2, m->year % 100u);
	digits_two(month, m->month);
	digits_two(day, m->day);
	return p + 10;
}

static char *put_time(char *p, const struct clock_minute *m, unsigned second, enum time_format format)
{
	p = put_date(p, m, format);
	*p++ = format == TIME_ISO ? 'T' : ' ';
	p = digits_two(p, m->hour);
	*p++ = ':';
	p = digits_two(p, m->min);
	*p++ = ':';
	return digits_two(p, second);
}

/* The minute of a time; returns the second in it, or -1 when the year has not four digits. */
static int convert(int64_t time, struct clock_minute *m)
{
	time_t t = (time_t)time;
	struct tm tm;

	if (time < -LAST_TIME || time > LAST_TIME || !localtime_r(&t, &tm))
		return -1;
	if (tm.tm_year < -900 || tm.tm_year > 8099)
		return -1;
	*m = (struct clock_minute){ .year = (uint16_t)(tm.tm_year + 1900), .month = (uint8_t)(tm.tm_mon + 1),
				    .day = (uint8_t)tm.tm_mday, .hour = (uint8_t)tm.tm_hour, .min = (uint8_t)tm.tm_min };
	return tm.tm_sec;
}

char *clock_put(struct clock *clock, char *p, int64_t time, enum time_format format)
{
	int64_t minute = time / 60;
	struct clock_minute *known = &clock->minutes[(uint64_t)minute % CLOCK_MINUTES], now;
	unsigned second = (unsigned)(time % 60);

	if (time >= 0 && known->known && known->minute == minute)
		return put_time(p, known, second, format);
	int local = convert(time, &now);

	if (local < 0)
		return text_pad(p, (char *)memcpy(p, "NA", 2) + 2, TIME_BYTES);
	/* Only where local minutes are those of the epoch: zones that count leap seconds are converted anew each time. */
	if ((unsigned)local == second) {
		*known = now;
		known->minute = minute;
		known->known = true;
	}
	return put_time(p, &now, (unsigned)local, format);
}
