/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What has been read, written again field by field. A list that was NULL becomes NULL, one that was
 * empty stays empty; the word "changed" of each is 0.
 */
#ifndef TESTS_GDI_REWRITE_H
#define TESTS_GDI_REWRITE_H

#include <endian.h>
#include <string.h>

#include "sched/qmaster/gdi/element.h"
#include "sched/qmaster/gdi/writer.h"

static inline void element_rewrite(struct gdi_writer *w, const struct gdi_element *e);

static inline size_t words_of(const struct gdi_descriptor *d, struct gdi_word *words)
{
	for (uint32_t i = 0; i < d->n; i++) {
		uint32_t pair[2];

		memcpy(pair, d->words + 8 * i, sizeof(pair));
		words[i] = (struct gdi_word) { be32toh(pair[0]), be32toh(pair[1]) };
	}
	return d->n;
}

static inline void list_rewrite(struct gdi_writer *w, struct gdi_list list)
{
	struct gdi_word words[GDI_FIELDS_MOST];
	struct gdi_element e;

	if (!list.descriptor.words) {
		gdi_write_null(w);
		return;
	}
	size_t begin = gdi_list_begin(w, list.name, words, words_of(&list.descriptor, words));

	while (gdi_next(&list, &e)) {
		gdi_element_begin(w, begin);
		element_rewrite(w, &e);
	}
}

/* A field that a descriptor names twice is the last one both times. */
static inline void value_rewrite(struct gdi_writer *w, const struct gdi_element *e, struct gdi_word word)
{
	struct gdi_word words[GDI_FIELDS_MOST];
	struct gdi_element object;

	switch (word.mt & 0xff) {
	case GDI_U32:
	case GDI_BOOL:
		gdi_write_u32(w, gdi_u32(e, word.number));
		break;
	case GDI_U64:
		gdi_write_u32(w, gdi_u32(e, word.number));
		gdi_write_u32(w, 0);
		break;
	case GDI_DOUBLE:
		gdi_write_double(w, gdi_double(e, word.number));
		break;
	case GDI_STRING:
	case GDI_HOST:
		gdi_write_text(w, gdi_text(e, word.number));
		break;
	case GDI_LIST:
		list_rewrite(w, gdi_list(e, word.number));
		break;
	case GDI_OBJECT:
		if (gdi_object(e, word.number, &object)) {
			gdi_object_begin(w, words, words_of(object.descriptor, words));
			element_rewrite(w, &object);
		} else {
			gdi_write_null(w);
		}
		break;
	default:
		break;				/* a reference has no bytes */
	}
}

static inline void element_rewrite(struct gdi_writer *w, const struct gdi_element *e)
{
	struct gdi_word words[GDI_FIELDS_MOST];
	size_t n = words_of(e->descriptor, words);

	for (size_t i = 0; i < n; i++)
		value_rewrite(w, e, words[i]);
}

#endif
