/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who takes part in this run: tasks that run, and of each job the first tasks that could start. One walk over the job list. A
 * job that is held, in error, waits for a time or a predecessor, or whose task limit is reached takes no part, and neither does a suspended task.
 */
#include <errno.h>
#include <stdlib.h>

#include "conf/array.h"
#include "sched/run.h"

int row_list_add(struct row_list *list, uint32_t row)
{
	size_t capacity = list->capacity + list->capacity / 4 + 256;

	if (list->n == list->capacity) {
		if (array_grow(&list->rows, capacity, sizeof(uint32_t)))
			return -ENOMEM;
		list->capacity = capacity;
	}
	list->rows[list->n++] = row;
	return 0;
}

static int tasks_reserve(struct task_columns *t, size_t more)
{
	void *words[] = { &t->row, &t->index, &t->class_id, &t->number, &t->task, &t->weight };
	size_t capacity = t->capacity + t->capacity / 4 + more + 256;

	if (t->n + more <= t->capacity)
		return 0;
	if (capacity > UINT32_MAX)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (array_grow(words[i], capacity, sizeof(uint32_t)))
			return -ENOMEM;
	if (array_grow(&t->submission, capacity, sizeof(*t->submission)) || array_grow(&t->tickets, capacity, sizeof(*t->tickets)))
		return -ENOMEM;
	t->capacity = capacity;
	return 0;
}

static int jobs_columns_reserve(struct job_columns *j)
{
	void *words[] = { &j->row, &j->first };
	void *longs[] = { &j->submission, &j->deadline, &j->rrcontr, &j->urg, &j->prio };
	size_t capacity = j->capacity + j->capacity / 4 + 256;

	if (j->n < j->capacity)
		return 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (array_grow(words[i], capacity, sizeof(uint32_t)))
			return -ENOMEM;
	for (size_t i = 0; i < sizeof(longs) / sizeof(*longs); i++)
		if (array_grow(longs[i], capacity, sizeof(uint64_t)))
			return -ENOMEM;
	j->capacity = capacity;
	return 0;
}

/* ---- free slots ------------------------------------------------------------------------------------------------------------------ */

static bool host_is_down(const struct state *state, uint32_t host)
{
	return index_find(&state->down_index, state->down_hosts, host) != INDEX_NONE;
}

/* Of all queue instances that may be used. Suspended tasks keep their slots. */
static uint64_t free_slots(struct state *state)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < state->ninstances; i++)
		state->instances[i].used = 0;
	for (size_t t = 0; t < state->tasks.pool.n; t++)
		for (size_t g = 0; g < state->tasks.items[t].ngranted; g++) {
			const struct granted_entry *entry = &state->tasks.items[t].granted[g];
			uint32_t i = index_find(&state->instance_index, state->instance_names, entry->queue);

			if (i != INDEX_NONE)
				state->instances[i].used += entry->slots;
		}
	for (size_t i = 0; i < state->ninstances; i++)
		if (state->instances[i].usable && state->instances[i].slots > state->instances[i].used &&
		    !host_is_down(state, state->instances[i].host))
			sum += state->instances[i].slots - state->instances[i].used;
	return sum;
}

/* ---- eligible tasks ----------------------------------------------------------------------------------------------------------------- */

static bool waits_for_predecessor(const struct jobs *j, const struct job_extra *extra)
{
	for (size_t i = 0; i < extra->nhold_jid; i++)
		if (jobs_find(j, extra->hold_jid[i]) != INDEX_NONE)
			return true;
	return false;
}

static uint64_t started_tasks(const struct state *state, uint32_t row)
{
	uint64_t n = 0;

	for (uint32_t t = state->jobs.first_task[row]; t != NONE; t = state->tasks.items[t].next)
		n++;
	return n;
}

