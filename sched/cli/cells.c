/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/cells.h"

#include <math.h>
#include <stdio.h>

#include "sched/cli/text.h"

#define GAP 2u				/* blanks between two columns and before the first */

void cells_measure(struct cells *cells, table_cell *row)
{
	for (size_t i = 0; i < cells->columns; i++) {
		size_t width = strlen(row[i]);

		cells->widths[i] = width > cells->widths[i] ? width : cells->widths[i];
	}
}

void cells_heads(struct cells *cells, struct out *out, table_cell *heads)
{
	for (size_t i = 0; i < cells->columns; i++) {
		size_t width = strlen(heads[i]);

		if (cells->widths[i] == 0)
			heads[i][0] = '\0';
		else if (width > cells->widths[i])
			cells->widths[i] = width;
	}
	cells_print(cells, out, heads);
}

static void line_put(const struct cells *cells, struct out *out, table_cell *row, bool open)
{
	char line[CELL_COLUMNS * (CELL_BYTES + GAP) + GAP], *p = text_blanks(line, GAP), *last = line;

	for (size_t i = 0; i < cells->columns; i++) {
		char *begin = p;

		if (cells->widths[i] == 0)
			continue;
		p = text_column(p, row[i], strlen(row[i]));
		p = i == 0 ? text_pad(begin, p, cells->widths[i]) : text_pad_left(begin, p, cells->widths[i]);
		if (*row[i])
			last = p;
		p = text_blanks(p, GAP);
	}
	if (open)
		last = p - GAP;
	out_bytes(out, line, (size_t)(last - line));
}

void cells_print_open(const struct cells *cells, struct out *out, table_cell *row)
{
	line_put(cells, out, row, true);
}

void cells_print(const struct cells *cells, struct out *out, table_cell *row)
{
	line_put(cells, out, row, false);
	out_text(out, "\n");
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
