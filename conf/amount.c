/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/amount.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/number.h"

#define SIZE_BYTES 64			/* longer than any size */

/* Durations */

static bool whole_take(const char **text, uint64_t *number)
{
	size_t digits = strspn(*text, "0123456789");

	if (digits == 0 || digits > 10)
		return false;
	for (*number = 0; digits > 0; digits--, ++*text)
		*number = 10 * *number + (uint64_t)(**text - '0');
	return true;
}

/* Read "1d12h30m"; each unit once, the largest first. */
static int units_parse(const char *text, uint64_t *seconds)
{
	static const char letters[] = "wdhms";
	static const uint32_t lengths[] = { 604800, 86400, 3600, 60, 1 };
	size_t next = 0;

	for (*seconds = 0; *text || next == 0;) {
		const char *at;
		uint64_t number;

		if (!whole_take(&text, &number) || !*text)
			return -EINVAL;
		at = strchr(letters + next, *text++);
		if (!at)
			return -EINVAL;
		next = (size_t)(at - letters) + 1;
		*seconds += number * lengths[at - letters];
	}
	return 0;
}

/* Read "10:00", minutes and seconds. */
static int minutes_parse(const char *text, uint64_t *seconds)
{
	uint64_t minutes, rest;

	if (!whole_take(&text, &minutes) || *text++ != ':' || !whole_take(&text, &rest) || *text || rest > 59)
		return -EINVAL;
	*seconds = 60 * minutes + rest;
	return 0;
}

int amount_time(const char *text, uint32_t *seconds)
{
	uint64_t found;

	if (units_parse(text, &found) && minutes_parse(text, &found))
		return number_time(text, seconds);
	if (found >= UINT32_MAX)
		return -ERANGE;
	*seconds = (uint32_t)found;
	return 0;
}

bool amount_is_lenient(const char *text)
{
	uint64_t seconds;

	return units_parse(text, &seconds) == 0 || minutes_parse(text, &seconds) == 0;
}

/* Sizes */

size_t amount_size_length(const char *text)
{
	size_t n = strlen(text), kept;

	if (n < 2 || (text[n - 1] != 'B' && text[n - 1] != 'b'))
		return n;
	kept = n - 1 - (text[n - 2] == 'i');
	if (kept == 0)
		return n;
	if (strchr("kKmMgGtT", text[kept - 1]))
		return kept;
	return kept == n - 1 && isdigit((unsigned char)text[kept - 1]) ? kept : n;
}

int amount_size(const char *text, double *bytes)
{
	char plain[SIZE_BYTES];
	size_t n = amount_size_length(text);
	int rc;

	if (n == 0 || n >= sizeof(plain))
		return -EINVAL;
	snprintf(plain, sizeof(plain), "%.*s", (int)n, text);
	rc = number_parse(plain, bytes);
	return rc == 0 && *bytes < 0 ? -EINVAL : rc;
}
