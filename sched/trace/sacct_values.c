/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/trace/sacct_values.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "sched/trace/inside.h"

/*
 * Read digits at *at and move it after them. False: there are none, or the number is larger than
 * `most`.
 */
static bool digits_read(const char **at, uint64_t most, uint64_t *value)
{
	const char *begin = *at;

	for (*value = 0; isdigit((unsigned char)**at); ++*at) {
		*value = 10 * *value + (uint64_t)(**at - '0');
		if (*value > most)
			return false;
	}
	return *at > begin;
}

int sacct_id_read(const char *text, struct sacct_id *id)
{
	uint64_t number, more = 0;

	*id = (struct sacct_id){ 0 };
	if (!digits_read(&text, UINT32_MAX, &number))
		return -EINVAL;
	id->number = (uint32_t)number;
	if (strncmp(text, "_[", 2) == 0) {
		id->is_array = id->is_pending = true;
		text = strchr(text, ']');
		if (!text)
			return -EINVAL;
		text++;
	} else if (*text == '_' || *text == '+') {
		char mark = *text++;

		if (!digits_read(&text, UINT32_MAX - number, &more))
			return -EINVAL;
		id->is_array = mark == '_';
		id->is_component = mark == '+';
		if (id->is_array)
			id->task = (uint32_t)more;
		else
			id->number += (uint32_t)more;
	}
	id->is_step = *text == '.';
	return *text == '\0' || id->is_step ? 0 : -EINVAL;
}

static int two_digits(const char *text)
{
	return isdigit((unsigned char)text[0]) && isdigit((unsigned char)text[1]) ? 10 * (text[0] - '0') + text[1] - '0'
										  : -1;
}

/* Return the beginning of a local hour. Many jobs have the same hour, and mktime(3) is slow. */
static int64_t hour_begins(struct sacct *sacct, int year, int month, int day, int hour)
{
	int64_t key = (((int64_t)year * 12 + month) * 31 + day) * 24 + hour;
	size_t at = (size_t)key % (sizeof(sacct->hours) / sizeof(*sacct->hours));
	struct tm tm = { .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = hour, .tm_isdst = -1 };

	if (sacct->hours[at].hour != key) {
		sacct->hours[at].hour = key;
		sacct->hours[at].epoch = mktime(&tm);
	}
	return sacct->hours[at].epoch;
}

static int date_read(struct sacct *sacct, const char *text, int64_t *time)
{
	static const int days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int century, year, month, day, hour, minute, second;

	if (strlen(text) != 19 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
	    text[16] != ':')
		return -EINVAL;
	century = two_digits(text), year = two_digits(text + 2), month = two_digits(text + 5),
	day = two_digits(text + 8);
	hour = two_digits(text + 11), minute = two_digits(text + 14), second = two_digits(text + 17);
	if (century < 0 || year < 0 || month < 1 || month > 12 || day < 1 || day > days[month - 1] || hour < 0 ||
	    hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
		return -EINVAL;
	year += 100 * century;
	if (year < 1971)		/* after 1970 in any time zone */
		return -EINVAL;
	*time = hour_begins(sacct, year, month, day, hour) + 60 * minute + second;
	return *time > 0 ? 0 : -EINVAL;
}

int sacct_time(struct sacct *sacct, const char *text, int64_t *time)
{
	const char *at = text;
	uint64_t seconds;

	*time = -1;
	if (strcasecmp(text, "Unknown") == 0 || strcasecmp(text, "None") == 0 || strcasecmp(text, "N/A") == 0)
		return 0;
	if (digits_read(&at, (uint64_t)TIME_MOST, &seconds) && !*at) {
		*time = (int64_t)seconds;
		return 0;
	}
	return date_read(sacct, text, time);
}

int sacct_seconds(const char *text, int64_t unit, int64_t *seconds)
{
	uint64_t days = 0, part, sum = 0;
	const char *at = text;
	int parts = 0;

	*seconds = -1;
	if (!*text || strcasecmp(text, "UNLIMITED") == 0 || strcasecmp(text, "Partition_Limit") == 0)
		return 0;
	if (!digits_read(&at, (uint64_t)SECONDS_MOST, &part))
		return -EINVAL;
	if (!*at) {
		sum = part * (uint64_t)unit;
		*seconds = (int64_t)sum;
		return sum <= (uint64_t)SECONDS_MOST ? 0 : -EINVAL;
	}
	if (*at == '-') {
		days = part;
		at++;
		if (!digits_read(&at, (uint64_t)SECONDS_MOST, &part))
			return -EINVAL;
	}
	for (sum = part; *at == ':' && parts < 2; sum = 60 * sum + part, parts++) {
		at++;
		if (!digits_read(&at, (uint64_t)SECONDS_MOST, &part))
			return -EINVAL;
	}
	if (*at == '.')
		at += 1 + strspn(at + 1, "0123456789");
	sum += days * 86400;
	if (*at || parts == 0 || (days > 0 && parts < 2) || sum > (uint64_t)SECONDS_MOST)
		return -EINVAL;
	*seconds = (int64_t)sum;
	return 0;
}

int sacct_count(const char *text, int64_t most, int64_t *count)
{
	uint64_t value = 0;

	if (*text && (!digits_read(&text, (uint64_t)most, &value) || *text))
		return -EINVAL;
	*count = (int64_t)value;
	return 0;
}

int sacct_memory(const char *text, double *bytes, char *of)
{
	static const char units[] = "KMGTP";
	const char *unit;
	char *end;

	*bytes = 0;
	*of = '\0';
	if (!*text || strcmp(text, "?") == 0)
		return 0;
	if (!isdigit((unsigned char)*text) || strspn(text, "0123456789.") > 20)
		return -EINVAL;
	*bytes = strtod(text, &end) * (1 << 20);
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit) {
		*bytes = ldexp(*bytes, 10 * (int)(unit - units) - 10);
		end++;
	}
	if (*end == 'c' || *end == 'n')
		*of = *end++;
	return *end ? -EINVAL : 0;
}
