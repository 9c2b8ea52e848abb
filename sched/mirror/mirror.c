/* SPDX-License-Identifier: Apache-2.0 */
/* The mirror as a whole: making it, a new configuration, snapshots. */
#include "sched/mirror/mirror.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/tables.h"

/* Configuration */

static int object_take(struct mirror *m, enum sharer_kind kind, const char *name, uint32_t oticket, uint32_t fshare)
{
	uint32_t id = objects_add(&m->objects[kind], m->strings, name);

	if (id == UINT32_MAX)
		return -ENOMEM;
	m->objects[kind].items[id].exists = true;
	m->objects[kind].items[id].is_automatic = false;
	m->objects[kind].sharers[id].oticket = oticket;
	m->objects[kind].sharers[id].fshare = fshare;
	return 0;
}

static int objects_reload(struct mirror *m, const struct cell *cell)
{
	int rc = 0;

	for (int k = 0; k < SHARER_KINDS; k++)
		for (size_t i = 0; i < m->objects[k].n; i++)
			m->objects[k].items[i].exists = m->objects[k].items[i].is_automatic && cell->global.enforce_user_auto;
	for (size_t i = 0; i < cell->nusers; i++)
		rc |= object_take(m, SHARER_USER, cell->users[i].name, cell->users[i].oticket, cell->users[i].fshare);
	for (size_t i = 0; i < cell->nprojects; i++)
		rc |= object_take(m, SHARER_PROJECT, cell->projects[i].name, cell->projects[i].oticket, cell->projects[i].fshare);
	for (size_t i = 0; i < cell->nusersets; i++)
		if (cell->usersets[i].is_department)
			rc |= object_take(m, SHARER_DEPARTMENT, cell->usersets[i].name, cell->usersets[i].oticket, cell->usersets[i].fshare);
	return rc;
}

static void instances_reload(struct mirror *m, struct state *s)
{
	for (size_t i = 0; s && i < s->ninstances; i++)
		if (s->instances[i].slots_of_queue)
			s->instances[i].slots = instance_configured_slots(m, strings_text(m->strings, s->instance_names[i]));
}

int mirror_reload(struct mirror *m, const struct cell *cell)
{
	int rc;

	m->cell = cell;
	m->accounts++;
	rc = objects_reload(m, cell);
	classes_reload(&m->classes, cell);
	rc |= requests_reload(&m->requests, cell);
	instances_reload(m, m->state);
	instances_reload(m, m->snapshot);
	return rc;
}

int mirror_create(struct mirror *m, const struct cell *cell, struct strings *strings, struct segment *segment)
{
	*m = (struct mirror){ .strings = strings, .segment = segment, .state = state_create(segment), .accounts = 1 };
	classes_create(&m->classes, strings, m->objects);
	ads_create(&m->ads, strings);
	requests_create(&m->requests, strings, &m->ads);
	return m->state ? mirror_reload(m, cell) : -ENOMEM;
}

void mirror_destroy(struct mirror *m)
{
	if (!m->strings)
		return;
	state_destroy(m, m->snapshot);
	state_destroy(m, m->state);
	classes_destroy(&m->classes);
	requests_destroy(&m->requests);
	ads_destroy(&m->ads);
	for (int k = 0; k < SHARER_KINDS; k++)
		objects_destroy(&m->objects[k], m->strings);
	usage_names_free(&m->usage_names, m->strings);
	ledger_destroy(m->ledger);
	mirror_resumed(m);
	*m = (struct mirror){ 0 };
}

/* Snapshots */

int mirror_snapshot_begin(struct mirror *m, struct error *error)
{
	mirror_snapshot_abort(m);
	m->snapshot = state_create(m->segment);
	m->told_before = m->tellings;
	return m->snapshot ? 0 : error_set(error, -ENOMEM, "out of memory");
}

void mirror_snapshot_abort(struct mirror *m)
{
	state_destroy(m, m->snapshot);
	m->snapshot = NULL;
}

bool mirror_in_snapshot(const struct mirror *m)
{
	return m->snapshot != NULL;
}

/* An object for each one whose usage the snapshot names, so that take_usage() cannot fail. */
static int make_objects(struct mirror *m, const struct state *s)
{
	for (int k = 0; k < SHARER_KINDS; k++)
		for (size_t i = 0; i < s->staged[k].n; i++)
			if (objects_add(&m->objects[k], m->strings, strings_text(m->strings, s->staged[k].names[i])) == UINT32_MAX)
				return -ENOMEM;
	return 0;
}

/* What the snapshot itself told is to be kept: usage, and what was booked for jobs. */
static int note_told(struct mirror *m, const struct state *s)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->ndebited; i++)
		if (s->debited[i].told > m->told_before)
			rc = ledger_note_job(m->ledger, s->debited_numbers[i]);
	for (uint32_t k = 0; k < SHARER_KINDS; k++)
		for (size_t i = 0; rc == 0 && i < s->staged[k].n; i++)
			rc = ledger_note_object(m->ledger, k, objects_find(&m->objects[k], s->staged[k].names[i]));
	return rc;
}

