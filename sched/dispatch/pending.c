/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/pending.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/array.h"
#include "conf/heap.h"
#include "conf/lists.h"

#define FIRST_IDS 16			/* of an array, fetched at once; then twice as many */

void pending_begin(struct pending *p, struct run *run, const struct policy *policy)
{
	*p = (struct pending){ .run = run, .policy = policy, .stay = NONE };
}

void pending_free(struct pending *p)
{
	for (size_t i = 0; i < p->narrays; i++)
		free(p->arrays[i].ids);
	free(p->arrays);
	free(p->heap);
}

/* Priorities */

/*
 * The task behind the one that has started, if the run has given it tickets; NONE: it gave them to
 * fewer.
 */
static uint32_t ranked_next(const struct run *run, uint32_t place)
{
	size_t task = (size_t)run->waiting.first[place] + 1;

	return task < run->pending.n && run->pending.job[task] == place ? (uint32_t)task : NONE;
}

/* Jobs put in again */

static bool comes_before(const struct pending_array *a, const struct pending_array *b)
{
	if (a->prio != b->prio)
		return a->prio > b->prio;
	return a->submission != b->submission ? a->submission < b->submission : a->number < b->number;
}

static bool is_better(const struct pending_array *arrays, const uint32_t *a, const uint32_t *b)
{
	return comes_before(&arrays[*a], &arrays[*b]);
}

static uint32_t heap_take(struct pending *p)
{
	uint32_t first = p->heap[0];

	p->heap[0] = p->heap[--p->nheap];
	heap_sink(p->heap, p->nheap, 0, is_better, p->arrays);
	return first;
}

static int heap_put(struct pending *p, uint32_t array)
{
	if (p->nheap == p->heap_capacity) {
		if (array_grow(&p->heap, 2 * p->heap_capacity + 64, sizeof(*p->heap)))
			return -ENOMEM;
		p->heap_capacity = 2 * p->heap_capacity + 64;
	}
	p->heap[p->nheap++] = array;
	heap_rise(p->heap, p->nheap - 1, is_better, p->arrays);
	return 0;
}

/* Ids of an array */

/* Its next id is in `ids`, if there is one. */
static int array_fetch(struct pending *p, struct pending_array *a)
{
	const struct job_extra *extra = jobs_find_extra(&p->run->mirror->state->jobs, p->run->waiting.rows[a->place]);
	size_t want = a->n ? 2 * a->n : FIRST_IDS;

	if (a->done < a->n || a->all_known)
		return 0;
	if (array_grow(&a->ids, want, sizeof(*a->ids)))
		return -ENOMEM;
	a->ids[0] = 1;
	a->n = 1;
	if (a->is_array && job_startable(p->run->mirror->state, extra, a->allowance, a->ids, want, &a->n))
		return -ENOMEM;
	a->all_known = a->n < want;
	return 0;
}

static int array_begin(struct pending *p, const struct pending_job *job, uint32_t *number)
{
	const struct jobs *j = &p->run->mirror->state->jobs;
	const struct job_extra *extra = jobs_find_extra(j, job->row);
	struct pending_array *a = array_add(&p->arrays, &p->narrays, sizeof(*a));

	if (!a)
		return -ENOMEM;
	*number = (uint32_t)p->narrays - 1;
	*a = (struct pending_array){ .place = job->place, .submission = job_fact(j, job->row, submission), .number = job->number,
				     .is_array = job->is_array, .allowance = run_task_allowance(p->run, job->row) };
	if (job->is_array && job_startable(p->run->mirror->state, extra, 0, NULL, SIZE_MAX, &a->enrolled))
		return -ENOMEM;
	return array_fetch(p, a);
}

/* The list */

static void job_of_array(const struct pending *p, uint32_t array, struct pending_job *job)
{
	const struct pending_array *a = &p->arrays[array];

	job->place = a->place;
	job->row = p->run->waiting.rows[a->place];
	job->task = a->ids[a->done];
	job->is_array = a->is_array;
	job->array = array;
	job->prio = a->prio;
}

void pending_complete(const struct pending *p, struct pending_job *job)
{
	const struct jobs *j = &p->run->mirror->state->jobs;
	const struct job_extra *extra;

	job->number = job_fact(j, job->row, number);
	if (job->array != NONE)
		return;
	extra = jobs_find_extra(j, job->row);
	job->is_array = extra && extra->is_array;
	job->task = job->is_array ? extra->first_waiting : 1;
}

/* The next job of the run's order that takes part. False: there is none. */
static bool ordered_next(struct pending *p, struct pending_job *job)
{
	const struct run *run = p->run;

	for (; p->next < run->waiting.n; p->next++) {
		uint32_t place = (uint32_t)run->order.items[p->next];

		if (run->waiting.first[place] == NONE)
			continue;
		*job = (struct pending_job){ .place = place, .row = run->waiting.rows[place], .prio = run->waiting.prio[place], .array = NONE };
		return true;
	}
	return false;
}

