/* SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "sched/cli/text.h"
#include "sched/process/digits.h"

#define LAST_TIME INT64_C(253402400000)		/* shortly after the year 9999 */

/* Write all except the seconds. */
static void minute_put(char *p, const struct tm *tm, enum time_format format)
{
	unsigned year = (unsigned)tm->tm_year + 1900;
	char *years = format == TIME_ISO ? p : p + 6, *month = format == TIME_ISO ? p + 5 : p;

	memcpy(p, format == TIME_ISO ? "yyyy-mm-ddThh:mm:" : "mm/dd/yyyy hh:mm:", TIME_BYTES - 2);
	digits_two(years, year / 100);
	digits_two(years + 2, year % 100);
	digits_two(month, (unsigned)tm->tm_mon + 1);
	digits_two(month + 3, (unsigned)tm->tm_mday);
	digits_two(p + 11, (unsigned)tm->tm_hour);
	digits_two(p + 14, (unsigned)tm->tm_min);
}

/*
 * Write the minute of a time to `p`. Return the second in it, or -1 if the year does not have four
 * digits.
 */
static int convert(int64_t time, char *p, enum time_format format)
{
	time_t t = (time_t)time;
	struct tm tm;

	if (time < -LAST_TIME || time > LAST_TIME || !localtime_r(&t, &tm))
		return -1;
	if (tm.tm_year < -900 || tm.tm_year > 8099)
		return -1;
	minute_put(p, &tm, format);
	return tm.tm_sec;
}

char *clock_put(struct local_clock *clock, char *p, int64_t time, enum time_format format)
{
	int64_t minute = time / 60;
	struct clock_minute *clock_minute = &clock->minutes[(uint64_t)minute % CLOCK_MINUTES];
	unsigned second = (unsigned)(time % 60);

	if (time >= 0 && clock_minute->known == 1 + format && clock_minute->minute == minute) {
		memcpy(p, clock_minute->text, sizeof(clock_minute->text));
		return digits_two(p + sizeof(clock_minute->text), second);
	}
	int local = convert(time, p, format);

	if (local < 0)
		return text_pad(p, (char *)memcpy(p, "NA", 2) + 2, TIME_BYTES);
	/*
	 * Store the minute only if local minutes are those of the epoch. Zones with leap seconds
	 * are converted each time.
	 */
	if ((unsigned)local == second) {
		memcpy(clock_minute->text, p, sizeof(clock_minute->text));
		clock_minute->minute = minute;
		clock_minute->known = (uint8_t)(1 + format);
	}
	return digits_two(p + sizeof(clock_minute->text), (unsigned)local);
}
