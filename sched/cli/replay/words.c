/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sched/cli/replay/replay.h"

char *word_seconds(char *text, double s)
{
	double of = fabs(s);

	if (of < 59.5)
		snprintf(text, REPLAY_WORD, "%.0f s", s);
	else if (of < 3570.0)
		snprintf(text, REPLAY_WORD, of < 597.0 ? "%.1f min" : "%.0f min", s / 60.0);
	else if (of < 172800.0)
		snprintf(text, REPLAY_WORD, "%.1f h", s / 3600.0);
	else
		snprintf(text, REPLAY_WORD, of < 8640000.0 ? "%.1f d" : "%.0f d", s / 86400.0);
	return text;
}

/* Copy the digits with a comma before each group of three, counted from the end. */
char *word_count(char *text, double count)
{
	char digits[REPLAY_WORD];
	int n = snprintf(digits, sizeof(digits), "%.0f", count < 1e24 ? count : 1e24), to = 0;

	for (int k = 0; k < n && to < REPLAY_WORD - 2; k++) {
		if (k > 0 && (n - k) % 3 == 0 && digits[k - 1] != '-')
			text[to++] = ',';
		text[to++] = digits[k];
	}
	text[to] = '\0';
	return text;
}

char *word_percent(char *text, double part)
{
	snprintf(text, REPLAY_WORD, "%.1f %%", 100.0 * part);
	return text;
}

char *word_factor(char *text, double factor)
{
	if (factor >= 1000.0)
		return word_count(text, factor);
	snprintf(text, REPLAY_WORD, factor < 10.0 ? "%.2f" : "%.1f", factor);
	return text;
}

char *word_date(char *text, int64_t time)
{
	time_t t = (time_t)time;
	struct tm tm;

	if (!localtime_r(&t, &tm) || !strftime(text, REPLAY_WORD, "%Y-%m-%d %H:%M", &tm))
		snprintf(text, REPLAY_WORD, "%lld", (long long)time);
	return text;
}
