/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of JSON (RFC 8259) as a flat array of values: each stands before those inside it, and
 * `span` leads past them.
 *
 *     {"a":[1,2],"b":"x"}       {} n 2 span 5,  a [] n 2 span 3,  1,  2,  b "x"
 *
 *     const struct value *object = values_read(&values, line, length, &error);
 *
 *     value_each(member, object)
 *             printf("%s\n", member->name);
 *
 * Nothing is allocated for a line, unless an object has more than 32 members: the arrays are
 * reused, and grow with the longest line so far. The line itself stays as it is.
 *
 * Strict: the line is one object; all of it is UTF-8; no name comes twice in an object; \u0000 and
 * half surrogate pairs are refused, and so are integers beyond 64 bits, numbers beyond what a
 * double holds, and more than VALUES_DEPTH levels.
 */
#ifndef SCHED_QMASTER_MEMBERS_VALUES_H
#define SCHED_QMASTER_MEMBERS_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"

#define VALUES_DEPTH 2048

enum value_type {
	VALUE_NULL, VALUE_FALSE, VALUE_TRUE,
	VALUE_INTEGER,		/* neither a fraction nor an exponent */
	VALUE_REAL,
	VALUE_STRING, VALUE_ARRAY, VALUE_OBJECT,
};

struct value {
	const char *name;	/* of a member of an object, else NULL */
	union {
		/* VALUE_STRING: unescaped, no NUL in it but the one behind it */
		const char *text;
		int64_t integer;
		double real;		/* correctly rounded, finite */
	};
	uint32_t n;		/* bytes of a string; members, elements */
	uint32_t span;		/* how many values this one is, those inside it included */
	uint32_t at;		/* byte of the line where it, or its name, begins; from 1 */
	uint8_t type;		/* enum value_type */
	/* VALUE_STRING: nothing but printable ASCII, written without escapes */
	bool plain;
};

/* The values inside an array or object, one level down. */
#define value_each(one, of) for (const struct value *one = (of) + 1; one < (of) + (of)->span; one += one->span)

struct values {			/* zero at first */
	struct value *items;
	char *text;		/* names and strings */
	size_t n, bytes;	/* values in use; longest line there is room for */
};

/*
 * The object on the line, valid until the next call. NULL with the reason in `error`: "byte 17: ':'
 * is expected, not '='", or "no memory".
 */
const struct value *values_read(struct values *values, const char *line, size_t length, struct error *error);
void values_destroy(struct values *values);

/* A member of an object, NULL if it has none of this name. */
const struct value *value_member(const struct value *object, const char *name);

#endif
