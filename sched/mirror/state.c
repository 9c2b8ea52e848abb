/* SPDX-License-Identifier: Apache-2.0 */
/* States, and removal of jobs and of ended tasks whose usage is not booked yet. */
#include <errno.h>
#include <stdlib.h>

#include "sched/mirror/inside.h"

/* Removal */

/* Release everything that a job holds, except its position among the jobs. */
static void job_drop(struct mirror *mirror, struct state *state, uint32_t row)
{
	const struct job_extra *extra = jobs_find_extra(&state->jobs, row);

	while (state->jobs.first_task[row] != NONE) {
		task_touch_places(state, &state->tasks.items[state->jobs.first_task[row]], mirror->strings);
		tasks_remove(state, state->jobs.first_task[row], mirror->strings);
	}
	if (extra)
		strings_drop(mirror->strings, extra->error_reason);
	if (extra && extra->allocated != NONE)
		requests_drop(&mirror->requests, extra->allocated);
	classes_drop(&mirror->classes, job_fact(&state->jobs, row, class_id));
	requests_drop(&mirror->requests, job_fact(&state->jobs, row, category));
	strings_drop(mirror->strings, job_fact(&state->jobs, row, name));
}

void state_remove_job(struct mirror *mirror, struct state *state, uint32_t row)
{
	job_drop(mirror, state, row);
	jobs_remove(&state->jobs, row);
}

int state_reserve_ended(struct state *state, size_t more)
{
	size_t capacity = 2 * state->ended_capacity + more + 64;
	struct ended_task *larger;

	if (state->nended + more <= state->ended_capacity)
		return 0;
	larger = realloc(state->ended, capacity * sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	state->ended = larger;
	state->ended_capacity = capacity;
	return 0;
}

struct ended_task *state_end_task(struct mirror *mirror, struct state *state, uint32_t task, enum ending ending)
{
	struct task *t = &state->tasks.items[task];
	uint32_t row = t->row;
	struct ended_task *ended = &state->ended[state->nended++];
	const struct charge charge =
		mirror->cell->slurm.present ? mirror_charge(mirror, state, t) : (struct charge){ UINT32_MAX, 0.0 };

	*ended = (struct ended_task){ .number = job_fact(&state->jobs, row, number),
				      .id = t->id,
				      .submission_time = job_fact(&state->jobs, row, submission),
				      .start_time = t->start_time,
				      .class_id = job_fact(&state->jobs, row, class_id),
				      .ending = ending,
				      .usage = t->usage,
				      .asked = t->asked,
				      .settled = t->settled,
				      .association = charge.association,
				      .rate = charge.rate,
				      .charged = t->charged };
	t->usage = (struct usage){ 0 };
	classes_hold_again(&mirror->classes, ended->class_id);
	task_touch_places(state, t, mirror->strings);
	ended->granted = t->granted;
	ended->ngranted = t->ngranted;
	t->granted = NULL;
	t->ngranted = 0;
	tasks_remove(state, task, mirror->strings);
	return ended;
}

void ended_task_free(struct mirror *mirror, struct ended_task *ended)
{
	for (size_t i = 0; i < ended->ngranted; i++)
		strings_drop(mirror->strings, ended->granted[i].queue);
	free(ended->granted);
	classes_drop(&mirror->classes, ended->class_id);
	usage_free(&ended->usage);
}

/* Creation and destruction */

struct state *state_create(struct segment *segment)
{
	struct state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	pool_create(&state->tasks.pool, 2 * sizeof(uint32_t));
	state->jobs.facts = (struct facts){ .segment = segment, .chunk_bytes = sizeof(struct job_facts) };
	return state;
}

static void jobs_free(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->nextras; i++) {
		if (jobs->extras[i])
			job_extra_clear(jobs->extras[i]);
		free(jobs->extras[i]);
	}

	void *columns[] = { jobs->first_task, jobs->place,  jobs->kind,	       jobs->slurm,
			    jobs->condor,     jobs->extras, jobs->free_extras, jobs->list };

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		free(columns[i]);
	index_free(&jobs->index);
	facts_free(&jobs->facts);
}

void state_destroy(struct mirror *mirror, struct state *state)
{
	if (!state)
		return;
	for (size_t i = 0; i < state->jobs.list_end; i++)
		if (state->jobs.list[i] != NONE)
			job_drop(mirror, state, state->jobs.list[i]);
	jobs_free(&state->jobs);
	free(state->tasks.items);
	pool_destroy(&state->tasks.pool);
	for (size_t i = 0; i < state->nended; i++)
		ended_task_free(mirror, &state->ended[i]);
	free(state->ended);
	slurm_forget_reported(mirror, state, false);
	free(state->reported_usage);
	for (size_t i = 0; i < state->ninstances; i++)
		instance_drop(mirror, state, i);
	free(state->instances);
	free(state->instance_names);
	index_free(&state->instance_index);
	reported_hosts_free(mirror, state);
	reported_advances_free(mirror, state);
	for (size_t i = 0; i < state->nused_pes; i++)
		strings_drop(mirror->strings, state->used_pes[i].name);
	free(state->used_pes);
	for (size_t i = 0; i < state->ndebited; i++)
		debited_free(&state->debited[i]);
	free(state->debited);
	free(state->debited_numbers);
	index_free(&state->debited_index);
	for (int k = 0; k < SHARER_KINDS; k++)
		objects_destroy(&state->staged[k], mirror->strings);
	free(state);
}
