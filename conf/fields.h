/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats of the kind "name, blanks, value" are tables of fields. A row has an attribute, the
 * function that reads the attribute's type, and the offset of the value in the object.
 *
 *     struct fields f;
 *     error = fields_read(&f, table, n, path, &object, report);
 *     ... checks across attributes, with fields_line(&f, "name") for their messages ...
 *     fields_close(&f);
 */
#ifndef CONF_FIELDS_H
#define CONF_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/cell.h"
#include "conf/base/error.h"
#include "conf/text.h"

/* Limit of weights and factors: their products with times and counts stay finite. */
#define FIELD_LIMIT 1e100

struct field {
	const char *name;
	/*
	 * Read the value into its member of the object. Returns 0, -EINVAL with a reason in
	 * `error`, or -ENOMEM. NULL: the attribute is known but not needed.
	 */
	int (*parse)(const struct field *field, void *member, const char *text, struct error *error);
	size_t offset;
	/* value if the line is missing or has a fault; NULL: the member is not set */
	const char *fallback;
	bool required;		/* a missing line is a fault even with a fallback */
	double low, high;	/* range of a number; both 0: the range of the type */
};

/* Rows of a table. Ranges follow as designated initializers. */
#define OPTIONAL(key, type, object, member, text, ...) \
	{ .name = key, .parse = type, .offset = offsetof(object, member), .fallback = text, __VA_ARGS__ }
#define REQUIRED(key, type, object, member, text, ...) \
	{ .name = key, .parse = type, .offset = offsetof(object, member), .fallback = text,	\
	  .required = true, __VA_ARGS__ }

enum { FIELDS_MAX = 64 };

struct fields {
	struct text text;
	const struct field *table;
	size_t n;
	struct {
		const char *text;	/* value as written; NULL: not in the file */
		int line;
	} found[FIELDS_MAX];
};

/*
 * Fill the object from the file. Faults and unknown attributes go to the report.
 *
 *   0
 *   -ENOENT      the file does not exist: the object has the fallbacks, nothing is reported
 *   -EIO         the file cannot be read: the object has the fallbacks, a fault is reported
 *   -ENOMEM
 *
 * Call fields_close() in each case. The caller owns the values in the object.
 */
int fields_read(struct fields *fields, const struct field *table, size_t n, const char *path, void *object,
		struct report *report);
/*
 * Fill the object like fields_read(), but treat a file without lines (or with only comments) as
 * missing: -ENOENT.
 */
int fields_read_or_none(struct fields *fields, const struct field *table, size_t n, const char *path, void *object,
			struct report *report);
void fields_close(struct fields *fields);

/*
 * Free the values of an object that the types below have allocated. Values of other types are not
 * touched.
 */
void fields_clear(const struct field *table, size_t n, void *object);

/* Return the line of an attribute, 0 if it is not in the file. */
int fields_line(const struct fields *fields, const char *name);

/*
 * Store every attribute with its value as written, else its fallback, in the order of the table.
 * Returns 0 or -ENOMEM.
 */
int fields_typed(const struct fields *fields, struct pairs *typed);

/* The types. Strings, names and words are allocated; NONE is "". */
/* char * */
int field_string(const struct field *field, void *member, const char *text, struct error *error);
/* char *, checked by name_check() */
int field_name(const struct field *field, void *member, const char *text, struct error *error);
/* struct strlist */
int field_names(const struct field *field, void *member, const char *text, struct error *error);
/* struct pairs */
int field_pairs(const struct field *field, void *member, const char *text, struct error *error);
/* struct pairs, values %lf */
int field_numbers(const struct field *field, void *member, const char *text, struct error *error);
/* uint32_t */
int field_u32(const struct field *field, void *member, const char *text, struct error *error);
/* int64_t */
int field_epoch(const struct field *field, void *member, const char *text, struct error *error);
/* double */
int field_double(const struct field *field, void *member, const char *text, struct error *error);
/* uint32_t seconds; high 1: INFINITY is allowed */
int field_time(const struct field *field, void *member, const char *text, struct error *error);
/* bool */
int field_bool(const struct field *field, void *member, const char *text, struct error *error);

#endif
