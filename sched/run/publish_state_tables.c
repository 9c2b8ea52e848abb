/* SPDX-License-Identifier: Apache-2.0 */
/* State of objects other than jobs, as parts of a published state: usage and the cluster. */
#include "sched/run/publish_state_inside.h"

#include <errno.h>
#include <string.h>

/* Usage */

static int add_projects(struct state_publication *publication, const struct mirror *mirror, const struct object *object,
			struct state_slice *slice)
{
	*slice = state_slice_here(publication, STATE_PROJECTS, object->nprojects);
	for (size_t i = 0; i < object->nprojects; i++) {
		struct user_project_record *record = state_add(publication, STATE_PROJECTS, sizeof(*record));

		if (!record)
			return -ENOMEM;
		record->project = object->projects[i].project;
		if (state_add_usage(publication, mirror, &object->projects[i].usage, &record->usage) ||
		    state_add_usage(publication, mirror, &object->projects[i].long_term, &record->long_term))
			return -ENOMEM;
	}
	return 0;
}

static int add_object(struct state_publication *publication, const struct mirror *mirror, uint32_t kind, size_t i)
{
	const struct object *object = &mirror->objects[kind].items[i];
	const struct sharer *sharer = &mirror->objects[kind].sharers[i];
	struct object_record *record = state_add(publication, STATE_OBJECTS, sizeof(*record));

	if (!record)
		return -ENOMEM;
	*record = (struct object_record){ .kind = kind,
					  .name = object->name,
					  .time_stamp = object->time_stamp,
					  .automatic = object->exists && object->is_automatic,
					  .oticket = sharer->oticket,
					  .fshare = sharer->fshare };
	return state_add_usage(publication, mirror, &object->usage, &record->usage) ||
			       state_add_usage(publication, mirror, &object->long_term, &record->long_term) ||
			       add_projects(publication, mirror, object, &record->projects)
		       ? -ENOMEM
		       : 0;
}

int state_add_objects(struct state_publication *publication, const struct mirror *mirror)
{
	int rc = 0;

	for (uint32_t kind = SHARER_USER; kind <= SHARER_PROJECT; kind++)
		for (size_t i = 0; rc == 0 && i < mirror->objects[kind].n; i++) {
			const struct object *object = &mirror->objects[kind].items[mirror->objects[kind].sorted[i]];

			if (object->is_automatic || object->time_stamp || object->usage.n || object->long_term.n ||
			    object->nprojects)
				rc = add_object(publication, mirror, kind, mirror->objects[kind].sorted[i]);
		}
	return rc;
}

/* Return whether a later report of the user or project has made the debited usage obsolete. */
static bool is_forgotten(const struct mirror *mirror, uint32_t number, const struct debited *debited)
{
	uint32_t row = jobs_find(&mirror->state->jobs, number);
	const uint32_t *sharer =
		row == INDEX_NONE ? NULL : mirror->classes.items[job_fact(&mirror->state->jobs, row, class_id)].sharer;

	if (sharer && sharer[SHARER_USER] != TICKETS_NONE)
		return debited->reported < mirror->objects[SHARER_USER].items[sharer[SHARER_USER]].reported;
	return sharer && sharer[SHARER_PROJECT] != TICKETS_NONE &&
	       debited->reported < mirror->objects[SHARER_PROJECT].items[sharer[SHARER_PROJECT]].reported;
}

static int add_debited(struct state_publication *publication, const struct mirror *mirror, uint32_t number,
		       const struct debited *debited)
{
	struct debited_record *record = state_add(publication, STATE_DEBITED, sizeof(*record));

	if (!record)
		return -ENOMEM;
	record->job_number = number;
	record->submission_time = debited->submission_time;
	if (state_add_usage(publication, mirror, &debited->usage, &record->usage))
		return -ENOMEM;
	record->tasks = state_slice_here(publication, STATE_DEBITED_TASKS, debited->ntasks);
	for (size_t i = 0; i < debited->ntasks; i++) {
		struct debited_task_record *task = state_add(publication, STATE_DEBITED_TASKS, sizeof(*task));

		if (!task)
			return -ENOMEM;
		task->task = debited->tasks[i].id;
		task->start_time = debited->tasks[i].start_time;
		if (state_add_usage(publication, mirror, &debited->tasks[i].usage, &task->usage))
			return -ENOMEM;
	}
	return 0;
}

int state_add_debited(struct state_publication *publication, const struct mirror *mirror)
{
	const struct state *state = mirror->state;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < state->ndebited; i++)
		if (state->debited[i].known && !is_forgotten(mirror, state->debited_numbers[i], &state->debited[i]))
			rc = add_debited(publication, mirror, state->debited_numbers[i], &state->debited[i]);
	return rc;
}

