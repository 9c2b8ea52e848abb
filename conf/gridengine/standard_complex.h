/* SPDX-License-Identifier: Apache-2.0 */
/* The complex of a new installation. */
#ifndef CONF_GRIDENGINE_STANDARD_COMPLEX_H
#define CONF_GRIDENGINE_STANDARD_COMPLEX_H

#include <stdbool.h>

#include "conf/cell.h"

/* Add all entries, sorted, to a cell that has no complex. Returns 0 or -ENOMEM. */
int standard_complex_fill(struct cell *cell);

/* Find the type of an entry. Returns false if it does not exist. */
bool standard_complex_type(const char *name, enum complex_type *type);

#endif
