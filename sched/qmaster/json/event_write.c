/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reverse of the tables of event.c: a writing function for each function that reads a member.
 */
#include "sched/qmaster/json/event_write.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sched/qmaster/members/event.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

typedef void give(struct out *out, const void *from);

static void give_u32(struct out *out, const void *from)
{
	json_write_number(out, "", *(const uint32_t *)from);
}

static void give_i32(struct out *out, const void *from)
{
	json_write_number(out, "", *(const int32_t *)from);
}

static void give_i64(struct out *out, const void *from)
{
	json_write_number(out, "", *(const int64_t *)from);
}

static void give_bool(struct out *out, const void *from)
{
	json_write_bool(out, "", *(const bool *)from);
}

static void give_real(struct out *out, const void *from)
{
	json_write_exact(out, "", *(const double *)from);
}

static void give_text(struct out *out, const void *from)
{
	const char *text = *(const char *const *)from;

	json_text(out, text ? text : "");
}

static void give_ranges(struct out *out, const void *from)
{
	size_t n = ranges_format(from, NULL, 0);
	char *text = malloc(n + 1);

	if (text)
		ranges_format(from, text, n + 1);
	else
		out->error = out->error ? out->error : -ENOMEM;
	json_text(out, text ? text : "");
	free(text);
}

static void give_error(struct out *out, const void *from)
{
	const struct job_spec *job = from;

	if (job->error_reason)
		json_text(out, job->error_reason);
	else
		json_write_bool(out, "", job->error);
}

static void give_hold(struct out *out, const void *from)
{
	static const char *const keys[HOLD_KINDS] = {
		[HOLD_USER] = "\"u\":", [HOLD_OPERATOR] = "\"o\":", [HOLD_SYSTEM] = "\"s\":", [HOLD_ARRAY] = "\"a\":"
	};
	const struct ranges *hold = from;
	const char *before = "{";

	for (int k = 0; k < HOLD_KINDS; k++) {
		if (hold[k].n == 0)
			continue;
		json_write_literal(out, before);
		json_write_literal(out, keys[k]);
		give_ranges(out, &hold[k]);
		before = ",";
	}
	json_write_literal(out, *before == '{' ? "{}" : "}");
}

static void give_numbers(struct out *out, const uint32_t *numbers, size_t n)
{
	json_write_literal(out, "[");
	for (size_t i = 0; i < n; i++)
		json_write_number(out, i ? "," : "", numbers[i]);
	json_write_literal(out, "]");
}

static void give_hold_jid(struct out *out, const void *from)
{
	const struct job_spec *job = from;

	give_numbers(out, job->hold_jid, job->nhold_jid);
}

static void give_hold_jid_ad(struct out *out, const void *from)
{
	const struct job_spec *job = from;

	give_numbers(out, job->hold_jid_ad, job->nhold_jid_ad);
}

