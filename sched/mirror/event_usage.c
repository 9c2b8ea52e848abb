/* SPDX-License-Identifier: Apache-2.0 */
/* Events about the usage of users and projects, and of their jobs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sched/mirror/inside.h"

int mirror_check_usage(const struct usage_values *usage, struct error *error)
{
	for (size_t i = 0; i < usage->n; i++)
		if (!isfinite(usage->items[i].value) || usage->items[i].value < 0 ||
		    usage->items[i].value > TICKETS_LIMIT)
			return error_set(error, -EINVAL, "usage \"%.40s\" is %g: allowed are 0 to %g",
					 usage->items[i].name, usage->items[i].value, TICKETS_LIMIT);
	return 0;
}

int mirror_usage_raise(struct mirror *mirror, uint32_t job_number, uint32_t id, const struct usage_item *items,
		       size_t n)
{
	struct state *state = mirror_target(mirror);
	uint32_t row = jobs_find(&state->jobs, job_number),
		 task = row == INDEX_NONE ? NONE : tasks_find(state, row, id);

	if (task == NONE)
		return -ENOENT;
	for (size_t i = 0; i < n; i++)
		if (usage_raise(&state->tasks.items[task].usage, items[i].name, items[i].value) < 0)
			return -ENOMEM;
	state->tasks.items[task].has_usage = true;
	state->tasks.items[task].booked.accounts = 0;
	return 0;
}

static int check_object(const struct object_usage *usage, struct error *error)
{
	int rc = mirror_check_usage(&usage->usage, error);

	if (rc == 0)
		rc = mirror_check_usage(&usage->long_term, error);
	for (size_t i = 0; rc == 0 && i < usage->ndebited; i++)
		rc = mirror_check_usage(&usage->debited[i].usage, error);
	for (size_t i = 0; rc == 0 && i < usage->nprojects; i++) {
		rc = mirror_check_usage(&usage->projects[i].usage, error);
		if (rc == 0)
			rc = mirror_check_usage(&usage->projects[i].long_term, error);
	}
	return rc;
}

/*
 * Convert the usage booked for jobs, by index in the event, and create an entry for each job.
 * -ENOMEM: only a part is converted.
 */
static int debited_make(struct mirror *mirror, struct state *state, const struct object_usage *usage,
			struct usage *booked)
{
	for (size_t i = 0; i < usage->ndebited; i++)
		if (!debited_add(state, usage->debited[i].job_number) ||
		    (!mirror->snapshot && ledger_note_job(mirror->ledger, usage->debited[i].job_number)) ||
		    usage_from(&booked[i], &mirror->usage_names, mirror->strings, &usage->debited[i].usage))
			return -ENOMEM;
	return 0;
}

/*
 * Return the object's number, with its entry created if it has none. UINT32_MAX: no memory, nothing
 * has changed.
 */
static uint32_t object_make(struct mirror *mirror, enum sharer_kind kind, struct objects *objects, const char *name)
{
	size_t before = objects->n;
	uint32_t id = objects_add(objects, mirror->strings, name);

	if (id == UINT32_MAX || mirror->snapshot || ledger_note_object(mirror->ledger, kind, id) == 0)
		return id;
	if (objects->n > before)
		objects_drop_last(objects, mirror->strings);
	return UINT32_MAX;
}

/*
 * Set the usage of an object. Everything is created before anything takes effect. After a failure
 * all is undone except the notes for the store, which cause unchanged values to be stored again.
 */
static int set_object_usage(struct mirror *mirror, enum sharer_kind kind, const struct object_usage *usage,
			    struct error *error)
{
	struct state *state = mirror_target(mirror);
	struct objects *objects = mirror->snapshot ? &state->staged[kind] : &mirror->objects[kind];
	struct object new = { 0 };
	struct usage *booked;
	size_t names = mirror->usage_names.n, ndebited = state->ndebited;
	uint32_t id = UINT32_MAX;
	int rc = check_object(usage, error);

	if (rc != 0)
		return rc;
	booked = calloc(usage->ndebited + 1, sizeof(*booked));
	if (booked &&
	    object_make_usage(&new, mirror->strings, &mirror->usage_names, usage, mirror->report_count + 1) == 0 &&
	    debited_make(mirror, state, usage, booked) == 0)
		id = object_make(mirror, kind, objects, usage->name);
	if (id == UINT32_MAX) {
		while (state->ndebited > ndebited)
			debited_remove(state, state->debited_numbers[state->ndebited - 1]);
		usage_names_cut(&mirror->usage_names, mirror->strings, names);
		rc = error_set(error, -ENOMEM, "out of memory");
	} else {
		mirror->report_count++;
		mirror->accounts++;
		object_swap_usage(&objects->items[id], &new);
	}
	for (size_t i = 0; booked && i < usage->ndebited; i++) {
		struct debited *debited = rc == 0 ? debited_find(state, usage->debited[i].job_number) : NULL;

		if (debited) {
			struct usage old = debited->usage;

			debited->usage = booked[i];
			debited->reported = mirror->report_count;
			debited->replaced = true;
			booked[i] = old;
		}
		usage_free(&booked[i]);
	}
	object_free(&new, mirror->strings);
	free(booked);
	return rc;
}

int mirror_user_usage(struct mirror *mirror, const struct object_usage *usage, struct error *error)
{
	return set_object_usage(mirror, SHARER_USER, usage, error);
}

int mirror_project_usage(struct mirror *mirror, const struct object_usage *usage, struct error *error)
{
	return set_object_usage(mirror, SHARER_PROJECT, usage, error);
}

int mirror_usage_forget(struct mirror *mirror, bool user, const char *name, bool gone)
{
	enum sharer_kind kind = user ? SHARER_USER : SHARER_PROJECT;
	uint32_t string = strings_find(mirror->strings, name),
		 id = string == NONE ? INDEX_NONE : objects_find(&mirror->objects[kind], string);
	struct object *object = id == INDEX_NONE ? NULL : &mirror->objects[kind].items[id];
	struct usage long_term = { 0 };

	if (!object)
		return 0;
	if (ledger_note_object(mirror->ledger, kind, id))
		return -ENOMEM;
	mirror->accounts++;
	if (!gone) {
		long_term = object->long_term;
		object->long_term = (struct usage){ 0 };
	}
	object_free(object, mirror->strings);
	object->long_term = long_term;
	object->replaced = true;
	return 0;
}

/* Submission times */

int mirror_find_debited(struct mirror *mirror, struct state *state, uint32_t row)
{
	uint32_t number = job_fact(&state->jobs, row, number);
	struct debited *debited = debited_find(state, number);
	int rc = 0;

	if (!mirror->snapshot && mirror->ledger && (!debited || !debited->known))
		rc = ledger_find(mirror->ledger, state, number, job_fact(&state->jobs, row, submission), &debited);
	return rc == -ENOMEM || ledger_note_job(mirror->ledger, number) ? -ENOMEM : 0;
}

void mirror_submission_changed(struct state *state, uint32_t number, int64_t old, int64_t new)
{
	struct debited *debited = debited_find(state, number);

	if (debited)
		debited->submission_time = new;
	for (size_t i = 0; i < state->nended; i++)
		if (state->ended[i].number == number && state->ended[i].submission_time == old)
			state->ended[i].submission_time = new;
}
