/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of few rows for people: the first column to the left, numbers to the right, each as wide
 * as it has to be. Who prints goes through the rows twice:
 *
 *     for each row: fill it, cells_measure()
 *     cells_heads()			headings of columns that nothing stands in are left out
 *     for each row: fill it, cells_print()
 */
#ifndef CLI_CELLS_H
#define CLI_CELLS_H

#include "sched/process/output.h"

#define CELL_BYTES 96
#define CELL_COLUMNS 12
#define LABEL_MOST 48			/* of a name; the rest is cut off */

typedef char table_cell[CELL_BYTES];

struct cells {				/* zero-initialise, but for `columns` */
	size_t columns;
	size_t widths[CELL_COLUMNS];
};

void cells_measure(struct cells *cells, table_cell *row);
/* Measures them, and prints them. */
void cells_heads(struct cells *cells, struct out *out, table_cell *heads);
void cells_print(const struct cells *cells, struct out *out, table_cell *row);
/* Filled up to the end of the last column, and without a newline: something stands behind it. */
void cells_print_open(const struct cells *cells, struct out *out, table_cell *row);

void cell_text(table_cell to, const char *text);	/* cut */
/* "%.5f", as qstat prints numbers, or three digits where nothing would be seen; `exact`: all. */
void cell_number(table_cell to, double value, bool exact);

#endif
