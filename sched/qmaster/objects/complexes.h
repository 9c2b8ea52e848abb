/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All complexes are one text, whose columns are as wide as the widest value in them: so of each the
 * values are kept, and the text is made of all.
 */
#ifndef SCHED_QMASTER_OBJECTS_COMPLEXES_H
#define SCHED_QMASTER_OBJECTS_COMPLEXES_H

#include "conf/error.h"
#include "sched/qmaster/gdi/element.h"
#include "sched/qmaster/objects/texts.h"

/* What it says now. -ENOMEM. */
int complex_keep(struct object_texts *texts, struct text_item *item, const struct gdi_element *complex, bool *changed,
		 struct error *error);
/* Those of a folder that are in the text, in its order; to be freed. NULL: no memory. */
struct text_item **complexes_in_order(const struct object_texts *texts, const char *folder, size_t *n);
/*
 * The text of those in a folder, by name, from malloc(3); NULL: no memory. "" where there is none.
 */
char *complexes_join(const struct object_texts *texts, const char *folder);

#endif
