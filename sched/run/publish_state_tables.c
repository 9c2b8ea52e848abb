/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a published state that are not about jobs: who has used what, and the cluster. */
#include "sched/run/publish_state_inside.h"

#include <errno.h>
#include <string.h>

/* Usage */

static int add_projects(struct state_publication *p, const struct mirror *m, const struct object *o, struct state_slice *slice)
{
	*slice = state_slice_here(p, STATE_PROJECTS, o->nprojects);
	for (size_t i = 0; i < o->nprojects; i++) {
		struct user_project_record *record = state_add(p, STATE_PROJECTS, sizeof(*record));

		if (!record)
			return -ENOMEM;
		record->project = o->projects[i].project;
		if (state_add_usage(p, m, &o->projects[i].usage, &record->usage) || state_add_usage(p, m, &o->projects[i].long_term, &record->long_term))
			return -ENOMEM;
	}
	return 0;
}

static int add_object(struct state_publication *p, const struct mirror *m, uint32_t kind, size_t i)
{
	const struct object *o = &m->objects[kind].items[i];
	const struct sharer *sharer = &m->objects[kind].sharers[i];
	struct object_record *record = state_add(p, STATE_OBJECTS, sizeof(*record));

	if (!record)
		return -ENOMEM;
	*record = (struct object_record){ .kind = kind, .name = o->name, .time_stamp = o->time_stamp, .automatic = o->exists && o->is_automatic,
					  .oticket = sharer->oticket, .fshare = sharer->fshare };
	return state_add_usage(p, m, &o->usage, &record->usage) || state_add_usage(p, m, &o->long_term, &record->long_term) ||
	       add_projects(p, m, o, &record->projects) ? -ENOMEM : 0;
}

int state_add_objects(struct state_publication *p, const struct mirror *m)
{
	int rc = 0;

	for (uint32_t kind = SHARER_USER; kind <= SHARER_PROJECT; kind++)
		for (size_t i = 0; rc == 0 && i < m->objects[kind].n; i++) {
			const struct object *o = &m->objects[kind].items[m->objects[kind].sorted[i]];

			if (o->is_automatic || o->time_stamp || o->usage.n || o->long_term.n || o->nprojects)
				rc = add_object(p, m, kind, m->objects[kind].sorted[i]);
		}
	return rc;
}

/* What the qmaster has told of the user since says that it counts no more. */
static bool is_forgotten(const struct mirror *m, uint32_t number, const struct debited *d)
{
	uint32_t row = jobs_find(&m->state->jobs, number);
	const uint32_t *sharer = row == INDEX_NONE ? NULL : m->classes.items[job_fact(&m->state->jobs, row, class_id)].sharer;

	if (sharer && sharer[SHARER_USER] != TICKETS_NONE)
		return d->told < m->objects[SHARER_USER].items[sharer[SHARER_USER]].told;
	return sharer && sharer[SHARER_PROJECT] != TICKETS_NONE && d->told < m->objects[SHARER_PROJECT].items[sharer[SHARER_PROJECT]].told;
}

static int add_debited(struct state_publication *p, const struct mirror *m, uint32_t number, const struct debited *d)
{
	struct debited_record *record = state_add(p, STATE_DEBITED, sizeof(*record));

	if (!record)
		return -ENOMEM;
	record->job_number = number;
	record->submission_time = d->submission_time;
	if (state_add_usage(p, m, &d->usage, &record->usage))
		return -ENOMEM;
	record->tasks = state_slice_here(p, STATE_DEBITED_TASKS, d->ntasks);
	for (size_t i = 0; i < d->ntasks; i++) {
		struct debited_task_record *task = state_add(p, STATE_DEBITED_TASKS, sizeof(*task));

		if (!task)
			return -ENOMEM;
		task->task = d->tasks[i].id;
		task->start_time = d->tasks[i].start_time;
		if (state_add_usage(p, m, &d->tasks[i].usage, &task->usage))
			return -ENOMEM;
	}
	return 0;
}

int state_add_debited(struct state_publication *p, const struct mirror *m)
{
	const struct state *s = m->state;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->ndebited; i++)
		if (s->debited[i].known && !is_forgotten(m, s->debited_numbers[i], &s->debited[i]))
			rc = add_debited(p, m, s->debited_numbers[i], &s->debited[i]);
	return rc;
}

