/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reader of a format is given: conf/cell.c calls those of all systems, one after the other.
 */
#ifndef CONF_READER_H
#define CONF_READER_H

#include <stdbool.h>

#include "conf/cell.h"

struct reader {
	struct cell *cell;
	struct report *report;
	const char *dir;
	/* no fault in the complex: names that it lacks are worth a message */
	bool complex_valid;
};

/* dir/name, or dir/folder/name when `folder` is given; allocated. */
char *path_join(const char *dir, const char *folder, const char *name);

#endif