/* The cluster */

static int add_changes(struct state_publication *publication, const struct instance *instance)
{
	for (size_t i = 0; i < instance->nchanges; i++) {
		struct change_record *record = state_add(publication, STATE_CHANGES, sizeof(*record));

		if (!record)
			return -ENOMEM;
		*record = (struct change_record){ .until = instance->changes[i].until,
						  .state = instance->changes[i].state };
	}
	return 0;
}

int state_add_instances(struct state_publication *publication, const struct mirror *mirror)
{
	const struct state *state = mirror->state;

	for (size_t i = 0; i < state->ninstances; i++) {
		const struct instance *instance = &state->instances[i];
		struct instance_record *record = state_add(publication, STATE_INSTANCES, sizeof(*record));

		if (!record)
			return -ENOMEM;
		*record = (struct instance_record){
			.born = instance->born,
			.place = i < publication->ninstances ? publication->instances[i].place : instance->place,
			.suspend_checked = i < publication->ninstances ? publication->instances[i].suspend_checked : 0,
			.name = state->instance_names[i],
			.slots = instance->slots_of_queue ? NONE : instance->slots,
			.ad = NONE,
			.machine = instance->host
		};
		memcpy(record->state, instance->state, sizeof(record->state));
		record->changes_reported = instance->changes != NULL;
		record->changes = state_slice_here(publication, STATE_CHANGES, instance->nchanges);
		if (add_changes(publication, instance) || state_add_slot(publication, mirror, instance, record))
			return -ENOMEM;
	}
	return 0;
}

int state_add_pes(struct state_publication *publication)
{
	for (size_t i = 0; i < publication->npes; i++) {
		struct pe_record *record = state_add(publication, STATE_PES, sizeof(*record));

		if (!record)
			return -ENOMEM;
		*record = (struct pe_record){ publication->pes[i].place, publication->pes[i].name, 0 };
	}
	return 0;
}

static int add_avoided_by(struct state_publication *publication, const struct reported_host *host,
			  struct state_slice *slice)
{
	size_t n = 2 * host->navoided_by;
	uint32_t *numbers = state_reserve(publication, STATE_NUMBERS, n, sizeof(*numbers));

	if (!numbers)
		return -ENOMEM;
	*slice = state_slice_here(publication, STATE_NUMBERS, n);
	if (n > 0)
		memcpy(numbers, host->avoided_by, n * sizeof(*numbers));
	publication->parts[STATE_NUMBERS].n += n;
	return 0;
}
_Static_assert(sizeof(struct task_name) == 2 * sizeof(uint32_t), "a task name must consist of two numbers");

static int add_host(struct state_publication *publication, uint32_t name, const struct reported_host *host)
{
	struct host_record *record = state_add(publication, STATE_HOSTS, sizeof(*record));

	if (!record)
		return -ENOMEM;
	*record = (struct host_record){
		name, host->down, host->has_load, state_slice_here(publication, STATE_LOADS, host->nload), { 0 }
	};
	if (add_avoided_by(publication, host, &record->avoided_by))
		return -ENOMEM;
	for (size_t i = 0; i < host->nload; i++) {
		struct load_record *load = state_add(publication, STATE_LOADS, sizeof(*load));

		if (!load)
			return -ENOMEM;
		*load = (struct load_record){ host->load[i].name, host->load[i].value };
	}
	return 0;
}

int state_add_hosts(struct state_publication *publication, const struct state *state)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < state->nhosts; i++)
		rc = add_host(publication, state->host_names[i], &state->hosts[i]);
	return rc;
}

static int add_advance(struct state_publication *publication, uint32_t number,
		       const struct advance_reservation *reservation)
{
	struct advance_record *record = state_add(publication, STATE_ADVANCES, sizeof(*record));

	if (!record)
		return -ENOMEM;
	*record = (struct advance_record){ .submission_time = reservation->submission_time,
					   .start_time = reservation->start_time,
					   .end_time = reservation->end_time,
					   .number = number,
					   .hard_error = reservation->hard_error };
	memcpy(record->texts, reservation->texts, sizeof(record->texts));
	return state_add_grants(publication, reservation->granted, reservation->ngranted, &record->granted);
}
_Static_assert(sizeof(((struct advance_record *)0)->texts) == sizeof(((struct advance_reservation *)0)->texts),
	       "each text needs a member in the record");

int state_add_advances(struct state_publication *publication, const struct state *state)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < state->nadvances; i++)
		rc = add_advance(publication, state->advance_numbers[i], &state->advances[i]);
	return rc;
}
