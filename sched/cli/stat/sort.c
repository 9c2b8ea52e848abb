/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in the order of --sort. Equal rows stay in the order of the lists. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/cli/stat/columns.h"
#include "sched/cli/stat/parts.h"

struct stat_sort_key {
	struct named_column column;
	bool descending;
};

int sort_take(void *stat, struct words *words)
{
	struct stat *st = stat;
	const char *near;

	free(st->keys);
	st->keys = calloc(STAT_KEYS, sizeof(*st->keys));
	st->nkeys = 0;
	for (char *rest = (char *)words->value, *word; st->keys && (word = strsep(&rest, ",")) != NULL; st->nkeys++) {
		struct stat_sort_key *key = &st->keys[st->nkeys];

		if (st->nkeys == STAT_KEYS)
			return cli_fail(EXIT_USAGE, "stat: --sort: at most %u columns are allowed", STAT_KEYS);
		key->descending = *word == '-';
		word += key->descending || *word == '+';
		if (!column_find(&key->column, word)) {
			near = column_nearest(word);
			return cli_fail(EXIT_USAGE,
					"stat: --sort: there is no column \"%s\"%s%s%s; --format help lists them", word,
					near ? ", but \"" : "", near ? near : "", near ? "\"" : "");
		}
		if (!column_has_key(&key->column))
			return cli_fail(EXIT_USAGE, "stat: --sort: \"%s\" is a sentence, and not a sort key", word);
	}
	return st->keys ? EXIT_OK : cli_fail(EXIT_NO_DATA, "no memory");
}

struct sorted {
	const struct stat *stat;
	struct column_run run;
	struct row_at *rows;
	struct column_key *keys;	/* st->nkeys keys per row */
	size_t *order;
	size_t n, capacity;
	bool failed;
};

static void collect(struct out *out, struct stat *st, const struct fl_job *job, void *context)
{
	struct sorted *sorted = context;
	size_t capacity = sorted->capacity * 2 + 1024;

	(void)out;
	if (sorted->n == sorted->capacity && !sorted->failed) {
		sorted->failed = array_grow(&sorted->rows, capacity, sizeof(*sorted->rows)) ||
				 array_grow(&sorted->keys, capacity * st->nkeys, sizeof(*sorted->keys));
		sorted->capacity = capacity;
	}
	if (sorted->failed)
		return;
	sorted->rows[sorted->n] = st->at;
	for (size_t k = 0; k < st->nkeys; k++)
		sorted->keys[sorted->n * st->nkeys + k] = column_key(&st->keys[k].column, &sorted->run, job);
	sorted->n++;
}

static int key_compare(const struct column_key *a, const struct column_key *b)
{
	if (a->text && b->text)
		return strcmp(a->text, b->text);
	return a->number < b->number ? -1 : a->number > b->number;
}

static int by_keys(const void *a, const void *b, void *context)
{
	const struct sorted *sorted = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b, n = sorted->stat->nkeys;

	for (size_t k = 0; k < n; k++) {
		int order = key_compare(&sorted->keys[x * n + k], &sorted->keys[y * n + k]);

		if (order)
			return sorted->stat->keys[k].descending ? -order : order;
	}
	return x < y ? -1 : x > y;
}

static void print_again(const struct fl_view *view, struct out *out, struct stat *st, const struct row_at *at,
			row_print *print, void *context)
{
	struct stat_parts parts = { 0 };
	struct fl_job job, row;

	if (at->job_number ? fl_find(view, at->job_number, at->k, &job) : fl_get(view, at->list, at->k, &job))
		return;
	st->at = *at;
	row = job;
	if (at->task) {
		if (at->dress)
			stat_part_dress(&row, at->dress);
		row.task = at->task;
		row.nranges = 0;
		print(out, st, &row, context);
		return;
	}
	if (at->part && (!stat_parts_find(&parts, &job) || !stat_part(&parts, &job, at->part - 1, &row)))
		return;
	print(out, st, &row, context);
	stat_parts_clear(&parts);
}

int sort_each(const struct fl_view *view, struct out *out, struct stat *st, unsigned lists, row_print *print,
	      void *context)
{
	struct sorted sorted = { .stat = st, .run = { .view = view, .stat = st } };
	struct fl_run run;

	fl_run(view, &run);
	sorted.run.now = run.now;
	for (enum fl_list list = FL_STARTED; list <= FL_PENDING; list++)
		if (lists & 1u << list)
			rows_each(view, out, st, list, collect, &sorted);
	sorted.order = calloc(sorted.n + 1, sizeof(*sorted.order));
	for (size_t i = 0; sorted.order && i < sorted.n; i++)
		sorted.order[i] = i;
	if (sorted.order && !sorted.failed)
		qsort_r(sorted.order, sorted.n, sizeof(*sorted.order), by_keys, &sorted);
	for (size_t i = 0; sorted.order && !sorted.failed && i < sorted.n && !out->error; i++)
		print_again(view, out, st, &sorted.rows[sorted.order[i]], print, context);
	free(sorted.rows);
	free(sorted.keys);
	free(sorted.order);
	return sorted.failed || !sorted.order ? -ENOMEM : 0;
}
