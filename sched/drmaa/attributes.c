/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of a template and their allowed values. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sched/drmaa/inside.h"

const char *const attribute_names[ATTRIBUTES] = {
	[ATTRIBUTE_COMMAND] = DRMAA_REMOTE_COMMAND, [ATTRIBUTE_STATE] = DRMAA_JS_STATE, [ATTRIBUTE_WD] = DRMAA_WD,
	[ATTRIBUTE_CATEGORY] = DRMAA_JOB_CATEGORY, [ATTRIBUTE_NATIVE] = DRMAA_NATIVE_SPECIFICATION,
	[ATTRIBUTE_BLOCK_EMAIL] = DRMAA_BLOCK_EMAIL, [ATTRIBUTE_START] = DRMAA_START_TIME,
	[ATTRIBUTE_NAME] = DRMAA_JOB_NAME, [ATTRIBUTE_INPUT] = DRMAA_INPUT_PATH, [ATTRIBUTE_OUTPUT] = DRMAA_OUTPUT_PATH,
	[ATTRIBUTE_ERROR] = DRMAA_ERROR_PATH, [ATTRIBUTE_JOIN] = DRMAA_JOIN_FILES,
};

const char *const vector_names[VECTORS] = {
	[VECTOR_ARGV] = DRMAA_V_ARGV, [VECTOR_ENV] = DRMAA_V_ENV, [VECTOR_EMAIL] = DRMAA_V_EMAIL
};

/* Start time */

static int number_take(const char **p, int digits)
{
	int number = 0;

	for (int k = 0; k < digits; k++, (*p)++) {
		if (**p < '0' || **p > '9')
			return -1;
		number = 10 * number + **p - '0';
	}
	return number;
}

/* Read [[[CC]YY/]MM/]DD before a blank into `tm`. Returns the number of fields; -1: invalid. */
static int date_take(const char **p, struct tm *tm)
{
	const char *word = *p;
	size_t length = strcspn(word, " ");
	int year = -1, month = -1, day;

	if (!memchr(word, '/', length) && length != 2)
		return -1;
	if (length == 10 || length == 8)
		year = number_take(p, (int)length - 6);
	if (length >= 8 && (year < 0 || *(*p)++ != '/'))
		return -1;
	if (length >= 5)
		month = number_take(p, 2);
	if (length >= 5 && (month < 1 || month > 12 || *(*p)++ != '/'))
		return -1;
	day = number_take(p, 2);
	if (*p != word + length || day < 1 || day > 31)
		return -1;
	tm->tm_mday = day;
	tm->tm_mon = month > 0 ? month - 1 : tm->tm_mon;
	if (year >= 0)
		tm->tm_year = length == 10 ? year - 1900 : year < 69 ? year + 100 : year;
	return year >= 0 ? 3 : month > 0 ? 2 : 1;
}

static bool clock_take(const char **p, struct tm *tm)
{
	tm->tm_hour = number_take(p, 2);
	if (tm->tm_hour < 0 || tm->tm_hour > 23 || *(*p)++ != ':')
		return false;
	tm->tm_min = number_take(p, 2);
	tm->tm_sec = 0;
	if (**p == ':') {
		(*p)++;
		tm->tm_sec = number_take(p, 2);
	}
	return tm->tm_min >= 0 && tm->tm_min < 60 && tm->tm_sec >= 0 && tm->tm_sec < 62;
}

/* Read " +01:00" as seconds east of Greenwich. */
static bool zone_take(const char **p, bool *there, long *east)
{
	int sign, hours, minutes;

	*there = **p == ' ' && ((*p)[1] == '+' || (*p)[1] == '-');
	if (!*there)
		return !**p;
	sign = (*p)[1] == '+' ? 1 : -1;
	*p += 2;
	hours = number_take(p, 2);
	if (hours < 0 || hours > 14 || *(*p)++ != ':')
		return false;
	minutes = number_take(p, 2);
	*east = sign * (hours * 3600l + minutes * 60l);
	return minutes >= 0 && minutes < 60 && !**p;
}

