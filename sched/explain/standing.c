/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/explain/standing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/reader/handle.h"

struct list {				/* pending jobs in the order of the run */
	const struct view *view;
	const uint32_t *rows;
	uint64_t n;
};

static struct list list_of(const struct fl_view *view)
{
	struct list list = { .view = &view->view };

	list.rows = view_table(&view->view, TABLE_ORDER, sizeof(*list.rows), &list.n);
	return list;
}

/* Return the number of the job at index `k`; 0: there is none. `able`: it can be started. */
static inline uint32_t number_at(const struct list *list, uint64_t k, bool *able)
{
	uint32_t row = LOAD_ONCE(list->rows[k]);
	const struct job_facts *facts = records_facts(list->view, row);
	const struct job_results *results = records_results(list->view, row);

	if (!facts || !results)
		return 0;
	*able = LOAD_ONCE(results->flags[row % CHUNK_ROWS]) & JOB_ELIGIBLE;
	return LOAD_ONCE(facts->number[row % CHUNK_ROWS]);
}

uint64_t standing_rank(const struct fl_view *view, uint32_t job_number)
{
	const struct list list = list_of(view);
	uint64_t rank = 0;

	for (uint64_t k = 0; k < list.n; k++) {
		bool able = false;
		uint32_t number = number_at(&list, k, &able);

		rank += able;
		if (number == job_number)
			return able ? rank : 0;
	}
	return 0;
}

size_t standing_row(const struct fl_view *view, uint64_t rank)
{
	const struct list list = list_of(view);

	for (uint64_t k = 0; rank > 0 && k < list.n; k++) {
		bool able = false;

		number_at(&list, k, &able);
		rank -= able;
		if (rank == 0)
			return k;
	}
	return SIZE_MAX;
}

/* Sums */

static uint64_t tasks_of(const struct fl_job *job)
{
	uint64_t n = 0;

	for (size_t i = 0; i < job->nranges; i++) {
		struct fl_range range = job->tasks[i];

		n += range.step > 0 && range.max >= range.min ? (uint64_t)(range.max - range.min) / range.step + 1 : 0;
	}
	return n ? n : 1;
}

static void sum_add(struct place_sum *to, const struct place_sum *sum)
{
	to->jobs += sum->jobs;
	to->tasks += sum->tasks;
	to->slots += sum->slots;
}

struct sums { struct place_sum *items; uint64_t n; };	/* indexed by class */

static void count(const struct list *list, const struct fl_view *view, uint64_t k, struct standing_place *place,
		  const struct sums *classes)
{
	uint32_t row = LOAD_ONCE(list->rows[k]),
		 class = LOAD_ONCE(records_facts(list->view, row)->class_id[row % CHUNK_ROWS]);
	struct place_sum one = { .jobs = 1 };
	struct fl_job job;

	if (fl_get(view, FL_PENDING, k, &job))
		return;
	one.tasks = tasks_of(&job);
	one.slots = one.tasks * job.slots;
	sum_add(&place->ahead, &one);
	if (class < classes->n)
		sum_add(&classes->items[class], &one);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct place_sum *)a)->name, ((const struct place_sum *)b)->name);
}

static int by_slots(const void *a, const void *b)
{
	const struct place_sum *x = a, *y = b;

	return x->slots != y->slots ? (x->slots > y->slots ? -1 : 1) : strcmp(x->name, y->name);
}

/* Add the sums of classes with the same name. */
static int names_sum(const struct fl_view *view, const struct sums *classes, bool project, struct place_sum **items,
		     size_t *n)
{
	struct place_sum *all = malloc((classes->n + 1) * sizeof(*all));
	size_t found = 0, kept = 0;

	if (!all)
		return -ENOMEM;
	for (uint64_t i = 0; i < classes->n; i++) {
		struct class_record class;

		if (!classes->items[i].jobs || !RECORD_COPY(view, TABLE_CLASSES, i, &class))
			continue;
		all[found] = classes->items[i];
		all[found++].name = view_string(&view->view, project ? class.project : class.owner);
	}
	qsort(all, found, sizeof(*all), by_name);
	for (size_t i = 0; i < found; i++)
		if (kept > 0 && strcmp(all[kept - 1].name, all[i].name) == 0)
			sum_add(&all[kept - 1], &all[i]);
		else
			all[kept++] = all[i];
	qsort(all, kept, sizeof(*all), by_slots);
	*items = all;
	*n = kept;
	return 0;
}

int standing_find(struct standing_place *place, const struct fl_view *view, uint32_t job_number)
{
	const struct list list = list_of(view);
	struct sums classes;
	int rc;

	*place = (struct standing_place){ .ahead = { .name = "" } };
	view_table(&view->view, TABLE_CLASSES, sizeof(struct class_record), &classes.n);
	classes.items = calloc(classes.n + 1, sizeof(*classes.items));
	if (!classes.items)
		return -ENOMEM;
	place->rank = standing_rank(view, job_number);
	for (uint64_t k = 0; k < list.n; k++) {
		bool able = false;
		uint32_t number = number_at(&list, k, &able);

		*(able ? &place->jobs : &place->unable) += 1;
		if (!able || place->jobs >= place->rank)
			continue;
		place->next = number;
		count(&list, view, k, place, &classes);
	}
	rc = names_sum(view, &classes, false, &place->users, &place->nusers);
	rc = rc ? rc : names_sum(view, &classes, true, &place->projects, &place->nprojects);
	free(classes.items);
	return rc;
}

void standing_free(struct standing_place *place)
{
	free(place->users);
	free(place->projects);
	*place = (struct standing_place){ 0 };
}
