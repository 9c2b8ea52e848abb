/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DOCTOR_QMASTER_H
#define CLI_DOCTOR_QMASTER_H

#include <stdbool.h>

/*
 * fairlead doctor qmaster: may this user on this host be the scheduler of a real qmaster, and who
 * is it now? `where` is ROOT/CELL; NULL: `cell`, or what SGE_ROOT and SGE_CELL say. An exit code;
 * EXIT_DIFFERENCE: something is in the way, and was told with the command that puts it right.
 */
int doctor_qmaster(const char *cell, const char *where, bool json);

#endif