int start_time_parse(const char *text, int64_t now, int64_t *time)
{
	time_t at = (time_t)now, then;
	bool has_zone = false;
	long east = 0;
	const char *p = text;
	struct tm tm;
	int fields = 0;

	localtime_r(&at, &tm);
	/* the time of day is the first word */
	if (strcspn(text, " ") != strcspn(text, ": ")) {
		fields = 0;
	} else {
		fields = date_take(&p, &tm);
		if (fields < 0 || *p++ != ' ')
			return -EINVAL;
	}
	if (!clock_take(&p, &tm) || !zone_take(&p, &has_zone, &east))
		return -EINVAL;
	for (int step = 0; step < 2; step++) {
		struct tm try = tm;

		try.tm_isdst = -1;
		try.tm_mday += step && fields == 0;
		try.tm_mon += step && fields == 1;
		try.tm_year += step && fields == 2;
		then = has_zone ? timegm(&try) - east : mktime(&try);
		if (then >= at || fields == 3)
			break;
	}
	*time = then;
	return 0;
}

/* Values */

static int must_be(struct reason_wanted *wanted, const char *name, const char *value, const char *a, const char *b)
{
	if (!strcmp(value, a) || !strcmp(value, b))
		return DRMAA_ERRNO_SUCCESS;
	return fault(wanted, DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, "%s: \"%.100s\": %s or %s is expected", name, value,
		     a, b);
}

static int path_check(enum template_attribute attribute, const char *value, struct reason_wanted *wanted)
{
	const char *colon = strchr(value, ':');

	if (colon && colon[1])
		return DRMAA_ERRNO_SUCCESS;
	return fault(wanted, DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT, "%s: \"%.100s\": [HOST]:PATH is expected",
		     attribute_names[attribute], value);
}

int attribute_check(enum template_attribute attribute, const char *value, struct reason_wanted *wanted)
{
	const char *name = attribute_names[attribute], *text;
	int64_t start;

	switch (attribute) {
	case ATTRIBUTE_STATE:
		return must_be(wanted, name, value, DRMAA_SUBMISSION_STATE_ACTIVE, DRMAA_SUBMISSION_STATE_HOLD);
	case ATTRIBUTE_JOIN: return must_be(wanted, name, value, "y", "n");
	case ATTRIBUTE_BLOCK_EMAIL: return must_be(wanted, name, value, "0", "1");
	case ATTRIBUTE_INPUT: case ATTRIBUTE_OUTPUT: case ATTRIBUTE_ERROR: return path_check(attribute, value, wanted);
	case ATTRIBUTE_START:
		if (start_time_parse(value, time(NULL), &start) == 0)
			return DRMAA_ERRNO_SUCCESS;
		return fault(wanted, DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT,
			     "%s: \"%.100s\": [[[[CC]YY/]MM/]DD] hh:mm[:ss] [{-|+}UU:uu] is expected", name, value);
	case ATTRIBUTE_NAME:
		text = job_name_fault(value);
		return text ? fault(wanted, DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, "%s: \"%.100s\": %s", name, value,
				    text)
			    : DRMAA_ERRNO_SUCCESS;
	case ATTRIBUTE_COMMAND: case ATTRIBUTE_WD:
		if (*value)
			return DRMAA_ERRNO_SUCCESS;
		return fault(wanted, DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, "%s: it is empty", name);
	case ATTRIBUTE_CATEGORY: case ATTRIBUTE_NATIVE: case ATTRIBUTES: break;
	}
	return DRMAA_ERRNO_SUCCESS;
}

int vector_check(enum vector vector, const struct word_list *values, struct reason_wanted *wanted)
{
	for (size_t k = 0; vector == VECTOR_ENV && k < values->n; k++)
		if (strcspn(values->items[k], "=") == 0)
			return fault(wanted, DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT,
				     "%s: \"%.100s\": NAME or NAME=VALUE is expected", vector_names[vector],
				     values->items[k]);
	return DRMAA_ERRNO_SUCCESS;
}
