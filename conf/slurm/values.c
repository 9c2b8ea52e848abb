/* SPDX-License-Identifier: Apache-2.0 */
/* Types of values in slurm.conf(5): times, numbers, booleans. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/slurm/files.h"

#define TIME_ALLOWED "minutes, [hours:]minutes:seconds, days-hours[:minutes[:seconds]] or INFINITE is allowed"

/* limit on each part of a time, so that sums cannot overflow */
#define TIME_PART_MOST ((uint64_t)1 << 40)

static bool is_infinite(const char *text)
{
	return !strcasecmp(text, "INFINITE") || !strcasecmp(text, "UNLIMITED");
}

/* Read the digits at *text into *part and move *text past them. */
static bool time_part(const char **text, uint64_t *part)
{
	if (!isdigit((unsigned char)**text))
		return false;
	for (*part = 0; isdigit((unsigned char)**text); (*text)++)
		if (*part < TIME_PART_MOST)
			*part = *part * 10 + (uint64_t)(**text - '0');
	return true;
}

/*
 * Read up to three parts separated by colons, up to the end of the text. Returns their number, or 0
 * for any other text.
 */
static size_t time_parts(const char *text, uint64_t parts[3])
{
	size_t n = 0;

	do {
		if (n == 3 || !time_part(&text, &parts[n]))
			return 0;
		n++;
	} while (*text++ == ':');
	return text[-1] ? 0 : n;
}

static bool time_seconds(const char *text, uint64_t *seconds)
{
	static const uint64_t clocks[4][3] = { { 0 }, { 60 }, { 60, 1 }, { 3600, 60, 1 } },
			      behind_days[3] = { 3600, 60, 1 };
	const char *dash = strchr(text, '-'), *rest = text;
	uint64_t days = 0, parts[3];
	size_t n = 0, i;

	if (dash && (!time_part(&rest, &days) || rest != dash))
		return false;
	*seconds = days * 86400;
	if (dash && !dash[1])		/* "7-" */
		return true;
	n = time_parts(dash ? dash + 1 : text, parts);
	for (i = 0; i < n; i++)
		*seconds += parts[i] * (dash ? behind_days[i] : clocks[n][i]);
	return n > 0;
}

int slurm_minutes(const char *text, uint32_t *minutes, struct error *error)
{
	uint64_t seconds;

	if (is_infinite(text) || !strcmp(text, "-1")) {
		*minutes = SLURM_INFINITE;
		return 0;
	}
	if (!time_seconds(text, &seconds))
		return error_set(error, -EINVAL, TIME_ALLOWED);
	if (seconds > (uint64_t)(UINT32_MAX - 59) / 60 * 60)
		return error_set(error, -EINVAL, "at most 71582788 minutes are allowed, or INFINITE");
	*minutes = (uint32_t)((seconds + 59) / 60);
	return 0;
}

int slurm_number(const char *text, uint64_t high, uint64_t *value, struct error *error)
{
	unsigned long long v;
	uint64_t factor = 1;
	char *end;

	if (is_infinite(text)) {
		*value = high;
		return 0;
	}
	errno = 0;
	v = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text))
		end = (char *)text;
	if (*end && end > text && !end[1])
		factor = strchr("kK", *end) ? 1024 : strchr("mM", *end) ? 1024 * 1024 : 0;
	if (end == text || (*end && (end[1] || !factor)) || errno == ERANGE || v > high / factor)
		return error_set(error, -EINVAL, "a whole number from 0 to %llu is allowed", (unsigned long long)high);
	*value = v * factor;
	return 0;
}

int slurm_bool(const char *text, bool *value, struct error *error)
{
	static const char *const words[] = { "no", "down", "false", "0", "yes", "up", "true", "1" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!strcasecmp(text, words[i])) {
			*value = i >= 4;
			return 0;
		}
	}
	return error_set(error, -EINVAL, "YES or NO is allowed");
}

int slurm_text(char **member, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*member);
	*member = copy;
	return 0;
}

void slurm_lower(char *text)
{
	for (; *text; text++)
		*text = (char)tolower((unsigned char)*text);
}
