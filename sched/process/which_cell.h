/* SPDX-License-Identifier: Apache-2.0 */
/* Which cell is meant: that of the command line, of the environment, or the one by default. */
#ifndef SCHED_PROCESS_WHICH_CELL_H
#define SCHED_PROCESS_WHICH_CELL_H

#define CELL_BY_DEFAULT "/etc/fairlead/cell"

/*
 * `said`, as the command line has it, else $FAIRLEAD_CELL, else CELL_BY_DEFAULT if there is one.
 * NULL: nobody says which, and there is none by default.
 */
const char *which_cell(const char *said);

/*
 * The cell of a Grid Engine that $SGE_ROOT and $SGE_CELL (without it: default) name, where nothing else
 * names a cell. NULL: there is none. It is valid until the next call.
 */
const char *which_qmaster_cell(void);

/*
 * Behind messages about the cell, how it came to be this one: "" if the command line says so, else
 * " (...)". It counts for the last call of one of the two.
 */
const char *which_cell_says(void);

#endif
