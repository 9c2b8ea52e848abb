/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of objects by name, as a cell has files: "queue/all.q". In the place of one that can't
 * be used another text may stand, or the one that it had when it could be.
 */
#ifndef SCHED_QMASTER_OBJECTS_TEXTS_H
#define SCHED_QMASTER_OBJECTS_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/text_set.h"

struct text_item {
	char *text;			/* as the qmaster has it; NULL: there is no such object (any more) */
	char *good;			/* of the cell in force; may be the same memory; NULL: none */
	char *why;			/* it can't be used; NULL: it can */
	char *instead;			/* then this is; "": nothing; NULL: `good` */
	bool own;			/* that is so as long as its text is what it is */
	bool told;			/* somebody was told */
	uint64_t summary;		/* whoever sets the text may say what it was made from */
	/* of a complex: its values as a packed element has them, from which the text of all is made */
	unsigned char *values;
	size_t nvalues;
	uint64_t place;			/* in which they came */
};

struct object_texts {				/* zero-initialise */
	struct text_set names;
	struct text_item *items;	/* by number in `names` */
	size_t capacity;
	uint64_t places;
};

void texts_free(struct object_texts *texts);
/* NULL: it was never there. */
struct text_item *texts_find(const struct object_texts *texts, const char *name);
/* Made if there is none. NULL: no memory. */
struct text_item *texts_get(struct object_texts *texts, const char *name);
/* Takes over `text` (from malloc(3); NULL: it is gone). Whether it is another one than before. */
bool text_item_set(struct object_texts *texts, struct text_item *item, char *text);
/* It can't be used, or it can again. Takes over the texts. */
void text_item_refuse(struct text_item *item, char *why, char *instead);
void text_item_allow(struct text_item *item);
/* What is to be used of it; NULL or "": nothing. */
const char *text_item_used(const struct text_item *item);
/* All that is used is good. */
void texts_accept(struct object_texts *texts);
/* What was good of those with the same name goes over to `to`. Whether what is used differs. */
bool texts_inherit(struct object_texts *to, struct object_texts *from);

#endif
