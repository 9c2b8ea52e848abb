/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/granted.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "sched/process/digits.h"

void granted_free(struct task_granted *granted)
{
	free(granted->items);
	free(granted->pe);
	free(granted->row);
	*granted = (struct task_granted){ 0 };
}

/* Copy the instances and the PE. */
static int granted_copy(struct task_granted *granted, const struct grants *on, const char *pe)
{
	size_t bytes = on->n * sizeof(*granted->items);
	char *text;

	for (size_t i = 0; i < on->n; i++)
		bytes += strlen(on->items[i].queue) + 1;
	granted->items = malloc(bytes);
	granted->pe = pe && *pe ? strdup(pe) : NULL;
	if (!granted->items || (pe && *pe && !granted->pe))
		return -ENOMEM;
	text = (char *)(granted->items + on->n);
	for (size_t i = 0; i < on->n; i++) {
		granted->items[i] = on->items[i];
		granted->items[i].queue = text;
		text = stpcpy(text, on->items[i].queue) + 1;
	}
	granted->on = (struct grants){ granted->items, on->n };
	return 0;
}

/* Return a JSON number in the format of the order's line: whole numbers without a point. */
static json_t *number(double value)
{
	char text[DIGITS_BYTES + 1];

	*digits_exact(text, value) = '\0';
	return json_loads(text, JSON_DECODE_ANY, NULL);
}

static char *row_of(const struct grants *on)
{
	json_t *list = json_array();
	char *text;

	for (size_t i = 0; i < on->n; i++) {
		const struct granted *one = &on->items[i];

		json_array_append_new(list, json_pack("{ss sI so so so so}", "queue", one->queue, "slots",
						      (json_int_t)one->slots, "tickets", number(one->tickets),
						      "otickets", number(one->otickets), "ftickets",
						      number(one->ftickets), "stickets", number(one->stickets)));
	}
	text = json_array_size(list) == on->n ? json_dumps(list, JSON_COMPACT) : NULL;
	json_decref(list);
	return text;
}

int granted_take(struct task_granted *granted, const struct grants *on, const char *pe)
{
	granted_free(granted);
	granted->row = row_of(on);
	if (granted->row && granted_copy(granted, on, pe) == 0)
		return 0;
	granted_free(granted);
	return -ENOMEM;
}

/* Read an entry. The queue's name is borrowed. */
static struct granted entry_read(json_t *entry)
{
	const char *queue = json_string_value(json_object_get(entry, "queue"));
	json_int_t slots = json_integer_value(json_object_get(entry, "slots"));

	return (struct granted){
		.queue = queue ? queue : "", .slots = slots < 0 || slots > UINT32_MAX ? 0 : (uint32_t)slots,
		.tickets = json_number_value(json_object_get(entry, "tickets")),
		.otickets = json_number_value(json_object_get(entry, "otickets")),
		.ftickets = json_number_value(json_object_get(entry, "ftickets")),
		.stickets = json_number_value(json_object_get(entry, "stickets")),
	};
}

int granted_read(struct task_granted *granted, const char *row, const char *pe)
{
	json_t *list = json_loads(row ? row : "", 0, NULL), *entry;
	size_t n = json_is_array(list) ? json_array_size(list) : 0, i;
	struct granted *items = n ? calloc(n, sizeof(*items)) : NULL;
	int rc = n == 0 ? -EINVAL : items ? 0 : -ENOMEM;

	granted_free(granted);
	if (rc == 0) {
		json_array_foreach(list, i, entry)
			items[i] = entry_read(entry);
		granted->row = strdup(row);
		rc = granted->row ? granted_copy(granted, &(struct grants){ items, n }, pe) : -ENOMEM;
	}
	if (rc)
		granted_free(granted);
	free(items);
	json_decref(list);
	return rc;
}