/* How many more tasks of the job may start: max_aj_instances and -tc; started ones count, suspended or not. */
static uint64_t task_allowance(const struct sched *s, const struct job_extra *extra, uint32_t row)
{
	uint32_t limit = s->cell->global.max_aj_instances;
	uint64_t started;

	if (extra->task_concurrency > 0 && (extra->task_concurrency < limit || limit == 0))
		limit = extra->task_concurrency;
	if (limit == 0)
		return UINT64_MAX;
	started = started_tasks(s->mirror.state, row);
	return started < limit ? limit - started : 0;
}

static bool is_held(const struct job_extra *extra, const struct ranges *waiting)
{
	uint32_t id;

	return ranges_first(waiting, extra->hold, HOLD_KINDS, &id, 1) == 0;
}

/* The ids that may start, at most `limit`, into ids[]. Sets what a reader sees of those that don't. */
static size_t eligible(struct sched *s, uint32_t row, size_t limit, uint32_t *ids)
{
	static const struct range one = { 1, 1, 1 };
	struct jobs *j = &s->mirror.state->jobs;
	const struct job_extra *extra = jobs_find_extra(j, row);
	struct ranges waiting = { .items = (struct range *)&one, .n = 1 };
	uint64_t allowance;

	ids[0] = j->first_waiting[row] = 1;
	if (!extra)
		return 1;
	if (extra->is_array)
		waiting = extra->waiting;
	j->first_waiting[row] = waiting.n > 0 ? waiting.items[0].min : 1;
	if (extra->error)
		j->flags[row] |= JOB_IN_ERROR;
	if (is_held(extra, &waiting) || waits_for_predecessor(j, extra))
		j->flags[row] |= JOB_HELD;
	if (j->flags[row] & (JOB_IN_ERROR | JOB_HELD) || extra->execution_time > s->run.now)
		return 0;
	allowance = task_allowance(s, extra, row);
	return ranges_first(&waiting, extra->hold, HOLD_KINDS, ids, allowance < limit ? (size_t)allowance : limit);
}

static size_t waiting_limit(const struct jobs *j, uint32_t row, uint64_t per_job)
{
	const struct job_extra *extra = jobs_find_extra(j, row);
	uint64_t n = extra && extra->is_array ? ranges_count(&extra->waiting) : 1;

	return (size_t)(n < per_job ? n : per_job);
}

/* ---- columns ------------------------------------------------------------------------------------------------------------------------ */

static int add_job(struct sched *s, uint32_t row, uint32_t first)
{
	struct job_columns *c = &s->run.jobs;
	const struct jobs *j = &s->mirror.state->jobs;
	const struct job_extra *extra = jobs_find_extra(j, row);

	if (jobs_columns_reserve(c))
		return -ENOMEM;
	c->row[c->n] = row;
	c->first[c->n] = first;
	c->submission[c->n] = j->submission[row];
	c->deadline[c->n] = extra ? extra->deadline : 0;
	c->rrcontr[c->n] = requests_rrcontr(&s->mirror.requests, j->request[row], s->run.number);
	c->n++;
	return 0;
}

static void add_task(struct sched *s, struct task_columns *c, uint32_t row, uint32_t id, uint32_t index)
{
	const struct jobs *j = &s->mirror.state->jobs;

	c->row[c->n] = row;
	c->index[c->n] = index;
	c->class_id[c->n] = j->class_id[row];
	c->number[c->n] = j->number[row];
	c->task[c->n] = id;
	c->weight[c->n] = s->mirror.requests.facts[j->request[row]].slots;
	c->submission[c->n] = j->submission[row];
	c->n++;
}

static void meet_class(struct sched *s, uint32_t class_id, uint32_t tasks)
{
	struct ticket_class *class = &s->mirror.classes.items[class_id];

	if (class->pending == 0)
		s->run.class_order[s->run.nclass_order++] = class_id;
	class->pending += tasks;
}

