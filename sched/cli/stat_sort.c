/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in the order of --sort; equal ones stay in that of the lists. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/cli/stat_columns.h"
#include "sched/cli/stat_parts.h"

struct stat_sort_key {
	struct named_column column;
	bool descending;
};

int sort_take(void *stat, struct words *w)
{
	struct stat *s = stat;
	const char *near;

	free(s->keys);
	s->keys = calloc(STAT_KEYS, sizeof(*s->keys));
	s->nkeys = 0;
	for (char *rest = (char *)w->value, *word; s->keys && (word = strsep(&rest, ",")) != NULL; s->nkeys++) {
		struct stat_sort_key *key = &s->keys[s->nkeys];

		if (s->nkeys == STAT_KEYS)
			return cli_fail(EXIT_USAGE, "stat: --sort: at most %u columns are allowed", STAT_KEYS);
		key->descending = *word == '-';
		word += key->descending || *word == '+';
		if (!column_find(&key->column, word)) {
			near = column_nearest(word);
			return cli_fail(EXIT_USAGE, "stat: --sort: there is no column \"%s\"%s%s%s; --format help lists them", word,
					near ? ", but \"" : "", near ? near : "", near ? "\"" : "");
		}
		if (!column_has_key(&key->column))
			return cli_fail(EXIT_USAGE, "stat: --sort: \"%s\" is a sentence, and no order", word);
	}
	return s->keys ? EXIT_OK : cli_fail(EXIT_NO_DATA, "no memory");
}

struct sorted {
	const struct stat *stat;
	struct column_run run;
	struct row_at *rows;
	struct column_key *keys;	/* as many a row as the stat has */
	size_t *order;
	size_t n, capacity;
	bool failed;
};

static void collect(struct out *o, struct stat *s, const struct fl_job *job, void *context)
{
	struct sorted *t = context;
	size_t capacity = t->capacity * 2 + 1024;

	(void)o;
	if (t->n == t->capacity && !t->failed) {
		t->failed = array_grow(&t->rows, capacity, sizeof(*t->rows)) || array_grow(&t->keys, capacity * s->nkeys, sizeof(*t->keys));
		t->capacity = capacity;
	}
	if (t->failed)
		return;
	t->rows[t->n] = s->at;
	for (size_t k = 0; k < s->nkeys; k++)
		t->keys[t->n * s->nkeys + k] = column_key(&s->keys[k].column, &t->run, job);
	t->n++;
}

static int key_compare(const struct column_key *a, const struct column_key *b)
{
	if (a->text && b->text)
		return strcmp(a->text, b->text);
	return a->number < b->number ? -1 : a->number > b->number;
}

static int by_keys(const void *a, const void *b, void *context)
{
	const struct sorted *t = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b, n = t->stat->nkeys;

	for (size_t k = 0; k < n; k++) {
		int order = key_compare(&t->keys[x * n + k], &t->keys[y * n + k]);

		if (order)
			return t->stat->keys[k].descending ? -order : order;
	}
	return x < y ? -1 : x > y;
}

static void print_again(const struct fl_view *view, struct out *o, struct stat *s, const struct row_at *at, row_print *print, void *context)
{
	struct stat_parts parts = { 0 };
	struct fl_job job, row;

	if (at->job_number ? fl_find(view, at->job_number, at->k, &job) : fl_get(view, at->list, at->k, &job))
		return;
	s->at = *at;
	row = job;
	if (at->task) {
		if (at->dress)
			stat_part_dress(&row, at->dress);
		row.task = at->task;
		row.nranges = 0;
		print(o, s, &row, context);
		return;
	}
	if (at->part && (!stat_parts_find(&parts, &job) || !stat_part(&parts, &job, at->part - 1, &row)))
		return;
	print(o, s, &row, context);
	stat_parts_clear(&parts);
}

int sort_each(const struct fl_view *view, struct out *o, struct stat *s, unsigned lists, row_print *print, void *context)
{
	struct sorted t = { .stat = s, .run = { .view = view, .stat = s } };
	struct fl_run run;

	fl_run(view, &run);
	t.run.now = run.now;
	for (enum fl_list list = FL_STARTED; list <= FL_PENDING; list++)
		if (lists & 1u << list)
			rows_each(view, o, s, list, collect, &t);
	t.order = calloc(t.n + 1, sizeof(*t.order));
	for (size_t i = 0; t.order && i < t.n; i++)
		t.order[i] = i;
	if (t.order && !t.failed)
		qsort_r(t.order, t.n, sizeof(*t.order), by_keys, &t);
	for (size_t i = 0; t.order && !t.failed && i < t.n && !o->error; i++)
		print_again(view, o, s, &t.rows[t.order[i]], print, context);
	free(t.rows);
	free(t.keys);
	free(t.order);
	return t.failed || !t.order ? -ENOMEM : 0;
}
