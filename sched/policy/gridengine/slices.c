/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pending tasks in the order of their classes, in which the policies walk through them. Workers
 * count the tasks of each class in their slice of the list. The counts of all slices determine
 * where each slice writes its tasks. Therefore positions do not depend on how the list was divided.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"
#include "sched/policy/gridengine/gridengine.h"

#define SLICE_JOBS 16384	/* a smaller slice is not worth a worker */

struct slice {			/* part of the waiting jobs */
	size_t begin, end;
	/* pending tasks by class; then the position of the next one */
	uint32_t *counts;
	uint32_t *order;		/* classes by first appearance */
	uint32_t *met;			/* first request of each category in the slice; NONE */
	size_t nclasses, classes_capacity, categories_capacity, norder;
	uint64_t tasks;
	bool by_age, by_number;		/* the slice and the job before it are in that order */
	bool arrays;			/* some job has more than one task */
};

struct slicing {			/* context of all slices */
	struct gridengine *g;
	struct run *run;
};

/* Reserve memory. The arrays exist afterwards even for no class and no category. */
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

/* Make a slice for each worker, but fewer if there are few jobs or many classes. */
static int slices_make(struct class_walk *walk, const struct run *run)
{
	size_t nclasses = run->mirror->classes.pool.n, ncategories = run->mirror->requests.categories.n;
	size_t most = 1 + run->waiting.n / (SLICE_JOBS + nclasses + ncategories), n = workers_count(run->workers);

	n = n < most ? n : most;
	if (n > walk->nslices) {
		if (array_grow(&walk->slices, n, sizeof(*walk->slices)))
			return -ENOMEM;
		memset(walk->slices + walk->nslices, 0, (n - walk->nslices) * sizeof(*walk->slices));
		walk->nslices = n;
	}
	for (size_t i = 0; i < walk->nslices; i++) {
		walk->slices[i].begin = i < n ? run->waiting.n * i / n : run->waiting.n;
		walk->slices[i].end = i < n ? run->waiting.n * (i + 1) / n : run->waiting.n;
		if (slice_reserve(&walk->slices[i], nclasses, ncategories))
			return -ENOMEM;
	}
	return 0;
}

static void slice_order(const struct jobs *jobs, struct slice *slice, uint32_t before, uint32_t row)
{
	int64_t a = job_fact(jobs, before, submission), b = job_fact(jobs, row, submission);
	bool ascending = job_fact(jobs, before, number) < job_fact(jobs, row, number);

	slice->by_number &= ascending;
	slice->by_age &= a < b || (a == b && ascending);
}

static void slice_count(void *context, size_t i)
{
	const struct slicing *slicing = context;
	struct run *run = slicing->run;
	struct waiting_columns *columns = &run->waiting;
	/* counts of two slices must not share a cache line */
	struct slice own = slicing->g->classes.slices[i], *slice = &own;
	struct jobs *jobs = &run->mirror->state->jobs;

	memset(slice->counts, 0, slice->nclasses * sizeof(*slice->counts));
	memset(slice->met, 0xff, run->mirror->requests.categories.n * sizeof(*slice->met));
	slice->norder = slice->tasks = 0;
	slice->by_age = slice->by_number = true;
	slice->arrays = false;
	for (size_t k = slice->begin; k < slice->end; k++) {
		uint32_t row = columns->rows[k], class_id = job_fact(jobs, row, class_id),
			 request = job_fact(jobs, row, category);
		struct job_extra *extra = jobs_find_extra(jobs, row);
		uint32_t n = extra ? run_eligible_tasks(run, row, extra) : 1,
			 *met = &slice->met[run->mirror->requests.facts[request].category];

		columns->first[k] = n;
		columns->why[k] = run->unreached;
		if (k > 0)
			slice_order(jobs, slice, columns->rows[k - 1], row);
		slice->tasks += n;
		/* slices_join() refuses that many tasks: counts must not wrap */
		if (n == 0 || slice->tasks >= UINT32_MAX)
			continue;
		if (slice->counts[class_id] == 0)
			slice->order[slice->norder++] = class_id;
		slice->counts[class_id] += n;
		slice->arrays |= n > 1;
		if (*met == NONE)
			*met = request;
	}
	slicing->g->classes.slices[i] = own;
}

