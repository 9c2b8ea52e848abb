/* SPDX-License-Identifier: Apache-2.0 */
/* Whose the least and the most of a run are: those that normalised values are measured by. */
#include <stdio.h>

#include "sched/explain/gridengine.h"

static struct spread_holder job_of(const struct run *run, uint32_t row)
{
	return (struct spread_holder){ .job = job_fact(&run->mirror->state->jobs, row, number) };
}

/* Jobs that wait come first, as the run has met them. */
static void find_urgency(const struct explainer *e, struct gridengine_spread *spread)
{
	const struct run *run = &e->sched->run;
	const struct gridengine *g = (const struct gridengine *)e->sched->policies.in_force;

	for (size_t i = 0; i < run->waiting.n + run->running.n; i++) {
		bool waits = i < run->waiting.n;
		uint32_t row = waits ? run->waiting.rows[i] : run->mirror->state->tasks.items[run->running.index[i - run->waiting.n]].row;
		double urg;

		if ((waits && run->waiting.first[i] == NONE) || (spread->urg_least.job && spread->urg_most.job))
			continue;
		urg = urgency_of_job(g, run, row);
		if (urg == g->spread.min && !spread->urg_least.job)
			spread->urg_least = job_of(run, row);
		if (urg == g->spread.max && !spread->urg_most.job)
			spread->urg_most = job_of(run, row);
	}
}

/* The id of a task that waits: its place among those of its job leads to it. */
static void name_pending(const struct run *run, uint32_t task, struct spread_holder *holder)
{
	const struct state *state = run->mirror->state;
	uint32_t place = run->pending.job[task], row = run->waiting.rows[place], first = task;
	const struct job_extra *extra = jobs_find_extra(&state->jobs, row);

	while (first > 0 && run->pending.job[first - 1] == place)
		first--;
	*holder = job_of(run, row);
	holder->is_array = extra && extra->is_array;
	/* another one of them */
	holder->task = extra && task == first ? extra->first_waiting : 0;
}

static void name_running(const struct run *run, size_t i, struct spread_holder *holder)
{
	const struct task *t = &run->mirror->state->tasks.items[run->running.index[i]];
	const struct job_extra *extra = jobs_find_extra(&run->mirror->state->jobs, t->row);

	*holder = job_of(run, t->row);
	holder->is_array = extra && extra->is_array;
	holder->task = t->id;
}

static double total_with_pending(const struct gridengine_own *own, const struct gridengine *g, const struct run *run, size_t i)
{
	const struct ticket_class *c = &run->mirror->classes.items[run->running.class_id[i]];
	struct tickets tickets = g->running[i];
	uint64_t clamped = 0;

	if (own->of_pending && g->tickets.share_tickets > 0)
		tickets.share_tree = sharetree_running_task(own->of_pending, g->tickets.share_tickets, c, &clamped);
	return tickets_total(&tickets);
}

static void find_tickets(const struct explainer *e, struct gridengine_own *own)
{
	const struct run *run = &e->sched->run;
	const struct gridengine *g = (const struct gridengine *)e->sched->policies.in_force;
	struct spread_holder *holder = &own->spread.tix_most;

	for (uint32_t i = 0; i < run->pending.n && !holder->job; i++)
		if (tickets_total((struct tickets[]){ pending_tickets(&g->pending, i) }) == g->totals.max)
			name_pending(run, i, holder);
	for (size_t i = 0; i < run->running.active && !holder->job; i++)
		if (tickets_total(&g->running[i]) == g->totals.max)
			name_running(run, i, holder);
	for (size_t i = 0; i < run->running.active && !holder->job; i++)
		if (total_with_pending(own, g, run, i) == g->totals.max) {
			name_running(run, i, holder);
			holder->with_pending = true;
		}
}

void gridengine_find_spread(const struct explainer *e, struct gridengine_own *own)
{
	find_urgency(e, &own->spread);
	find_tickets(e, own);
}

void gridengine_hold(const struct subject *s, uint32_t line, const struct spread_holder *holder)
{
	char name[TEXT_BYTES];

	if (!holder->job)
		return;
	if (holder->is_array && holder->task)
		text_made(name, "%u.%u", holder->job, holder->task);
	else
		text_made(name, "%u", holder->job);
	derived_holder(s->d, line, HOLDER_JOB, name);
}
