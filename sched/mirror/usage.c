/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/usage.h"

#include <errno.h>

#include "sched/mirror/inside.h"

/* Objects */

uint32_t mirror_object_count(const struct mirror *mirror, enum sharer_kind kind)
{
	return (uint32_t)mirror->objects[kind].n;
}

const struct object *mirror_object(const struct mirror *mirror, enum sharer_kind kind, uint32_t number)
{
	return &mirror->objects[kind].items[number];
}

uint32_t mirror_find_object(const struct mirror *mirror, enum sharer_kind kind, const char *name)
{
	uint32_t string = strings_find(mirror->strings, name);

	return string == NONE ? NONE : objects_find(&mirror->objects[kind], string);
}

const struct usage_in_project *mirror_find_project_usage(const struct mirror *mirror, const struct object *object,
							 const char *project)
{
	uint32_t string = strings_find(mirror->strings, project);

	return string == NONE ? NULL : object_find_project(object, string);
}

uint32_t mirror_add_object(struct mirror *mirror, enum sharer_kind kind, const char *name)
{
	return objects_add(&mirror->objects[kind], mirror->strings, name);
}

struct object *mirror_load_object(struct mirror *mirror, enum sharer_kind kind, const char *name)
{
	struct objects *objects = &mirror->objects[kind];
	uint32_t id = mirror_add_object(mirror, kind, name);

	if (id == NONE)
		return NULL;
	if (kind == SHARER_USER)
		classes_enforce_user(&mirror->classes, mirror->cell, objects->items[id].name);
	return &objects->items[id];
}

struct usage_in_project *mirror_load_project_usage(struct mirror *mirror, struct object *object, const char *project)
{
	uint32_t string = strings_hold(mirror->strings, project);
	struct usage_in_project *usage = string == NONE ? NULL : object_in_project(object, mirror->strings, string);

	strings_drop(mirror->strings, string);
	return usage;
}

/* Values */

const char *mirror_usage_text(const struct mirror *mirror, uint32_t name)
{
	return strings_text(mirror->strings, mirror->usage_names.strings[name]);
}

uint32_t mirror_usage_name(struct mirror *mirror, const char *text)
{
	return usage_name(&mirror->usage_names, mirror->strings, text);
}

double mirror_usage_value(const struct mirror *mirror, const struct usage *usage, const char *name)
{
	uint32_t string = strings_find(mirror->strings, name);
	uint32_t id = string == NONE ? INDEX_NONE
				     : index_find(&mirror->usage_names.by_string, mirror->usage_names.strings, string);

	return id == INDEX_NONE ? 0.0 : usage_get(usage, id);
}

int mirror_usage_from(struct mirror *mirror, struct usage *usage, const struct usage_values *from)
{
	return usage_from(usage, &mirror->usage_names, mirror->strings, from);
}

struct usage_values mirror_usage_values(const struct mirror *mirror, const struct usage *usage,
					struct usage_value *items)
{
	for (size_t i = 0; i < usage->n; i++)
		items[i] = (struct usage_value){ mirror_usage_text(mirror, usage->items[i].name),
						 usage->items[i].value };
	return (struct usage_values){ items, usage->n };
}

/* Jobs */

struct booked_jobs mirror_booked_jobs(const struct mirror *mirror)
{
	const struct state *state = mirror->state;

	return (struct booked_jobs){ state->debited, state->debited_numbers, state->ndebited };
}

const struct debited *mirror_find_booked(const struct mirror *mirror, uint32_t job_number)
{
	return debited_find(mirror->state, job_number);
}

const uint32_t *mirror_class_sharers(const struct mirror *mirror, uint32_t class_id)
{
	return mirror->classes.items[class_id].sharer;
}

static const uint32_t *sharers_of(const struct mirror *mirror, const struct state *state, uint32_t job_number)
{
	uint32_t row = jobs_find(&state->jobs, job_number);

	return row == INDEX_NONE ? NULL : mirror_class_sharers(mirror, job_fact(&state->jobs, row, class_id));
}

const uint32_t *mirror_job_sharers(const struct mirror *mirror, uint32_t job_number)
{
	return sharers_of(mirror, mirror->state, job_number);
}

const uint32_t *mirror_reported_sharers(const struct mirror *mirror, uint32_t job_number)
{
	return sharers_of(mirror, mirror->snapshot ? mirror->snapshot : mirror->state, job_number);
}

/* Permanent storage */

struct ledger *mirror_ledger(const struct mirror *mirror)
{
	return mirror->ledger;
}

int mirror_keep_ledger(struct mirror *mirror, const struct ledger_calls *calls)
{
	mirror->ledger = ledger_create(calls, mirror->strings);
	return mirror->ledger ? 0 : -ENOMEM;
}

void mirror_stored(struct mirror *mirror)
{
	const struct pool *noted = &mirror->ledger->objects;

	for (uint32_t i = 0; i < noted->n; i++) {
		const struct ledger_object *object = pool_key(noted, i);

		mirror->objects[object->kind].items[object->object].replaced = false;
	}
	ledger_clear(mirror->ledger);
}

uint64_t mirror_report_count(const struct mirror *mirror)
{
	return mirror->report_count;
}

void mirror_raise_report_count(struct mirror *mirror, uint64_t count)
{
	if (count > mirror->report_count)
		mirror->report_count = count;
}
