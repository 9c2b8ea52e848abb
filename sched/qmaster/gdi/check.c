/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An element takes at least eight bytes, whatever its fields are, and so does a field of a
 * descriptor. Therefore no count can cause more work than the buffer has bytes.
 */
#include "sched/qmaster/gdi/check.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "sched/qmaster/gdi/bytes.h"
#include "sched/qmaster/gdi/element.h"

static size_t left(const struct gdi_check *check)
{
	return (size_t)(check->end - check->at);
}

static __attribute__((noinline, cold)) int ends_early(struct gdi_check *check, const char *what, size_t bytes)
{
	return error_set(check->error, -EPROTO, "the buffer ends inside %s: it takes %zu bytes, %zu are left", what,
			 bytes, left(check));
}

static inline int check_bytes(struct gdi_check *check, size_t n, const char *what)
{
	if (left(check) < n)
		return ends_early(check, what, n);
	check->at += n;
	return 0;
}

int check_u32(struct gdi_check *check, uint32_t *value)
{
	*value = 0;
	if (left(check) < 4)
		return ends_early(check, "a number", 4);
	*value = bytes_u32(check->at);
	check->at += 4;
	return 0;
}

int check_text(struct gdi_check *check)
{
	const unsigned char *nul = text_end(check->at, check->end);

	if (!nul)
		return error_set(check->error, -EPROTO, "a string has no NUL within the remaining %zu bytes",
				 left(check));
	check->at = nul + 1;
	return 0;
}

/* Check the word in front of a list, object or condition: 1 if it is present, 0 if not. */
static int check_presence(struct gdi_check *check, const char *what, bool *present)
{
	uint32_t word;
	int rc = check_u32(check, &word);

	*present = word;
	if (rc == 0 && word > 1)
		return error_set(check->error, -EPROTO, "%s begins with %u instead of 1 (present) or 0 (not present)",
				 what, word);
	return rc;
}

static int check_depth(struct gdi_check *check, unsigned depth)
{
	if (depth > GDI_DEPTH_MOST)
		return error_set(check->error, -EPROTO, "lists are nested more than %u deep", GDI_DEPTH_MOST);
	return 0;
}

static int check_field(struct gdi_check *check, uint32_t number, unsigned kind)
{
	const struct gdi_field *field = gdi_field(number);

	if (!gdi_kind_name(kind))
		return error_set(check->error, -EPROTO, "field %u has the unknown type %u", number, kind);
	if (field && (field->mt & 0xff) != kind)
		return error_set(check->error, -EPROTO, "field %u, %s, has the type %s instead of %s", number,
				 field->name, gdi_kind_name(kind), gdi_kind_name(field->mt & 0xff));
	return 0;
}

/* Check a descriptor and return its words. */
static int check_descriptor(struct gdi_check *check, const unsigned char **words, uint32_t *n)
{
	const unsigned char *begin = check->at;
	int rc = check_u32(check, n);

	if (rc != 0)
		return rc;
	if (*n > GDI_FIELDS_MOST)
		return error_set(check->error, -EPROTO, "an element has %u fields; at most %u are allowed", *n,
				 GDI_FIELDS_MOST);
	*words = check->at;
	if ((rc = check_bytes(check, 8 * (size_t)*n, "a descriptor")) != 0 || *n == 0)
		return rc;

	const unsigned char **known = &check->known[words_number(*words, 0) % CHECK_KNOWN];

	if (*known && memcmp(*known, begin, 4) == 0 && memcmp(*known + 4, *words, 8 * (size_t)*n) == 0)
		return 0;
	for (uint32_t i = 0; i < *n; i++)
		if ((rc = check_field(check, words_number(*words, i), words_kind(*words, i))) != 0)
			return rc;
	*known = begin;
	return 0;
}

static int check_object(struct gdi_check *check, unsigned depth);

static inline int check_value(struct gdi_check *check, unsigned kind, unsigned depth)
{
	switch (kind) {
	case GDI_U32:
	case GDI_BOOL:
		return check_bytes(check, 4, "a number");
	case GDI_DOUBLE:
	case GDI_U64:
		return check_bytes(check, 8, "a number");
	case GDI_STRING:
	case GDI_HOST:
		return check_text(check);
	case GDI_LIST:
		return check_list(check, depth + 1);
	case GDI_OBJECT:
		return check_object(check, depth + 1);
	default:
		return 0;			/* a reference takes no bytes */
	}
}

/* Check the changes, between the status and the values. */
static int check_changes(struct gdi_check *check, uint32_t n)
{
	uint32_t bits;
	int rc = check_u32(check, &bits);

	if (rc == 0 && bits > n)
		return error_set(check->error, -EPROTO, "%u changes in an element with %u fields", bits, n);
	return rc != 0 ? rc : check_bytes(check, (bits + 7) / 8, "an element's changes");
}

static int check_status(struct gdi_check *check, uint32_t allowed)
{
	uint32_t status;
	int rc = check_u32(check, &status);

	if (rc == 0 && status != allowed)
		return error_set(check->error, -EPROTO, "an element has the status %u instead of %u", status, allowed);
	return rc;
}

static int check_values(struct gdi_check *check, const unsigned char *words, uint32_t n, unsigned depth)
{
	int rc = check_changes(check, n);

	for (uint32_t i = 0; rc == 0 && i < n; i++)
		rc = check_value(check, words_kind(words, i), depth);
	return rc;
}

