/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/members/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/qmaster/members/scan.h"

#define LEAST_BYTES (64u << 10)
/* Objects of up to this many members are checked by comparing names. */
#define FEW 32u

struct reading {		/* state of the recursive descent through one line */
	struct scanner scan;
	struct values *values;
};

static int value_read(struct reading *reading, const char *name, uint32_t at, unsigned depth);

/* Arrays and objects */

static int name_twice(struct reading *reading, const char *name, uint32_t at)
{
	return error_set(reading->scan.error, -EINVAL, "byte %u: the name \"%.40s\" is repeated", at, name);
}

/* Return one bit of 64 for a name, different for most names of one object. */
static uint64_t name_bit(const char *name, uint32_t n)
{
	uint32_t mix = n + 7u * (unsigned char)name[0] + 13u * (unsigned char)name[n / 2] +
		       29u * (unsigned char)name[n ? n - 1 : 0];

	return 1ull << (mix & 63);
}

static int by_name(const void *a, const void *b)
{
	const struct value *x = *(const struct value *const *)a, *y = *(const struct value *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

/*
 * Check an object of any size for repeated names. They are sorted, so that no input can make this
 * slow.
 */
static int names_check(struct reading *reading, const struct value *object)
{
	const struct value **members = malloc(object->n * sizeof(const struct value *));
	size_t n = 0;
	int rc = 0;

	if (!members)
		return error_set(reading->scan.error, -ENOMEM, "out of memory");
	value_each(member, object)
		members[n++] = member;
	qsort(members, n, sizeof(const struct value *), by_name);
	for (size_t i = 1; rc == 0 && i < n; i++)
		if (strcmp(members[i - 1]->name, members[i]->name) == 0)
			rc = name_twice(reading, members[i]->name, members[i]->at);
	free(members);
	return rc;
}

/*
 * Read the name of the next member. `seen` has the bits of the names so far. An object of more than
 * FEW members is checked at its end.
 */
static int name_read(struct reading *reading, struct value *object, uint64_t *seen, const char **name, uint32_t at)
{
	uint32_t n;
	bool plain;
	int rc = scan_string(&reading->scan, name, &n, &plain);

	if (rc)
		return rc;
	object->span = (uint32_t)(reading->values->items + reading->values->n - object);
	if (*seen & name_bit(*name, n) && object->n < FEW && value_member(object, *name))
		return name_twice(reading, *name, at);
	*seen |= name_bit(*name, n);
	if (scan_next(&reading->scan) != ':')
		return scan_due(&reading->scan, "':'");
	reading->scan.p++;
	return 0;
}

/* Read what follows a value. Returns 1 if another value follows, 0 at the end, or -EINVAL. */
static int more_read(struct reading *reading, char closing, const char *due)
{
	int next = scan_next(&reading->scan);

	if (next != closing && next != ',')
		return scan_due(&reading->scan, due);
	reading->scan.p++;
	return next == ',';
}

static int object_read(struct reading *reading, struct value *object, unsigned depth)
{
	uint64_t seen = 0;
	int more = 1;

	reading->scan.p++;
	if (scan_next(&reading->scan) == '}')
		return reading->scan.p++, 0;
	for (; more == 1; object->n++) {
		const char *name;
		uint32_t at;
		int next = scan_next(&reading->scan), rc;

		if (next != '"')
			return scan_due(&reading->scan,
					object->n ? "a name in double quotes" : "a name in double quotes or '}'");
		at = scan_at(&reading->scan);
		rc = name_read(reading, object, &seen, &name, at);
		if (rc == 0)
			rc = value_read(reading, name, at, depth + 1);
		more = rc ? rc : more_read(reading, '}', "',' or '}'");
	}
	object->span = (uint32_t)(reading->values->items + reading->values->n - object);
	return more ? more : object->n > FEW ? names_check(reading, object) : 0;
}

static int array_read(struct reading *reading, struct value *array, unsigned depth)
{
	int more = 1;

	reading->scan.p++;
	if (scan_next(&reading->scan) == ']')
		return reading->scan.p++, 0;
	for (; more == 1; array->n++) {
		int rc;

		scan_next(&reading->scan);
		rc = value_read(reading, NULL, scan_at(&reading->scan), depth + 1);
		more = rc ? rc : more_read(reading, ']', "',' or ']'");
	}
	array->span = (uint32_t)(reading->values->items + reading->values->n - array);
	return more;
}

/* Values */

static int word_read(struct reading *reading, struct value *value, const char *word, enum value_type type)
{
	value->type = (uint8_t)type;
	for (; *word; word++, reading->scan.p++)
		if (!scan_is(&reading->scan, *word))
			return scan_due(&reading->scan, "the rest of null, true or false");
	return 0;
}

static int value_read(struct reading *reading, const char *name, uint32_t at, unsigned depth)
{
	struct value *value = &reading->values->items[reading->values->n];
	int next = scan_next(&reading->scan);

	if (depth > VALUES_DEPTH)
		return scan_fail(&reading->scan, "more than 2048 levels");
	*value = (struct value){ .name = name, .span = 1, .at = at };
	reading->values->n++;
	switch (next) {
	case '"':
		value->type = VALUE_STRING;
		return scan_string(&reading->scan, &value->text, &value->n, &value->plain);
	case '{':
		value->type = VALUE_OBJECT;
		return object_read(reading, value, depth);
	case '[':
		value->type = VALUE_ARRAY;
		return array_read(reading, value, depth);
	case 't':
		return word_read(reading, value, "true", VALUE_TRUE);
	case 'f':
		return word_read(reading, value, "false", VALUE_FALSE);
	case 'n':
		return word_read(reading, value, "null", VALUE_NULL);
	default:
		return next == '-' || scan_digit(&reading->scan) ? scan_number(&reading->scan, value)
								 : scan_due(&reading->scan, "a value");
	}
}

/*
 * Reserve room for a line. Each value takes at least two bytes: its first byte and the comma or
 * bracket after it. Only the values that are still open have no second byte yet. Each text takes
 * less room than the bytes it was read from. Memory that no line needs is never touched.
 */
static int values_reserve(struct values *values, size_t length)
{
	size_t bytes = length < LEAST_BYTES ? LEAST_BYTES : length;

	if (values->bytes && length <= values->bytes)
		return 0;
	if (bytes > UINT32_MAX / 2 ||
	    array_grow(&values->items, bytes / 2 + VALUES_DEPTH + 2, sizeof(*values->items)) ||
	    array_grow(&values->text, bytes + 1 + SCAN_BEHIND, 1))
		return -ENOMEM;
	values->bytes = bytes;
	return 0;
}

static int line_read(struct reading *reading, char opening)
{
	int rc;

	if (scan_next(&reading->scan) != opening)
		return scan_due(&reading->scan, opening == '{' ? "an object's '{'" : "an array's '['");
	rc = value_read(reading, NULL, scan_at(&reading->scan), 1);
	if (rc)
		return rc;
	return scan_next(&reading->scan) < 0 ? 0 : scan_due(&reading->scan, "the end of the line");
}

static const struct value *text_read(struct values *values, char opening, const char *line, size_t length,
				     struct error *error)
{
	struct reading reading = { { .error = error, .line = line, .end = line + length, .p = line }, values };

	if (values_reserve(values, length)) {
		error_set(error, -ENOMEM, "out of memory");
		return NULL;
	}
	values->n = 0;
	reading.scan.to = values->text;
	if (line_read(&reading, opening))
		return NULL;
	values->used = (size_t)(reading.scan.to - values->text);
	return values->items;
}

const struct value *values_read(struct values *values, const char *line, size_t length, struct error *error)
{
	return text_read(values, '{', line, length, error);
}

const struct value *values_read_array(struct values *values, const char *line, size_t length, struct error *error)
{
	return text_read(values, '[', line, length, error);
}

const struct value *values_copy(const struct values *values, struct values *copy)
{
	*copy = (struct values){ .items = malloc(values->n * sizeof(*copy->items)),
				 .text = malloc(values->used + 1),
				 .n = values->n,
				 .used = values->used };
	if (!copy->items || !copy->text) {
		values_destroy(copy);
		return NULL;
	}
	memcpy(copy->text, values->text, values->used);
	for (size_t i = 0; i < values->n; i++) {
		struct value *value = &copy->items[i];

		*value = values->items[i];
		if (value->name)
			value->name = copy->text + (value->name - values->text);
		if (value->type == VALUE_STRING)
			value->text = copy->text + (value->text - values->text);
	}
	return copy->items;
}

void values_destroy(struct values *values)
{
	free(values->items);
	free(values->text);
	*values = (struct values){ 0 };
}

const struct value *value_member(const struct value *object, const char *name)
{
	if (!value_is(object, VALUE_OBJECT))
		return NULL;
	value_each(member, object)
		if (strcmp(member->name, name) == 0)
			return member;
	return NULL;
}

double value_number(const struct value *value)
{
	return value_is(value, VALUE_REAL) ? value->real : (double)value_integer(value);
}

const char *member_text(const struct value *object, const char *name)
{
	return value_text(value_member(object, name));
}

int64_t member_integer(const struct value *object, const char *name)
{
	return value_integer(value_member(object, name));
}

bool member_is_true(const struct value *object, const char *name)
{
	return value_is(value_member(object, name), VALUE_TRUE);
}