/* The cluster */

static int add_changes(struct state_publication *p, const struct instance *instance)
{
	for (size_t i = 0; i < instance->nchanges; i++) {
		struct change_record *record = state_add(p, STATE_CHANGES, sizeof(*record));

		if (!record)
			return -ENOMEM;
		*record = (struct change_record){ .until = instance->changes[i].until, .state = instance->changes[i].state };
	}
	return 0;
}

int state_add_instances(struct state_publication *p, const struct mirror *m)
{
	const struct state *s = m->state;

	for (size_t i = 0; i < s->ninstances; i++) {
		const struct instance *instance = &s->instances[i];
		struct instance_record *record = state_add(p, STATE_INSTANCES, sizeof(*record));

		if (!record)
			return -ENOMEM;
		*record = (struct instance_record){
			.born = instance->born, .place = i < p->ninstances ? p->instances[i].place : instance->place,
			.suspend_checked = i < p->ninstances ? p->instances[i].suspend_checked : 0,
			.name = s->instance_names[i], .slots = instance->slots_of_queue ? NONE : instance->slots, .ad = NONE,
			.machine = instance->host };
		memcpy(record->state, instance->state, sizeof(record->state));
		record->changes_told = instance->changes != NULL;
		record->changes = state_slice_here(p, STATE_CHANGES, instance->nchanges);
		if (add_changes(p, instance) || state_add_slot(p, m, instance, record))
			return -ENOMEM;
	}
	return 0;
}

int state_add_pes(struct state_publication *p)
{
	for (size_t i = 0; i < p->npes; i++) {
		struct pe_record *record = state_add(p, STATE_PES, sizeof(*record));

		if (!record)
			return -ENOMEM;
		*record = (struct pe_record){ p->pes[i].place, p->pes[i].name, 0 };
	}
	return 0;
}

static int add_avoided_by(struct state_publication *p, const struct told_host *host, struct state_slice *slice)
{
	size_t n = 2 * host->navoided_by;
	uint32_t *numbers = state_reserve(p, STATE_NUMBERS, n, sizeof(*numbers));

	if (!numbers)
		return -ENOMEM;
	*slice = state_slice_here(p, STATE_NUMBERS, n);
	if (n > 0)
		memcpy(numbers, host->avoided_by, n * sizeof(*numbers));
	p->parts[STATE_NUMBERS].n += n;
	return 0;
}
_Static_assert(sizeof(struct task_name) == 2 * sizeof(uint32_t), "two numbers");

static int add_host(struct state_publication *p, uint32_t name, const struct told_host *host)
{
	struct host_record *record = state_add(p, STATE_HOSTS, sizeof(*record));

	if (!record)
		return -ENOMEM;
	*record = (struct host_record){ name, host->down, host->has_load, state_slice_here(p, STATE_LOADS, host->nload), { 0 } };
	if (add_avoided_by(p, host, &record->avoided_by))
		return -ENOMEM;
	for (size_t i = 0; i < host->nload; i++) {
		struct load_record *load = state_add(p, STATE_LOADS, sizeof(*load));

		if (!load)
			return -ENOMEM;
		*load = (struct load_record){ host->load[i].name, host->load[i].value };
	}
	return 0;
}

int state_add_hosts(struct state_publication *p, const struct state *s)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->nhosts; i++)
		rc = add_host(p, s->host_names[i], &s->hosts[i]);
	return rc;
}

static int add_advance(struct state_publication *p, uint32_t number, const struct advance_reservation *a)
{
	struct advance_record *record = state_add(p, STATE_ADVANCES, sizeof(*record));

	if (!record)
		return -ENOMEM;
	*record = (struct advance_record){ .submission_time = a->submission_time, .start_time = a->start_time, .end_time = a->end_time,
					   .number = number, .hard_error = a->hard_error };
	memcpy(record->texts, a->texts, sizeof(record->texts));
	return state_add_grants(p, a->granted, a->ngranted, &record->granted);
}
_Static_assert(sizeof(((struct advance_record *)0)->texts) == sizeof(((struct advance_reservation *)0)->texts), "one for each");

int state_add_advances(struct state_publication *p, const struct state *s)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->nadvances; i++)
		rc = add_advance(p, s->advance_numbers[i], &s->advances[i]);
	return rc;
}
