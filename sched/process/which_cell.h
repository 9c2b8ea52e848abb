/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of the cell: from the command line, from the environment, or the default. */
#ifndef SCHED_PROCESS_WHICH_CELL_H
#define SCHED_PROCESS_WHICH_CELL_H

#define CELL_BY_DEFAULT "/etc/fairlead/cell"

/*
 * Return `said` from the command line, else $FAIRLEAD_CELL, else CELL_BY_DEFAULT if it exists.
 * NULL: no cell is named, and there is no default.
 */
const char *which_cell(const char *said);

/*
 * Return the cell of a Grid Engine named by $SGE_ROOT and $SGE_CELL (default: default), if nothing
 * else names a cell. NULL: there is none. Valid until the next call.
 */
const char *which_qmaster_cell(void);

/*
 * Return the origin of the cell for the end of messages: "" if the command line names it, else "
 * (...)". It refers to the last call of one of the two functions above.
 */
const char *which_cell_says(void);

#endif
