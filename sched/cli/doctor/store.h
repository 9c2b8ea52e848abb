/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DOCTOR_STORE_H
#define CLI_DOCTOR_STORE_H

#include <stdbool.h>

/*
 * fairlead doctor store: check the integrity of a store. `where` is its file, or the state
 * directory of a local cell. NULL: that of `cell`. Return an exit code; EXIT_DIFFERENCE: damage was
 * found, and each finding was printed.
 */
int doctor_store(const char *cell, const char *where, bool json);

#endif
