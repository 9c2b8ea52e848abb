/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a cell that have no effect in a local cell, fairlead-local(7). */
#ifndef CLI_CELL_LINT_LOCAL_H
#define CLI_CELL_LINT_LOCAL_H

#include "conf/cell.h"

/* Report each such setting as a warning. */
void lint_local(const struct cell *cell, struct report *report);

#endif
