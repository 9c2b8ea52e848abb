/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/element.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "sched/qmaster/gdi/bytes.h"
#include "sched/qmaster/gdi/check.h"

static struct gdi_check check_of(const struct gdi_buffer *buffer, struct error *error)
{
	return (struct gdi_check) { .at = buffer->at, .end = buffer->end, .error = error };
}

/* Reading of checked buffers, which always stays within the buffer. */
static const unsigned char *descriptor_read(struct gdi_descriptor *descriptor, const unsigned char *at)
{
	uint32_t n = bytes_u32(at), first = UINT32_MAX;

	descriptor->words = at + 4;
	descriptor->n = n;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t number = words_number(descriptor->words, i);

		first = number < first ? number : first;
	}
	descriptor->first = first;
	memset(descriptor->columns, 0, sizeof(descriptor->columns));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = words_number(descriptor->words, i) - first;

		if (k < sizeof(descriptor->columns))
			descriptor->columns[k] = (uint8_t)(i + 1);
	}
	return descriptor->words + 8 * (size_t)n;
}

static const unsigned char *text_skip(const unsigned char *at)
{
	return *at ? at + strlen((const char *)at) + 1 : at + 1;
}

static const unsigned char *list_skip(const unsigned char *at);

static const unsigned char *object_skip(const unsigned char *at);

static inline const unsigned char *value_skip(const unsigned char *at, unsigned kind)
{
	switch (kind) {
	case GDI_U32:
	case GDI_BOOL:
		return at + 4;
	case GDI_DOUBLE:
	case GDI_U64:
		return at + 8;
	case GDI_STRING:
	case GDI_HOST:
		return text_skip(at);
	case GDI_LIST:
		return bytes_u32(at) ? list_skip(at) : at + 4;
	case GDI_OBJECT:
		return object_skip(at);
	default:
		return at;
	}
}

/* Skip the status and changes, to the values. */
static inline const unsigned char *changes_skip(const unsigned char *at)
{
	return at + 8 + (bytes_u32(at + 4) + 7) / 8;
}

static const unsigned char *values_skip(const unsigned char *at, const unsigned char *words, uint32_t n)
{
	at = changes_skip(at);
	for (uint32_t i = 0; i < n; i++)
		at = value_skip(at, words_kind(words, i));
	return at;
}

/* Skip a list, by the length that the check has stored. */
static const unsigned char *list_skip(const unsigned char *at)
{
	return at + bytes_u32(text_skip(at + 8));
}

static const unsigned char *object_skip(const unsigned char *at)
{
	if (!bytes_u32(at))
		return at + 4;
	uint32_t n = bytes_u32(at + 4);

	return values_skip(at + 8 + 8 * (size_t)n, at + 8, n);
}

struct gdi_list gdi_checked_list(const unsigned char *at)
{
	struct gdi_list list;

	if (!bytes_u32(at))
		return (struct gdi_list) { .name = "" };
	list.left = bytes_u32(at + 4);
	list.name = (const char *)at + 8;
	list.at = descriptor_read(&list.descriptor, text_skip(at + 8) + 4);
	return list;
}

/*
 * Find the values of the element at `at`, whose descriptor is set. Returns the end of the element.
 */
static const unsigned char *values_read(struct gdi_element *element, const unsigned char *at)
{
	const struct gdi_descriptor *descriptor = element->descriptor;

	at = changes_skip(at);
	for (uint32_t i = 0; i < descriptor->n; i++) {
		element->values[i] = at;
		at = value_skip(at, words_kind(descriptor->words, i));
	}
	return at;
}

bool gdi_next(struct gdi_list *list, struct gdi_element *element)
{
	if (list->left == 0)
		return false;
	list->left--;
	element->descriptor = &list->descriptor;
	list->at = values_read(element, list->at);
	return true;
}

bool gdi_first(const struct gdi_list *list, struct gdi_element *element)
{
	if (list->left == 0)
		return false;
	element->descriptor = &list->descriptor;
	values_read(element, list->at);
	return true;
}

static const unsigned char *value_of(const struct gdi_element *element, uint32_t field, unsigned *kind)
{
	const struct gdi_descriptor *descriptor = element->descriptor;
	uint32_t k = field - descriptor->first;
	uint32_t column = k < sizeof(descriptor->columns) ? descriptor->columns[k] : 0;

	if (column == 0)
		return NULL;
	*kind = words_kind(descriptor->words, column - 1);
	return element->values[column - 1];
}

