/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who takes part in this run: tasks that run, and of each job the first tasks that could start. One walk over the job list. A
 * job that is held, in error, waits for a time or a predecessor, or whose task limit is reached takes no part, and neither does a suspended task.
 *
 * Pending tasks are brought into the order of their classes, which is how the policies walk through them: workers count the tasks of each
 * class in their slice of the list, everybody's places follow from all counts, and each puts its tasks there. So the
 * places don't depend on the slices.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/run.h"

#define SLICE_JOBS 16384	/* a smaller slice is not worth a worker */

struct slice {			/* of the waiting jobs */
	size_t begin, end;
	uint32_t *counts;		/* pending tasks by class; then where the next one goes */
	uint32_t *order;		/* classes by first appearance */
	uint32_t *met;			/* by category: the request that is met first; NONE */
	size_t nclasses, classes_capacity, categories_capacity, norder;
	uint64_t tasks;
	bool by_age, by_number;		/* is the slice, with the job before it */
	bool arrays;			/* more than one task of some job */
};

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

/* A sixteenth more than asked for, so that a list that grows slowly does not move each time. */
static int reserve_waiting(struct waiting_columns *w, size_t n)
{
	if (n <= w->capacity)
		return 0;
	n += n / 16 + 64;
	if (array_grow(&w->rows, n, sizeof(uint32_t)) || array_grow(&w->first, n, sizeof(uint32_t)) || array_grow(&w->prio, n, sizeof(double)))
		return -ENOMEM;
	w->capacity = n;
	return 0;
}

static int reserve_pending(struct pending_columns *p, uint64_t n)
{
	double **columns[] = { &p->override, &p->functional, &p->share_tree, &p->accumulated };

	if (n <= p->capacity)
		return 0;
	n += n / 16 + 64;
	if (n >= UINT32_MAX || array_grow(&p->job, n, sizeof(uint32_t)) || array_grow(&p->weight, n, sizeof(uint32_t)))
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (array_grow(columns[i], n, sizeof(double)))
			return -ENOMEM;
	p->capacity = n;
	return 0;
}

