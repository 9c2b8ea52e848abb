/* SPDX-License-Identifier: Apache-2.0 */
/* Members of events that describe the state from which a scheduler continues. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/event.h"
#include "sched/qmaster/members/members.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
/* Largest usage of an association, so that the sum of all is still a double. */
#define USAGE_MOST 0x1p+1000L

int take_real(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	(void)member;
	if (value->type != VALUE_INTEGER && value->type != VALUE_REAL)
		return taking_wrong_type(taking, "a number", value);
	*(double *)to = value->type == VALUE_REAL ? value->real : (double)value->integer;
	return 0;
}

/* Read a double that is not negative. */
static int take_level(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	double level = 0.0;
	int rc = take_real(taking, member, value, &level);

	if (rc == 0 && level < 0.0)
		rc = error_set(&taking->error, -EINVAL, "%g is negative", level);
	if (rc == 0)
		*(double *)to = level;
	return rc;
}

/* Read a double in 0..1. */
static int take_part(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	double part = 0.0;
	int rc = take_real(taking, member, value, &part);

	if (rc == 0 && !(part >= 0.0 && part <= 1.0))
		rc = error_set(&taking->error, -EINVAL, "%g is not in 0..1", part);
	if (rc == 0)
		*(double *)to = part;
	return rc;
}

#define TICKETS(name) { #name, take_amount, offsetof(struct task_values, name), REQUIRED, 0, 0, 0 }
#define VALUE(name, place) { #name, take_real, offsetof(struct task_values, place), REQUIRED, 0, 0, 0 }
#define KEPT(name) VALUE(name, kept.name)
#define URGENCY(name) VALUE(name, kept.urgency.name)
const struct event_member task_value_members[] = {
	URGENCY(dlcontr), TICKETS(ftickets), KEPT(npprior), KEPT(ntckts), KEPT(nurg), TICKETS(otickets), KEPT(prio),
	URGENCY(rrcontr), KEPT(share), TICKETS(stickets), URGENCY(urg), URGENCY(wtcontr),
};
#undef URGENCY
#undef KEPT
#undef VALUE
#undef TICKETS
const size_t ntask_value_members = LENGTH(task_value_members);

int take_task_values(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	struct task_values *values;

	(void)member;
	if (value->type != VALUE_OBJECT)
		return taking_wrong_type(taking, "an object", value);
	values = taking_array(taking, 1, sizeof(*values));
	if (!values)
		return -ENOMEM;
	*(const struct task_values **)to = values;
	return members_take(taking, task_value_members, ntask_value_members, REQUIRED, value, values);
}

int take_allocated(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	static const struct event_member table[] = {
		{ "cpus", take_u32, offsetof(struct request_allocated, cpus), OPTIONAL, 0, UINT32_MAX - 1, 0 },
		{ "partition", take_text, offsetof(struct request_allocated, partition), OPTIONAL, 0, 0, 0 },
		{ "tres", take_text, offsetof(struct request_allocated, tres), OPTIONAL, 0, 0, 0 },
	};

	(void)member;
	((struct request_allocated *)to)->none = value->type == VALUE_FALSE;
	if (value->type != VALUE_OBJECT && value->type != VALUE_FALSE)
		return taking_wrong_type(taking, "an object or false", value);
	return value->type == VALUE_FALSE ? 0 : members_take(taking, table, LENGTH(table), REQUIRED, value, to);
}

int take_debited_tasks(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	static const struct event_member table[] = {
		{ "start_time", take_i64, offsetof(struct debited_task_usage, start_time), REQUIRED, 0, TIME_MAX_S, 0 },
		{ "task", take_u32, offsetof(struct debited_task_usage, task), REQUIRED, 1, UINT32_MAX, 0 },
		{ "usage", take_usage, offsetof(struct debited_task_usage, usage), OPTIONAL, 0, 0, 0 },
	};
	struct debited_event *debited = to;
	void *records = NULL;
	int rc = take_records(taking, value, table, LENGTH(table), sizeof(struct debited_task_usage), &records);

	(void)member;
	if (rc)
		return rc;
	debited->tasks = records;
	debited->ntasks = value->n;
	return 0;
}

/* Read an array of exactly `n` values. */
static int take_array_of(struct taking *taking, const struct value *value, size_t n, const struct event_member *each,
			 size_t bytes, void *items)
{
	size_t i = 0;

	if (value->type != VALUE_ARRAY)
		return taking_wrong_type(taking, "an array", value);
	if (value->n != n)
		return error_set(&taking->error, -EINVAL, "%u entries; %zu are expected", value->n, n);
	value_each(one, value) {
		int rc = each->take(taking, each, one, (char *)items + i++ * bytes);

		if (rc)
			return taking_inside(taking, rc, "entry %zu", i);
	}
	return 0;
}

int take_range_costs(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	static const struct event_member each = { .take = take_i32, .min = INT32_MIN, .max = INT32_MAX };

	(void)member;
	return take_array_of(taking, value, 3, &each, sizeof(int32_t), to);
}

int take_removed(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	static const struct event_member each = { .take = take_u32, .min = 1, .max = UINT32_MAX };
	struct scheduler_event *scheduler = to;
	uint32_t *numbers = taking_array(taking, value->n, sizeof(*numbers));

	(void)member;
	if (!numbers)
		return -ENOMEM;
	scheduler->removed = numbers;
	scheduler->nremoved = value->n;
	return take_array_of(taking, value, value->n, &each, sizeof(*numbers), numbers);
}

/* Read a long double in hexadecimal, because a JSON number has only the bits of a double. */
static int take_precise(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	const char *text = NULL;
	int rc = take_text(taking, member, value, &text);
	char *end = NULL;
	long double number = rc ? 0.0L : strtold(text, &end);

	if (rc)
		return rc;
	if (strncmp(text, "0x", 2) != 0 || *end || !isfinite(number))
		return error_set(&taking->error, -EINVAL, "\"%.40s\" is not a hexadecimal number such as 0x1.8p+3",
				 text);
	if (number > USAGE_MOST)
		return error_set(&taking->error, -EINVAL, "\"%.40s\" is more than 0x1p+1000", text);
	*(long double *)to = number;
	return 0;
}

int take_association_values(struct taking *taking, const struct event_member *member, const struct value *value,
			    void *to)
{
#define AT(name) offsetof(struct association_values, name)
	static const struct event_member table[] = {
		{ "child_usage", take_precise, AT(child_usage), REQUIRED, 0, 0, 0 },
		{ "effective_usage", take_precise, AT(effective_usage), REQUIRED, 0, 0, 0 },
		{ "factor", take_part, AT(factor), REQUIRED, 0, 0, 0 },
		{ "level_fs", take_level, AT(level_fs), OPTIONAL, 0, 0, 0 },
		{ "norm_shares", take_part, AT(norm_shares), REQUIRED, 0, 0, 0 },
		{ "norm_usage", take_precise, AT(norm_usage), REQUIRED, 0, 0, 0 },
		{ "rank", take_u32, AT(rank), REQUIRED, 0, UINT32_MAX, 0 },
		{ "usage", take_precise, AT(usage), REQUIRED, 0, 0, 0 },
	};
#undef AT
	struct association_values *values;

	(void)member;
	if (value->type != VALUE_OBJECT)
		return taking_wrong_type(taking, "an object", value);
	values = taking_array(taking, 1, sizeof(*values));
	if (!values)
		return -ENOMEM;
	values->level_fs = HUGE_VAL;
	*(const struct association_values **)to = values;
	return members_take(taking, table, LENGTH(table), REQUIRED, value, values);
}
