/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/store/values.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "sched/process/digits.h"

/* Write a name. Names are printable: others were refused before. */
static char *put_name(char *p, const char *name)
{
	*p++ = '"';
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			*p++ = '\\';
		*p++ = *name;
	}
	*p++ = '"';
	return p;
}

static const char *name_of(const struct mirror *mirror, const struct usage_item *item)
{
	return mirror_usage_text(mirror, item->name);
}

static size_t bytes_at_most(const struct mirror *mirror, const struct usage *usage)
{
	size_t bytes = 3;

	for (size_t i = 0; i < usage->n; i++)
		bytes += 2 * strlen(name_of(mirror, &usage->items[i])) + 4 + DIGITS_BYTES;
	return bytes;
}

const char *values_text(const struct mirror *mirror, const struct usage *usage, struct row_texts *memory)
{
	char *p;

	if (texts_reserve(memory, bytes_at_most(mirror, usage)))
		return NULL;
	p = memory->bytes;
	*p++ = '{';
	for (size_t i = 0; i < usage->n; i++) {
		if (i > 0)
			*p++ = ',';
		p = put_name(p, name_of(mirror, &usage->items[i]));
		*p++ = ':';
		p = digits_exact(p, usage->items[i].value);
	}
	*p++ = '}';
	*p = '\0';
	return memory->bytes;
}

static int value_take(struct mirror *mirror, const char *name, const json_t *value, struct usage *usage)
{
	uint32_t id;
	double number = json_number_value(value);

	if (!json_is_number(value) || !isfinite(number) || number < 0)
		return -EUCLEAN;
	id = mirror_usage_name(mirror, name);
	return id == UINT32_MAX || usage_add(usage, id, number) ? -ENOMEM : 0;
}

int values_of_text(struct mirror *mirror, const char *text, struct usage *usage)
{
	json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *value;
	struct usage list = { 0 };
	const char *name;
	int rc = json_is_object(object) ? 0 : -EUCLEAN;

	json_object_foreach(object, name, value)
		if (rc == 0)
			rc = value_take(mirror, name, value, &list);
	json_decref(object);
	if (rc == 0)
		*usage = list;
	else
		usage_free(&list);
	return rc;
}
