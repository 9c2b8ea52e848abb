/* SPDX-License-Identifier: Apache-2.0 */
/* Is the cell's scheduler well, by what it publishes? */
#ifndef CLI_DOCTOR_CELL_H
#define CLI_DOCTOR_CELL_H

#include <stdbool.h>

/*
 * Prints a line for each thing. As a plugin of Nagios ends: 0 all is well, 1 a warning, 2 a fault,
 * 3 and 4 (with a message) there is nothing to look at.
 */
int doctor_cell(const char *cell, bool json);

#endif
