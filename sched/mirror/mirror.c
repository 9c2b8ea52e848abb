/* SPDX-License-Identifier: Apache-2.0 */
/* Creation, configuration and snapshots of the mirror. */
#include "sched/mirror/mirror.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/inside.h"

/* Configuration */

static int object_take(struct mirror *mirror, enum sharer_kind kind, const char *name, uint32_t oticket,
		       uint32_t fshare)
{
	uint32_t id = objects_add(&mirror->objects[kind], mirror->strings, name);

	if (id == UINT32_MAX)
		return -ENOMEM;
	mirror->objects[kind].items[id].exists = true;
	mirror->objects[kind].items[id].is_automatic = false;
	mirror->objects[kind].sharers[id].oticket = oticket;
	mirror->objects[kind].sharers[id].fshare = fshare;
	return 0;
}

static int objects_reload(struct mirror *mirror, const struct cell *cell)
{
	int rc = 0;

	for (int k = 0; k < SHARER_KINDS; k++)
		for (size_t i = 0; i < mirror->objects[k].n; i++)
			mirror->objects[k].items[i].exists =
				mirror->objects[k].items[i].is_automatic && cell->global.enforce_user_auto;
	for (size_t i = 0; i < cell->nusers; i++)
		rc |= object_take(mirror, SHARER_USER, cell->users[i].name, cell->users[i].oticket,
				  cell->users[i].fshare);
	for (size_t i = 0; i < cell->nprojects; i++)
		rc |= object_take(mirror, SHARER_PROJECT, cell->projects[i].name, cell->projects[i].oticket,
				  cell->projects[i].fshare);
	for (size_t i = 0; i < cell->nusersets; i++)
		if (cell->usersets[i].is_department)
			rc |= object_take(mirror, SHARER_DEPARTMENT, cell->usersets[i].name, cell->usersets[i].oticket,
					  cell->usersets[i].fshare);
	return rc;
}

static void instances_reload(struct mirror *mirror, struct state *state)
{
	for (size_t i = 0; state && i < state->ninstances; i++)
		if (state->instances[i].slots_of_queue)
			state->instances[i].slots = instance_configured_slots(
				mirror, strings_text(mirror->strings, state->instance_names[i]));
}

int mirror_reload(struct mirror *mirror, const struct cell *cell)
{
	int rc;

	mirror->cell = cell;
	mirror->accounts++;
	rc = objects_reload(mirror, cell);
	classes_reload(&mirror->classes, cell);
	rc |= requests_reload(&mirror->requests, cell);
	instances_reload(mirror, mirror->state);
	instances_reload(mirror, mirror->snapshot);
	return rc;
}

int mirror_create(struct mirror *mirror, const struct cell *cell, struct strings *strings, struct segment *segment)
{
	*mirror = (struct mirror){
		.strings = strings, .segment = segment, .state = state_create(segment), .accounts = 1
	};
	classes_create(&mirror->classes, strings, mirror->objects);
	ads_create(&mirror->ads, strings);
	requests_create(&mirror->requests, strings, &mirror->ads);
	return mirror->state ? mirror_reload(mirror, cell) : -ENOMEM;
}

void mirror_destroy(struct mirror *mirror)
{
	if (!mirror->strings)
		return;
	state_destroy(mirror, mirror->snapshot);
	state_destroy(mirror, mirror->state);
	classes_destroy(&mirror->classes);
	requests_destroy(&mirror->requests);
	ads_destroy(&mirror->ads);
	for (int k = 0; k < SHARER_KINDS; k++)
		objects_destroy(&mirror->objects[k], mirror->strings);
	usage_names_free(&mirror->usage_names, mirror->strings);
	ledger_destroy(mirror->ledger);
	mirror_resumed(mirror);
	*mirror = (struct mirror){ 0 };
}

/* Snapshots */

int mirror_snapshot_begin(struct mirror *mirror, struct error *error)
{
	mirror_snapshot_abort(mirror);
	mirror->snapshot = state_create(mirror->segment);
	mirror->reported_before = mirror->report_count;
	return mirror->snapshot ? 0 : error_set(error, -ENOMEM, "out of memory");
}

void mirror_snapshot_abort(struct mirror *mirror)
{
	state_destroy(mirror, mirror->snapshot);
	mirror->snapshot = NULL;
}

bool mirror_in_snapshot(const struct mirror *mirror)
{
	return mirror->snapshot != NULL;
}

/* Create an object for each name with usage in the snapshot, so that take_usage() cannot fail. */
static int make_objects(struct mirror *mirror, const struct state *state)
{
	for (int k = 0; k < SHARER_KINDS; k++)
		for (size_t i = 0; i < state->staged[k].n; i++)
			if (objects_add(&mirror->objects[k], mirror->strings,
					strings_text(mirror->strings, state->staged[k].names[i])) == UINT32_MAX)
				return -ENOMEM;
	return 0;
}

