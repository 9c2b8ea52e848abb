/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters and order of jobs. Pending jobs are selected by their columns in the segment, because a
 * million rows of struct fl_job would take longer than a frame. Only the rows up to the end of the
 * page are sorted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/heap.h"
#include "conf/base/wildcard.h"
#include "sched/cli/top/top.h"
#include "sched/reader/handle.h"

struct class_fit {			/* properties of a class of jobs */
	bool fits;
	uint32_t owner_rank;		/* position of the owner's name among all names */
};

struct keyed_row {
	int64_t key;			/* smaller ones come first */
	size_t row;
};

struct job_selection {			/* best rows so far, a heap with the last one first */
	struct keyed_row *rows;
	size_t n, most, total;
};

static bool is_default(const struct top_filter *filter, enum top_sort sort)
{
	return (sort == TOP_SORT_PRIORITY || sort == TOP_SORT_LOAD) && !*filter->user && !*filter->project &&
	       !*filter->queue && !*filter->states;
}

static bool fits(const char *pattern, const char *text)
{
	return !*pattern || wildcard_match(pattern, text, 0);
}

/* Selection of the best rows */

static bool comes_later(const void *context, const struct keyed_row *a, const struct keyed_row *b)
{
	(void)context;
	return a->key != b->key ? a->key > b->key : a->row > b->row;
}

static void selection_add(struct job_selection *selection, int64_t key, size_t row)
{
	struct keyed_row item = { .key = key, .row = row };

	selection->total++;
	if (selection->n < selection->most) {
		selection->rows[selection->n++] = item;
		heap_rise(selection->rows, selection->n - 1, comes_later, NULL);
	} else if (selection->most > 0 && comes_later(NULL, &selection->rows[0], &item)) {
		selection->rows[0] = item;
		heap_sink(selection->rows, selection->n, 0, comes_later, NULL);
	}
}

static int rows_compare(const void *a, const void *b)
{
	return comes_later(NULL, a, b) ? 1 : comes_later(NULL, b, a) ? -1 : 0;
}

/* Pending jobs */

struct owner_name { const char *name; uint32_t class_id; };

static int names_compare(const void *a, const void *b)
{
	return strcmp(((const struct owner_name *)a)->name, ((const struct owner_name *)b)->name);
}

static const char *class_string(const struct fl_view *view, uint32_t id)
{
	return view_string(&view->view, id);
}

/* Read which classes fit the filter, and the order of their owners. NULL: memory is exhausted. */
static struct class_fit *classes_read(const struct fl_view *view, const struct top_filter *filter, uint64_t *n)
{
	struct class_fit *classes;
	struct owner_name *names;

	view_table(&view->view, TABLE_CLASSES, sizeof(struct class_record), n);
	classes = calloc(*n + 1, sizeof(*classes));
	names = calloc(*n + 1, sizeof(*names));
	for (uint64_t k = 0; classes && names && k < *n; k++) {
		struct class_record class = { .owner = NONE, .project = NONE };

		record_copy(&view->view, TABLE_CLASSES, k, &class, sizeof(class));
		names[k] = (struct owner_name){ class_string(view, class.owner), (uint32_t)k };
		classes[k].fits = fits(filter->user, names[k].name) &&
				  fits(filter->project, class_string(view, class.project));
	}
	if (classes && names) {
		qsort(names, *n, sizeof(*names), names_compare);
		for (uint64_t k = 0; k < *n; k++)
			classes[names[k].class_id].owner_rank = (uint32_t)k;
	} else {
		free(classes);
		classes = NULL;
	}
	free(names);
	return classes;
}

/* Return whether a pending job has one of the states: w eligible, h held, E in error, q any. */
static bool state_fits(const char *states, uint16_t flags)
{
	if (!*states || strchr(states, 'q'))
		return true;
	return (strchr(states, 'w') && (flags & JOB_ELIGIBLE)) || (strchr(states, 'h') && (flags & JOB_HELD)) ||
	       (strchr(states, 'E') && (flags & JOB_IN_ERROR));
}

/* Return the slots of a category by its id. 0: there is no such category. */
static inline int64_t slots_of(const struct category_record *categories, uint64_t n, uint32_t category)
{
	return category < n ? LOAD_ONCE(categories[category].slots) : 0;
}

static int pending_select(const struct fl_view *view, const struct top_filter *filter, enum top_sort sort,
			  struct job_selection *selection)
{
	uint64_t n, nclasses, ncategories;
	const uint32_t *order = view_table(&view->view, TABLE_ORDER, sizeof(*order), &n);
	const struct category_record *categories =
		view_table(&view->view, TABLE_CATEGORIES, sizeof(*categories), &ncategories);
	struct class_fit *classes = classes_read(view, filter, &nclasses);

