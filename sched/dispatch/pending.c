/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/pending.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/array.h"
#include "conf/base/heap.h"
#include "conf/lists.h"

/* ids of an array that are fetched first; doubled each time */
#define FIRST_IDS 16

void pending_begin(struct pending *pending, struct run *run, const struct policy *policy)
{
	*pending = (struct pending){ .run = run, .policy = policy, .stay = NONE };
}

void pending_free(struct pending *pending)
{
	for (size_t i = 0; i < pending->narrays; i++)
		free(pending->arrays[i].ids);
	free(pending->arrays);
	free(pending->heap);
}

/* Priorities */

/*
 * Return the task after the one that has started, if the run has given it tickets. NONE: no tickets
 * were computed for it.
 */
static uint32_t ranked_next(const struct run *run, uint32_t place)
{
	size_t task = (size_t)run->waiting.first[place] + 1;

	return task < run->pending.n && run->pending.job[task] == place ? (uint32_t)task : NONE;
}

/* Jobs that were inserted again */

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

static uint32_t heap_take(struct pending *pending)
{
	uint32_t first = pending->heap[0];

	pending->heap[0] = pending->heap[--pending->nheap];
	heap_sink(pending->heap, pending->nheap, 0, is_better, pending->arrays);
	return first;
}

static int heap_put(struct pending *pending, uint32_t array)
{
	if (pending->nheap == pending->heap_capacity) {
		if (array_grow(&pending->heap, 2 * pending->heap_capacity + 64, sizeof(*pending->heap)))
			return -ENOMEM;
		pending->heap_capacity = 2 * pending->heap_capacity + 64;
	}
	pending->heap[pending->nheap++] = array;
	heap_rise(pending->heap, pending->nheap - 1, is_better, pending->arrays);
	return 0;
}

/* Ids of an array */

/* Make sure that the next id is in `ids`, if there is one. */
static int array_fetch(struct pending *pending, struct pending_array *pending_array)
{
	const struct job_extra *extra =
		jobs_find_extra(&pending->run->mirror->state->jobs, pending->run->waiting.rows[pending_array->place]);
	size_t want = pending_array->n ? 2 * pending_array->n : FIRST_IDS;

	if (pending_array->done < pending_array->n || pending_array->all_known)
		return 0;
	if (array_grow(&pending_array->ids, want, sizeof(*pending_array->ids)))
		return -ENOMEM;
	pending_array->ids[0] = 1;
	pending_array->n = 1;
	if (pending_array->is_array && job_startable(pending->run->mirror->state, extra, pending_array->allowance,
						     pending_array->ids, want, &pending_array->n))
		return -ENOMEM;
	pending_array->all_known = pending_array->n < want;
	return 0;
}

static int array_begin(struct pending *pending, const struct pending_job *job, uint32_t *number)
{
	const struct jobs *jobs = &pending->run->mirror->state->jobs;
	const struct job_extra *extra = jobs_find_extra(jobs, job->row);
	struct pending_array *array = array_add(&pending->arrays, &pending->narrays, sizeof(*array));

	if (!array)
		return -ENOMEM;
	*number = (uint32_t)pending->narrays - 1;
	*array = (struct pending_array){ .place = job->place,
					 .submission = job_fact(jobs, job->row, submission),
					 .number = job->number,
					 .is_array = job->is_array,
					 .allowance = run_task_allowance(pending->run, job->row) };
	if (job->is_array && job_startable(pending->run->mirror->state, extra, 0, NULL, SIZE_MAX, &array->enrolled))
		return -ENOMEM;
	return array_fetch(pending, array);
}

/* The list */

static void job_of_array(const struct pending *pending, uint32_t array, struct pending_job *job)
{
	const struct pending_array *pending_array = &pending->arrays[array];

	job->place = pending_array->place;
	job->row = pending->run->waiting.rows[pending_array->place];
	job->task = pending_array->ids[pending_array->done];
	job->is_array = pending_array->is_array;
	job->array = array;
	job->prio = pending_array->prio;
}

void pending_complete(const struct pending *pending, struct pending_job *job)
{
	const struct jobs *jobs = &pending->run->mirror->state->jobs;
	const struct job_extra *extra;

	job->number = job_fact(jobs, job->row, number);
	if (job->array != NONE)
		return;
	extra = jobs_find_extra(jobs, job->row);
	job->is_array = extra && extra->is_array;
	job->task = job->is_array ? extra->first_waiting : 1;
}

/* Get the next job in the run's order that is considered. False: there is none. */
static bool ordered_next(struct pending *pending, struct pending_job *job)
{
	const struct run *run = pending->run;

	for (; pending->next < run->waiting.n; pending->next++) {
		uint32_t place = (uint32_t)run->order.items[pending->next];

		if (run->waiting.first[place] == NONE)
			continue;
		*job = (struct pending_job){
			.place = place, .row = run->waiting.rows[place], .prio = run->waiting.prio[place], .array = NONE
		};
		return true;
	}
	return false;
}