/*
 * Note, for the store, the usage that the snapshot itself has reported, including the usage booked
 * for jobs.
 */
static int note_reported(struct mirror *mirror, const struct state *state)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < state->ndebited; i++)
		if (state->debited[i].reported > mirror->reported_before)
			rc = ledger_note_job(mirror->ledger, state->debited_numbers[i]);
	for (uint32_t k = 0; k < SHARER_KINDS; k++)
		for (size_t i = 0; rc == 0 && i < state->staged[k].n; i++)
			rc = ledger_note_object(mirror->ledger, k,
						objects_find(&mirror->objects[k], state->staged[k].names[i]));
	return rc;
}

/* Replace usage by the snapshot's. Usage that is not in the snapshot is kept. */
static void take_usage(struct mirror *mirror, struct state *state)
{
	mirror->accounts++;
	for (int k = 0; k < SHARER_KINDS; k++) {
		for (size_t i = 0; i < state->staged[k].n; i++)
			object_swap_usage(
				&mirror->objects[k].items[objects_find(&mirror->objects[k], state->staged[k].names[i])],
				&state->staged[k].items[i]);
		objects_destroy(&state->staged[k], mirror->strings);
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
 * Keep the usage booked for jobs, unless the snapshot has all of it. The sum is taken from the
 * snapshot if it was reported there.
 */
static void keep_debited(const struct state *from, struct state *to)
{
	for (size_t i = 0; i < from->ndebited; i++) {
		struct debited *old = &from->debited[i], *new = debited_find(to, from->debited_numbers[i]), reported = *new;

		if (reported.known)
			continue;
		*new = *old;
		*old = (struct debited){ 0 };
		if (!reported.replaced)
			continue;
		usage_free(&new->usage);
		new->usage = reported.usage;
		new->reported = reported.reported;
		new->replaced = true;
	}
}

static bool is_same_life(const struct state *from, const struct task *old, const struct state *to,
			 const struct task *new)
{
	return old->start_time == new->start_time &&
	       job_fact(&from->jobs, old->row, submission) == job_fact(&to->jobs, new->row, submission);
}

/* Return a task as it was before the snapshot. NULL: it was not started. */
static struct task *task_before(const struct state *from, const struct state *to, const struct task *task)
{
	uint32_t row = jobs_find(&from->jobs, job_fact(&to->jobs, task->row, number));
	uint32_t old = row == INDEX_NONE ? NONE : tasks_find(from, row, task->id);

	return old == NONE ? NULL : &from->tasks.items[old];
}

/*
 * Keep earlier reported usage of tasks, since a snapshot may be made before usage is known again.
 * -ENOMEM: only a part is kept.
 */
static int keep_usage(const struct state *from, struct state *to)
{
	pool_each(i, &to->tasks.pool) {
		struct task *task = &to->tasks.items[i];
		const struct task *old = task_before(from, to, task);

		if (!old || !is_same_life(from, old, to, task))
			continue;
		if (task_keep_usage(task, &old->usage))
			return -ENOMEM;
		task->has_usage |= old->has_usage;
	}
	return 0;
}

/* Keep the values of a suspended task from its last run across a snapshot. */
static void keep_values(const struct state *from, struct state *to)
{
	pool_each(i, &to->tasks.pool) {
		struct task *task = &to->tasks.items[i];
		const struct task *old = task_before(from, to, task);

		if (!old)
			continue;
		task->otickets = old->otickets;
		task->ftickets = old->ftickets;
		task->stickets = old->stickets;
		task->kept = old->kept;
		task->asked = old->asked && is_same_life(from, old, to, task);
		task->settled = task->asked && old->settled;
		if (is_same_life(from, old, to, task))
			task->charged = old->charged;
	}
}

/* Keep tasks that ended before the snapshot and are not booked yet. */
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

void mirror_forget_ends(struct mirror *mirror)
{
	struct state *state = mirror->state;

	for (size_t i = 0; i < state->nended; i++)
		ended_task_free(mirror, &state->ended[i]);
	state->nended = 0;
}

int mirror_snapshot_end(struct mirror *mirror, struct error *error)
{
	struct state *old = mirror->state, *new = mirror->snapshot;

	if (!new)
		return error_set(error, -ENOENT, "no snapshot has begun");
	if (reserve_debited(old, new) || keep_usage(old, new) || make_objects(mirror, new) ||
	    note_reported(mirror, new) || slurm_reserve_kept(old, new) || keep_ended(old, new)) {
		mirror_snapshot_abort(mirror);
		return error_set(error, -ENOMEM,
				 "out of memory: the snapshot is discarded and the previous state is kept");
	}
	keep_debited(old, new);
	take_usage(mirror, new);
	keep_values(old, new);
	slurm_keep(old, new);
	mirror->state = new;
	mirror->snapshot = NULL;
	state_destroy(mirror, old);
	return 0;
}
