/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selection of the eligible jobs and tasks of a run: started tasks, and the first tasks of each job
 * that could start. The number of these tasks depends on the free slots of the cluster, which
 * depend on the started tasks. So one pass over the job list comes first. A job is not eligible if
 * it is held, in error, waits for a time or a predecessor, or has reached its task limit. Neither
 * is a suspended task.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "sched/run/run.h"

int row_list_add(struct row_list *list, uint32_t row)
{
	if (array_reserve(&list->capacity, list->n + 1, COLUMN(list->rows)))
		return -ENOMEM;
	list->rows[list->n++] = row;
	return 0;
}

/* Free slots */

static bool host_is_down(const struct state *state, uint32_t host)
{
	const struct reported_host *reported = reported_host_find(state, host);

	return reported && reported->down;
}

/* Count the free slots of all usable queue instances. Suspended tasks keep their slots. */
void run_count_free_slots(struct run *run)
{
	struct state *state = run->mirror->state;

	run->free_slots = 0;
	for (size_t i = 0; i < state->ninstances; i++)
		state->instances[i].used = 0;
	pool_each(t, &state->tasks.pool)
		for (size_t g = 0; g < state->tasks.items[t].ngranted; g++) {
			const struct granted_entry *entry = &state->tasks.items[t].granted[g];
			uint32_t i = index_find(&state->instance_index, state->instance_names, entry->queue);

			if (i != INDEX_NONE)
				state->instances[i].used += entry->slots;
		}
	for (size_t i = 0; i < state->ninstances; i++)
		if (state->instances[i].state[0] == '\0' && state->instances[i].slots > state->instances[i].used &&
		    !host_is_down(state, state->instances[i].host))
			run->free_slots += state->instances[i].slots - state->instances[i].used;
}

/* Eligible tasks */

static uint64_t started_tasks(const struct state *state, uint32_t row)
{
	uint64_t n = 0;

	for (uint32_t t = state->jobs.first_task[row]; t != NONE; t = state->tasks.items[t].next)
		n++;
	return n;
}

/*
 * Return the limit from max_aj_instances and -tc for tasks that are not enrolled. Started tasks
 * count, suspended or not.
 */
uint64_t run_task_allowance(const struct run *run, uint32_t row)
{
	const struct job_extra *extra = jobs_find_extra(&run->mirror->state->jobs, row);
	uint32_t limit = run->cell->global.max_aj_instances;
	uint64_t started;

	if (extra && extra->task_concurrency > 0 && (extra->task_concurrency < limit || limit == 0))
		limit = extra->task_concurrency;
	if (limit == 0)
		return UINT64_MAX;
	started = started_tasks(run->mirror->state, row);
	started += extra ? ranges_count(&extra->sets[TASK_ENROLLED]) : 0;
	return started < limit ? limit - started : 0;
}

/* Return why none of a job's tasks may start, regardless of other jobs. 0: some may start. */
static uint16_t barred(const struct job_extra *extra, const struct ranges *waiting, size_t startable)
{
	if (startable > 0)
		return 0;
	if (ranges_first(waiting, extra->sets, HOLD_KINDS, NULL, 1) == 0)
		return JOB_HELD | JOB_ON_HOLD;
	return ranges_first(waiting, extra->sets, TASK_BARS, NULL, 1) == 0 ? JOB_IN_ERROR : JOB_HELD | JOB_PREDECESSOR;
}

uint32_t run_eligible_tasks(struct run *run, uint32_t row, struct job_extra *extra)
{
	const struct ranges waiting = job_waiting(extra);
	const struct state *state = run->mirror->state;
	uint64_t limit = run->tasks_per_job, allowance;
	size_t n;
	uint32_t id;

	extra->first_waiting = waiting.n > 0 ? waiting.items[0].min : 1;
	extra->flags = extra->error ? JOB_IN_ERROR : 0;
	if (job_startable(state, extra, UINT64_MAX, &id, 1, &n))
		__atomic_store_n(&run->no_memory, true, __ATOMIC_RELAXED);
	extra->flags |= barred(extra, &waiting, n);
	if (job_has_predecessor(&run->mirror->state->jobs, extra))
		extra->flags |= JOB_HELD | JOB_PREDECESSOR;
	if (extra->flags || extra->numbers.execution_time > run->now)
		return 0;
	allowance = run_task_allowance(run, row);
	if (job_startable(state, extra, allowance, NULL, limit, &n))
		__atomic_store_n(&run->no_memory, true, __ATOMIC_RELAXED);
	extra->flags = n == 0 && allowance == 0 ? JOB_TASK_LIMIT : 0;
	if (n == 0)
		return 0;
	extra->first_waiting = id;
	extra->flags = JOB_ELIGIBLE;
	return (uint32_t)n;
}

/* Started tasks */

