/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share. */
#ifndef SCHED_QMASTER_OBJECTS_INSIDE_H
#define SCHED_QMASTER_OBJECTS_INSIDE_H

#include "sched/qmaster/objects/objects.h"
#include "sched/qmaster/objects/texts.h"

#define QUOTAS "rqs"			/* all sets are one file */
#define COMPLEXES "complex"		/* and so are all complexes */

struct cell_objects {
	struct object_texts texts, next;	/* in force; of a total update that is open */
	bool updating, changed;
	struct cell_files files;	/* borrowed texts, but for those that are joined: */
	char *quotas, *complexes, *about;
};

/* Whether the object's name lies in this folder. */
bool object_is_in(const char *name, const char *folder);

/* Those of a folder that are in its file, in the file's order; to be freed. NULL: no memory. */
struct text_item **quotas_in_order(const struct object_texts *texts, size_t *n);

/*
 * taken_out.c: the object can't be used; something that starts less stands in its place, where that
 * is needed. `own`: for what its own text is, whatever becomes of others. -ENOMEM.
 */
int object_refuse(struct text_item *item, const char *name, const char *why, bool own);
/* What names a refused object is refused, too, where it would start more without it. -ENOMEM. */
int objects_refuse_referring(struct object_texts *texts);
/* A text that says what is taken out, from malloc(3). NULL: no memory. */
char *objects_about(const struct object_texts *texts);

#endif
