/* SPDX-License-Identifier: Apache-2.0 */
/* Health of a cell's scheduler, as far as it is published. */
#ifndef CLI_DOCTOR_CELL_H
#define CLI_DOCTOR_CELL_H

#include <stdbool.h>

/*
 * Print a line for each check. The exit status is that of a Nagios plugin: 0 well, 1 a warning, 2 a
 * fault. After a message, 3 and 4 mean that there is nothing to check.
 */
int doctor_cell(const char *cell, bool json);

#endif
