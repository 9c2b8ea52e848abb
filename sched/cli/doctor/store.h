/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DOCTOR_STORE_H
#define CLI_DOCTOR_STORE_H

#include <stdbool.h>

/*
 * fairlead doctor store: is a store sound? `where` is its file, or the state directory of a local
 * cell; NULL: that of `cell`. An exit code; EXIT_DIFFERENCE: something is damaged, and each such
 * thing was told.
 */
int doctor_store(const char *cell, const char *where, bool json);

#endif
