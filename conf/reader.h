/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Context of a reader of a format. conf/cell.c calls the readers of all systems one after the
 * other.
 */
#ifndef CONF_READER_H
#define CONF_READER_H

#include <stdbool.h>

#include "conf/cell.h"

struct reader {
	struct cell *cell;
	struct report *report;
	const char *dir;
	/* true: the complex has no fault, so names that are not in it are reported */
	bool complex_valid;
};

/* Return dir/name, or dir/folder/name if `folder` is not NULL. The caller frees it. */
char *path_join(const char *dir, const char *folder, const char *name);

#endif
