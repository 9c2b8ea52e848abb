/* SPDX-License-Identifier: Apache-2.0 */
/* A state as a whole, and what leaves it: jobs, and tasks whose usage is still to be booked. */
#include <errno.h>
#include <stdlib.h>

#include "sched/mirror/tables.h"

/* What leaves */

/* What a job holds, but for its place among the others. */
static void job_drop(struct mirror *m, struct state *s, uint32_t row)
{
	const struct job_extra *extra = jobs_find_extra(&s->jobs, row);

	while (s->jobs.first_task[row] != NONE) {
		task_touch_places(s, &s->tasks.items[s->jobs.first_task[row]], m->strings);
		tasks_remove(s, s->jobs.first_task[row], m->strings);
	}
	if (extra)
		strings_drop(m->strings, extra->error_reason);
	if (extra && extra->allocated != NONE)
		requests_drop(&m->requests, extra->allocated);
	classes_drop(&m->classes, job_fact(&s->jobs, row, class_id));
	requests_drop(&m->requests, job_fact(&s->jobs, row, category));
	strings_drop(m->strings, job_fact(&s->jobs, row, name));
}

void state_remove_job(struct mirror *m, struct state *s, uint32_t row)
{
	job_drop(m, s, row);
	jobs_remove(&s->jobs, row);
}

int state_reserve_ended(struct state *s, size_t more)
{
	size_t capacity = 2 * s->ended_capacity + more + 64;
	struct ended_task *larger;

	if (s->nended + more <= s->ended_capacity)
		return 0;
	larger = realloc(s->ended, capacity * sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	s->ended = larger;
	s->ended_capacity = capacity;
	return 0;
}

struct ended_task *state_end_task(struct mirror *m, struct state *s, uint32_t task, enum ending ending)
{
	struct task *t = &s->tasks.items[task];
	uint32_t row = t->row;
	struct ended_task *ended = &s->ended[s->nended++];
	const struct charge charge = m->cell->slurm.present ? mirror_charge(m, s, t) : (struct charge){ UINT32_MAX, 0.0 };

	*ended = (struct ended_task){ .number = job_fact(&s->jobs, row, number), .id = t->id,
				      .submission_time = job_fact(&s->jobs, row, submission), .start_time = t->start_time,
				      .class_id = job_fact(&s->jobs, row, class_id), .ending = ending, .usage = t->usage,
				      .asked = t->asked, .settled = t->settled, .association = charge.association, .rate = charge.rate,
				      .charged = t->charged };
	t->usage = (struct usage){ 0 };
	classes_hold_again(&m->classes, ended->class_id);
	task_touch_places(s, t, m->strings);
	ended->granted = t->granted;
	ended->ngranted = t->ngranted;
	t->granted = NULL;
	t->ngranted = 0;
	tasks_remove(s, task, m->strings);
	return ended;
}

void ended_task_free(struct mirror *m, struct ended_task *ended)
{
	for (size_t i = 0; i < ended->ngranted; i++)
		strings_drop(m->strings, ended->granted[i].queue);
	free(ended->granted);
	classes_drop(&m->classes, ended->class_id);
	usage_free(&ended->usage);
}

/* The whole */

struct state *state_create(struct segment *segment)
{
	struct state *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	pool_create(&s->tasks.pool, 2 * sizeof(uint32_t));
	s->jobs.facts = (struct facts){ .segment = segment, .chunk_bytes = sizeof(struct job_facts) };
	return s;
}

static void jobs_free(struct jobs *j)
{
	for (size_t i = 0; i < j->nextras; i++) {
		if (j->extras[i])
			job_extra_clear(j->extras[i]);
		free(j->extras[i]);
	}

	void *columns[] = { j->first_task, j->place, j->kind, j->slurm, j->condor, j->extras, j->free_extras, j->list };

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		free(columns[i]);
	index_free(&j->index);
	facts_free(&j->facts);
}

void state_destroy(struct mirror *m, struct state *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->jobs.list_end; i++)
		if (s->jobs.list[i] != NONE)
			job_drop(m, s, s->jobs.list[i]);
	jobs_free(&s->jobs);
	free(s->tasks.items);
	pool_destroy(&s->tasks.pool);
	for (size_t i = 0; i < s->nended; i++)
		ended_task_free(m, &s->ended[i]);
	free(s->ended);
	slurm_forget_told(m, s, false);
	free(s->told_usage);
	for (size_t i = 0; i < s->ninstances; i++)
		instance_drop(m, s, i);
	free(s->instances);
	free(s->instance_names);
	index_free(&s->instance_index);
	told_hosts_free(m, s);
	told_advances_free(m, s);
	for (size_t i = 0; i < s->nused_pes; i++)
		strings_drop(m->strings, s->used_pes[i].name);
	free(s->used_pes);
	for (size_t i = 0; i < s->ndebited; i++)
		debited_free(&s->debited[i]);
	free(s->debited);
	free(s->debited_numbers);
	index_free(&s->debited_index);
	for (int k = 0; k < SHARER_KINDS; k++)
		objects_destroy(&s->staged[k], m->strings);
	free(s);
}
