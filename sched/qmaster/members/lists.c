/* SPDX-License-Identifier: Apache-2.0 */
/* Members of events that are arrays or objects. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/event.h"
#include "sched/qmaster/members/member_list.h"

#define NUMBER_BYTES 32		/* longest double or integer as text */
#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

/* Read false, true or the reason of an error. A reason implies true. */
int take_error(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	struct job_spec *spec = to;

	if (value->type != VALUE_STRING && value->type != VALUE_TRUE && value->type != VALUE_FALSE)
		return taking_wrong_type(taking, "true, false or a string", value);
	spec->error = value->type != VALUE_FALSE;
	return value->type == VALUE_STRING ? take_text(taking, member, value, &spec->error_reason) : 0;
}

int take_hold(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	static const char kinds[HOLD_KINDS] = {
		[HOLD_USER] = 'u', [HOLD_OPERATOR] = 'o', [HOLD_SYSTEM] = 's', [HOLD_ARRAY] = 'a'
	};
	struct ranges *hold = to;

	if (value->type != VALUE_OBJECT)
		return taking_wrong_type(taking, "an object", value);
	value_each(ids, value) {
		const char *kind = strlen(ids->name) == 1 ? memchr(kinds, *ids->name, sizeof(kinds)) : NULL;
		int rc = 0;

		if (!kind)
			return error_set(&taking->error, -EINVAL, "\"%.40s\" is not one of u, o, s, a", ids->name);
		if (ids->type != VALUE_NULL)
			rc = take_ranges(taking, member, ids, &hold[kind - kinds]);
		if (rc)
			return taking_inside(taking, rc, "%c", *kind);
	}
	return 0;
}

static int take_numbers(struct taking *taking, const struct value *value, const uint32_t **to, size_t *nto)
{
	static const struct event_member number = { .min = 1, .max = UINT32_MAX };
	uint32_t *items;
	size_t n = 0;

	if (value->type != VALUE_ARRAY)
		return taking_wrong_type(taking, "an array", value);
	items = taking_array(taking, value->n, sizeof(*items));
	if (!items)
		return -ENOMEM;
	value_each(one, value) {
		int rc = take_u32(taking, &number, one, &items[n++]);

		if (rc)
			return taking_inside(taking, rc, "entry %zu", n);
	}
	*to = items;
	*nto = value->n;
	return 0;
}

int take_hold_jid(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	struct job_spec *spec = to;

	(void)member;
	return take_numbers(taking, value, &spec->hold_jid, &spec->nhold_jid);
}

int take_hold_jid_ad(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	struct job_spec *spec = to;

	(void)member;
	return take_numbers(taking, value, &spec->hold_jid_ad, &spec->nhold_jid_ad);
}

int take_number_list(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	struct number_list *list = to;

	(void)member;
	return take_numbers(taking, value, &list->items, &list->n);
}

int take_records(struct taking *taking, const struct value *value, const struct event_member *table, size_t n,
		 size_t bytes, void **records)
{
	char *record;

	if (value->type != VALUE_ARRAY)
		return taking_wrong_type(taking, "an array", value);
	*records = taking_array(taking, value->n, bytes);
	if (!*records)
		return -ENOMEM;
	record = *records;
	value_each(one, value) {
		int rc = one->type == VALUE_OBJECT ? members_take(taking, table, n, REQUIRED, one, record)
						   : taking_wrong_type(taking, "an object", one);

		record += bytes;
		if (rc)
			return taking_inside(taking, rc, "entry %zu", (size_t)(record - (char *)*records) / bytes);
	}
	return 0;
}

int take_granted(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	static const struct event_member table[] = {
		{ "queue", take_slot, offsetof(struct granted, queue), REQUIRED, 0, 0, 0 },
		{ "slots", take_u32, offsetof(struct granted, slots), REQUIRED, 1, UINT32_MAX, 0 },
	};
	struct grants *grants = to;
	void *records = NULL;
	uint64_t slots = 0;
	int rc = take_records(taking, value, table, LENGTH(table), sizeof(struct granted), &records);

	(void)member;
	if (rc)
		return rc;
	*grants = (struct grants){ records, value->n };
	if (grants->n == 0)
		return error_set(&taking->error, -EINVAL,
				 "it is empty; at least the master queue instance is expected");
	for (size_t i = 0; i < grants->n; i++)
		slots += grants->items[i].slots;
	return slots <= UINT32_MAX ? 0 : error_set(&taking->error, -EINVAL, "more than 4294967295 slots in all");
}

