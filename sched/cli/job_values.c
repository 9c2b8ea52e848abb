/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/number.h"
#include "conf/utf8.h"
#include "sched/cli/job.h"

#define NAME_BYTES 255u
#define TIME_MAX_S 0x1p53

/* Dates */

static int two_digits(const char *p)
{
	return 10 * (p[0] - '0') + p[1] - '0';
}

/* The year in front of MMDDhhmm: none, YY or CCYY. */
static int year_parse(const char *text, size_t digits, int this_year)
{
	int year = digits >= 10 ? two_digits(text) : 0;

	if (digits == 8)
		return this_year;
	if (digits == 10)
		return year < 70 ? 2000 + year : 1900 + year;
	return 100 * year + two_digits(text + 2);
}

/*
 * What mktime(3) has to put right is no date: the 30th of February, an hour that a change of the
 * clock leaves out.
 */
static int date_make(const struct tm *written, int64_t *time)
{
	struct tm tm = *written;
	time_t seconds = mktime(&tm);

	if (tm.tm_year != written->tm_year || tm.tm_mon != written->tm_mon || tm.tm_mday != written->tm_mday ||
	    tm.tm_hour != written->tm_hour || tm.tm_min != written->tm_min || tm.tm_sec != written->tm_sec ||
	    seconds < 0 || (double)seconds > TIME_MAX_S)
		return -EINVAL;
	*time = (int64_t)seconds;
	return 0;
}

int job_date(const char *text, int64_t now, int64_t *time)
{
	size_t digits = strspn(text, "0123456789");
	const char *seconds = text[digits] == '.' ? text + digits + 1 : "00", *p;
	time_t today = (time_t)now;
	struct tm tm = { .tm_isdst = -1 }, here;

	if ((digits != 8 && digits != 10 && digits != 12) || (text[digits] && text[digits] != '.') || strlen(seconds) != 2 ||
	    !isdigit((unsigned char)seconds[0]) || !isdigit((unsigned char)seconds[1]) || !localtime_r(&today, &here))
		return -EINVAL;
	p = text + digits - 8;
	tm.tm_year = year_parse(text, digits, here.tm_year + 1900) - 1900;
	tm.tm_mon = two_digits(p) - 1;
	tm.tm_mday = two_digits(p + 2);
	tm.tm_hour = two_digits(p + 4);
	tm.tm_min = two_digits(p + 6);
	tm.tm_sec = two_digits(seconds);
	return date_make(&tm, time);
}

/* Names */

const char *job_name_fault(const char *name)
{
	size_t length = strlen(name), bytes;

	if (length == 0 || length > NAME_BYTES)
		return "a name has 1 to 255 bytes";
	if (isdigit((unsigned char)*name))
		return "a name does not begin with a digit";
	if (strpbrk(name, "/:@\\*?,'\" \t"))
		return "a name has no blanks and none of / : @ \\ * ? , ' \"";
	for (; *name; name += bytes)
		if ((bytes = utf8_length(name)) == 0)
			return "a name is printable UTF-8";
	return NULL;
}

/* Resources */

/*
 * The limits of queues, whose types no site changes; the scheduler knows those of the cell's own
 * resources.
 */
static bool is_time(const char *name)
{
	return !strcmp(name, "h_rt") || !strcmp(name, "s_rt") || !strcmp(name, "h_cpu") || !strcmp(name, "s_cpu");
}

static bool is_memory(const char *name)
{
	static const char *const names[] = { "fsize", "data", "stack", "core", "rss", "vmem" };

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		if ((name[0] == 'h' || name[0] == 's') && name[1] == '_' && !strcmp(name + 2, names[k]))
			return true;
	return false;
}

static const char *resource_fault(char *entry)
{
	char *value = strchr(entry, '='), *name = entry;
	uint32_t seconds;
	double number;

	if (value)
		*value++ = '\0';
	if (!*name)
		return "the name of a resource is missing";
	if (value && !*value)
		return "the value of a resource is missing";
	if (is_time(name) && (!value || number_time(value, &seconds)))
		return "the limit is a time: seconds or h:m:s";
	if (is_memory(name) && (!value || number_parse(value, &number) || number < 0))
		return "the limit is a number of bytes, with k K m M g G t T";
	return NULL;
}

const char *job_resources_fault(const char *list)
{
	char *copy = strdup(list), *next = copy, *entry;
	const char *fault = copy ? NULL : "no memory";

	while (!fault && (entry = strsep(&next, ",")) != NULL)
		fault = resource_fault(entry);
	free(copy);
	return fault;
}