static bool is_before(const struct pending *p, uint32_t array, const struct pending_job *job)
{
	const struct pending_array other = { .prio = job->prio, .submission = job_fact(&p->run->mirror->state->jobs, job->row, submission),
					     .number = job_fact(&p->run->mirror->state->jobs, job->row, number) };

	return comes_before(&p->arrays[array], &other);
}

bool pending_next(struct pending *p, struct pending_job *job)
{
	bool any = p->stay == NONE && ordered_next(p, job);
	uint32_t array = p->stay;

	p->stay = NONE;
	if (array == NONE && p->nheap > 0 && (!any || is_before(p, p->heap[0], job)))
		array = heap_take(p);
	if (array == NONE) {
		p->next += any;
		return any;
	}
	job_of_array(p, array, job);
	return true;
}

int pending_pass_task(struct pending *p, const struct pending_job *job, uint32_t *array)
{
	struct pending_array *a;
	int rc;

	*array = job->array;
	if (!job->is_array) {
		*array = NONE;
		return 0;
	}
	rc = *array == NONE ? array_begin(p, job, array) : 0;
	if (rc)
		return rc;
	a = &p->arrays[*array];
	a->prio = job->prio;
	a->done++;
	rc = array_fetch(p, a);
	if (a->done >= a->n)
		*array = NONE;
	return rc;
}

/* By the priority of this task of run->pending, which is what the job shows from now on. */
static int put_ranked(struct pending *p, uint32_t array, uint32_t task)
{
	struct run *run = p->run;
	struct pending_array *a = &p->arrays[array];
	bool enrolled = a->done < a->enrolled;

	run->waiting.first[a->place] = task;
	if (p->policy->kind->next) {
		a->prio = run->waiting.prio[a->place] = p->policy->kind->next(p->policy, run, a->place, task, enrolled);
		run->order.again = true;
		if (!enrolled && row_list_add(&run->order.ranked, run->waiting.rows[a->place]))
			return -ENOMEM;
	}
	return heap_put(p, array);
}

int pending_put(struct pending *p, uint32_t array)
{
	uint32_t next = ranked_next(p->run, p->arrays[array].place);

	if (next != NONE)
		return put_ranked(p, array, next);
	p->stay = array;		/* no priority of its own: it keeps the head */
	return 0;
}

int pending_put_back(struct pending *p, const struct pending_job *job)
{
	uint32_t array = job->array;
	int rc = array == NONE ? array_begin(p, job, &array) : 0;

	if (rc)
		return rc;
	p->arrays[array].prio = job->prio;
	return put_ranked(p, array, p->run->waiting.first[job->place]);
}

/* Owners */

static uint32_t owner_of(const struct run *run, uint32_t row)
{
	return classes_key(&run->mirror->classes, job_fact(&run->mirror->state->jobs, row, class_id))->owner;
}

static uint32_t owners_find(struct owners *o, uint32_t name)
{
	uint32_t i = index_find(&o->index, o->names, name);

	if (i != INDEX_NONE)
		return i;
	if (o->n == o->capacity) {
		size_t n = 2 * o->capacity + 64;

		if (array_grow(&o->names, n, sizeof(*o->names)) || array_grow(&o->tasks, n, sizeof(*o->tasks)))
			return NONE;
		o->capacity = n;
	}
	if (index_reserve(&o->index, o->names))
		return NONE;
	o->names[o->n] = name;
	o->tasks[o->n] = 0;
	index_insert(&o->index, o->names, (uint32_t)o->n);
	return (uint32_t)o->n++;
}

int owners_count(struct owners *o, const struct run *run)
{
	const struct state *state = run->mirror->state;

	*o = (struct owners){ .limit = run->cell->sched.maxujobs };
	if (o->limit == 0)
		return 0;
	pool_each(i, &state->tasks.pool) {
		uint32_t owner = owners_find(o, owner_of(run, state->tasks.items[i].row));

		if (owner == NONE)
			return -ENOMEM;
		o->tasks[owner]++;
	}
	return 0;
}

void owners_free(struct owners *o)
{
	index_free(&o->index);
	free(o->names);
	free(o->tasks);
}

bool owners_are_busy(const struct owners *o, const struct run *run, uint32_t row)
{
	uint32_t i = o->limit > 0 ? index_find(&o->index, o->names, owner_of(run, row)) : INDEX_NONE;

	return i != INDEX_NONE && o->tasks[i] >= o->limit;
}

void owners_add(struct owners *o, const struct run *run, uint32_t row, uint32_t tasks)
{
	uint32_t i = o->limit > 0 ? owners_find(o, owner_of(run, row)) : NONE;

	if (i != NONE)
		o->tasks[i] += tasks;
}