/* Usage that the snapshot names replaces what was known; the rest is kept. */
static void take_usage(struct mirror *m, struct state *s)
{
	m->accounts++;
	for (int k = 0; k < SHARER_KINDS; k++) {
		for (size_t i = 0; i < s->staged[k].n; i++)
			object_swap_usage(&m->objects[k].items[objects_find(&m->objects[k], s->staged[k].names[i])], &s->staged[k].items[i]);
		objects_destroy(&s->staged[k], m->strings);
	}
}

static int reserve_debited(const struct state *from, struct state *to)
{
	for (size_t i = 0; i < from->ndebited; i++)
		if (!debited_add(to, from->debited_numbers[i]))
			return -ENOMEM;
	return 0;
}

/*
 * What was booked for a job is known from before, unless the snapshot says all of it; and of its
 * sum the snapshot may say more.
 */
static void keep_debited(const struct state *from, struct state *to)
{
	for (size_t i = 0; i < from->ndebited; i++) {
		struct debited *old = &from->debited[i], *new = debited_find(to, from->debited_numbers[i]), told = *new;

		if (told.known)
			continue;
		*new = *old;
		*old = (struct debited){ 0 };
		if (!told.replaced)
			continue;
		usage_free(&new->usage);
		new->usage = told.usage;
		new->told = told.told;
		new->replaced = true;
	}
}

static bool is_same_life(const struct state *from, const struct task *old, const struct state *to, const struct task *new)
{
	return old->start_time == new->start_time &&
	       job_fact(&from->jobs, old->row, submission) == job_fact(&to->jobs, new->row, submission);
}

/* A task as it was before the snapshot; NULL: it was not started. */
static struct task *task_before(const struct state *from, const struct state *to, const struct task *t)
{
	uint32_t row = jobs_find(&from->jobs, job_fact(&to->jobs, t->row, number));
	uint32_t old = row == INDEX_NONE ? NONE : tasks_find(from, row, t->id);

	return old == NONE ? NULL : &from->tasks.items[old];
}

/*
 * A snapshot may be made before usage is known again: what was told before holds. -ENOMEM: in part.
 */
static int keep_usage(const struct state *from, struct state *to)
{
	pool_each(i, &to->tasks.pool) {
		struct task *t = &to->tasks.items[i];
		const struct task *old = task_before(from, to, t);

		if (!old || !is_same_life(from, old, to, t))
			continue;
		if (task_keep_usage(t, &old->usage))
			return -ENOMEM;
		t->has_usage |= old->has_usage;
	}
	return 0;
}

/* A suspended task keeps the values of its last run over a snapshot. */
static void keep_values(const struct state *from, struct state *to)
{
	pool_each(i, &to->tasks.pool) {
		struct task *t = &to->tasks.items[i];
		const struct task *old = task_before(from, to, t);

		if (!old)
			continue;
		t->otickets = old->otickets;
		t->ftickets = old->ftickets;
		t->stickets = old->stickets;
		t->kept = old->kept;
		t->asked = old->asked && is_same_life(from, old, to, t);
		t->settled = t->asked && old->settled;
		if (is_same_life(from, old, to, t))
			t->charged = old->charged;
	}
}

/* Usage of tasks that ended just before the snapshot is still to be booked. */
static int keep_ended(struct state *from, struct state *to)
{
	size_t n = from->nended + to->nended;
	struct ended_task *all;

	if (from->nended == 0)
		return 0;
	all = malloc(n * sizeof(*all));
	if (!all)
		return -ENOMEM;
	memcpy(all, from->ended, from->nended * sizeof(*all));
	if (to->nended > 0)
		memcpy(all + from->nended, to->ended, to->nended * sizeof(*all));
	free(to->ended);
	to->ended = all;
	to->nended = to->ended_capacity = n;
	from->nended = 0;
	return 0;
}

void mirror_forget_ends(struct mirror *m)
{
	struct state *s = m->state;

	for (size_t i = 0; i < s->nended; i++)
		ended_task_free(m, &s->ended[i]);
	s->nended = 0;
}

int mirror_snapshot_end(struct mirror *m, struct error *error)
{
	struct state *old = m->state, *new = m->snapshot;

	if (!new)
		return error_set(error, -ENOENT, "no snapshot has begun");
	if (reserve_debited(old, new) || keep_usage(old, new) || make_objects(m, new) || note_told(m, new) || slurm_reserve_kept(old, new) ||
	    keep_ended(old, new)) {
		mirror_snapshot_abort(m);
		return error_set(error, -ENOMEM, "out of memory: the state before the snapshot stays in force");
	}
	keep_debited(old, new);
	take_usage(m, new);
	keep_values(old, new);
	slurm_keep(old, new);
	m->state = new;
	m->snapshot = NULL;
	state_destroy(m, old);
	return 0;
}
