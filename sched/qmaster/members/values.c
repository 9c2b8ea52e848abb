/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/members/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/qmaster/members/scan.h"

#define LEAST_BYTES (64u << 10)
#define FEW 32u			/* members whose names are compared one with another */

struct reading {		/* of one line, by recursive descent */
	struct scanner scan;
	struct values *values;
};

static int value_read(struct reading *r, const char *name, uint32_t at, unsigned depth);

/* Arrays and objects */

static int name_twice(struct reading *r, const char *name, uint32_t at)
{
	return error_set(r->scan.error, -EINVAL, "byte %u: the name \"%.40s\" comes twice", at, name);
}

/* One bit of 64 for a name, different for most of the names that stand together. */
static uint64_t name_bit(const char *name, uint32_t n)
{
	uint32_t mix = n + 7u * (unsigned char)name[0] + 13u * (unsigned char)name[n / 2] + 29u * (unsigned char)name[n ? n - 1 : 0];

	return 1ull << (mix & 63);
}

static int by_name(const void *a, const void *b)
{
	const struct value *x = *(const struct value *const *)a, *y = *(const struct value *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* In an object of any size: sorted, so that nobody can make it slow. */
static int names_check(struct reading *r, const struct value *object)
{
	const struct value **members = malloc(object->n * sizeof(const struct value *));
	size_t n = 0;
	int rc = 0;

	if (!members)
		return error_set(r->scan.error, -ENOMEM, "no memory");
	value_each(member, object)
		members[n++] = member;
	qsort(members, n, sizeof(const struct value *), by_name);
	for (size_t i = 1; rc == 0 && i < n; i++)
		if (strcmp(members[i - 1]->name, members[i]->name) == 0)
			rc = name_twice(r, members[i]->name, members[i]->at);
	free(members);
	return rc;
}

/* The members so far have names with the bits `seen`; a larger object is checked at its end. */
static int name_read(struct reading *r, struct value *object, uint64_t *seen, const char **name, uint32_t at)
{
	uint32_t n;
	bool plain;
	int rc = scan_string(&r->scan, name, &n, &plain);

	if (rc)
		return rc;
	object->span = (uint32_t)(r->values->items + r->values->n - object);
	if (*seen & name_bit(*name, n) && object->n < FEW && value_member(object, *name))
		return name_twice(r, *name, at);
	*seen |= name_bit(*name, n);
	if (scan_next(&r->scan) != ':')
		return scan_due(&r->scan, "':'");
	r->scan.p++;
	return 0;
}

/* Behind a value: another one (1), the end (0), or -EINVAL. */
static int more_read(struct reading *r, char closing, const char *due)
{
	int next = scan_next(&r->scan);

	if (next != closing && next != ',')
		return scan_due(&r->scan, due);
	r->scan.p++;
	return next == ',';
}

static int object_read(struct reading *r, struct value *object, unsigned depth)
{
	uint64_t seen = 0;
	int more = 1;

	r->scan.p++;
	if (scan_next(&r->scan) == '}')
		return r->scan.p++, 0;
	for (; more == 1; object->n++) {
		const char *name;
		uint32_t at;
		int next = scan_next(&r->scan), rc;

		if (next != '"')
			return scan_due(&r->scan, object->n ? "a name in double quotes" : "a name in double quotes or '}'");
		at = scan_at(&r->scan);
		rc = name_read(r, object, &seen, &name, at);
		if (rc == 0)
			rc = value_read(r, name, at, depth + 1);
		more = rc ? rc : more_read(r, '}', "',' or '}'");
	}
	object->span = (uint32_t)(r->values->items + r->values->n - object);
	return more ? more : object->n > FEW ? names_check(r, object) : 0;
}

static int array_read(struct reading *r, struct value *array, unsigned depth)
{
	int more = 1;

	r->scan.p++;
	if (scan_next(&r->scan) == ']')
		return r->scan.p++, 0;
	for (; more == 1; array->n++) {
		int rc;

		scan_next(&r->scan);
		rc = value_read(r, NULL, scan_at(&r->scan), depth + 1);
		more = rc ? rc : more_read(r, ']', "',' or ']'");
	}
	array->span = (uint32_t)(r->values->items + r->values->n - array);
	return more;
}

/* Values */

static int word_read(struct reading *r, struct value *value, const char *word, enum value_type type)
{
	value->type = (uint8_t)type;
	for (; *word; word++, r->scan.p++)
		if (!scan_is(&r->scan, *word))
			return scan_due(&r->scan, "the rest of null, true or false");
	return 0;
}

static int value_read(struct reading *r, const char *name, uint32_t at, unsigned depth)
{
	struct value *value = &r->values->items[r->values->n];
	int next = scan_next(&r->scan);

	if (depth > VALUES_DEPTH)
		return scan_fail(&r->scan, "more than 2048 levels");
	*value = (struct value){ .name = name, .span = 1, .at = at };
	r->values->n++;
	switch (next) {
	case '"':
		value->type = VALUE_STRING;
		return scan_string(&r->scan, &value->text, &value->n, &value->plain);
	case '{':
		value->type = VALUE_OBJECT;
		return object_read(r, value, depth);
	case '[':
		value->type = VALUE_ARRAY;
		return array_read(r, value, depth);
	case 't':
		return word_read(r, value, "true", VALUE_TRUE);
	case 'f':
		return word_read(r, value, "false", VALUE_FALSE);
	case 'n':
		return word_read(r, value, "null", VALUE_NULL);
	default:
		return next == '-' || scan_digit(&r->scan) ? scan_number(&r->scan, value) : scan_due(&r->scan, "a value");
	}
}

/*
 * Each value takes two bytes, its first one and the comma or bracket behind it; only the open ones
 * have no second one yet. Each text takes less than the bytes it was read from. Memory that no line
 * needs is never touched.
 */
static int values_reserve(struct values *v, size_t length)
{
	size_t bytes = length < LEAST_BYTES ? LEAST_BYTES : length;

	if (v->bytes && length <= v->bytes)
		return 0;
	if (bytes > UINT32_MAX / 2 || array_grow(&v->items, bytes / 2 + VALUES_DEPTH + 2, sizeof(*v->items)) ||
	    array_grow(&v->text, bytes + 1 + SCAN_BEHIND, 1))
		return -ENOMEM;
	v->bytes = bytes;
	return 0;
}

static int line_read(struct reading *r)
{
	int rc;

	if (scan_next(&r->scan) != '{')
		return scan_due(&r->scan, "an object's '{'");
	rc = value_read(r, NULL, scan_at(&r->scan), 1);
	if (rc)
		return rc;
	return scan_next(&r->scan) < 0 ? 0 : scan_due(&r->scan, "the end of the line");
}

const struct value *values_read(struct values *v, const char *line, size_t length, struct error *error)
{
	struct reading r = { { .error = error, .line = line, .end = line + length, .p = line }, v };

	if (values_reserve(v, length)) {
		error_set(error, -ENOMEM, "no memory");
		return NULL;
	}
	v->n = 0;
	r.scan.to = v->text;
	return line_read(&r) ? NULL : v->items;
}

void values_destroy(struct values *v)
{
	free(v->items);
	free(v->text);
	*v = (struct values){ 0 };
}

const struct value *value_member(const struct value *object, const char *name)
{
	value_each(member, object)
		if (strcmp(member->name, name) == 0)
			return member;
	return NULL;
}