static int take_calendar_state(struct taking *taking, const struct event_member *member, const struct value *value,
			       void *to)
{
	enum calendar_state *state = to;
	const char *text;
	int rc = take_text(taking, member, value, &text);

	if (rc)
		return rc;
	if (strcmp(text, "") != 0 && strcmp(text, "D") != 0 && strcmp(text, "C") != 0)
		return error_set(&taking->error, -EINVAL, "\"%.40s\" is not one of \"D\", \"C\" and \"\"", text);
	*state = *text == 'D' ? CALENDAR_OFF : *text == 'C' ? CALENDAR_SUSPENDED : CALENDAR_UNSAID;
	return 0;
}

int take_state_changes(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	static const struct event_member table[] = {
		{ "state", take_calendar_state, offsetof(struct calendar_change, state), REQUIRED, 0, 0, 0 },
		{ "until", take_i64, offsetof(struct calendar_change, until), OPTIONAL, 1, TIME_MAX_S, 0 },
	};
	struct calendar_changes *changes = to;
	void *records = NULL;
	int rc = take_records(taking, value, table, LENGTH(table), sizeof(struct calendar_change), &records);
	struct calendar_change *items = records;

	(void)member;
	for (size_t i = 0; rc == 0 && i < value->n; i++) {
		if (items[i].until == 0)
			items[i].until = CALENDAR_FOREVER;
		if (i > 0 && items[i].until <= items[i - 1].until)
			rc = error_set(&taking->error, -EINVAL, "entry %zu is not later than the entry before it",
				       i + 1);
	}
	if (rc == 0)
		*changes = (struct calendar_changes){ items, value->n };
	return rc;
}

static int free_name_check(struct taking *taking, const char *name)
{
	int rc = taking_printable(taking, name);

	if (rc == 0 && (*name == '\0' || strlen(name) > NAME_BYTES))
		rc = error_set(&taking->error, -EINVAL, "a name of 1 to %d bytes is expected", NAME_BYTES);
	return rc;
}

int take_amount(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	double amount;

	(void)member;
	if (value->type != VALUE_INTEGER && value->type != VALUE_REAL)
		return taking_wrong_type(taking, "a number", value);
	/* avoids -0 */
	amount = (value->type == VALUE_REAL ? value->real : (double)value->integer) + 0.0;
	if (!(amount >= 0 && amount <= USAGE_MAX))
		return error_set(&taking->error, -EINVAL, "%g is not in 0..%g", amount, USAGE_MAX);
	*(double *)to = amount;
	return 0;
}

int take_named(struct taking *taking, const struct value *value, named_take *take, size_t bytes, void **items,
	       size_t *n)
{
	char *item;

	if (value->type != VALUE_OBJECT)
		return taking_wrong_type(taking, "an object", value);
	*items = taking_array(taking, value->n, bytes);
	if (!*items)
		return -ENOMEM;
	item = *items;
	value_each(one, value) {
		int rc;

		if (one->type == VALUE_NULL)
			continue;
		rc = free_name_check(taking, one->name);
		if (rc == 0)
			rc = take(taking, one, item);
		if (rc)
			return taking_inside(taking, rc, "%.40s", one->name);
		item += bytes;
	}
	*n = (size_t)(item - (char *)*items) / bytes;
	return 0;
}

static int usage_value_take(struct taking *taking, const struct value *value, void *item)
{
	struct usage_value *to = item;

	to->name = value->name;
	return take_amount(taking, NULL, value, &to->value);
}

int take_usage(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	struct usage_values *usage = to;
	void *items;
	size_t n;
	int rc = take_named(taking, value, usage_value_take, sizeof(*usage->items), &items, &n);

	(void)member;
	if (rc == 0)
		*usage = (struct usage_values){ items, n };
	return rc;
}

