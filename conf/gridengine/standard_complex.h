/* SPDX-License-Identifier: Apache-2.0 */
/* The complex of a fresh installation. */
#ifndef CONF_GRIDENGINE_STANDARD_COMPLEX_H
#define CONF_GRIDENGINE_STANDARD_COMPLEX_H

#include <stdbool.h>

#include "conf/cell.h"

/* The cell, which has none, gets all entries, sorted. 0 or -ENOMEM. */
int standard_complex_fill(struct cell *cell);

/* False if there is no such entry. */
bool standard_complex_type(const char *name, enum complex_type *type);

#endif
