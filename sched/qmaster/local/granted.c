/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/granted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/members/value_write.h"

#define ROW_BYTES (1u << 30)	/* longest row */

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

static char *row_of(const struct grants *on)
{
	struct out out;

	if (out_open_memory(&out, ROW_BYTES))
		return NULL;
	json_write_literal(&out, "[");
	for (size_t i = 0; i < on->n; i++) {
		const struct granted *one = &on->items[i];

		json_write_plain(&out, i ? ",{\"queue\":" : "{\"queue\":", one->queue);
		json_write_number(&out, ",\"slots\":", one->slots);
		json_write_literal(&out, ",\"tickets\":");
		value_write_number(&out, one->tickets);
		json_write_literal(&out, ",\"otickets\":");
		value_write_number(&out, one->otickets);
		json_write_literal(&out, ",\"ftickets\":");
		value_write_number(&out, one->ftickets);
		json_write_literal(&out, ",\"stickets\":");
		value_write_number(&out, one->stickets);
		json_write_literal(&out, "}");
	}
	json_write_literal(&out, "]");
	return out_detach(&out);
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
static struct granted entry_read(const struct value *entry)
{
	const char *queue = member_text(entry, "queue");
	int64_t slots = member_integer(entry, "slots");

	return (struct granted){
		.queue = queue ? queue : "", .slots = slots < 0 || slots > UINT32_MAX ? 0 : (uint32_t)slots,
		.tickets = value_number(value_member(entry, "tickets")),
		.otickets = value_number(value_member(entry, "otickets")),
		.ftickets = value_number(value_member(entry, "ftickets")),
		.stickets = value_number(value_member(entry, "stickets")),
	};
}

int granted_read(struct task_granted *granted, struct values *values, const char *row, const char *pe)
{
	struct error why;
	const struct value *list = values_read_array(values, row ? row : "", row ? strlen(row) : 0, &why);
	struct granted *items = value_size(list) ? calloc(list->n, sizeof(*items)) : NULL;
	int rc = value_size(list) == 0 ? -EINVAL : items ? 0 : -ENOMEM;
	size_t n = 0;

	granted_free(granted);
	if (rc == 0) {
		value_each(entry, list)
			items[n++] = entry_read(entry);
		granted->row = strdup(row);
		rc = granted->row ? granted_copy(granted, &(struct grants){ items, n }, pe) : -ENOMEM;
	}
	if (rc)
		granted_free(granted);
	free(items);
	return rc;
}
