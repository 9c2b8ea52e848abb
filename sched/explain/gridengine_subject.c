/* SPDX-License-Identifier: Apache-2.0 */
/* Which task is meant, in the run as made again: its place among those that wait, or that run. */
#include <errno.h>
#include <stdlib.h>

#include "sched/explain/gridengine.h"

/* Where a job's tasks begin in run->pending; NONE: none takes part. */
static uint32_t first_pending(const struct run *run, uint32_t place)
{
	for (uint32_t i = 0; i < run->pending.n; i++)
		if (run->pending.job[i] == place)
			return i;
	return NONE;
}

static uint32_t place_of(const struct run *run, uint32_t row)
{
	for (uint32_t i = 0; i < run->waiting.n; i++)
		if (run->waiting.rows[i] == row)
			return i;
	return NONE;
}

/* Its tasks that this run has started, with an order before `order`. */
static uint32_t started_before(const struct explainer *e, uint32_t row, uint64_t order)
{
	const struct state *state = e->sched->mirror.state;
	uint32_t n = 0;

	for (uint32_t t = state->jobs.first_task[row]; t != NONE; t = state->tasks.items[t].next)
		n += state->tasks.items[t].order > e->last_order && state->tasks.items[t].order < order;
	return n;
}

/* The place of an id among the next `most` that may start; NONE: it is not one of them. */
static uint32_t place_among_startable(struct subject *s, uint32_t id, uint32_t most)
{
	const struct job_extra *extra = jobs_find_extra(subject_jobs(s), s->row);
	uint32_t *ids = calloc((size_t)most + 1, sizeof(*ids)), found = NONE;
	size_t n = 0;

	if (!ids || !extra || job_startable(s->run->mirror->state, extra, run_task_allowance(s->run, s->row), ids, most, &n))
		s->d->rc = -ENOMEM;
	for (size_t i = 0; !s->d->rc && found == NONE && i < n; i++)
		if (ids[i] == id)
			found = (uint32_t)i;
	free(ids);
	return found;
}

/* One of an array, behind the task that its job is shown with. */
static const char *find_hidden(struct subject *s, uint32_t place)
{
	const struct run *run = s->run;
	uint32_t begin = first_pending(run, place), end = begin, next, behind;

	if (begin == NONE)
		return "none of its job's tasks takes part";
	while (end < run->pending.n && run->pending.job[end] == place)
		end++;
	next = begin + started_before(s->e, s->row, UINT64_MAX);
	behind = next < end ? place_among_startable(s, s->x->job.task, end - next) : NONE;
	s->pending = behind == NONE ? NONE : next + behind;
	return behind == NONE ? "it is none of its job's tasks that took part (held, in error, max_pending_tasks_per_job, free slots, -tc)" : NULL;
}

/*
 * A task that this run has started had numbers as one that waits: those behind an array's first one
 * are ranked again, as far as the run has given them tickets; the rest start by the last of those.
 */
static void find_started_now(struct subject *s, const struct task *task, uint32_t begin, uint32_t place)
{
	uint32_t before = started_before(s->e, s->row, task->order);

	s->pending = begin;
	while (before-- > 0 && s->pending + 1 < s->run->pending.n && s->run->pending.job[s->pending + 1] == place)
		s->pending++;
	s->again = s->pending > begin && !task->enrolled;
	s->x->is_started_now = true;
}

static const char *find_started(struct subject *s, uint32_t t)
{
	const struct run *run = s->run;
	const struct task *task = &run->mirror->state->tasks.items[t];
	uint32_t place, begin;

	for (uint32_t i = 0; i < run->running.n; i++)
		if (run->running.index[i] == t) {
			s->running = i;
			return i < run->running.active ? NULL : "this run suspends it on a threshold: it has no tickets";
		}
	place = task->order > s->e->last_order ? place_of(run, s->row) : NONE;
	begin = place == NONE ? NONE : first_pending(run, place);
	if (begin == NONE)
		return "it is suspended: it takes no part, and shows what it had when it last did";
	find_started_now(s, task, begin, place);
	return NULL;
}

/* As a reader is told why it did not start. */
static const char *first_reason(const struct subject *s)
{
	char text[TEXT_BYTES];
	struct fl_why why;

	if (fl_why(s->e->view, s->x->job.job_number, 0, &why))
		return "it takes no part";
	fl_why_text(&why, text, sizeof(text));
	return explanation_text(s->x, text);
}

const char *gridengine_find_subject(struct subject *s)
{
	const struct fl_job *job = &s->x->job;
	uint32_t place, task;

	s->row = jobs_find(subject_jobs(s), job->job_number);
	if (s->row == INDEX_NONE)
		return "the run as made again has no such job";
	s->class_id = job_fact(subject_jobs(s), s->row, class_id);
	s->request = job_fact(subject_jobs(s), s->row, category);
	if (job->is_started) {
		task = tasks_find(s->run->mirror->state, s->row, job->task);
		return task == NONE ? "the run as made again has no such task" : find_started(s, task);
	}
	for (size_t i = 0; i < s->run->order.ranked.n; i++)
		s->again |= s->run->order.ranked.rows[i] == s->row && !s->x->is_hidden;
	place = place_of(s->run, s->row);
	if (place != NONE && s->x->is_hidden)
		return find_hidden(s, place);
	s->pending = place == NONE ? NONE : s->run->waiting.first[place];
	return s->pending == NONE ? first_reason(s) : NULL;
}
