/* SPDX-License-Identifier: Apache-2.0 */
/* Events about the usage of users and projects, and what a job keeps of it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sched/mirror/tables.h"

int mirror_check_usage(const struct usage_values *usage, struct error *error)
{
	for (size_t i = 0; i < usage->n; i++)
		if (!isfinite(usage->items[i].value) || usage->items[i].value < 0 || usage->items[i].value > TICKETS_LIMIT)
			return error_set(error, -EINVAL, "usage \"%.40s\" is %g: allowed are 0 to %g", usage->items[i].name,
					 usage->items[i].value, TICKETS_LIMIT);
	return 0;
}

int mirror_usage_raise(struct mirror *m, uint32_t job_number, uint32_t id, const struct usage_item *items, size_t n)
{
	struct state *s = mirror_target(m);
	uint32_t row = jobs_find(&s->jobs, job_number), task = row == INDEX_NONE ? NONE : tasks_find(s, row, id);

	if (task == NONE)
		return -ENOENT;
	for (size_t i = 0; i < n; i++)
		if (usage_raise(&s->tasks.items[task].usage, items[i].name, items[i].value) < 0)
			return -ENOMEM;
	s->tasks.items[task].has_usage = true;
	s->tasks.items[task].booked.accounts = 0;
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
 * What was booked for jobs, by their place in the list, and an entry for each job. -ENOMEM: as far
 * as memory went.
 */
static int debited_make(struct mirror *m, struct state *s, const struct object_usage *usage, struct usage *booked)
{
	for (size_t i = 0; i < usage->ndebited; i++)
		if (!debited_add(s, usage->debited[i].job_number) ||
		    (!m->snapshot && ledger_note_job(m->ledger, usage->debited[i].job_number)) ||
		    usage_from(&booked[i], &m->usage_names, m->strings, &usage->debited[i].usage))
			return -ENOMEM;
	return 0;
}

/*
 * The object's number, its entry made if it has none. UINT32_MAX: no memory, and nothing has
 * changed.
 */
static uint32_t object_make(struct mirror *m, enum sharer_kind kind, struct objects *objects, const char *name)
{
	size_t before = objects->n;
	uint32_t id = objects_add(objects, m->strings, name);

	if (id == UINT32_MAX || m->snapshot || ledger_note_object(m->ledger, kind, id) == 0)
		return id;
	if (objects->n > before)
		objects_drop_last(objects, m->strings);
	return UINT32_MAX;
}

/*
 * All is made before anything of it counts. What fails is taken back, but for notes of what is to
 * be stored, which is stored again.
 */
static int set_object_usage(struct mirror *m, enum sharer_kind kind, const struct object_usage *usage, struct error *error)
{
	struct state *s = mirror_target(m);
	struct objects *objects = m->snapshot ? &s->staged[kind] : &m->objects[kind];
	struct object new = { 0 };
	struct usage *booked;
	size_t names = m->usage_names.n, ndebited = s->ndebited;
	uint32_t id = UINT32_MAX;
	int rc = check_object(usage, error);

	if (rc != 0)
		return rc;
	booked = calloc(usage->ndebited + 1, sizeof(*booked));
	if (booked && object_make_usage(&new, m->strings, &m->usage_names, usage, m->tellings + 1) == 0 && debited_make(m, s, usage, booked) == 0)
		id = object_make(m, kind, objects, usage->name);
	if (id == UINT32_MAX) {
		while (s->ndebited > ndebited)
			debited_remove(s, s->debited_numbers[s->ndebited - 1]);
		usage_names_cut(&m->usage_names, m->strings, names);
		rc = error_set(error, -ENOMEM, "out of memory");
	} else {
		m->tellings++;
		m->accounts++;
		object_swap_usage(&objects->items[id], &new);
	}
	for (size_t i = 0; booked && i < usage->ndebited; i++) {
		struct debited *debited = rc == 0 ? debited_find(s, usage->debited[i].job_number) : NULL;

		if (debited) {
			struct usage old = debited->usage;

			debited->usage = booked[i];
			debited->told = m->tellings;
			debited->replaced = true;
			booked[i] = old;
		}
		usage_free(&booked[i]);
	}
	object_free(&new, m->strings);
	free(booked);
	return rc;
}

int mirror_user_usage(struct mirror *m, const struct object_usage *usage, struct error *error)
{
	return set_object_usage(m, SHARER_USER, usage, error);
}

int mirror_project_usage(struct mirror *m, const struct object_usage *usage, struct error *error)
{
	return set_object_usage(m, SHARER_PROJECT, usage, error);
}

int mirror_usage_forget(struct mirror *m, bool user, const char *name, bool gone)
{
	enum sharer_kind kind = user ? SHARER_USER : SHARER_PROJECT;
	uint32_t string = strings_find(m->strings, name), id = string == NONE ? INDEX_NONE : objects_find(&m->objects[kind], string);
	struct object *o = id == INDEX_NONE ? NULL : &m->objects[kind].items[id];
	struct usage long_term = { 0 };

	if (!o)
		return 0;
	if (ledger_note_object(m->ledger, kind, id))
		return -ENOMEM;
	m->accounts++;
	if (!gone) {
		long_term = o->long_term;
		o->long_term = (struct usage){ 0 };
	}
	object_free(o, m->strings);
	o->long_term = long_term;
	o->replaced = true;
	return 0;
}

/* Submission times */

int mirror_meet_before(struct mirror *m, struct state *s, uint32_t row)
{
	uint32_t number = job_fact(&s->jobs, row, number);
	struct debited *debited = debited_find(s, number);
	int rc = 0;

	if (!m->snapshot && m->ledger && (!debited || !debited->known))
		rc = ledger_meet(m->ledger, s, number, job_fact(&s->jobs, row, submission), &debited);
	return rc == -ENOMEM || ledger_note_job(m->ledger, number) ? -ENOMEM : 0;
}

void mirror_submission_changed(struct state *s, uint32_t number, int64_t old, int64_t new)
{
	struct debited *debited = debited_find(s, number);

	if (debited)
		debited->submission_time = new;
	for (size_t i = 0; i < s->nended; i++)
		if (s->ended[i].number == number && s->ended[i].submission_time == old)
			s->ended[i].submission_time = new;
}
