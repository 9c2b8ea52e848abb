/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task that is explained, in the run that was computed again: its index among pending or running
 * tasks.
 */
#include <errno.h>
#include <stdlib.h>

#include "sched/explain/gridengine.h"

/* Return the index of a job's first task in run->pending; NONE: none is eligible. */
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

/* Count the tasks of the job that this run has started with an order before `order`. */
static uint32_t started_before(const struct explainer *explainer, uint32_t row, uint64_t order)
{
	const struct state *state = explainer->sched->mirror.state;
	uint32_t n = 0;

	for (uint32_t t = state->jobs.first_task[row]; t != NONE; t = state->tasks.items[t].next)
		n += state->tasks.items[t].order > explainer->last_order && state->tasks.items[t].order < order;
	return n;
}

/*
 * Return the index of an id among the next `most` tasks that may start; NONE: it is not one of
 * them.
 */
static uint32_t place_among_startable(struct subject *subject, uint32_t id, uint32_t most)
{
	const struct job_extra *extra = jobs_find_extra(subject_jobs(subject), subject->row);
	uint32_t *ids = calloc((size_t)most + 1, sizeof(*ids)), found = NONE;
	size_t n = 0;

	if (!ids || !extra ||
	    job_startable(subject->run->mirror->state, extra, run_task_allowance(subject->run, subject->row), ids, most,
			  &n))
		subject->d->rc = -ENOMEM;
	for (size_t i = 0; !subject->d->rc && found == NONE && i < n; i++)
		if (ids[i] == id)
			found = (uint32_t)i;
	free(ids);
	return found;
}

/* Find a task of an array after the first one that is waiting. */
static const char *find_hidden(struct subject *subject, uint32_t place)
{
	const struct run *run = subject->run;
	uint32_t begin = first_pending(run, place), end = begin, next, after;

	if (begin == NONE)
		return "no task of its job is eligible";
	while (end < run->pending.n && run->pending.job[end] == place)
		end++;
	next = begin + started_before(subject->e, subject->row, UINT64_MAX);
	after = next < end ? place_among_startable(subject, subject->x->job.task, end - next) : NONE;
	subject->pending = after == NONE ? NONE : next + after;
	return after == NONE
		       ? "it was not considered (held, in error, max_pending_tasks_per_job, free slots, -tc)"
		       : NULL;
}

/*
 * Find a task that this run has started, with the numbers that it had while it was waiting. Tasks
 * after an array's first one are ranked again, as far as the run has assigned tickets to them. The
 * others start with the numbers of the last of these.
 */
static void find_started_now(struct subject *subject, const struct task *task, uint32_t begin, uint32_t place)
{
	uint32_t before = started_before(subject->e, subject->row, task->order);

	subject->pending = begin;
	while (before-- > 0 && subject->pending + 1 < subject->run->pending.n &&
	       subject->run->pending.job[subject->pending + 1] == place)
		subject->pending++;
	subject->again = subject->pending > begin && !task->enrolled;
	subject->x->is_started_now = true;
}

static const char *find_started(struct subject *subject, uint32_t t)
{
	const struct run *run = subject->run;
	const struct task *task = &run->mirror->state->tasks.items[t];
	uint32_t place, begin;

	for (uint32_t i = 0; i < run->running.n; i++)
		if (run->running.index[i] == t) {
			subject->running = i;
			return i < run->running.active ? NULL
						       : "this run suspends it on a threshold: it has no tickets";
		}
	place = task->order > subject->e->last_order ? place_of(run, subject->row) : NONE;
	begin = place == NONE ? NONE : first_pending(run, place);
	if (begin == NONE)
		return "it is suspended: it is not considered, and its last numbers are shown";
	find_started_now(subject, task, begin, place);
	return NULL;
}

/* Return the first pending reason of the job. */
static const char *first_reason(const struct subject *subject)
{
	char text[TEXT_BYTES];
	struct fl_why why;

	if (fl_why(subject->e->view, subject->x->job.job_number, 0, &why))
		return "it is not considered";
	fl_why_text(&why, text, sizeof(text));
	return explanation_text(subject->x, text);
}

const char *gridengine_find_subject(struct subject *subject)
{
	const struct fl_job *job = &subject->x->job;
	uint32_t place, task;

	subject->row = jobs_find(subject_jobs(subject), job->job_number);
	if (subject->row == INDEX_NONE)
		return "the run that was computed again has no such job";
	subject->class_id = job_fact(subject_jobs(subject), subject->row, class_id);
	subject->request = job_fact(subject_jobs(subject), subject->row, category);
	if (job->is_started) {
		task = tasks_find(subject->run->mirror->state, subject->row, job->task);
		return task == NONE ? "the run that was computed again has no such task" : find_started(subject, task);
	}
	for (size_t i = 0; i < subject->run->order.ranked.n; i++)
		subject->again |= subject->run->order.ranked.rows[i] == subject->row && !subject->x->is_hidden;
	place = place_of(subject->run, subject->row);
	if (place != NONE && subject->x->is_hidden)
		return find_hidden(subject, place);
	subject->pending = place == NONE ? NONE : subject->run->waiting.first[place];
	return subject->pending == NONE ? first_reason(subject) : NULL;
}
