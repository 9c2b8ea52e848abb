/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/objects/complexes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/gdi/writer.h"
#include "sched/qmaster/objects/text.h"

static const uint32_t fields[] = { CE_name,	   CE_shortcut,	  CE_valtype, CE_relop,
				   CE_requestable, CE_consumable, CE_default, CE_urgency_weight };

#define FIELDS (sizeof(fields) / sizeof(*fields))

static bool is_text(uint32_t field)
{
	return (gdi_field(field)->mt & 0xff) == GDI_STRING;
}

/* Return a text that identifies a version of a complex: its name and a checksum of its values. */
static char *text_of(const struct gdi_element *complex, const struct gdi_writer *writer)
{
	uint64_t sum = 14695981039346656037u;
	char *text;

	for (size_t i = 0; i < writer->n; i++)
		sum = (sum ^ writer->bytes[i]) * 1099511628211u;
	return asprintf(&text, "%s\n%016llx", gdi_text(complex, CE_name), (unsigned long long)sum) < 0 ? NULL : text;
}

int complex_keep(struct object_texts *texts, struct text_item *item, const struct gdi_element *complex, bool *changed,
		 struct error *error)
{
	struct gdi_writer writer = { 0 };
	bool same;
	char *text;

	for (size_t i = 0; i < FIELDS; i++)
		if (is_text(fields[i]))
			gdi_write_text(&writer, gdi_text(complex, fields[i]));
		else
			gdi_write_u32(&writer, gdi_u32(complex, fields[i]));
	same = item->text && writer.rc == 0 && writer.n == item->nvalues &&
	       memcmp(writer.bytes, item->values, writer.n) == 0;
	text = same ? NULL : text_of(complex, &writer);
	if (writer.rc || (!same && !text)) {
		gdi_writer_free(&writer);
		free(text);
		return error_set(error, -ENOMEM, "out of memory");
	}
	if (same) {
		gdi_writer_free(&writer);
		return 0;
	}
	free(item->values);
	item->values = writer.bytes;
	item->nvalues = writer.n;
	text_item_set(texts, item, text);
	*changed = true;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct text_item *const *)a)->text, (*(struct text_item *const *)b)->text);
}

static int list_write(struct gdi_writer *writer, struct text_item *const *items, size_t n)
{
	struct gdi_word words[FIELDS];
	size_t list;

	for (size_t i = 0; i < FIELDS; i++)
		words[i] = (struct gdi_word){ fields[i], gdi_field(fields[i])->mt | GDI_REDUCED };
	list = gdi_list_begin(writer, "", words, FIELDS);
	for (size_t i = 0; i < n; i++) {
		gdi_element_begin(writer, list);
		gdi_write_bytes(writer, items[i]->values, items[i]->nvalues);
	}
	gdi_list_end(writer, list);
	return writer->rc;
}

struct text_item **complexes_in_order(const struct object_texts *texts, const char *folder, size_t *n)
{
	struct text_item **items = calloc(texts->names.n + 1, sizeof(*items));
	size_t length = strlen(folder);

	*n = 0;
	for (size_t i = 0; items && i < texts->names.n; i++)
		if (strncmp(texts->names.texts[i], folder, length) == 0 && texts->names.texts[i][length] == '/' &&
		    texts->items[i].text && !texts->items[i].why)
			items[(*n)++] = &texts->items[i];
	if (items)
		qsort(items, *n, sizeof(struct text_item *), by_name);
	return items;
}

char *complexes_join(const struct object_texts *texts, const char *folder)
{
	struct gdi_writer writer = { 0 };
	struct page page = { 0 };
	struct gdi_list list;
	struct error error;
	size_t n;
	struct text_item **items = complexes_in_order(texts, folder, &n);

	page_put(&page, "");
	if (items && n > 0) {
		if (list_write(&writer, items, n) == 0 &&
		    gdi_take_list(&(struct gdi_buffer){ writer.bytes, writer.bytes + writer.n }, &list, &error) == 0)
			text_complexes(&page, &list);
		else
			page.rc = -ENOMEM;
	}
	gdi_writer_free(&writer);
	free(items);
	if (!items || page.rc)
		page_free(&page);
	return page.bytes;
}
