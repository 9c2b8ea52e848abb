/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_OBJECTS_OUT_H
#define TESTS_OBJECTS_OUT_H

#include "sched/qmaster/objects/inside.h"

/* Return the n-th object that is taken out, and the reason. NULL: there are fewer. */
static inline const char *object_out(const struct cell_objects *objects, size_t n, const char **why)
{
	for (size_t i = 0; i < objects->texts.names.n; i++)
		if (objects->texts.items[i].text && objects->texts.items[i].why && n-- == 0) {
			*why = objects->texts.items[i].why;
			return objects->texts.names.texts[i];
		}
	return NULL;
}

#endif
