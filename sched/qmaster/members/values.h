/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsed form of one line of JSON (RFC 8259): a flat array of values. Each value precedes the
 * values inside it, and `span` is the distance to the next value of the same level.
 *
 *     {"a":[1,2],"b":"x"}       {} n 2 span 5,  a [] n 2 span 3,  1,  2,  b "x"
 *
 *     const struct value *object = values_read(&values, line, length, &error);
 *
 *     value_each(member, object)
 *             printf("%s\n", member->name);
 *
 * Memory is reused and grows with the longest line so far. A line needs an allocation of its own
 * only if an object has more than 32 members. The line itself is not changed.
 *
 * The reader is strict. The line must be one object in UTF-8, and no name may be repeated in an
 * object. It refuses \u0000, half surrogate pairs, integers of more than 64 bits, numbers that do
 * not fit in a double, and more than VALUES_DEPTH levels.
 */
#ifndef SCHED_QMASTER_MEMBERS_VALUES_H
#define SCHED_QMASTER_MEMBERS_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"

#define VALUES_DEPTH 2048

enum value_type {
	VALUE_NULL, VALUE_FALSE, VALUE_TRUE,
	VALUE_INTEGER,		/* no fraction and no exponent */
	VALUE_REAL,
	VALUE_STRING, VALUE_ARRAY, VALUE_OBJECT,
};

struct value {
	const char *name;	/* name of a member of an object, NULL for other values */
	union {
		/* VALUE_STRING: unescaped, with no NUL except the one at its end. */
		const char *text;
		int64_t integer;
		double real;		/* correctly rounded, finite */
	};
	uint32_t n;		/* bytes of a string; number of members or elements */
	uint32_t span;		/* number of values from this one to its end, including itself */
	uint32_t at;		/* byte of the line where the value or its name begins; from 1 */
	uint8_t type;		/* enum value_type */
	/* VALUE_STRING: only printable ASCII, written without escapes. */
	bool plain;
};

/* Iterate over the values in an array or object, one level down. */
#define value_each(one, of) for (const struct value *one = (of) + 1; one < (of) + (of)->span; one += one->span)

struct values {			/* zero-initialise */
	struct value *items;
	char *text;		/* names and strings */
	size_t n, bytes;	/* values in use; longest line for which there is room */
	size_t used;		/* bytes of `text` in use */
};

/*
 * Read the object on a line. Valid until the next call. Returns NULL with the reason in `error`:
 * "byte 17: ':' is expected, not '='", or "no memory".
 */
const struct value *values_read(struct values *values, const char *line, size_t length, struct error *error);
/* Read the array on a line in the same way. */
const struct value *values_read_array(struct values *values, const char *line, size_t length, struct error *error);
/*
 * Copy what values_read() has returned last, to memory of its size that values_destroy() frees.
 * Returns the object, or NULL if memory is exhausted.
 */
const struct value *values_copy(const struct values *values, struct values *copy);
void values_destroy(struct values *values);

/*
 * Return a member of an object, NULL if it has no member of this name. Functions with an `object`
 * accept NULL and values of other types, which have no members.
 */
const struct value *value_member(const struct value *object, const char *name);

static inline bool value_is(const struct value *value, enum value_type type)
{
	return value && value->type == type;
}

/* Return a string, NULL for NULL and for values of other types. */
static inline const char *value_text(const struct value *value)
{
	return value_is(value, VALUE_STRING) ? value->text : NULL;
}

/* Return an integer, 0 for NULL and for values of other types. */
static inline int64_t value_integer(const struct value *value)
{
	return value_is(value, VALUE_INTEGER) ? value->integer : 0;
}

/* Return an integer or a real number, 0 for NULL and for values of other types. */
double value_number(const struct value *value);

/* Return the number of elements of an array, 0 for NULL and for values of other types. */
static inline size_t value_size(const struct value *value)
{
	return value_is(value, VALUE_ARRAY) ? value->n : 0;
}

/* Return a member of an object as the functions above do. */
const char *member_text(const struct value *object, const char *name);
int64_t member_integer(const struct value *object, const char *name);
bool member_is_true(const struct value *object, const char *name);

#endif
