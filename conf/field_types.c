/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/fields.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"
#include "conf/base/number.h"

static int field_bad(const struct field *field, const char *text, struct error *error, const char *allowed)
{
	return error_set(error, -EINVAL, "error parsing value \"%.30s\" of %s: %s", text, field->name, allowed);
}

static int field_copy(void *member, const char *text, struct error *error)
{
	char *copy = strdup(text);

	if (!copy)
		return error_set(error, -ENOMEM, "out of memory");
	free(*(char **)member);
	*(char **)member = copy;
	return 0;
}

int field_string(const struct field *field, void *member, const char *text, struct error *error)
{
	(void)field;
	return field_copy(member, text_is_none(text) ? "" : text, error);
}

int field_name(const struct field *field, void *member, const char *text, struct error *error)
{
	struct error why;
	int rc = name_check(text, &why);

	return rc ? field_bad(field, text, error, why.text) : field_copy(member, text, error);
}

int field_names(const struct field *field, void *member, const char *text, struct error *error)
{
	(void)field;
	return strlist_parse(member, text, error);
}

int field_pairs(const struct field *field, void *member, const char *text, struct error *error)
{
	struct error why;
	int rc = pairs_parse(member, text, LIST_SEPARATORS, &why);

	if (!rc)
		return 0;
	pairs_free(member);
	return rc == -EINVAL ? field_bad(field, text, error, why.text) : error_set(error, rc, "out of memory");
}

int field_numbers(const struct field *field, void *member, const char *text, struct error *error)
{
	struct pairs *pairs = member;
	int rc = field_pairs(field, member, text, error);
	size_t i;

	for (i = 0; i < pairs->n && !rc; i++) {
		if (number_double(pairs->items[i].text, &pairs->items[i].value) ||
		    fabs(pairs->items[i].value) > FIELD_LIMIT)
			rc = field_bad(field, pairs->items[i].text, error,
				       "a finite number up to 1e100 is allowed after each name");
	}
	if (rc)
		pairs_free(pairs);
	return rc;
}

int field_u32(const struct field *field, void *member, const char *text, struct error *error)
{
	double high = field->high > 0 ? field->high : UINT32_MAX;
	char allowed[80];
	uint32_t value;

	if (number_u32(text, &value) || value < field->low || value > high) {
		snprintf(allowed, sizeof(allowed), "a whole number from %.0f to %.0f is allowed", field->low, high);
		return field_bad(field, text, error, allowed);
	}
	*(uint32_t *)member = value;
	return 0;
}

int field_epoch(const struct field *field, void *member, const char *text, struct error *error)
{
	double value = 0;

	if ((*text && number_double(text, &value)) || value < 0 || value > 9e15 || value != rint(value))
		return field_bad(field, text, error, "a whole number of seconds since 1970 is allowed, 0 for never");
	*(int64_t *)member = (int64_t)value;
	return 0;
}

int field_double(const struct field *field, void *member, const char *text, struct error *error)
{
	double value;

	if (number_double(text, &value) || fabs(value) > FIELD_LIMIT)
		return field_bad(field, text, error, "a finite number up to 1e100 without further characters is "
						     "allowed");
	*(double *)member = value;
	return 0;
}

/* Read a time. The three reasons are Grid Engine's own. */
int field_time(const struct field *field, void *member, const char *text, struct error *error)
{
	const char *reason = "time value";
	uint32_t seconds;
	int rc = number_time(text, &seconds);

	if (!rc && (seconds < UINT32_MAX || field->high > 0)) {
		*(uint32_t *)member = seconds;
		return 0;
	}
	if (!rc)
		reason = "value that can be set to infinity";
	else if (*text == '-')
		reason = "Error! value not positive";
	return error_set(error, -EINVAL, "attribute \"%s\" is not a %s: \"%.30s\" found, seconds or h:m:s%s allowed",
			 field->name, reason, text, field->high > 0 ? " or INFINITY are" : " are");
}

int field_bool(const struct field *field, void *member, const char *text, struct error *error)
{
	if (number_bool(text, member))
		return field_bad(field, text, error, "TRUE or FALSE is allowed");
	return 0;
}

void fields_clear(const struct field *table, size_t n, void *object)
{
	for (size_t i = 0; i < n; i++) {
		void *member = (char *)object + table[i].offset;

		if (table[i].parse == field_string || table[i].parse == field_name)
			free(*(char **)member);
		else if (table[i].parse == field_names)
			strlist_free(member);
		else if (table[i].parse == field_pairs || table[i].parse == field_numbers)
			pairs_free(member);
	}
}
