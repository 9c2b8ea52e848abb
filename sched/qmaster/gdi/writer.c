/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/writer.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/gdi/bytes.h"

void gdi_writer_free(struct gdi_writer *writer)
{
	free(writer->bytes);
	*writer = (struct gdi_writer) { 0 };
}

/* Extend the buffer by n bytes, which count as written. NULL after memory was exhausted. */
static unsigned char *writer_extend(struct gdi_writer *writer, size_t n)
{
	if (writer->rc != 0)
		return NULL;
	if (n > writer->capacity - writer->n) {
		size_t capacity = writer->capacity ? writer->capacity : 256;
		unsigned char *bytes;

		while (capacity - writer->n < n && capacity <= SIZE_MAX / 2)
			capacity *= 2;
		bytes = capacity - writer->n < n ? NULL : realloc(writer->bytes, capacity);
		if (!bytes) {
			writer->rc = -ENOMEM;
			return NULL;
		}
		writer->bytes = bytes;
		writer->capacity = capacity;
	}
	writer->n += n;
	return writer->bytes + writer->n - n;
}

void gdi_write_bytes(struct gdi_writer *writer, const void *bytes, size_t n)
{
	unsigned char *to = writer_extend(writer, n);

	if (to && n)
		memcpy(to, bytes, n);
}

void gdi_write_u32(struct gdi_writer *writer, uint32_t value)
{
	value = htobe32(value);
	gdi_write_bytes(writer, &value, sizeof(value));
}

void gdi_write_double(struct gdi_writer *writer, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	bits = htobe64(bits);
	gdi_write_bytes(writer, &bits, sizeof(bits));
}

void gdi_write_text(struct gdi_writer *writer, const char *text)
{
	if (!text)
		text = "";
	gdi_write_bytes(writer, text, strlen(text) + 1);
}

void gdi_write_null(struct gdi_writer *writer)
{
	gdi_write_u32(writer, 0);
}

void gdi_write_header(struct gdi_writer *writer)
{
	gdi_write_u32(writer, 0);
	gdi_write_u32(writer, GDI_VERSION_BUFFER);
}

static void descriptor_write(struct gdi_writer *writer, const struct gdi_word *words, size_t n)
{
	gdi_write_u32(writer, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		gdi_write_u32(writer, words[i].number);
		gdi_write_u32(writer, words[i].mt);
	}
}

/* Write the changes like 8.1.9: one bit for each field, none of them set. */
static void changes_write(struct gdi_writer *writer, size_t n)
{
	static const unsigned char none[(GDI_FIELDS_MOST + 7) / 8];

	gdi_write_u32(writer, (uint32_t)n);
	gdi_write_bytes(writer, none, (n + 7) / 8);
}

size_t gdi_list_begin(struct gdi_writer *writer, const char *name, const struct gdi_word *words, size_t n)
{
	size_t list = writer->n;

	gdi_write_u32(writer, 1);
	gdi_write_u32(writer, 0);			/* number of elements so far */
	gdi_write_text(writer, name);
	gdi_write_u32(writer, 0);
	descriptor_write(writer, words, n);
	return list;
}

void gdi_element_begin(struct gdi_writer *writer, size_t list)
{
	if (writer->rc != 0)
		return;

	unsigned char *head = writer->bytes + list;
	uint32_t count = htobe32(bytes_u32(head + 4) + 1);
	uint32_t n = bytes_u32(head + 8 + strlen((const char *)head + 8) + 1 + 4);

	memcpy(head + 4, &count, sizeof(count));
	gdi_write_u32(writer, GDI_STATUS_LISTED);
	changes_write(writer, n);
}

void gdi_list_end(struct gdi_writer *writer, size_t list)
{
	if (writer->rc != 0 || bytes_u32(writer->bytes + list + 4) != 0)
		return;
	writer->n = list;
	gdi_write_null(writer);
}

void gdi_object_begin(struct gdi_writer *writer, const struct gdi_word *words, size_t n)
{
	gdi_write_u32(writer, 1);
	descriptor_write(writer, words, n);
	gdi_write_u32(writer, GDI_STATUS_OBJECT);
	changes_write(writer, n);
}

void gdi_free_element_begin(struct gdi_writer *writer, const struct gdi_word *words, size_t n)
{
	gdi_write_u32(writer, GDI_STATUS_FREE);
	descriptor_write(writer, words, n);
	changes_write(writer, n);
}

/* Write a field: position in the full type, mt of the full type, number. */
static void field_write(struct gdi_writer *writer, uint32_t number)
{
	const struct gdi_type *type = gdi_type_of(number);
	uint32_t position = number - type->first;

	gdi_write_u32(writer, position);
	gdi_write_u32(writer, type->fields[position].mt);
	gdi_write_u32(writer, number);
}

void gdi_write_wanted(struct gdi_writer *writer, const struct gdi_wanted *wanted, size_t n)
{
	gdi_write_u32(writer, 1);
	if (!wanted) {
		gdi_write_u32(writer, 0);		/* all */
		return;
	}
	gdi_write_u32(writer, 2);			/* listed fields */
	gdi_write_u32(writer, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		field_write(writer, wanted[i].number);
		gdi_write_u32(writer, wanted[i].inside != NULL);
		if (wanted[i].inside)
			gdi_write_wanted(writer, wanted[i].inside, wanted[i].ninside);
	}
}

void gdi_write_everywhere(struct gdi_writer *writer)
{
	gdi_write_null(writer);
}