static int check_object(struct gdi_check *check, unsigned depth)
{
	const unsigned char *words;
	uint32_t n;
	bool present;
	int rc = check_presence(check, "an object", &present);

	if (rc != 0 || !present)
		return rc;
	if ((rc = check_depth(check, depth)) != 0 || (rc = check_descriptor(check, &words, &n)) != 0 ||
	    (rc = check_status(check, GDI_STATUS_OBJECT)) != 0)
		return rc;
	return check_values(check, words, n, depth);
}

/* Store the length of a list in its word "changed", which readers do not need. */
static int list_measure(struct gdi_check *check, const unsigned char *begin, const unsigned char *word)
{
	size_t length = (size_t)(check->at - begin);
	uint32_t stored = htobe32((uint32_t)length);

	if (length > UINT32_MAX)
		return error_set(check->error, -EPROTO, "a list has %zu bytes; at most %u are allowed", length,
				 UINT32_MAX);
	memcpy((unsigned char *)word, &stored, sizeof(stored));
	return 0;
}

int check_list(struct gdi_check *check, unsigned depth)
{
	const unsigned char *begin = check->at, *length, *words;
	uint32_t count, n;
	bool present;
	int rc = check_presence(check, "a list", &present);

	if (rc != 0 || !present)
		return rc;
	if ((rc = check_depth(check, depth)) != 0 || (rc = check_u32(check, &count)) != 0 ||
	    (rc = check_text(check)) != 0)
		return rc;
	length = check->at;
	if ((rc = check_bytes(check, 4, "a list")) != 0 || (rc = check_descriptor(check, &words, &n)) != 0)
		return rc;
	if (count > left(check) / 8)
		return error_set(check->error, -EPROTO, "a list of %u elements does not fit in the remaining %zu bytes",
				 count, left(check));
	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		rc = check_status(check, GDI_STATUS_LISTED);
		if (rc == 0)
			rc = check_values(check, words, n, depth);
	}
	return rc != 0 ? rc : list_measure(check, begin, length);
}

int check_free_element(struct gdi_check *check)
{
	const unsigned char *words;
	uint32_t n;
	int rc = check_status(check, GDI_STATUS_FREE);

	if (rc != 0 || (rc = check_descriptor(check, &words, &n)) != 0)
		return rc;
	return check_values(check, words, n, 1);
}

enum { /* parts of conditions */
       CONDITION_SUBLIST = 3,
       CONDITION_EQUAL = 19,
       CONDITION_HOST = 28,
       CONDITION_AND = 29,
       CONDITION_OR = 30,
       CONDITION_NOT = 31,
};

static int check_comparison(struct gdi_check *check, unsigned depth)
{
	uint32_t position, mt, number;
	int rc;

	if ((rc = check_u32(check, &position)) != 0 || (rc = check_u32(check, &mt)) != 0 ||
	    (rc = check_u32(check, &number)) != 0 || (rc = check_field(check, number, mt & 0xff)) != 0)
		return rc;
	return (mt & 0xff) == GDI_LIST ? check_condition(check, depth + 1) : check_value(check, mt & 0xff, depth);
}

int check_condition(struct gdi_check *check, unsigned depth)
{
	uint32_t what;
	bool present;
	int rc = check_presence(check, "a condition", &present);

	if (rc != 0 || !present)
		return rc;
	if ((rc = check_depth(check, depth)) != 0 || (rc = check_u32(check, &what)) != 0)
		return rc;
	if (what == CONDITION_AND || what == CONDITION_OR) {
		rc = check_condition(check, depth + 1);
		return rc != 0 ? rc : check_condition(check, depth + 1);
	}
	if (what == CONDITION_NOT)
		return check_condition(check, depth + 1);
	if (what != CONDITION_SUBLIST && (what < CONDITION_EQUAL || what > CONDITION_HOST))
		return error_set(check->error, -EPROTO, "a condition has the unknown kind %u", what);
	return check_comparison(check, depth);
}

enum { ENUMERATION_ALL, ENUMERATION_NONE, ENUMERATION_FIELDS };

int check_enumeration(struct gdi_check *check, unsigned depth)
{
	uint32_t kind, n, word;
	bool present;
	int rc = check_presence(check, "an enumeration of fields", &present);

	if (rc != 0 || !present || (rc = check_depth(check, depth)) != 0 || (rc = check_u32(check, &kind)) != 0)
		return rc;
	if (kind > ENUMERATION_FIELDS)
		return error_set(check->error, -EPROTO, "an enumeration of fields has the unknown kind %u",
				 kind);
	if (kind != ENUMERATION_FIELDS || (rc = check_u32(check, &n)) != 0)
		return rc;
	if (n > GDI_FIELDS_MOST)
		return error_set(check->error, -EPROTO, "an enumeration has %u fields; at most %u are allowed", n,
				 GDI_FIELDS_MOST);
	for (uint32_t i = 0; rc == 0 && i < n; i++) {
		for (int k = 0; rc == 0 && k < 3; k++)		/* position, mt, number */
			rc = check_u32(check, &word);
		if (rc == 0 && (rc = check_presence(check, "an enumeration inside a field", &present)) == 0 && present)
			rc = check_enumeration(check, depth + 1);
	}
	return rc;
}
