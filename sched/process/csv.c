/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/csv.h"

static bool is_special(char c)
{
	return c == ',' || c == '"' || c == '\r' || c == '\n';
}

void csv_text(struct out *out, const char *text, size_t n)
{
	bool quoted = false;

	for (size_t k = 0; k < n && !quoted; k++)
		quoted = is_special(text[k]);
	out_text(out, quoted ? "\"" : "");
	for (size_t k = 0; k < n; k++) {
		char c = (unsigned char)text[k] < 0x20 || text[k] == 0x7f ? '?' : text[k];

		out_bytes(out, &c, 1);
		if (c == '"')
			out_bytes(out, &c, 1);
	}
	out_text(out, quoted ? "\"," : ",");
}