bool gdi_has(const struct gdi_element *element, uint32_t field)
{
	unsigned kind;

	return value_of(element, field, &kind) != NULL;
}

uint32_t gdi_u32(const struct gdi_element *element, uint32_t field)
{
	unsigned kind;
	const unsigned char *value = value_of(element, field, &kind);

	/* 8.1.9 sends only the lower 32 of 64 bits, in the first word */
	return value && (kind == GDI_U32 || kind == GDI_BOOL || kind == GDI_U64) ? bytes_u32(value) : 0;
}

double gdi_double(const struct gdi_element *element, uint32_t field)
{
	unsigned kind;
	const unsigned char *value = value_of(element, field, &kind);
	double number = value && kind == GDI_DOUBLE ? bytes_double(value) : 0;

	return isfinite(number) ? number : 0;
}

const char *gdi_text(const struct gdi_element *element, uint32_t field)
{
	unsigned kind;
	const unsigned char *value = value_of(element, field, &kind);

	return value && (kind == GDI_STRING || kind == GDI_HOST) ? (const char *)value : "";
}

struct gdi_list gdi_list(const struct gdi_element *element, uint32_t field)
{
	unsigned kind;
	const unsigned char *value = value_of(element, field, &kind);

	return value && kind == GDI_LIST ? gdi_checked_list(value) : (struct gdi_list) { .name = "" };
}

bool gdi_object(const struct gdi_element *element, uint32_t field, struct gdi_element *object)
{
	unsigned kind;
	const unsigned char *value = value_of(element, field, &kind);

	if (!value || kind != GDI_OBJECT || !bytes_u32(value))
		return false;
	object->descriptor = &object->own;
	values_read(object, descriptor_read(&object->own, value + 4));
	return true;
}

int gdi_take_header(struct gdi_buffer *gdi_buffer, struct error *error)
{
	struct gdi_check check = check_of(gdi_buffer, error);
	uint32_t zero, version;
	int rc = check_u32(&check, &zero);

	if (rc == 0)
		rc = check_u32(&check, &version);
	if (rc == 0 && (zero != 0 || version != GDI_VERSION_BUFFER))
		return error_set(
			error, -EPROTO,
			"a buffer begins with %u and version %#x; only 0 and version %#x of Grid Engine 8.1.9 are "
			"supported",
			zero, version, GDI_VERSION_BUFFER);
	gdi_buffer->at = check.at;
	return rc;
}

int gdi_take_u32(struct gdi_buffer *buffer, uint32_t *value, struct error *error)
{
	struct gdi_check check = check_of(buffer, error);
	int rc = check_u32(&check, value);

	buffer->at = check.at;
	return rc;
}

int gdi_take_text(struct gdi_buffer *buffer, const char **text, struct error *error)
{
	struct gdi_check check = check_of(buffer, error);
	int rc = check_text(&check);

	*text = (const char *)buffer->at;
	buffer->at = check.at;
	return rc;
}

int gdi_take_list(struct gdi_buffer *buffer, struct gdi_list *list, struct error *error)
{
	struct gdi_check check = check_of(buffer, error);
	int rc = check_list(&check, 1);

	if (rc == 0)
		*list = gdi_checked_list(buffer->at);
	buffer->at = check.at;
	return rc;
}

int gdi_take_element(struct gdi_buffer *buffer, struct gdi_element *element, struct error *error)
{
	struct gdi_check check = check_of(buffer, error);
	int rc = check_free_element(&check);

	if (rc == 0) {
		uint32_t n = bytes_u32(buffer->at + 4);

		element->descriptor = &element->own;
		descriptor_read(&element->own, buffer->at + 4);
		/*
		 * the descriptor is between status and changes: pretend that the status is just
		 * before the changes
		 */
		values_read(element, buffer->at + 4 + 8 * (size_t)n);
	}
	buffer->at = check.at;
	return rc;
}

int gdi_take_condition(struct gdi_buffer *buffer, struct error *error)
{
	struct gdi_check check = check_of(buffer, error);
	int rc = check_condition(&check, 1);

	buffer->at = check.at;
	return rc;
}

int gdi_take_enumeration(struct gdi_buffer *buffer, struct error *error)
{
	struct gdi_check check = check_of(buffer, error);
	int rc = check_enumeration(&check, 1);

	buffer->at = check.at;
	return rc;
}

int gdi_take_end(const struct gdi_buffer *buffer, struct error *error)
{
	if (buffer->at != buffer->end)
		return error_set(error, -EPROTO, "%zu bytes are left over", (size_t)(buffer->end - buffer->at));
	return 0;
}
