/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Write read data again, field by field. A list that was NULL becomes NULL, an empty one stays
 * empty. The word "changed" of each is 0.
 */
#ifndef TESTS_GDI_REWRITE_H
#define TESTS_GDI_REWRITE_H

#include <endian.h>
#include <string.h>

#include "sched/qmaster/gdi/element.h"
#include "sched/qmaster/gdi/writer.h"

static inline void element_rewrite(struct gdi_writer *writer, const struct gdi_element *element);

static inline size_t words_of(const struct gdi_descriptor *descriptor, struct gdi_word *words)
{
	for (uint32_t i = 0; i < descriptor->n; i++) {
		uint32_t pair[2];

		memcpy(pair, descriptor->words + 8 * i, sizeof(pair));
		words[i] = (struct gdi_word) { be32toh(pair[0]), be32toh(pair[1]) };
	}
	return descriptor->n;
}

static inline void list_rewrite(struct gdi_writer *writer, struct gdi_list list)
{
	struct gdi_word words[GDI_FIELDS_MOST];
	struct gdi_element element;

	if (!list.descriptor.words) {
		gdi_write_null(writer);
		return;
	}
	size_t begin = gdi_list_begin(writer, list.name, words, words_of(&list.descriptor, words));

	while (gdi_next(&list, &element)) {
		gdi_element_begin(writer, begin);
		element_rewrite(writer, &element);
	}
}

/* Rewrite a value. A field that a descriptor names twice is the last one both times. */
static inline void value_rewrite(struct gdi_writer *writer, const struct gdi_element *element, struct gdi_word word)
{
	struct gdi_word words[GDI_FIELDS_MOST];
	struct gdi_element object;

	switch (word.mt & 0xff) {
	case GDI_U32:
	case GDI_BOOL:
		gdi_write_u32(writer, gdi_u32(element, word.number));
		break;
	case GDI_U64:
		gdi_write_u32(writer, gdi_u32(element, word.number));
		gdi_write_u32(writer, 0);
		break;
	case GDI_DOUBLE:
		gdi_write_double(writer, gdi_double(element, word.number));
		break;
	case GDI_STRING:
	case GDI_HOST:
		gdi_write_text(writer, gdi_text(element, word.number));
		break;
	case GDI_LIST:
		list_rewrite(writer, gdi_list(element, word.number));
		break;
	case GDI_OBJECT:
		if (gdi_object(element, word.number, &object)) {
			gdi_object_begin(writer, words, words_of(object.descriptor, words));
			element_rewrite(writer, &object);
		} else {
			gdi_write_null(writer);
		}
		break;
	default:
		break;				/* a reference has no bytes */
	}
}

static inline void element_rewrite(struct gdi_writer *writer, const struct gdi_element *element)
{
	struct gdi_word words[GDI_FIELDS_MOST];
	size_t n = words_of(element->descriptor, words);

	for (size_t i = 0; i < n; i++)
		value_rewrite(writer, element, words[i]);
}

#endif