/*
 * Combine the slices: classes in order of first appearance, the first job of each category, and the
 * positions at which each slice writes its tasks.
 */
static int slices_join(struct gridengine *gridengine, struct run *run)
{
	struct class_walk *walk = &gridengine->classes;
	struct pending_tickets *tickets = &gridengine->pending;
	struct ticket_class *classes = run->mirror->classes.items;
	uint64_t tasks = 0;
	uint32_t begin = 0;

	for (size_t i = 0; i < walk->nslices; i++)
		tasks += walk->slices[i].tasks;
	if (array_reserve(&tickets->capacity, tasks, COLUMN(tickets->weight), COLUMN(tickets->override),
			  COLUMN(tickets->functional), COLUMN(tickets->share_tree), COLUMN(tickets->accumulated)) ||
	    array_reserve(&run->pending.capacity, tasks, COLUMN(run->pending.job)))
		return -ENOMEM;
	run->pending.n = tasks;
	run->waiting.by_age = run->waiting.by_number = true;
	run->waiting.arrays = false;
	for (size_t i = 0; i < walk->nslices; i++) {
		struct slice *slice = &walk->slices[i];

		run->waiting.by_age &= slice->by_age;
		run->waiting.by_number &= slice->by_number;
		run->waiting.arrays |= slice->arrays;
		for (size_t k = 0; k < slice->norder; k++) {
			if (classes[slice->order[k]].pending == 0)
				walk->order[walk->n++] = slice->order[k];
			classes[slice->order[k]].pending += slice->counts[slice->order[k]];
		}
		for (size_t c = 0; slice->tasks > 0 && c < run->mirror->requests.categories.n; c++)
			if (slice->met[c] != NONE)
				requests_rrcontr(&run->mirror->requests, slice->met[c], run->number);
	}
	for (size_t k = 0; k < walk->n; k++) {
		struct ticket_class *class = &classes[walk->order[k]];
		uint32_t next = class->begin = begin;

		begin += class->pending;
		for (size_t i = 0; i < walk->nslices; i++) {
			uint32_t n = walk->slices[i].counts[walk->order[k]];

			walk->slices[i].counts[walk->order[k]] = next;
			next += n;
		}
	}
	return 0;
}

static void slice_place(void *context, size_t i)
{
	const struct slicing *slicing = context;
	const struct run *run = slicing->run;
	const struct waiting_columns *columns = &run->waiting;
	const struct slice *slice = &slicing->g->classes.slices[i];
	const struct jobs *jobs = &run->mirror->state->jobs;

	for (size_t k = slice->begin; k < slice->end; k++) {
		uint32_t n = columns->first[k], row = columns->rows[k], weight, *next;

		columns->first[k] = NONE;
		if (n == 0)
			continue;
		next = &slice->counts[job_fact(jobs, row, class_id)];
		weight = run->mirror->requests.facts[job_fact(jobs, row, category)].slots;
		columns->first[k] = *next;
		for (; n > 0; n--, ++*next) {
			run->pending.job[*next] = (uint32_t)k;
			slicing->g->pending.weight[*next] = weight;
		}
	}
}

/* Reserve room for all classes, including those that appear for the first time. */
static int reserve_classes(struct class_walk *walk, const struct classes *classes)
{
	walk->n = 0;
	if (classes->pool.n <= walk->capacity)
		return 0;
	if (array_grow(&walk->order, classes->pool.capacity, sizeof(uint32_t)))
		return -ENOMEM;
	walk->capacity = classes->pool.capacity;
	return 0;
}

int gridengine_collect(struct policy *policy, struct run *run)
{
	struct slicing slicing = { (struct gridengine *)policy, run };
	struct class_walk *walk = &slicing.g->classes;

	if (reserve_classes(walk, &run->mirror->classes) || slices_make(walk, run))
		return -ENOMEM;
	workers_run(run->workers, slice_count, &slicing, walk->nslices);
	if (slices_join(slicing.g, run))
		return -ENOMEM;
	workers_run(run->workers, slice_place, &slicing, walk->nslices);
	return 0;
}

void slices_free(struct class_walk *walk)
{
	for (size_t i = 0; i < walk->nslices; i++) {
		free(walk->slices[i].counts);
		free(walk->slices[i].order);
		free(walk->slices[i].met);
	}
	free(walk->slices);
}
