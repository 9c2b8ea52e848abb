/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of objects by name, such as "queue/all.q" for the file of a cell. An object that cannot be
 * used may be replaced by another text, or by its own last usable text.
 */
#ifndef SCHED_QMASTER_OBJECTS_TEXTS_H
#define SCHED_QMASTER_OBJECTS_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/text_set.h"

struct text_item {
	/* Text from the qmaster; NULL: the object does not exist (any more) */
	char *text;
	/* Text in the active cell, perhaps the same memory; NULL: none. */
	char *good;
	char *why;			/* reason why `text` cannot be used; NULL: it can */
	/* Replacement then; "": none, the object is left out; NULL: `good`. */
	char *instead;
	bool own;			/* the reason holds until the text changes */
	bool reported;			/* the reason was reported */
	uint64_t summary;		/* free for the caller: identifies the source of the text */
	/*
	 * Values of a complex in the form of a packed element, from which the common text is made.
	 */
	unsigned char *values;
	size_t nvalues;
	uint64_t place;			/* order of arrival */
};

struct object_texts {				/* zero-initialise */
	struct text_set names;
	struct text_item *items;	/* indexed by the number in `names` */
	size_t capacity;
	uint64_t places;
};

void texts_free(struct object_texts *texts);
/* Find an object. NULL: it never existed. */
struct text_item *texts_find(const struct object_texts *texts, const char *name);
/* Find an object, and create it if needed. NULL: no memory. */
struct text_item *texts_get(struct object_texts *texts, const char *name);
/*
 * Set the text, from malloc(3), which is taken over. NULL: the object is gone. Returns whether the
 * text has changed.
 */
bool text_item_set(struct object_texts *texts, struct text_item *item, char *text);
/* Mark an object as unusable, or as usable again. Takes over the texts. */
void text_item_refuse(struct text_item *item, char *why, char *instead);
void text_item_allow(struct text_item *item);
/* Return the text to use. NULL or "": the object is left out. */
const char *text_item_used(const struct text_item *item);
/* Mark all texts in use as good. */
void texts_accept(struct object_texts *texts);
/*
 * Move the good texts of objects with the same names to `to`. Returns whether the texts in use
 * differ.
 */
bool texts_inherit(struct object_texts *to, struct object_texts *from);

#endif
