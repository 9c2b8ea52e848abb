/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the files of this directory. */
#ifndef SCHED_QMASTER_OBJECTS_INSIDE_H
#define SCHED_QMASTER_OBJECTS_INSIDE_H

#include "sched/qmaster/objects/objects.h"
#include "sched/qmaster/objects/texts.h"

#define QUOTAS "rqs"			/* file of all quota sets */
#define COMPLEXES "complex"		/* file of all complexes */

struct cell_objects {
	/* Texts of the current state; texts of an open total update. */
	struct object_texts texts, next;
	bool updating, changed;
	struct cell_files files;	/* borrowed texts, except for the joined ones below */
	char *quotas, *complexes, *about;
};

/* Return whether the name of the object is in this folder. */
bool object_is_in(const char *name, const char *folder);

/*
 * Return the quota sets that are in the file, in its order. The caller frees the array. NULL: no
 * memory.
 */
struct text_item **quotas_in_order(const struct object_texts *texts, size_t *n);

/*
 * taken_out.c: mark an object as unusable. If needed, it is replaced by a text that allows fewer
 * job starts. `own`: the reason is the object's own text, regardless of other objects. -ENOMEM.
 */
int object_refuse(struct text_item *item, const char *name, const char *why, bool own);
/*
 * Also refuse the objects that refer to a refused object and would allow more job starts without
 * it. -ENOMEM.
 */
int objects_refuse_referring(struct object_texts *texts);
/* Return a text that lists the objects taken out, from malloc(3). NULL: no memory. */
char *objects_about(const struct object_texts *texts);

#endif
