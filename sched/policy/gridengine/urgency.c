/* SPDX-License-Identifier: Apache-2.0 */
/* What jobs are worth for what they request and how long they have waited: sge_priority(5). */
#include <errno.h>

#include "conf/array.h"
#include "sched/policy/gridengine/gridengine.h"
#include "sched/run/account.h"
#include "urgency/normalize.h"

/* What each request is worth in this run; those of a category all the same. */
static int rrcontr_by_request(struct gridengine *g, const struct run *run)
{
	const struct requests *r = &run->mirror->requests;

	if (r->pool.n > g->rrcontr_capacity) {
		if (array_grow(&g->rrcontr, r->pool.capacity, sizeof(double)))
			return -ENOMEM;
		g->rrcontr_capacity = r->pool.capacity;
	}
	pool_each(i, &r->pool)
		g->rrcontr[i] = r->category[r->facts[i].category].rrcontr;
	return 0;
}

static struct urgency_inputs inputs_of(const struct gridengine *g, const struct run *run, uint32_t row)
{
	const struct jobs *j = &run->mirror->state->jobs;
	const struct job_extra *extra = jobs_find_extra(j, row);

	return (struct urgency_inputs){ .submission = job_fact(j, row, submission), .deadline = extra ? extra->numbers.deadline : 0,
					.rrcontr = g->rrcontr[job_fact(j, row, category)] };
}

double urgency_of_job(const struct gridengine *g, const struct run *run, uint32_t row)
{
	const struct urgency_inputs job = inputs_of(g, run, row);

	return urgency_contributions(&g->urgency, &job).urg;
}

static void block_urgency(const struct block *b)
{
	const struct gridengine *g = b->context;
	const struct urgency_params params = g->urgency;
	struct waiting_columns *w = &b->run->waiting;
	struct urgency_spread spread = urgency_spread_start;

	for (size_t i = b->begin; i < b->end; i++) {
		if (w->first[i] == NONE)
			continue;
		const struct urgency_inputs job = inputs_of(g, b->run, w->rows[i]);

		w->prio[i] = urgency_contributions(&params, &job).urg;
		urgency_widen(&spread, w->prio[i]);
	}
	b->values[0] = spread.min;
	b->values[1] = spread.max;
}

/* Jobs that only run count for the spread, too. */
static void running_urgency(struct gridengine *g, const struct run *run)
{
	const struct task *tasks = run->mirror->state->tasks.items;

	for (size_t i = 0; i < run->running.n; i++)
		urgency_widen(&g->spread, urgency_of_job(g, run, tasks[run->running.index[i]].row));
}

static void weights_take(struct gridengine *g, const struct run *run)
{
	const struct sched_conf *c = &run->cell->sched;

	g->urgency = (struct urgency_params){ .now = run->now, .weight_waiting_time = weight_bounded(c->weight_waiting_time),
					      .weight_deadline = weight_bounded(c->weight_deadline) };
}

/* For readers, who derive each job's contributions. */
static void urgency_show(const struct gridengine *g, struct run_record *r)
{
	r->urgency = g->urgency;
	r->urg_min = g->spread.min;
	r->urg_max = g->spread.max;
}

int gridengine_urgency(struct policy *p, struct run *run)
{
	struct gridengine *g = (struct gridengine *)p;

	weights_take(g, run);
	g->spread = urgency_spread_start;
	if (rrcontr_by_request(g, run) || run_blocks(run, block_urgency, g))
		return -ENOMEM;
	for (size_t i = 0; i < run_nblocks(run); i++) {
		g->spread.min = run->block.items[2 * i] < g->spread.min ? run->block.items[2 * i] : g->spread.min;
		g->spread.max = run->block.items[2 * i + 1] > g->spread.max ? run->block.items[2 * i + 1] : g->spread.max;
	}
	running_urgency(g, run);
	urgency_show(g, &run->record);
	return 0;
}

void urgency_keep(struct kept_record *kept, const struct gridengine *g, const struct run *run, uint32_t row)
{
	const struct urgency_inputs job = inputs_of(g, run, row);

	kept->urgency = urgency_contributions(&g->urgency, &job);
	kept->nurg = normalize(kept->urgency.urg, g->spread.min, g->spread.max);
}
