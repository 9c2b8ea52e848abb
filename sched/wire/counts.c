/* SPDX-License-Identifier: Apache-2.0 */
/* What a hub has counted, for the log. */
#include <stdio.h>

#include "sched/wire/hub.h"

void hub_counts_text(const struct hub_counts *c, char *text, size_t size)
{
	const struct {
		uint64_t n;
		const char *what;
	} rows[] = {
		{ c->unknown_keys, "of an unknown key" }, { c->no_curve, "without CURVE, or meant for another scheduler" },
		{ c->no_credential, "without a credential of MUNGE" }, { c->replayed, "replayed" }, { c->foreign, "of another session" },
		{ c->malformed, "malformed" }, { c->oversized, "too long" }, { c->pushed_out, "without a key when too many were there" },
	};
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && used < size; i++)
		if (rows[i].n)
			used += (size_t)snprintf(text + used, size - used, "%s%llu %s%s%s%s", used ? ", " : "", (unsigned long long)rows[i].n,
						 rows[i].what, i ? "" : " (the last from ", i ? "" : c->unknown_from, i ? "" : ")");
}
