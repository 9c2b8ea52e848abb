/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DOCTOR_QMASTER_H
#define CLI_DOCTOR_QMASTER_H

#include <stdbool.h>

/*
 * fairlead doctor qmaster: check whether this user on this host may be the scheduler of a real
 * qmaster, and print which one is registered now. `where` is ROOT/CELL. NULL: `cell`, or the cell
 * of SGE_ROOT and SGE_CELL. Return an exit code; EXIT_DIFFERENCE: an obstacle was reported, with
 * the command that removes it.
 */
int doctor_qmaster(const char *cell, const char *where, bool json);

#endif