static bool is_before(const struct pending *pending, uint32_t array, const struct pending_job *job)
{
	const struct pending_array other = { .prio = job->prio,
					     .submission =
						     job_fact(&pending->run->mirror->state->jobs, job->row, submission),
					     .number = job_fact(&pending->run->mirror->state->jobs, job->row, number) };

	return comes_before(&pending->arrays[array], &other);
}

bool pending_next(struct pending *pending, struct pending_job *job)
{
	bool any = pending->stay == NONE && ordered_next(pending, job);
	uint32_t array = pending->stay;

	pending->stay = NONE;
	if (array == NONE && pending->nheap > 0 && (!any || is_before(pending, pending->heap[0], job)))
		array = heap_take(pending);
	if (array == NONE) {
		pending->next += any;
		return any;
	}
	job_of_array(pending, array, job);
	return true;
}

int pending_pass_task(struct pending *pending, const struct pending_job *job, uint32_t *array)
{
	struct pending_array *pending_array;
	int rc;

	*array = job->array;
	if (!job->is_array) {
		*array = NONE;
		return 0;
	}
	rc = *array == NONE ? array_begin(pending, job, array) : 0;
	if (rc)
		return rc;
	pending_array = &pending->arrays[*array];
	pending_array->prio = job->prio;
	pending_array->done++;
	rc = array_fetch(pending, pending_array);
	if (pending_array->done >= pending_array->n)
		*array = NONE;
	return rc;
}

/*
 * Insert the array with the priority of this task of run->pending. The job shows this priority from
 * now on.
 */
static int put_ranked(struct pending *pending, uint32_t array, uint32_t task)
{
	struct run *run = pending->run;
	struct pending_array *pending_array = &pending->arrays[array];
	bool enrolled = pending_array->done < pending_array->enrolled;

	run->waiting.first[pending_array->place] = task;
	if (pending->policy->kind->next) {
		pending_array->prio = run->waiting.prio[pending_array->place] =
			pending->policy->kind->next(pending->policy, run, pending_array->place, task, enrolled);
		run->order.again = true;
		if (!enrolled && row_list_add(&run->order.ranked, run->waiting.rows[pending_array->place]))
			return -ENOMEM;
	}
	return heap_put(pending, array);
}

int pending_put(struct pending *pending, uint32_t array)
{
	uint32_t next = ranked_next(pending->run, pending->arrays[array].place);

	if (next != NONE)
		return put_ranked(pending, array, next);
	pending->stay = array;		/* no priority of its own: it stays at the head */
	return 0;
}

int pending_put_back(struct pending *pending, const struct pending_job *job)
{
	uint32_t array = job->array;
	int rc = array == NONE ? array_begin(pending, job, &array) : 0;

	if (rc)
		return rc;
	pending->arrays[array].prio = job->prio;
	return put_ranked(pending, array, pending->run->waiting.first[job->place]);
}

/* Owners */

static uint32_t owner_of(const struct run *run, uint32_t row)
{
	return classes_key(&run->mirror->classes, job_fact(&run->mirror->state->jobs, row, class_id))->owner;
}

static uint32_t owners_find(struct owners *owners, uint32_t name)
{
	uint32_t i = index_find(&owners->index, owners->names, name);

	if (i != INDEX_NONE)
		return i;
	if (owners->n == owners->capacity) {
		size_t n = 2 * owners->capacity + 64;

		if (array_grow(&owners->names, n, sizeof(*owners->names)) ||
		    array_grow(&owners->tasks, n, sizeof(*owners->tasks)))
			return NONE;
		owners->capacity = n;
	}
	if (index_reserve(&owners->index, owners->names))
		return NONE;
	owners->names[owners->n] = name;
	owners->tasks[owners->n] = 0;
	index_insert(&owners->index, owners->names, (uint32_t)owners->n);
	return (uint32_t)owners->n++;
}

int owners_count(struct owners *owners, const struct run *run)
{
	const struct state *state = run->mirror->state;

	*owners = (struct owners){ .limit = run->cell->sched.maxujobs };
	if (owners->limit == 0)
		return 0;
	pool_each(i, &state->tasks.pool) {
		uint32_t owner = owners_find(owners, owner_of(run, state->tasks.items[i].row));

		if (owner == NONE)
			return -ENOMEM;
		owners->tasks[owner]++;
	}
	return 0;
}

void owners_free(struct owners *owners)
{
	index_free(&owners->index);
	free(owners->names);
	free(owners->tasks);
}

bool owners_are_busy(const struct owners *owners, const struct run *run, uint32_t row)
{
	uint32_t i = owners->limit > 0 ? index_find(&owners->index, owners->names, owner_of(run, row)) : INDEX_NONE;

	return i != INDEX_NONE && owners->tasks[i] >= owners->limit;
}

void owners_add(struct owners *owners, const struct run *run, uint32_t row, uint32_t tasks)
{
	uint32_t i = owners->limit > 0 ? owners_find(owners, owner_of(run, row)) : NONE;

	if (i != NONE)
		owners->tasks[i] += tasks;
}