/* Add the tasks of a job that continue, or the tasks that this run suspends. */
static int add_running(struct run *run, uint32_t row, bool go_on)
{
	struct state *state = run->mirror->state;
	struct running_columns *columns = &run->running;
	uint32_t class_id = job_fact(&state->jobs, row, class_id), request = job_fact(&state->jobs, row, category);

	for (uint32_t t = state->jobs.first_task[row]; t != NONE; t = state->tasks.items[t].next) {
		if (state->tasks.items[t].suspended || (state->tasks.items[t].suspended_by == run->number) == go_on)
			continue;
		if (array_reserve(&columns->capacity, columns->n + 1, COLUMN(columns->index),
				  COLUMN(columns->class_id), COLUMN(columns->weight)))
			return -ENOMEM;
		columns->index[columns->n] = t;
		columns->class_id[columns->n] = class_id;
		columns->weight[columns->n++] = run->mirror->requests.facts[request].slots;
		run->mirror->classes.items[class_id].running += go_on;
		requests_rrcontr(&run->mirror->requests, request, run->number);
	}
	return 0;
}

/* The phases */

/* End the current range before row `next`. */
static void range_end(struct list_ranges *ranges, uint32_t next)
{
	if (ranges->n > 0)
		ranges->items[ranges->n - 1].count = next - ranges->items[ranges->n - 1].row;
}

static int range_begin(struct list_ranges *ranges, uint32_t row, uint32_t next)
{
	range_end(ranges, next);
	if (array_reserve(&ranges->capacity, ranges->n + 1, COLUMN(ranges->items)))
		return -ENOMEM;
	ranges->items[ranges->n++].row = row;
	return 0;
}

int run_list(struct run *run)
{
	const struct jobs *jobs = &run->mirror->state->jobs;
	uint32_t next = NONE;		/* row that would continue the range */

	run->waiting.n = run->started.n = run->list.n = 0;
	if (array_reserve(&run->waiting.capacity, jobs->used, COLUMN(run->waiting.rows), COLUMN(run->waiting.first),
			  COLUMN(run->waiting.prio), COLUMN(run->waiting.why)))
		return -ENOMEM;
	for (size_t i = 0; i < jobs->list_end; i++) {
		uint32_t row = jobs->list[i];

		if (row == NONE)
			continue;
		if (row != next && range_begin(&run->list, row, next))
			return -ENOMEM;
		next = row + 1;
		if (jobs->first_task[row] != NONE && row_list_add(&run->started, row))
			return -ENOMEM;
		if (jobs->kind[row] & JOB_PENDING)
			run->waiting.rows[run->waiting.n++] = row;
	}
	range_end(&run->list, next);
	return run_blocks_reserve(run);
}

int run_collect_begin(struct run *run)
{
	struct classes *classes = &run->mirror->classes;

	run->pending.n = run->running.n = 0;
	run->no_memory = false;
	for (size_t i = 0; i < classes->pool.n; i++)
		classes->items[i].running = classes->items[i].pending = 0;
	run->tasks_per_job = run->cell->sched.max_pending_tasks_per_job;
	if (run->free_slots < run->tasks_per_job)
		/* more tasks of one job could not start */
		run->tasks_per_job = run->free_slots + 1;
	return 0;
}

int run_collect_end(struct run *run)
{
	if (run->no_memory)
		return -ENOMEM;
	for (size_t i = 0; i < run->started.n; i++)
		if (add_running(run, run->started.rows[i], true))
			return -ENOMEM;
	run->running.active = run->running.n;
	for (size_t i = 0; run->counts.suspensions > 0 && i < run->started.n; i++)
		if (add_running(run, run->started.rows[i], false))
			return -ENOMEM;
	run->record = (struct run_record){ .run = run->number,
					   .now = run->now,
					   .event = run->event,
					   .free_slots = run->free_slots,
					   .results_bytes = sizeof(struct job_results) };
	return rank_jobs(run);
}

void run_free(struct run *run)
{
	void *arrays[] = { run->waiting.rows,	  run->waiting.first,	 run->waiting.prio, run->waiting.why,
			   run->waiting.age,	  run->waiting.number,	 run->pending.job,  run->running.index,
			   run->running.class_id, run->running.weight,	 run->started.rows, run->list.items,
			   run->block.items,	  run->order.ranked.rows };

	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
		free(arrays[i]);
	ticket_scratch_free(&run->scratch);
	*run = (struct run){ 0 };
}

void run_each_begun(struct run *run, void (*each)(void *context, struct run *run, struct task *task), void *context)
{
	struct state *state = run->mirror->state;

	for (size_t i = 0; i < run->started.n; i++)
		for (uint32_t task = state->jobs.first_task[run->started.rows[i]]; task != NONE;
		     task = state->tasks.items[task].next)
			if (state->tasks.items[task].start_time == run->now &&
			    strcmp(state->tasks.items[task].state, "t") == 0)
				each(context, run, &state->tasks.items[task]);
}