static void give_granted(struct out *out, const void *from)
{
	const struct grants *grants = from;

	json_write_literal(out, "[");
	for (size_t i = 0; i < grants->n; i++) {
		json_write_string(out, i ? ",{\"queue\":" : "{\"queue\":", grants->items[i].queue);
		json_write_number(out, ",\"slots\":", grants->items[i].slots);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

static void give_usage(struct out *out, const void *from)
{
	const struct usage_values *usage = from;

	json_write_literal(out, "{");
	for (size_t i = 0; i < usage->n; i++) {
		json_write_string(out, i ? "," : "", usage->items[i].name);
		json_write_exact(out, ":", usage->items[i].value);
	}
	json_write_literal(out, "}");
}

static void give_debited(struct out *out, const void *from)
{
	const struct object_usage *object = from;

	json_write_literal(out, "{");
	for (size_t i = 0; i < object->ndebited; i++) {
		json_write_number(out, i ? ",\"" : "\"", object->debited[i].job_number);
		json_write_literal(out, "\":");
		give_usage(out, &object->debited[i].usage);
	}
	json_write_literal(out, "}");
}

static void give_projects(struct out *out, const void *from)
{
	const struct object_usage *object = from;

	json_write_literal(out, "[");
	for (size_t i = 0; i < object->nprojects; i++) {
		json_write_string(out, i ? ",{\"project\":" : "{\"project\":", object->projects[i].project);
		json_write_literal(out, ",\"usage\":");
		give_usage(out, &object->projects[i].usage);
		json_write_literal(out, ",\"long_term_usage\":");
		give_usage(out, &object->projects[i].long_term);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

static void give_load(struct out *out, const void *from)
{
	const struct load_reports *load = from;

	json_write_literal(out, "{");
	for (size_t i = 0; i < load->n; i++) {
		json_write_string(out, i ? "," : "", load->items[i].name);
		json_write_string(out, ":", load->items[i].value);
	}
	json_write_literal(out, "}");
}

static void give_task_names(struct out *out, const void *from)
{
	const struct task_names *names = from;

	json_write_literal(out, "[");
	for (size_t i = 0; i < names->n; i++) {
		json_write_number(out, i ? ",[" : "[", names->items[i].job_number);
		json_write_number(out, ",", names->items[i].task);
		json_write_literal(out, "]");
	}
	json_write_literal(out, "]");
}

static void give_state_changes(struct out *out, const void *from)
{
	static const char *const letters[] = {
		[CALENDAR_UNSAID] = "", [CALENDAR_OFF] = "D", [CALENDAR_SUSPENDED] = "C"
	};
	const struct calendar_changes *changes = from;

	json_write_literal(out, "[");
	for (size_t i = 0; i < changes->n; i++) {
		json_write_string(out, i ? ",{\"state\":" : "{\"state\":", letters[changes->items[i].state]);
		if (changes->items[i].until != CALENDAR_FOREVER)
			json_write_number(out, ",\"until\":", changes->items[i].until);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

static void give_task_values(struct out *out, const void *from)
{
	const char *values = *(const char *const *)from;

	for (size_t i = 0; i < ntask_value_members; i++) {
		json_write_string(out, i ? "," : "{", task_value_members[i].name);
		json_write_literal(out, ":");
		give_real(out, values + task_value_members[i].offset);
	}
	json_write_literal(out, "}");
}

static void give_allocated(struct out *out, const void *from)
{
	const struct request_allocated *allocated = from;

	if (allocated->none) {
		json_write_literal(out, "false");
		return;
	}
	json_write_number(out, "{\"cpus\":", allocated->cpus);
	json_write_string(out, ",\"partition\":", allocated->partition ? allocated->partition : "");
	json_write_string(out, ",\"tres\":", allocated->tres ? allocated->tres : "");
	json_write_literal(out, "}");
}

static void give_debited_tasks(struct out *out, const void *from)
{
	const struct debited_event *debited = from;

	json_write_literal(out, "[");
	for (size_t i = 0; i < debited->ntasks; i++) {
		json_write_number(out, i ? ",{\"task\":" : "{\"task\":", debited->tasks[i].task);
		json_write_number(out, ",\"start_time\":", debited->tasks[i].start_time);
		json_write_literal(out, ",\"usage\":");
		give_usage(out, &debited->tasks[i].usage);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

static void give_range_costs(struct out *out, const void *from)
{
	const int32_t *costs = from;

	json_write_number(out, "[", costs[0]);
	json_write_number(out, ",", costs[1]);
	json_write_number(out, ",", costs[2]);
	json_write_literal(out, "]");
}

static void give_removed(struct out *out, const void *from)
{
	const struct scheduler_event *scheduler = from;

	give_numbers(out, scheduler->removed, scheduler->nremoved);
}

static void give_precise(struct out *out, const char *key, long double x)
{
	char text[48];

	snprintf(text, sizeof(text), "%La", x);
	json_write_string(out, key, text);
}

static void give_association_values(struct out *out, const void *from)
{
	const struct association_values *values = *(const struct association_values *const *)from;

	give_precise(out, "{\"usage\":", values->usage);
	json_write_exact(out, ",\"norm_shares\":", values->norm_shares);
	give_precise(out, ",\"norm_usage\":", values->norm_usage);
	give_precise(out, ",\"effective_usage\":", values->effective_usage);
	give_precise(out, ",\"child_usage\":", values->child_usage);
	json_write_exact(out, ",\"factor\":", values->factor);
	if (isfinite(values->level_fs))
		json_write_exact(out, ",\"level_fs\":", values->level_fs);
	json_write_number(out, ",\"rank\":", values->rank);
	json_write_literal(out, "}");
}

/* Write each attribute as an expression. A value is an expression, too. */
static void give_ad(struct out *out, const void *from)
{
	const struct ad_attributes *ad = from;

	json_write_literal(out, "{");
	for (size_t i = 0; i < ad->n; i++) {
		json_write_string(out, i ? "," : "", ad->items[i].name);
		json_write_string(out, ":{\"expr\":", ad->items[i].expression);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "}");
}

static void give_how(struct out *out, const void *from)
{
	json_text(out, vacated_how_name(*(const enum vacated_how *)from));
}

static void give_edit(struct out *out, const void *from)
{
	json_text(out, customer_edit_name(*(const enum customer_edit_kind *)from));
}

/*
 * How each type of member is written. A member of `bytes` with the value that event_init() sets is
 * left out. bytes 0: left out if empty.
 */
static const struct giving {
	int (*take)(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
	give *give;
	size_t bytes;
} givings[] = {
	{ take_u32, give_u32, sizeof(uint32_t) }, { take_i32, give_i32, sizeof(int32_t) },
	{ take_i64, give_i64, sizeof(int64_t) }, { take_bool, give_bool, sizeof(bool) },
	{ take_real, give_real, sizeof(double) }, { take_amount, give_real, sizeof(double) },
	{ take_text, give_text, sizeof(char *) }, { take_name, give_text, sizeof(char *) },
	{ take_name_or_none, give_text, sizeof(char *) }, { take_instance, give_text, sizeof(char *) },
	{ take_task_state, give_text, sizeof(char *) }, { take_letters, give_text, sizeof(char *) },
	{ take_pe_range, give_text, sizeof(char *) }, { take_ranges, give_ranges, sizeof(struct ranges) },
	{ take_error, give_error, 0 }, { take_hold, give_hold, 0 }, { take_hold_jid, give_hold_jid, 0 },
	{ take_hold_jid_ad, give_hold_jid_ad, 0 }, { take_granted, give_granted, sizeof(struct grants) },
	{ take_usage, give_usage, sizeof(struct usage_values) }, { take_debited, give_debited, 0 },
	{ take_projects, give_projects, 0 }, { take_task_names, give_task_names, sizeof(struct task_names) },
	{ take_state_changes, give_state_changes, sizeof(struct calendar_changes) },
	{ take_load, give_load, sizeof(struct load_reports) }, { take_task_values, give_task_values, sizeof(void *) },
	{ take_allocated, give_allocated, 0 }, { take_debited_tasks, give_debited_tasks, 0 },
	{ take_range_costs, give_range_costs, 3 * sizeof(int32_t) }, { take_slot, give_text, sizeof(char *) },
	{ take_expression, give_text, sizeof(char *) }, { take_ad, give_ad, sizeof(struct ad_attributes) },
	{ take_how, give_how, sizeof(enum vacated_how) }, { take_edit, give_edit, sizeof(enum customer_edit_kind) },
	{ take_removed, give_removed, 0 }, { take_association_values, give_association_values, sizeof(void *) },
};

static const struct giving *giving_of(const struct event_member *member)
{
	for (size_t i = 0; i < LENGTH(givings); i++)
		if (givings[i].take == member->take)
			return &givings[i];
	return NULL;
}

/*
 * Return whether a member must be written. Not for members of a job. An array is counted by another
 * member, and is written unless it is empty.
 */
static bool is_given(const struct event *event, const struct event *none, const struct event_member *member,
		     const struct giving *giving)
{
	const char *at = (const char *)event + member->offset;

	if (member->due != OPTIONAL)
		return true;
	if (member->take == take_debited)
		return event->object.ndebited > 0;
	if (member->take == take_projects)
		return event->object.nprojects > 0;
	if (member->take == take_debited_tasks)
		return event->debited.ntasks > 0;
	if (member->take == take_removed)
		return event->scheduler.nremoved > 0;
	if (event->type == EVENT_SUBMITTER_EDIT && member->take == take_real)
		return event->submitter_edit.edit.kind <= EDIT_LAST;
	if (giving->give == give_usage && event->type == EVENT_TASK_FINISH)
		return event->task.has_usage;
	return memcmp(at, (const char *)none + member->offset, giving->bytes) != 0;
}

static bool is_of_job(const struct event *event)
{
	return event->type == EVENT_JOB_ADD || event->type == EVENT_JOB_MODIFY;
}

void event_write(struct out *out, uint64_t seq, const struct event *event)
{
	const struct event_form *form = event_form_of(event->type);
	struct event none;

	event_init(&none, event->type);
	json_write_number(out, "{\"seq\":", (int64_t)seq);
	json_write_string(out, ",\"event\":", form->name);
	for (size_t i = 0; i < form->nmembers; i++) {
		const struct event_member *member = &form->members[i];
		const struct giving *giving;

		/* a job has many members, but usually few of them are set */
		if (is_of_job(event) && member->due != KEY && !event_job_given(event, member))
			continue;
		giving = giving_of(member);
		if (!giving || (!is_of_job(event) && !is_given(event, &none, member, giving)))
			continue;
		json_write_string(out, ",", member->name);
		json_write_literal(out, ":");
		giving->give(out, (const char *)event + member->offset);
	}
	json_write_literal(out, "}\n");
}
