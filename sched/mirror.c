/* SPDX-License-Identifier: Apache-2.0 */
/* The mirror as a whole: making it, a new configuration, snapshots. */
#include "sched/mirror.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/mirror_tables.h"

struct state *state_create(void)
{
	return calloc(1, sizeof(struct state));
}

static void jobs_free(struct jobs *j)
{
	void *columns[] = { j->number, j->class_id, j->request, j->name, j->extra, j->first_task, j->last_task, j->first_waiting, j->place,
			    j->priority, j->flags, j->submission, j->otickets, j->ftickets, j->stickets, j->extras, j->free_extras, j->list };

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		free(columns[i]);
	index_free(&j->index);
}

void state_destroy(struct mirror *m, struct state *s)
{
	if (!s)
		return;
	for (uint32_t row = 0; row < s->jobs.rows; row++)
		if (s->jobs.number[row] != 0)
			state_remove_job(m, s, row);
	jobs_free(&s->jobs);
	free(s->tasks.items);
	for (size_t i = 0; i < s->nfinished; i++) {
		classes_drop(&m->classes, s->finished[i].class_id);
		usage_free(&s->finished[i].usage);
	}
	free(s->finished);
	for (size_t i = 0; i < s->ninstances; i++) {
		strings_drop(m->strings, s->instance_names[i]);
		strings_drop(m->strings, s->instances[i].host);
	}
	free(s->instances);
	free(s->instance_names);
	index_free(&s->instance_index);
	for (size_t i = 0; i < s->ndown; i++)
		strings_drop(m->strings, s->down_hosts[i]);
	free(s->down_hosts);
	for (size_t i = 0; i < s->ndebited; i++)
		usage_free(&s->debited[i]);
	free(s->debited);
	free(s->debited_numbers);
	index_free(&s->debited_index);
	for (int k = 0; k < SHARER_KINDS; k++)
		objects_destroy(&s->staged[k], m->strings);
	free(s);
}

/* ---- configuration ---------------------------------------------------------------------------------------------------------- */

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
	int code = 0;

	for (int k = 0; k < SHARER_KINDS; k++)
		for (size_t i = 0; i < m->objects[k].n; i++)
			m->objects[k].items[i].exists = m->objects[k].items[i].is_automatic && cell->global.enforce_user_auto;
	for (size_t i = 0; i < cell->nusers; i++)
		code |= object_take(m, SHARER_USER, cell->users[i].name, cell->users[i].oticket, cell->users[i].fshare);
	for (size_t i = 0; i < cell->nprojects; i++)
		code |= object_take(m, SHARER_PROJECT, cell->projects[i].name, cell->projects[i].oticket, cell->projects[i].fshare);
	for (size_t i = 0; i < cell->nusersets; i++)
		if (cell->usersets[i].is_department)
			code |= object_take(m, SHARER_DEPARTMENT, cell->usersets[i].name, cell->usersets[i].oticket, cell->usersets[i].fshare);
	return code;
}

static void instances_reload(struct mirror *m, struct state *s)
{
	for (size_t i = 0; s && i < s->ninstances; i++)
		if (s->instances[i].slots_of_queue)
			s->instances[i].slots = instance_configured_slots(m, strings_text(m->strings, s->instance_names[i]));
}

int mirror_reload(struct mirror *m, const struct cell *cell)
{
	int code;

	m->cell = cell;
	code = objects_reload(m, cell);
	classes_reload(&m->classes, cell);
	code |= requests_reload(&m->requests, cell);
	instances_reload(m, m->state);
	instances_reload(m, m->snapshot);
	return code;
}

int mirror_create(struct mirror *m, const struct cell *cell, struct strings *strings)
{
	*m = (struct mirror){ .strings = strings, .state = state_create() };
	classes_create(&m->classes, strings, m->objects);
	requests_create(&m->requests, strings);
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
	for (int k = 0; k < SHARER_KINDS; k++)
		objects_destroy(&m->objects[k], m->strings);
	usage_names_free(&m->usage_names, m->strings);
	*m = (struct mirror){ 0 };
}

/* ---- snapshots ------------------------------------------------------------------------------------------------------------------ */

int mirror_snapshot_begin(struct mirror *m, struct error *error)
{
	mirror_snapshot_abort(m);
	m->snapshot = state_create();
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

/* Usage that the snapshot names replaces what was known; the rest is kept. */
static int take_usage(struct mirror *m, struct state *s)
{
	for (int k = 0; k < SHARER_KINDS; k++)
		for (size_t i = 0; i < s->staged[k].n; i++) {
			struct object *from = &s->staged[k].items[i], *to;
			uint32_t id = objects_add(&m->objects[k], m->strings, strings_text(m->strings, from->name));

			if (id == UINT32_MAX)
				return -ENOMEM;
			to = &m->objects[k].items[id];
			object_swap_usage(to, from);
		}
	return 0;
}

/* What was booked for a job is known from before unless the snapshot says so itself. */
static int keep_debited(struct state *from, struct state *to)
{
	for (size_t i = 0; i < from->ndebited; i++) {
		uint32_t number = from->debited_numbers[i];
		struct usage *usage;

		if (jobs_find(&to->jobs, number) == INDEX_NONE || debited_find(to, number))
			continue;
		usage = debited_add(to, number);
		if (!usage || usage_copy(usage, &from->debited[i]))
			return -ENOMEM;
	}
	return 0;
}

/* A suspended task keeps the values of its last run over a snapshot. */
static void keep_values(const struct state *from, struct state *to)
{
	for (size_t i = 0; i < to->tasks.n; i++) {
		struct task *t = &to->tasks.items[i];
		uint32_t row = t->row == NONE ? INDEX_NONE : jobs_find(&from->jobs, to->jobs.number[t->row]);
		uint32_t old = row == INDEX_NONE ? NONE : tasks_find(from, row, t->id);

		if (old == NONE)
			continue;
		t->otickets = from->tasks.items[old].otickets;
		t->ftickets = from->tasks.items[old].ftickets;
		t->stickets = from->tasks.items[old].stickets;
		t->counted = from->tasks.items[old].counted;
		t->kept = from->tasks.items[old].kept;
		t->is_kept = from->tasks.items[old].is_kept && t->suspended;
	}
}

/* Usage of tasks that ended just before the snapshot is still to be booked. */
static int keep_finished(struct state *from, struct state *to)
{
	size_t n = from->nfinished + to->nfinished;
	struct finished_task *all = n > 0 ? malloc(n * sizeof(*all)) : NULL;

	if (n > 0 && !all)
		return -ENOMEM;
	for (size_t i = 0; i < from->nfinished; i++)
		all[i] = from->finished[i];
	for (size_t i = 0; i < to->nfinished; i++)
		all[from->nfinished + i] = to->finished[i];
	free(to->finished);
	to->finished = all;
	to->nfinished = to->finished_capacity = n;
	from->nfinished = 0;
	return 0;
}

int mirror_snapshot_end(struct mirror *m, struct error *error)
{
	struct state *old = m->state, *new = m->snapshot;

	if (!new)
		return error_set(error, -ENOENT, "no snapshot has begun");
	if (keep_debited(old, new) || keep_finished(old, new) || take_usage(m, new)) {
		mirror_snapshot_abort(m);
		return error_set(error, -ENOMEM, "out of memory: the state before the snapshot stays in force");
	}
	keep_values(old, new);
	m->state = new;
	m->snapshot = NULL;
	state_destroy(m, old);
	return 0;
}
