/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formats of the kind "name, blanks, value" are tables of fields: one row per attribute, with
 * the function that knows the attribute's type and where in the object the value goes.
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
#include "conf/error.h"
#include "conf/text.h"

/* magnitude of weights and factors: products of them with times and counts stay finite */
#define FIELD_LIMIT 1e100

struct field {
	const char *name;
	/*
	 * Puts the value into its member of the object. 0, -EINVAL with what is wrong in `e`,
	 * -ENOMEM. NULL: the attribute is known, but nothing here needs it.
	 */
	int (*parse)(const struct field *field, void *member, const char *text, struct error *error);
	size_t offset;
	/* the value without such a line, or in the place of a bad one; NULL: nothing is put in */
	const char *fallback;
	bool required;		/* the absence is a fault all the same */
	double low, high;	/* of numbers; both 0: no other limits than those of the type */
};

/* Rows of a table; limits follow as designated initialisers. */
#define OPTIONAL(key, type, object, member, text, ...) \
	{ .name = key, .parse = type, .offset = offsetof(object, member), .fallback = text, __VA_ARGS__ }
#define REQUIRED(key, type, object, member, text, ...) \
	{ .name = key, .parse = type, .offset = offsetof(object, member), .fallback = text, .required = true, __VA_ARGS__ }

enum { FIELDS_MAX = 64 };

struct fields {
	struct text text;
	const struct field *table;
	size_t n;
	struct {
		const char *text;	/* as written; NULL: not in the file */
		int line;
	} found[FIELDS_MAX];
};

/*
 * Fills the object from the file; faults and unknown attributes go to the report.
 *   0
 *   -ENOENT      no such file: the object has the fallbacks, nothing is reported
 *   -EIO         can't be read: the same, and a fault is in the report
 *   -ENOMEM
 * In each case fields_close() must follow; what the object has got is the caller's.
 */
int fields_read(struct fields *fields, const struct field *table, size_t n, const char *path, void *object, struct report *report);
/* The same, and a file without a line, comments or not, is none: -ENOENT. */
int fields_read_or_none(struct fields *fields, const struct field *table, size_t n, const char *path, void *object, struct report *report);
void fields_close(struct fields *fields);

int fields_line(const struct fields *fields, const char *name);	/* 0: not in the file */

/*
 * Every attribute with its value as written, else the fallback, in the order of the table. -ENOMEM.
 */
int fields_typed(const struct fields *fields, struct pairs *typed);

/* The types. Strings, names and words are allocated; NONE is "". */
/* char * */
int field_string(const struct field *field, void *member, const char *text, struct error *error);
/* char *, see name_check() */
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
/* uint32_t seconds; high 1: INFINITY too */
int field_time(const struct field *field, void *member, const char *text, struct error *error);
/* bool */
int field_bool(const struct field *field, void *member, const char *text, struct error *error);

#endif
