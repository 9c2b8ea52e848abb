/* SPDX-License-Identifier: Apache-2.0 */
/* Urgency of jobs from their requests, waiting time and deadline: sge_priority(5). */
#include <errno.h>

#include "conf/base/array.h"
#include "sched/policy/gridengine/gridengine.h"
#include "sched/run/account.h"
#include "urgency/normalize.h"

/* Compute the resource contribution of each request, which is that of its category. */
static int rrcontr_by_request(struct gridengine *gridengine, const struct run *run)
{
	const struct requests *requests = &run->mirror->requests;

	if (requests->pool.n > gridengine->rrcontr_capacity) {
		if (array_grow(&gridengine->rrcontr, requests->pool.capacity, sizeof(double)))
			return -ENOMEM;
		gridengine->rrcontr_capacity = requests->pool.capacity;
	}
	pool_each(i, &requests->pool)
		gridengine->rrcontr[i] = requests->category[requests->facts[i].category].rrcontr;
	return 0;
}

static struct urgency_inputs inputs_of(const struct gridengine *gridengine, const struct run *run, uint32_t row)
{
	const struct jobs *jobs = &run->mirror->state->jobs;
	const struct job_extra *extra = jobs_find_extra(jobs, row);

	return (struct urgency_inputs){ .submission = job_fact(jobs, row, submission),
					.deadline = extra ? extra->numbers.deadline : 0,
					.rrcontr = gridengine->rrcontr[job_fact(jobs, row, category)] };
}

double urgency_of_job(const struct gridengine *gridengine, const struct run *run, uint32_t row)
{
	const struct urgency_inputs job = inputs_of(gridengine, run, row);

	return urgency_contributions(&gridengine->urgency, &job).urg;
}

static void block_urgency(const struct block *block)
{
	const struct gridengine *gridengine = block->context;
	const struct urgency_params params = gridengine->urgency;
	struct waiting_columns *columns = &block->run->waiting;
	struct urgency_spread spread = urgency_spread_start;

	for (size_t i = block->begin; i < block->end; i++) {
		if (columns->first[i] == NONE)
			continue;
		const struct urgency_inputs job = inputs_of(gridengine, block->run, columns->rows[i]);

		columns->prio[i] = urgency_contributions(&params, &job).urg;
		urgency_widen(&spread, columns->prio[i]);
	}
	block->values[0] = spread.min;
	block->values[1] = spread.max;
}

/* Widen the spread by jobs that only run. */
static void running_urgency(struct gridengine *gridengine, const struct run *run)
{
	const struct task *tasks = run->mirror->state->tasks.items;

	for (size_t i = 0; i < run->running.n; i++)
		urgency_widen(&gridengine->spread, urgency_of_job(gridengine, run, tasks[run->running.index[i]].row));
}

static void weights_take(struct gridengine *gridengine, const struct run *run)
{
	const struct sched_conf *conf = &run->cell->sched;

	gridengine->urgency = (struct urgency_params){ .now = run->now,
						       .weight_waiting_time = weight_bounded(conf->weight_waiting_time),
						       .weight_deadline = weight_bounded(conf->weight_deadline) };
}

/* Publish the parameters from which readers derive each job's contributions. */
static void urgency_show(const struct gridengine *gridengine, struct run_record *record)
{
	record->urgency = gridengine->urgency;
	record->urg_min = gridengine->spread.min;
	record->urg_max = gridengine->spread.max;
}

int gridengine_urgency(struct policy *policy, struct run *run)
{
	struct gridengine *gridengine = (struct gridengine *)policy;

	weights_take(gridengine, run);
	gridengine->spread = urgency_spread_start;
	if (rrcontr_by_request(gridengine, run))
		return -ENOMEM;
	run_blocks(run, block_urgency, gridengine);
	for (size_t i = 0; i < run_nblocks(run); i++) {
		gridengine->spread.min = run->block.items[2 * i] < gridengine->spread.min ? run->block.items[2 * i]
											  : gridengine->spread.min;
		gridengine->spread.max = run->block.items[2 * i + 1] > gridengine->spread.max
						 ? run->block.items[2 * i + 1]
						 : gridengine->spread.max;
	}
	running_urgency(gridengine, run);
	urgency_show(gridengine, &run->record);
	return 0;
}

void urgency_keep(struct kept_record *kept, const struct gridengine *gridengine, const struct run *run, uint32_t row)
{
	const struct urgency_inputs job = inputs_of(gridengine, run, row);

	kept->urgency = urgency_contributions(&gridengine->urgency, &job);
	kept->nurg = normalize(kept->urgency.urg, gridengine->spread.min, gridengine->spread.max);
}