	if (!classes)
		return -ENOMEM;
	for (uint64_t k = 0; k < n; k++) {
		uint32_t row = LOAD_ONCE(order[k]);
		const struct job_facts *facts = records_facts(&view->view, row);
		const struct job_results *results = records_results(&view->view, row);
		size_t i = row % CHUNK_ROWS;
		uint32_t class_id = facts && results ? LOAD_ONCE(facts->class_id[i]) : NONE;

		if (class_id >= nclasses || !classes[class_id].fits ||
		    !state_fits(filter->states, LOAD_ONCE(results->flags[i])))
			continue;
		selection_add(selection,
			      sort == TOP_SORT_TIME ? LOAD_ONCE(facts->submission[i])
			      : sort == TOP_SORT_SLOTS
				      ? -slots_of(categories, ncategories, LOAD_ONCE(facts->category[i]))
			      : sort == TOP_SORT_OWNER ? classes[class_id].owner_rank
						       : 0,
			      k);
	}
	free(classes);
	return 0;
}

/* Running tasks */

/* Return the first eight bytes of a name as a number with the same order. */
static int64_t name_key(const char *name)
{
	uint64_t key = 0;

	for (int k = 0; k < 8; k++) {
		key = key << 8 | (unsigned char)*name;
		name += *name != '\0';
	}
	return (int64_t)(key >> 1);
}

static void started_select(const struct fl_view *view, const struct top_filter *filter, enum top_sort sort,
			   struct job_selection *selection)
{
	size_t n = fl_count(view, FL_STARTED);
	struct fl_job job;

	for (size_t k = 0; k < n && fl_get(view, FL_STARTED, k, &job) == 0; k++) {
		if (!fits(filter->user, job.owner) || !fits(filter->project, job.project) ||
		    !fits(filter->queue, job.queue) || (*filter->states && !strpbrk(job.state, filter->states)))
			continue;
		selection_add(selection,
			      sort == TOP_SORT_TIME    ? job.start_time
			      : sort == TOP_SORT_SLOTS ? -(int64_t)job.slots
			      : sort == TOP_SORT_OWNER ? name_key(job.owner)
						       : 0, k);
	}
}

/* Choice */

static bool is_made(const struct job_choice *choice, uint64_t generation, enum fl_list list,
		    const struct top_filter *filter, enum top_sort sort, size_t first, size_t most)
{
	return choice->generation == generation && choice->list == list && choice->sort == sort &&
	       choice->first == first && choice->most == most && memcmp(&choice->filter, filter, sizeof(*filter)) == 0;
}

/* Copy the rows of the page, in their order. */
static int rows_keep(struct job_choice *choice, struct job_selection *selection, size_t first)
{
	size_t n = selection->n > first ? selection->n - first : 0;

	qsort(selection->rows, selection->n, sizeof(*selection->rows), rows_compare);
	if (array_grow(&choice->rows, n + 1, sizeof(*choice->rows)))
		return -ENOMEM;
	for (size_t k = 0; k < n; k++)
		choice->rows[k] = selection->rows[first + k].row;
	choice->n = n;
	choice->total = selection->total;
	return 0;
}

static int rows_all(struct job_choice *choice, const struct fl_view *view, enum fl_list list, size_t first, size_t most)
{
	choice->total = fl_count(view, list);
	choice->n = first < choice->total ? choice->total - first : 0;
	choice->n = choice->n < most ? choice->n : most;
	if (array_grow(&choice->rows, choice->n + 1, sizeof(*choice->rows)))
		return -ENOMEM;
	for (size_t k = 0; k < choice->n; k++)
		choice->rows[k] = first + k;
	return 0;
}

int job_choice_make(struct job_choice *choice, const struct fl_view *view, enum fl_list list,
		    const struct top_filter *filter, enum top_sort sort, size_t first, size_t most)
{
	struct job_selection selection = { .most = first + most };
	struct fl_run run;
	int rc;

	fl_run(view, &run);
	if (is_made(choice, run.generation, list, filter, sort, first, most))
		return 0;
	choice->generation = 0;
	if (is_default(filter, sort)) {
		rc = rows_all(choice, view, list, first, most);
	} else {
		selection.rows = calloc(selection.most + 1, sizeof(*selection.rows));
		rc = selection.rows ? 0 : -ENOMEM;
		if (rc == 0 && list == FL_PENDING)
			rc = pending_select(view, filter, sort, &selection);
		else if (rc == 0)
			started_select(view, filter, sort, &selection);
		if (rc == 0)
			rc = rows_keep(choice, &selection, first);
		free(selection.rows);
	}
	if (rc)
		return rc;
	choice->generation = run.generation;
	choice->list = list;
	choice->sort = sort;
	choice->filter = *filter;
	choice->first = first;
	choice->most = most;
	return 0;
}

void job_choice_free(struct job_choice *choice)
{
	free(choice->rows);
	*choice = (struct job_choice){ 0 };
}
