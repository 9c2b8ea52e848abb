/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/cells.h"

#include <math.h>
#include <stdio.h>

#include "sched/cli/text.h"

#define GAP 2u				/* between two columns, and before the first one */

void cells_measure(struct cells *c, table_cell *row)
{
	for (size_t i = 0; i < c->columns; i++) {
		size_t width = strlen(row[i]);

		c->widths[i] = width > c->widths[i] ? width : c->widths[i];
	}
}

void cells_heads(struct cells *c, struct out *o, table_cell *heads)
{
	for (size_t i = 0; i < c->columns; i++) {
		size_t width = strlen(heads[i]);

		if (c->widths[i] == 0)
			heads[i][0] = '\0';
		else if (width > c->widths[i])
			c->widths[i] = width;
	}
	cells_print(c, o, heads);
}

static void line_put(const struct cells *c, struct out *o, table_cell *row, bool open)
{
	char line[CELL_COLUMNS * (CELL_BYTES + GAP) + GAP], *p = text_blanks(line, GAP), *last = line;

	for (size_t i = 0; i < c->columns; i++) {
		char *begin = p;

		if (c->widths[i] == 0)
			continue;
		p = text_column(p, row[i], strlen(row[i]));
		p = i == 0 ? text_pad(begin, p, c->widths[i]) : text_pad_left(begin, p, c->widths[i]);
		if (*row[i])
			last = p;
		p = text_blanks(p, GAP);
	}
	if (open)
		last = p - GAP;
	out_bytes(o, line, (size_t)(last - line));
}

void cells_print_open(const struct cells *c, struct out *o, table_cell *row)
{
	line_put(c, o, row, true);
}

void cells_print(const struct cells *c, struct out *o, table_cell *row)
{
	line_put(c, o, row, false);
	out_text(o, "\n");
}

void cell_text(table_cell to, const char *text)
{
	snprintf(to, CELL_BYTES, "%.*s", LABEL_MOST, text);
}

static bool is_plain(double value)
{
	return value == 0.0 || (fabs(value) >= 0.0001 && fabs(value) < 1e15);
}

void cell_number(table_cell to, double value, bool exact)
{
	snprintf(to, CELL_BYTES, exact ? "%.17g" : is_plain(value) ? "%.5f" : "%.3g", value);
}