char *taking_number(struct taking *taking, const struct value *value)
{
	char *text = taking_array(taking, NUMBER_BYTES, 1);

	if (text && value->type == VALUE_INTEGER)
		snprintf(text, NUMBER_BYTES, "%lld", (long long)value->integer);
	for (int digits = 15; text && value->type == VALUE_REAL && digits <= 17; digits++) {
		snprintf(text, NUMBER_BYTES, "%.*g", digits, value->real);
		if (strtod(text, NULL) == value->real)
			break;
	}
	return text;
}

static int load_value_take(struct taking *taking, const struct value *value, void *item)
{
	struct load_report *to = item;

	to->name = value->name;
	if (value->type == VALUE_STRING)
		return take_name_or_none(taking, NULL, value, &to->value);
	if (value->type != VALUE_INTEGER && value->type != VALUE_REAL)
		return taking_wrong_type(taking, "a string or a number", value);
	to->value = taking_number(taking, value);
	return to->value ? 0 : -ENOMEM;
}

int take_load(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	struct load_reports *load = to;
	void *items;
	size_t n;
	int rc = take_named(taking, value, load_value_take, sizeof(*load->items), &items, &n);

	(void)member;
	if (rc == 0)
		*load = (struct load_reports){ items, n };
	return rc;
}

/* Read [job number, task]. */
static int task_name_take(struct taking *taking, const struct value *value, struct task_name *name)
{
	static const struct event_member number = { .min = 1, .max = UINT32_MAX };
	uint32_t *const parts[] = { &name->job_number, &name->task };
	size_t n = 0;

	if (value->type != VALUE_ARRAY || value->n != LENGTH(parts))
		return taking_wrong_type(taking, "an array of a job number and a task", value);
	value_each(one, value) {
		int rc = take_u32(taking, &number, one, parts[n++]);

		if (rc)
			return rc;
	}
	return 0;
}

int take_task_names(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	struct task_names *names = to;
	struct task_name *items;
	size_t n = 0;

	(void)member;
	if (value->type != VALUE_ARRAY)
		return taking_wrong_type(taking, "an array", value);
	items = taking_array(taking, value->n, sizeof(*items));
	if (!items)
		return -ENOMEM;
	value_each(one, value) {
		int rc = task_name_take(taking, one, &items[n++]);

		if (rc)
			return taking_inside(taking, rc, "entry %zu", n);
	}
	*names = (struct task_names){ items, n };
	return 0;
}

static int job_number_parse(struct taking *taking, const char *text, uint32_t *number)
{
	uint64_t n = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9' && n <= UINT32_MAX; p++)
		n = n * 10 + (uint64_t)(*p - '0');
	*number = (uint32_t)n;
	if (*p || *text == '0' || n == 0 || n > UINT32_MAX)
		return error_set(&taking->error, -EINVAL, "\"%.40s\" is not a job number in 1..4294967295", text);
	return 0;
}

int take_debited(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	struct object_usage *object = to;
	struct debited_usage *items;
	size_t n = 0;

	if (value->type != VALUE_OBJECT)
		return taking_wrong_type(taking, "an object", value);
	items = taking_array(taking, value->n, sizeof(*items));
	if (!items)
		return -ENOMEM;
	value_each(one, value) {
		int rc = job_number_parse(taking, one->name, &items[n].job_number);

		if (rc)
			return rc;
		if (one->type == VALUE_NULL)
			continue;
		rc = take_usage(taking, member, one, &items[n++].usage);
		if (rc)
			return taking_inside(taking, rc, "%.40s", one->name);
	}
	object->debited = items;
	object->ndebited = n;
	return 0;
}

int take_projects(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	static const struct event_member table[] = {
		{ "long_term_usage", take_usage, offsetof(struct project_usage, long_term), OPTIONAL, 0, 0, 0 },
		{ "project", take_name, offsetof(struct project_usage, project), REQUIRED, 0, 0, 0 },
		{ "usage", take_usage, offsetof(struct project_usage, usage), OPTIONAL, 0, 0, 0 },
	};
	struct object_usage *object = to;
	void *records = NULL;
	int rc = take_records(taking, value, table, LENGTH(table), sizeof(struct project_usage), &records);

	(void)member;
	if (rc)
		return rc;
	object->projects = records;
	object->nprojects = value->n;
	return 0;
}
