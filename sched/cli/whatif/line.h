/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of `fairlead whatif` for people. */
#ifndef CLI_WHATIF_LINE_H
#define CLI_WHATIF_LINE_H

#include <stdarg.h>
#include <stdio.h>

#include "conf/base/utf8.h"
#include "sched/cli/whatif/whatif.h"

/* Print one line of printable characters. */
static inline void __attribute__((format(printf, 2, 3))) whatif_line(struct out *out, const char *format, ...)
{
	char text[2000 + 40 * WHATIF_COLUMNS_MOST];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	utf8_clean(text);
	out_text(out, text);
	out_text(out, "\n");
}

/* Return the name of a column: "A", "B", ... */
static inline const char *whatif_letter(const struct whatif_query *query, size_t k)
{
	static char text[3];

	if (query->ncolumns == 1)
		return "";
	snprintf(text, sizeof(text), "%s%c", k < 26 ? "" : (char[]){ (char)('A' + k / 26 - 1), '\0' },
		 (char)('A' + k % 26));
	return text;
}

/* whatif/targets.c: print a column's table. Nothing is printed if no target differs. */
void whatif_print_targets(struct out *out, const struct whatif_query *query, size_t k);

#endif
