/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell that a verb makes: its files are collected in memory, looked at as fairlead lint does,
 * written beside the place where they belong, and get its name when they are complete.
 */
#ifndef CLI_CELL_NEW_CELL_H
#define CLI_CELL_NEW_CELL_H

#include <stddef.h>

#include "conf/cell_source.h"

struct new_cell {
	struct cell_files files;	/* free them with cell_files_free() */
	size_t faults, warnings;	/* that new_cell_write() found */
};

/* One file more; texts are copied. -ENOMEM. */
int new_cell_add(struct new_cell *new, const char *name, const char *text, size_t bytes);

/* Whether the directory may be made: not there, or empty. An exit code, after a message. */
int new_cell_check(const char *directory);

/*
 * Findings go to standard error. The cell is written whatever they are, as the faults of a cell
 * that was read from elsewhere must be mended somewhere. An exit code, after a message: EXIT_OK,
 * though there are faults.
 */
int new_cell_write(struct new_cell *new, const char *directory);

#endif
