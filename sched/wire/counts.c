/* SPDX-License-Identifier: Apache-2.0 */
/* Text of the hub's counters, for the log. */
#include <stdio.h>

#include "sched/wire/hub.h"

void hub_counts_text(const struct hub_counts *counts, char *text, size_t size)
{
	const struct {
		uint64_t n;
		const char *what;
	} rows[] = {
		{ counts->unknown_keys, "of an unknown key" },
		{ counts->no_curve, "without CURVE, or meant for another scheduler" },
		{ counts->no_credential, "without a credential of MUNGE" },
		{ counts->replayed, "replayed" },
		{ counts->foreign, "of another session" },
		{ counts->malformed, "malformed" },
		{ counts->oversized, "too long" },
		{ counts->pushed_out, "without a key when there were too many" },
	};
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && used < size; i++)
		if (rows[i].n)
			used += (size_t)snprintf(text + used, size - used, "%s%llu %s%s%s%s", used ? ", " : "",
						 (unsigned long long)rows[i].n, rows[i].what,
						 i ? "" : " (the last from ", i ? "" : counts->unknown_from,
						 i ? "" : ")");
}
