/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creation of a cell by a verb. Its files are collected in memory, checked like fairlead lint does,
 * written to a temporary directory next to the target, and renamed when complete.
 */
#ifndef CLI_CELL_NEW_CELL_H
#define CLI_CELL_NEW_CELL_H

#include <stddef.h>

#include "conf/cell_source.h"

struct new_cell {
	struct cell_files files;	/* freed with cell_files_free() */
	size_t faults, warnings;	/* findings of new_cell_write() */
};

/* Add a file. The texts are copied. Return 0 or -ENOMEM. */
int new_cell_add(struct new_cell *new, const char *name, const char *text, size_t bytes);

/*
 * Check that the directory can be made: it does not exist or is empty. Return an exit code, after a
 * message.
 */
int new_cell_check(const char *directory);

/*
 * Write the cell and print findings to standard error. The cell is written even if it has faults,
 * as the faults of a cell that was imported must be repaired in the files. Return an exit code
 * after a message, or EXIT_OK, also with faults.
 */
int new_cell_write(struct new_cell *new, const char *directory);

#endif
