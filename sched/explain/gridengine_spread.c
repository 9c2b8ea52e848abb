/* SPDX-License-Identifier: Apache-2.0 */
/* Holders of the minima and maxima of a run, by which values are normalised. */
#include <stdio.h>

#include "sched/explain/gridengine.h"

static struct spread_holder job_of(const struct run *run, uint32_t row)
{
	return (struct spread_holder){ .job = job_fact(&run->mirror->state->jobs, row, number) };
}

/* Find the holders of urgency. Pending jobs are first, in the order of the run. */
static void find_urgency(const struct explainer *explainer, struct gridengine_spread *spread)
{
	const struct run *run = &explainer->sched->run;
	const struct gridengine *gridengine = (const struct gridengine *)explainer->sched->policies.in_force;

	for (size_t i = 0; i < run->waiting.n + run->running.n; i++) {
		bool waits = i < run->waiting.n;
		uint32_t row = waits ? run->waiting.rows[i]
				     : run->mirror->state->tasks.items[run->running.index[i - run->waiting.n]].row;
		double urg;

		if ((waits && run->waiting.first[i] == NONE) || (spread->urg_least.job && spread->urg_most.job))
			continue;
		urg = urgency_of_job(gridengine, run, row);
		if (urg == gridengine->spread.min && !spread->urg_least.job)
			spread->urg_least = job_of(run, row);
		if (urg == gridengine->spread.max && !spread->urg_most.job)
			spread->urg_most = job_of(run, row);
	}
}

/* Set the id of a pending task, which follows from its index among the tasks of its job. */
static void name_pending(const struct run *run, uint32_t task, struct spread_holder *holder)
{
	const struct state *state = run->mirror->state;
	uint32_t place = run->pending.job[task], row = run->waiting.rows[place], first = task;
	const struct job_extra *extra = jobs_find_extra(&state->jobs, row);

	while (first > 0 && run->pending.job[first - 1] == place)
		first--;
	*holder = job_of(run, row);
	holder->is_array = extra && extra->is_array;
	/* 0: a task after the first one */
	holder->task = extra && task == first ? extra->first_waiting : 0;
}

static void name_running(const struct run *run, size_t i, struct spread_holder *holder)
{
	const struct task *task = &run->mirror->state->tasks.items[run->running.index[i]];
	const struct job_extra *extra = jobs_find_extra(&run->mirror->state->jobs, task->row);

	*holder = job_of(run, task->row);
	holder->is_array = extra && extra->is_array;
	holder->task = task->id;
}

static double total_with_pending(const struct gridengine_own *own, const struct gridengine *gridengine,
				 const struct run *run, size_t i)
{
	const struct ticket_class *class = &run->mirror->classes.items[run->running.class_id[i]];
	struct tickets tickets = gridengine->running[i];
	uint64_t clamped = 0;

	if (own->of_pending && gridengine->tickets.share_tickets > 0)
		tickets.share_tree =
			sharetree_running_task(own->of_pending, gridengine->tickets.share_tickets, class, &clamped);
	return tickets_total(&tickets);
}

static void find_tickets(const struct explainer *explainer, struct gridengine_own *own)
{
	const struct run *run = &explainer->sched->run;
	const struct gridengine *gridengine = (const struct gridengine *)explainer->sched->policies.in_force;
	struct spread_holder *holder = &own->spread.tix_most;

	for (uint32_t i = 0; i < run->pending.n && !holder->job; i++)
		if (tickets_total((struct tickets[]){ pending_tickets(&gridengine->pending, i) }) ==
		    gridengine->totals.max)
			name_pending(run, i, holder);
	for (size_t i = 0; i < run->running.active && !holder->job; i++)
		if (tickets_total(&gridengine->running[i]) == gridengine->totals.max)
			name_running(run, i, holder);
	for (size_t i = 0; i < run->running.active && !holder->job; i++)
		if (total_with_pending(own, gridengine, run, i) == gridengine->totals.max) {
			name_running(run, i, holder);
			holder->with_pending = true;
		}
}

void gridengine_find_spread(const struct explainer *explainer, struct gridengine_own *own)
{
	find_urgency(explainer, &own->spread);
	find_tickets(explainer, own);
}

void gridengine_hold(const struct subject *subject, uint32_t line, const struct spread_holder *holder)
{
	char name[TEXT_BYTES];

	if (!holder->job)
		return;
	if (holder->is_array && holder->task)
		text_made(name, "%u.%u", holder->job, holder->task);
	else
		text_made(name, "%u", holder->job);
	derived_holder(subject->d, line, HOLDER_JOB, name);
}
