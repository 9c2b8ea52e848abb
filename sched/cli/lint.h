/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHED_CLI_LINT_H
#define SCHED_CLI_LINT_H

/*
 * fairlead lint [--json] [CELL]: everything that is wrong with a cell's files, to standard output.
 * `argv` is what follows the verb; `cell` is the directory taken when it names none, NULL if there
 * is no such. Exit status: 0 no faults (there may be warnings), 1 faults, 2 usage, 3 no such
 * directory, 4 it can't be read.
 */
int lint_run(const char *cell, int argc, char **argv);

#endif
