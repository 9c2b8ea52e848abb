/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/slurm/prio.h"

#define NUMBER_BITS 11u		/* bits of a number sorted at a time */
#define SORT_MARKS "+-,#"	/* signs of directions, and separators of letters */

int prio_row_factors(const struct fl_view *view, const struct prio_row *row, struct fl_factors *factors)
{
	return fl_factors(view, row->job_number, row->k, factors);
}

double prio_sum(const struct fl_factors *factors)
{
	return factors->direct_priority ? factors->direct_priority : factors->sum;
}

int prio_sort_check(const char *sort)
{
	char letters[PRIO_LETTERS];
	size_t n = 0;
	const char *p = sort;

	for (; *p && (strchr(SORT_MARKS, *p) || prio_field_find(*p)); p++)
		n += !strchr(SORT_MARKS, *p);
	if (!*p && n)
		return EXIT_OK;
	prio_letters(letters);
	return cli_fail(EXIT_USAGE, "prio: -S \"%s\": the letters are %s, each optionally preceded by + or -", sort,
			letters);
}

/* Selection */

struct prio_selection {
	struct prio *prio;
	const struct fl_view *view;
	int64_t now;
	bool accrue_always, running;
};

int prio_number_order(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/*
 * Return whether sprio would show the job: it is not held, and its age counts or could count
 * already.
 */
static bool is_meant(const struct prio_selection *selection, const struct fl_factors *factors)
{
	int64_t since = selection->accrue_always ? factors->submission_time : factors->eligible_time;
	const struct prio *prio = selection->prio;

	return factors->priority && since && since <= selection->now && (!factors->is_started || selection->running) &&
	       names_have(&prio->users, factors->owner) && names_have(&prio->partitions, factors->partition);
}

static int rows_add(struct prio_rows *rows, struct prio_row row)
{
	if (rows->n == rows->capacity) {
		size_t capacity = rows->capacity ? 2 * rows->capacity : 1024;
		struct prio_row *more = reallocarray(rows->items, capacity, sizeof(*more));

		if (!more)
			return -ENOMEM;
		rows->items = more;
		rows->capacity = capacity;
	}
	rows->items[rows->n++] = row;
	return 0;
}

/* Add all partitions of a job. `factors` are those of the first one. */
static int add_partitions(struct prio_selection *selection, struct prio_row row, struct fl_factors *factors)
{
	uint32_t n = factors->partitions;

	row.job_number = factors->job_number;
	for (;;) {
		if (is_meant(selection, factors) && rows_add(&selection->prio->rows, row))
			return -ENOMEM;
		if (++row.k >= n || prio_row_factors(selection->view, &row, factors))
			return 0;
	}
}

static bool is_wanted(const struct prio *prio, uint32_t number)
{
	return !prio->njobs || bsearch(&number, prio->jobs, prio->njobs, sizeof(number), prio_number_order);
}

/*
 * Add the jobs of a list. A job with several started tasks is added once, and not at all if it is
 * also among the pending jobs.
 */
static int add_list(struct prio_selection *selection, enum fl_list list)
{
	size_t n = fl_count(selection->view, list);
	uint32_t last = 0;
	struct fl_factors factors;
	int error = 0;

	for (size_t k = 0; k < n && !error; k++) {
		struct prio_row row = { .row = (uint32_t)k, .list = (uint8_t)list };

		if (fl_list_factors(selection->view, list, k, 0, &factors) ||
		    !is_wanted(selection->prio, factors.job_number))
			continue;
		if (list == FL_STARTED && (factors.job_number == last || !factors.is_started))
			continue;
		last = factors.job_number;
		error = add_partitions(selection, row, &factors);
	}
	return error;
}

static int add_wanted(struct prio_selection *selection)
{
	struct fl_factors factors;
	int error = 0;

	for (size_t k = 0; k < selection->prio->njobs && !error; k++) {
		struct prio_row row = { .job_number = selection->prio->jobs[k], .list = ROW_LOOKED_UP };

		if (prio_row_factors(selection->view, &row, &factors) == 0)
			error = add_partitions(selection, row, &factors);
	}
	return error;
}

/* Order */

struct item {				/* a row and its sort key */
	struct prio_row row;
	union { double number; const char *name; } key;
};

typedef int item_order(const struct item *a, const struct item *b);

/* Compare numbers like sprio: smaller differences than this count as equal. */
static int by_number(const struct item *a, const struct item *b)
{
	const double least = 0.00001;

	return (a->key.number - b->key.number >= least) - (b->key.number - a->key.number >= least);
}

static int by_name(const struct item *a, const struct item *b)
{
	return a->key.name == b->key.name ? 0 : strcmp(a->key.name, b->key.name);
}

static double number_key(const struct prio_field *field, const struct fl_factors *factors)
{
	switch (field->type) {
	case PRIO_SUM: case PRIO_SUM_NORMALISED: return prio_sum(factors);
	case PRIO_FACTOR: case PRIO_WEIGHTED: return *(const double *)prio_at(factors, field);
	case PRIO_SITE: case PRIO_NICE: return *(const int32_t *)prio_at(factors, field);
	case PRIO_TRES: case PRIO_TRES_WEIGHTED: case PRIO_TRES_FACTORS: return factors->weighted_tres;
	default: return factors->job_number;
	}
}

/*
 * Merge neighbouring sequences of `length` items from `from` into `to`. The merge is stable, and
 * stays within bounds even if the comparison is inconsistent.
 */
static void merge_runs(const struct item *from, struct item *to, size_t n, size_t length, item_order *order,
		       int direction)
{
	for (size_t start = 0; start < n; start += 2 * length) {
		size_t middle = start + length < n ? start + length : n,
		       end = middle + length < n ? middle + length : n;
		size_t a = start, b = middle;

		for (size_t k = start; k < end; k++)
			if (a < middle && (b == end || direction * order(&from[a], &from[b]) <= 0))
				to[k] = from[a++];
			else
				to[k] = from[b++];
	}
}

/*
 * Sort the items. Strings of an evicted section may change during the comparison, and the sort
 * function of a library may not be safe then.
 */
static void items_sort(struct item *items, struct item *space, size_t n, item_order *order, int direction)
{
	struct item *from = items, *to = space;

	for (size_t length = 1; length < n; length *= 2) {
		merge_runs(from, to, n, length, order, direction);
		struct item *other = from;

		from = to;
		to = other;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
}

static void items_key(const struct fl_view *view, struct item *items, size_t n, const struct prio_field *field)
{
	struct fl_factors factors;

	for (size_t k = 0; k < n; k++) {
		if (prio_row_factors(view, &items[k].row, &factors))
			factors = (struct fl_factors){ .owner = "", .account = "", .partition = "", .qos = "" };
		if (field->type == PRIO_TEXT)
			items[k].key.name = *(const char *const *)prio_at(&factors, field);
		else
			items[k].key.number = number_key(field, &factors);
	}
}

/*
 * Sort by all letters. The first letter has precedence, so it is sorted by last. The cluster is the
 * same for all.
 */
static void items_sort_by(const struct fl_view *view, struct item *items, struct item *space, size_t n,
			  const char *letters)
{
	for (size_t k = strlen(letters); k-- > 0;) {
		const struct prio_field *field = prio_field_find(letters[k]);

		if (!field || field->type == PRIO_CLUSTER)
			continue;
		field = prio_field_weighted(field);
		items_key(view, items, n, field);
		items_sort(items, space, n, field->type == PRIO_TEXT ? by_name : by_number,
			   k && letters[k - 1] == '-' ? -1 : 1);
	}
}

static int rows_sort(struct prio *prio, const struct fl_view *view)
{
	struct prio_rows *rows = &prio->rows;
	size_t n = rows->n;
	struct item *items = n ? reallocarray(NULL, 2 * n, sizeof(*items)) : NULL;

	if (!items)
		return n ? -ENOMEM : 0;
	for (size_t k = 0; k < n; k++)
		items[k].row = rows->items[k];
	items_sort_by(view, items, items + n, n, prio->sort);
	for (size_t k = 0; k < n; k++)
		rows->items[k] = items[k].row;
	free(items);
	return 0;
}

/* Sort stably by one third of the job numbers' bits, from `from` into `to`. */
static void number_part_sort(const struct prio_row *from, struct prio_row *to, size_t n, unsigned shift)
{
	size_t places[1u << NUMBER_BITS] = { 0 }, place = 0;
	uint32_t mask = (1u << NUMBER_BITS) - 1;

	for (size_t k = 0; k < n; k++)
		places[from[k].job_number >> shift & mask]++;
	for (size_t k = 0; k <= mask; k++) {
		size_t count = places[k];

		places[k] = place;
		place += count;
	}
	for (size_t k = 0; k < n; k++)
		to[places[from[k].job_number >> shift & mask]++] = from[k];
}

/*
 * Sort by job number, the default and the order of equal rows. The rows are in new memory
 * afterwards.
 */
static int rows_sort_by_number(struct prio_rows *rows)
{
	struct prio_row *space = reallocarray(NULL, rows->capacity, sizeof(*space)), *old = rows->items;

	if (!space)
		return rows->capacity ? -ENOMEM : 0;
	number_part_sort(old, space, rows->n, 0);
	number_part_sort(space, old, rows->n, NUMBER_BITS);
	number_part_sort(old, space, rows->n, 2 * NUMBER_BITS);
	rows->items = space;
	free(old);
	return 0;
}

int prio_rows_collect(struct prio *prio, const struct fl_view *view, const struct fl_multifactor *multifactor)
{
	struct prio_selection selection = { .prio = prio,
					    .view = view,
					    .accrue_always = multifactor->accrue_always,
					    .running = multifactor->calculate_running };
	struct fl_run run;
	int error;

	fl_run(view, &run);
	selection.now = run.now;
	prio->rows.n = 0;
	/* the rank of a job is known only from the list */
	if (prio->njobs && !prio->needs_ranks)
		error = add_wanted(&selection);
	else
		error = add_list(&selection, FL_PENDING);
	if (!error && selection.running && (!prio->njobs || prio->needs_ranks))
		error = add_list(&selection, FL_STARTED);
	if (!error)
		error = rows_sort_by_number(&prio->rows);
	return error || !prio->sort ? error : rows_sort(prio, view);
}