static int reserve_running(struct running_columns *c)
{
	size_t n = c->capacity + c->capacity / 4 + 256;

	if (c->n < c->capacity)
		return 0;
	if (n >= UINT32_MAX || array_grow(&c->index, n, sizeof(uint32_t)) || array_grow(&c->class_id, n, sizeof(uint32_t)) ||
	    array_grow(&c->weight, n, sizeof(uint32_t)) || array_grow(&c->tickets, n, sizeof(*c->tickets)))
		return -ENOMEM;
	c->capacity = n;
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

/* The lowest id that may start, if any. */
static bool first_not_held(const struct job_extra *extra, const struct ranges *waiting, uint32_t *id)
{
	return ranges_first(waiting, extra->hold, HOLD_KINDS, id, 1) > 0;
}

/* How many tasks may start. Sets what a reader sees of those that don't. */
static uint32_t eligible_with_extra(struct sched *s, uint32_t row, struct job_extra *extra)
{
	static const struct range one = { 1, 1, 1 };
	const struct ranges waiting = extra->is_array ? extra->waiting : (struct ranges){ .items = (struct range *)&one, .n = 1 };
	uint64_t limit = s->run.tasks_per_job, allowance;
	uint32_t id;

	extra->first_waiting = waiting.n > 0 ? waiting.items[0].min : 1;
	extra->flags = extra->error ? JOB_IN_ERROR : 0;
	if (!first_not_held(extra, &waiting, &id) || waits_for_predecessor(&s->mirror.state->jobs, extra))
		extra->flags |= JOB_HELD;
	if (extra->flags || extra->execution_time > s->run.now)
		return 0;
	allowance = task_allowance(s, extra, row);
	if (allowance == 0 || limit == 0)
		return 0;
	extra->first_waiting = id;
	extra->flags = JOB_ELIGIBLE;
	return (uint32_t)ranges_first(&waiting, extra->hold, HOLD_KINDS, NULL, allowance < limit ? allowance : limit);
}

/* ---- slices ----------------------------------------------------------------------------------------------------------------------- */

static int slice_reserve(struct slice *slice, size_t nclasses, size_t ncategories)
{
	if (nclasses >= slice->classes_capacity) {
		if (array_grow(&slice->counts, nclasses + nclasses / 4 + 64, sizeof(uint32_t)) ||
		    array_grow(&slice->order, nclasses + nclasses / 4 + 64, sizeof(uint32_t)))
			return -ENOMEM;
		slice->classes_capacity = nclasses + nclasses / 4 + 64;
	}
	if (ncategories >= slice->categories_capacity) {
		if (array_grow(&slice->met, ncategories + ncategories / 4 + 64, sizeof(uint32_t)))
			return -ENOMEM;
		slice->categories_capacity = ncategories + ncategories / 4 + 64;
	}
	slice->nclasses = nclasses;
	return 0;
}

/* As many slices as there are workers, unless jobs are few, or not much more than classes. */
static int slices_make(struct sched *s)
{
	struct run *run = &s->run;
	size_t nclasses = s->mirror.classes.pool.n, ncategories = s->mirror.requests.categories.n;
	size_t most = 1 + run->waiting.n / (SLICE_JOBS + nclasses + ncategories), n = workers_count(s->workers);

	n = n < most ? n : most;
	if (n > run->nslices) {
		if (array_grow(&run->slices, n, sizeof(*run->slices)))
			return -ENOMEM;
		memset(run->slices + run->nslices, 0, (n - run->nslices) * sizeof(*run->slices));
		run->nslices = n;
	}
	for (size_t i = 0; i < run->nslices; i++) {
		run->slices[i].begin = i < n ? run->waiting.n * i / n : run->waiting.n;
		run->slices[i].end = i < n ? run->waiting.n * (i + 1) / n : run->waiting.n;
		if (slice_reserve(&run->slices[i], nclasses, ncategories))
			return -ENOMEM;
	}
	return 0;
}

static void slice_order(const struct jobs *j, struct slice *slice, uint32_t before, uint32_t row)
{
	int64_t a = job_fact(j, before, submission), b = job_fact(j, row, submission);
	bool ascending = job_fact(j, before, number) < job_fact(j, row, number);

	slice->by_number &= ascending;
	slice->by_age &= a < b || (a == b && ascending);
}

static void slice_count(void *context, size_t i)
{
	struct sched *s = context;
	struct waiting_columns *w = &s->run.waiting;
	struct slice *slice = &s->run.slices[i];
	struct jobs *j = &s->mirror.state->jobs;

	if (slice->begin < slice->end) {	/* so there are classes and categories */
		memset(slice->counts, 0, slice->nclasses * sizeof(*slice->counts));
		memset(slice->met, 0xff, s->mirror.requests.categories.n * sizeof(*slice->met));
	}
	slice->norder = slice->tasks = 0;
	slice->by_age = slice->by_number = true;
	slice->arrays = false;
	for (size_t k = slice->begin; k < slice->end; k++) {
		uint32_t row = w->rows[k], class_id = job_fact(j, row, class_id), request = job_fact(j, row, category);
		struct job_extra *extra = jobs_find_extra(j, row);
		uint32_t n = extra ? eligible_with_extra(s, row, extra) : 1, *met = &slice->met[s->mirror.requests.facts[request].category];

		w->first[k] = n;
		if (k > 0)
			slice_order(j, slice, w->rows[k - 1], row);
		slice->tasks += n;
		if (n == 0 || slice->tasks >= UINT32_MAX)	/* slices_join() refuses that many: counts must not wrap */
			continue;
		if (slice->counts[class_id] == 0)
			slice->order[slice->norder++] = class_id;
		slice->counts[class_id] += n;
		slice->arrays |= n > 1;
		if (*met == NONE)
			*met = request;
	}
}

/* Whom the slices met: classes in order of first appearance, the first job of each category, and where each slice's tasks go. */
static int slices_join(struct sched *s)
{
	struct run *run = &s->run;
	struct ticket_class *classes = s->mirror.classes.items;
	uint64_t tasks = 0;
	uint32_t begin = 0;

	for (size_t i = 0; i < run->nslices; i++)
		tasks += run->slices[i].tasks;
	if (tasks >= UINT32_MAX || reserve_pending(&run->pending, tasks))
		return -ENOMEM;
	run->pending.n = tasks;
	run->waiting.by_age = run->waiting.by_number = true;
	run->waiting.arrays = false;
	for (size_t i = 0; i < run->nslices; i++) {
		struct slice *slice = &run->slices[i];

		run->waiting.by_age &= slice->by_age;
		run->waiting.by_number &= slice->by_number;
		run->waiting.arrays |= slice->arrays;
		for (size_t k = 0; k < slice->norder; k++) {
			if (classes[slice->order[k]].pending == 0)
				run->class_order[run->nclass_order++] = slice->order[k];
			classes[slice->order[k]].pending += slice->counts[slice->order[k]];
		}
		for (size_t c = 0; slice->tasks > 0 && c < s->mirror.requests.categories.n; c++)
			if (slice->met[c] != NONE)
				requests_rrcontr(&s->mirror.requests, slice->met[c], run->number);
	}
	for (size_t k = 0; k < run->nclass_order; k++) {
		struct ticket_class *class = &classes[run->class_order[k]];
		uint32_t next = class->begin = begin;

		begin += class->pending;
		for (size_t i = 0; i < run->nslices; i++) {
			uint32_t n = run->slices[i].counts[run->class_order[k]];

			run->slices[i].counts[run->class_order[k]] = next;
			next += n;
		}
	}
	return 0;
}

static void slice_place(void *context, size_t i)
{
	struct sched *s = context;
	struct waiting_columns *w = &s->run.waiting;
	struct slice *slice = &s->run.slices[i];
	const struct jobs *j = &s->mirror.state->jobs;

	for (size_t k = slice->begin; k < slice->end; k++) {
		uint32_t n = w->first[k], row = w->rows[k], weight, *next;

		w->first[k] = NONE;
		if (n == 0)
			continue;
		next = &slice->counts[job_fact(j, row, class_id)];
		weight = s->mirror.requests.facts[job_fact(j, row, category)].slots;
		w->first[k] = *next;
		for (; n > 0; n--, ++*next) {
			s->run.pending.job[*next] = (uint32_t)k;
			s->run.pending.weight[*next] = weight;
		}
	}
}

/* ---- started tasks ------------------------------------------------------------------------------------------------------------------- */

static int add_running(struct sched *s, uint32_t row)
{
	struct state *state = s->mirror.state;
	struct running_columns *c = &s->run.running;
	uint32_t class_id = job_fact(&state->jobs, row, class_id), request = job_fact(&state->jobs, row, category);

	for (uint32_t t = state->jobs.first_task[row]; t != NONE; t = state->tasks.items[t].next) {
		if (state->tasks.items[t].suspended)
			continue;
		if (reserve_running(c))
			return -ENOMEM;
		c->index[c->n] = t;
		c->class_id[c->n] = class_id;
		c->weight[c->n++] = s->mirror.requests.facts[request].slots;
		s->mirror.classes.items[class_id].running++;
		requests_rrcontr(&s->mirror.requests, request, s->run.number);
	}
	return 0;
}

/* ---- the walk --------------------------------------------------------------------------------------------------------------------------- */

static int begin(struct sched *s)
{
	struct run *run = &s->run;
	struct classes *classes = &s->mirror.classes;

	run->waiting.n = run->pending.n = run->running.n = run->started.n = run->nclass_order = 0;
	if (classes->pool.n > run->class_capacity) {
		if (array_grow(&run->class_order, classes->pool.capacity, sizeof(uint32_t)))
			return -ENOMEM;
		run->class_capacity = classes->pool.capacity;
	}
	for (size_t i = 0; i < classes->pool.n; i++)
		classes->items[i].running = classes->items[i].pending = 0;
	run->free_slots = free_slots(s->mirror.state);
	run->tasks_per_job = s->cell->sched.max_pending_tasks_per_job;
	if (run->free_slots < run->tasks_per_job)
		run->tasks_per_job = run->free_slots + 1;	/* of one job, more could not start */
	return reserve_waiting(&run->waiting, s->mirror.state->jobs.used);
}

/* Jobs with tasks not started, and jobs with started ones. */
static int walk(struct sched *s)
{
	struct run *run = &s->run;
	const struct jobs *j = &s->mirror.state->jobs;

	for (size_t i = 0; i < j->list_end; i++) {
		uint32_t row = j->list[i];

		if (row == NONE)
			continue;
		if (j->first_task[row] != NONE && row_list_add(&run->started, row))
			return -ENOMEM;
		if (j->kind[row] & JOB_PENDING)
			run->waiting.rows[run->waiting.n++] = row;
	}
	return 0;
}

int run_collect(struct sched *s)
{
	struct run *run = &s->run;

	if (begin(s) || walk(s) || slices_make(s))
		return -ENOMEM;
	workers_run(s->workers, slice_count, s, run->nslices);
	if (slices_join(s))
		return -ENOMEM;
	workers_run(s->workers, slice_place, s, run->nslices);
	for (size_t i = 0; i < run->started.n; i++)
		if (add_running(s, run->started.rows[i]))
			return -ENOMEM;
	return rank_jobs(s);
}

/* ---- blocks ----------------------------------------------------------------------------------------------------------------------------- */

/*
 * Item i is for a worker of node i % nodes. A job's row is in a chunk that lies on node (chunk % nodes), and most lists are in the order of
 * rows: the items are dealt so that a node gets the blocks of its chunks.
 */
#define CHUNK_BLOCKS (CHUNK_JOBS / BLOCK_JOBS)

struct block_call {
	struct sched *s;
	void (*work)(const struct block *b);
	size_t nodes;
};

static size_t block_of_item(size_t item, size_t nodes)
{
	size_t round = item / (CHUNK_BLOCKS * nodes), rest = item % (CHUNK_BLOCKS * nodes);

	return (round * nodes + rest % nodes) * CHUNK_BLOCKS + rest / nodes;
}

static void block_run(void *context, size_t item)
{
	const struct block_call *call = context;
	const struct run *run = &call->s->run;
	size_t i = block_of_item(item, call->nodes);
	struct block block = { .s = call->s, .begin = i * BLOCK_JOBS, .end = (i + 1) * BLOCK_JOBS, .values = run->block + 2 * i };

	block.end = block.end < run->waiting.n ? block.end : run->waiting.n;
	if (block.begin < block.end)
		call->work(&block);
}

int run_blocks(struct sched *s, void (*work)(const struct block *b))
{
	struct block_call call = { s, work, segment_nodes(&s->segment) };
	size_t n = run_nblocks(&s->run), deal = CHUNK_BLOCKS * call.nodes;

	if (n > s->run.block_capacity) {
		if (array_grow(&s->run.block, 2 * (n + n / 4), sizeof(double)))
			return -ENOMEM;
		s->run.block_capacity = n + n / 4;
	}
	workers_run_on(s->workers, block_run, &call, call.nodes == 1 ? n : (n + deal - 1) / deal * deal, (unsigned)call.nodes);
	return 0;
}

void run_free(struct run *run)
{
	void *arrays[] = { run->waiting.rows, run->waiting.first, run->waiting.prio, run->waiting.age, run->waiting.number, run->pending.job,
			   run->pending.weight, run->pending.override, run->pending.functional, run->pending.share_tree,
			   run->pending.accumulated, run->running.index, run->running.class_id, run->running.weight, run->running.tickets,
			   run->started.rows, run->class_order, run->slices, run->rrcontr, run->block };

	for (size_t i = 0; i < run->nslices; i++) {
		free(run->slices[i].counts);
		free(run->slices[i].order);
		free(run->slices[i].met);
	}
	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
		free(arrays[i]);
	ticket_scratch_free(&run->scratch);
	*run = (struct run){ 0 };
}
