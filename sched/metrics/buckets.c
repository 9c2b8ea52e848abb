/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/metrics/buckets.h"

#include <errno.h>
#include <stdlib.h>

const struct buckets buckets_usual = { .seconds = { 1, 10, 60, 300, 900, 3600, 14400, 43200, 86400, 259200, 604800 },
				       .n = 11 };

int buckets_parse(struct buckets *limits, const char *text)
{
	struct buckets parsed = { .n = 0 };

	for (const char *at = text; at; at = *at == ',' ? at + 1 : NULL) {
		char *end;
		long long seconds = strtoll(at, &end, 10);

		if (*at < '0' || *at > '9' || (*end != ',' && *end) || parsed.n == BUCKETS_MOST ||
		    seconds > 1000000000 || (parsed.n && seconds <= parsed.seconds[parsed.n - 1]))
			return -EINVAL;
		parsed.seconds[parsed.n++] = (double)seconds;
		at = end;
	}
	*limits = parsed;
	return 0;
}
