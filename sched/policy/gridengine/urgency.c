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

	return (struct urgency_inputs){ .submission = job_fact(j, row, submission), .deadline = extra ? extra->deadline : 0,
					.rrcontr = g->rrcontr[job_fact(j, row, category)] };
}

#define AT_A_TIME 256

/* Jobs at a time, which stay in the cache. */
struct urgency_batch {
	uint32_t place[AT_A_TIME];	/* in `waiting` */
	struct urgency_inputs jobs[AT_A_TIME];
	double urg[AT_A_TIME];
	size_t n;
};

static void batch_add(struct urgency_batch *batch, const struct gridengine *g, const struct run *run, uint32_t row, size_t place)
{
	batch->place[batch->n] = (uint32_t)place;
	batch->jobs[batch->n++] = inputs_of(g, run, row);
}

static void batch_compute(struct urgency_batch *batch, const struct gridengine *g, struct urgency_spread *spread)
{
	urgency_compute(&g->urgency, batch->jobs, batch->n, batch->urg, spread);
	batch->n = 0;
}

static void block_urgency(const struct block *b)
{
	const struct gridengine *g = b->context;
	struct waiting_columns *w = &b->run->waiting;
	struct urgency_spread spread = urgency_spread_start;
	struct urgency_batch batch = { .n = 0 };

	for (size_t i = b->begin; i < b->end; ) {
		size_t n;

		for (; i < b->end && batch.n < AT_A_TIME; i++)
			if (w->first[i] != NONE)
				batch_add(&batch, g, b->run, w->rows[i], i);
		n = batch.n;
		batch_compute(&batch, g, &spread);
		for (size_t k = 0; k < n; k++)
			w->prio[batch.place[k]] = batch.urg[k];
	}
	b->values[0] = spread.min;
	b->values[1] = spread.max;
}

/* Jobs that only run count for the spread, too. */
static void running_urgency(struct gridengine *g, const struct run *run)
{
	const struct state *state = run->mirror->state;
	struct urgency_batch batch = { .n = 0 };

	for (size_t i = 0; i < run->running.n; i++) {
		batch_add(&batch, g, run, state->tasks.items[run->running.index[i]].row, 0);
		if (batch.n == AT_A_TIME || i + 1 == run->running.n)
			batch_compute(&batch, g, &g->spread);
	}
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

/* One job */

double urgency_of_job(const struct gridengine *g, const struct run *run, uint32_t row)
{
	const struct urgency_inputs job = inputs_of(g, run, row);

	return urgency_contributions(&g->urgency, &job).urg;
}

void urgency_keep(struct kept_record *kept, const struct gridengine *g, const struct run *run, uint32_t row)
{
	const struct urgency_inputs job = inputs_of(g, run, row);

	kept->urgency = urgency_contributions(&g->urgency, &job);
	kept->nurg = normalize(kept->urgency.urg, g->spread.min, g->spread.max);
}
