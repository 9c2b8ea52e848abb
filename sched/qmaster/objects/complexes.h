/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of all complexes, in which each column is as wide as the widest value in it. The values
 * of each complex are therefore kept, and the text is made from all of them.
 */
#ifndef SCHED_QMASTER_OBJECTS_COMPLEXES_H
#define SCHED_QMASTER_OBJECTS_COMPLEXES_H

#include "conf/base/error.h"
#include "sched/qmaster/gdi/element.h"
#include "sched/qmaster/objects/texts.h"

/* Store the values of a complex. -ENOMEM. */
int complex_keep(struct object_texts *texts, struct text_item *item, const struct gdi_element *complex, bool *changed,
		 struct error *error);
/*
 * Return the complexes of a folder that are in the text, in its order. The caller frees the array.
 * NULL: no memory.
 */
struct text_item **complexes_in_order(const struct object_texts *texts, const char *folder, size_t *n);
/*
 * Return the text of the complexes in a folder, sorted by name, from malloc(3). "" if there are
 * none. NULL: no memory.
 */
char *complexes_join(const struct object_texts *texts, const char *folder);

#endif