static int add_pending(struct sched *s, uint32_t row, uint64_t per_job)
{
	struct run *run = &s->run;
	struct jobs *j = &s->mirror.state->jobs;
	size_t limit = waiting_limit(j, row, per_job), n;
	uint32_t first = (uint32_t)run->pending.n;

	/* ids are written where they are wanted: behind the tasks so far */
	if (row_list_add(&run->waiting, row) || tasks_reserve(&run->pending, limit + 1))
		return -ENOMEM;
	n = eligible(s, row, limit, run->pending.task + first);
	if (n == 0)
		return 0;
	j->first_waiting[row] = run->pending.task[first];
	for (size_t i = 0; i < n; i++)
		add_task(s, &run->pending, row, run->pending.task[run->pending.n], NONE);
	meet_class(s, j->class_id[row], (uint32_t)n);
	j->flags[row] |= JOB_ELIGIBLE;
	return add_job(s, row, first);
}

/* ---- started tasks ------------------------------------------------------------------------------------------------------------------- */

static int add_running(struct sched *s, uint32_t row)
{
	struct state *state = s->mirror.state;
	struct jobs *j = &state->jobs;

	for (uint32_t t = j->first_task[row]; t != NONE; t = state->tasks.items[t].next) {
		struct task *task = &state->tasks.items[t];

		if (task->suspended)
			continue;
		if (tasks_reserve(&s->run.running, 1))
			return -ENOMEM;
		add_task(s, &s->run.running, row, task->id, t);
		s->mirror.classes.items[j->class_id[row]].running++;
		j->flags[row] |= JOB_RUNNING;
	}
	return 0;
}

/* ---- the walk --------------------------------------------------------------------------------------------------------------------------- */

static int begin(struct sched *s)
{
	struct run *run = &s->run;
	struct classes *classes = &s->mirror.classes;

	run->jobs.n = run->pending.n = run->running.n = run->started.n = run->waiting.n = run->nclass_order = 0;
	if (classes->pool.n > run->class_capacity) {
		if (array_grow(&run->class_order, classes->pool.capacity, sizeof(uint32_t)))
			return -ENOMEM;
		run->class_capacity = classes->pool.capacity;
	}
	for (size_t i = 0; i < classes->pool.n; i++)
		classes->items[i].running = classes->items[i].pending = 0;
	run->free_slots = free_slots(s->mirror.state);
	return 0;
}

int run_collect(struct sched *s)
{
	struct run *run = &s->run;
	struct jobs *j = &s->mirror.state->jobs;
	uint64_t per_job;

	if (begin(s))
		return -ENOMEM;
	per_job = run->free_slots < s->cell->sched.max_pending_tasks_per_job ? run->free_slots + 1 : s->cell->sched.max_pending_tasks_per_job;
	for (size_t i = 0; i < j->list_end; i++) {
		uint32_t row = j->list[i];

		if (row == NONE)
			continue;
		j->flags[row] &= JOB_PENDING | JOB_ARRAY;
		if (j->first_task[row] != NONE && row_list_add(&run->started, row))
			return -ENOMEM;
		if (j->flags[row] & JOB_PENDING && add_pending(s, row, per_job))
			return -ENOMEM;
	}
	for (size_t i = 0; i < run->started.n; i++) {
		uint32_t row = run->started.rows[i];

		if (add_running(s, row))
			return -ENOMEM;
		if ((j->flags[row] & (JOB_RUNNING | JOB_ELIGIBLE)) == JOB_RUNNING && add_job(s, row, NONE))
			return -ENOMEM;
	}
	return 0;
}

void run_free(struct run *run)
{
	void *arrays[] = { run->jobs.row, run->jobs.first, run->jobs.submission, run->jobs.deadline, run->jobs.rrcontr, run->jobs.urg,
			   run->jobs.prio, run->started.rows, run->waiting.rows, run->class_order, run->records, run->other };
	struct task_columns *columns[] = { &run->pending, &run->running };

	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
		free(arrays[i]);
	for (size_t i = 0; i < 2; i++) {
		free(columns[i]->row);
		free(columns[i]->index);
		free(columns[i]->class_id);
		free(columns[i]->number);
		free(columns[i]->task);
		free(columns[i]->weight);
		free(columns[i]->submission);
		free(columns[i]->tickets);
	}
	ticket_scratch_free(&run->scratch);
	*run = (struct run){ 0 };
}
