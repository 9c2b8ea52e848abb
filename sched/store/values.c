/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/store/values.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

#define DIGITS 17			/* any double comes back as it was */

char *values_text(const struct sched *s, const struct usage *usage)
{
	json_t *object = json_object();
	char *text = NULL;
	int bad = object == NULL;

	for (size_t i = 0; !bad && i < usage->n; i++) {
		const char *name = strings_text(s->strings, s->mirror.usage_names.strings[usage->items[i].name]);

		bad = json_object_set_new(object, name, json_real(usage->items[i].value));
	}
	if (!bad)
		text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
	json_decref(object);
	return text;
}

static int value_take(struct sched *s, const char *name, const json_t *value, struct usage *usage)
{
	uint32_t id;
	double number = json_number_value(value);

	if (!json_is_number(value) || !isfinite(number) || number < 0)
		return -EUCLEAN;
	id = usage_name(&s->mirror.usage_names, s->strings, name);
	return id == UINT32_MAX || usage_add(usage, id, number) ? -ENOMEM : 0;
}

int values_of_text(struct sched *s, const char *text, struct usage *usage)
{
	json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *value;
	struct usage list = { 0 };
	const char *name;
	int code = json_is_object(object) ? 0 : -EUCLEAN;

	json_object_foreach(object, name, value)
		if (code == 0)
			code = value_take(s, name, value, &list);
	json_decref(object);
	if (code == 0)
		*usage = list;
	else
		usage_free(&list);
	return code;
}
