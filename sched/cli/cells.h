/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables with few rows for people. The first column is aligned to the left, numbers to the right.
 * Each column is as wide as its longest cell. The caller makes the rows twice:
 *
 *     for each row: fill it, cells_measure()
 *     cells_heads()   headings of empty columns are left out
 *     for each row: fill it, cells_print()
 */
#ifndef CLI_CELLS_H
#define CLI_CELLS_H

#include "sched/process/output.h"

#define CELL_BYTES 96
#define CELL_COLUMNS 12
#define LABEL_MOST 48			/* bytes of a name, the rest is cut off */

typedef char table_cell[CELL_BYTES];

struct cells {				/* zero-initialised by the caller, except `columns` */
	size_t columns;
	size_t widths[CELL_COLUMNS];
};

void cells_measure(struct cells *cells, table_cell *row);
/* Measure the headings and print them. */
void cells_heads(struct cells *cells, struct out *out, table_cell *heads);
void cells_print(const struct cells *cells, struct out *out, table_cell *row);
/* Print a row padded to the end of the last column, without a newline, so that text can follow. */
void cells_print_open(const struct cells *cells, struct out *out, table_cell *row);

void cell_text(table_cell to, const char *text);	/* cut to the cell */
/*
 * Write a number as "%.5f", like qstat, or with three significant digits if that would show
 * nothing. `exact`: all digits.
 */
void cell_number(table_cell to, double value, bool exact);

#endif
