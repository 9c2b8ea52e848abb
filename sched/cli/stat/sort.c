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

int sort_take(void *context, struct words *words)
{
	struct job_listing *listing = context;
	const char *near;

	free(listing->keys);
	listing->keys = calloc(STAT_KEYS, sizeof(*listing->keys));
	listing->nkeys = 0;
	for (char *rest = (char *)words->value, *word; listing->keys && (word = strsep(&rest, ",")) != NULL;
	     listing->nkeys++) {
		struct stat_sort_key *key = &listing->keys[listing->nkeys];

		if (listing->nkeys == STAT_KEYS)
			return message_add(words->messages, EXIT_USAGE, "stat",
					   "--sort: at most %u columns are allowed", STAT_KEYS);
		key->descending = *word == '-';
		word += key->descending || *word == '+';
		if (!column_find(&key->column, word)) {
			near = column_nearest(word);
			return message_add(words->messages, EXIT_USAGE, "stat",
					"--sort: there is no column \"%s\"%s%s%s; --format help lists them", word,
					near ? ", but \"" : "", near ? near : "", near ? "\"" : "");
		}
		if (!column_has_key(&key->column))
			return message_add(words->messages, EXIT_USAGE, "stat",
					   "--sort: \"%s\" is a sentence, and not a sort key", word);
	}
	return listing->keys ? EXIT_OK : message_no_memory(words->messages);
}

struct sorted {
	const struct job_listing *listing;
	struct column_run run;
	struct row_at *rows;
	struct column_key *keys;	/* listing->nkeys keys per row */
	size_t *order;
	size_t n, capacity;
	bool failed;
};

static void collect(struct out *out, struct job_listing *listing, const struct fl_job *job, void *context)
{
	struct sorted *sorted = context;
	size_t capacity = sorted->capacity * 2 + 1024;

	(void)out;
	if (sorted->n == sorted->capacity && !sorted->failed) {
		sorted->failed = array_grow(&sorted->rows, capacity, sizeof(*sorted->rows)) ||
				 array_grow(&sorted->keys, capacity * listing->nkeys, sizeof(*sorted->keys));
		sorted->capacity = capacity;
	}
	if (sorted->failed)
		return;
	sorted->rows[sorted->n] = listing->at;
	for (size_t k = 0; k < listing->nkeys; k++)
		sorted->keys[sorted->n * listing->nkeys + k] = column_key(&listing->keys[k].column, &sorted->run, job);
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
	size_t x = *(const size_t *)a, y = *(const size_t *)b, n = sorted->listing->nkeys;

	for (size_t k = 0; k < n; k++) {
		int order = key_compare(&sorted->keys[x * n + k], &sorted->keys[y * n + k]);

		if (order)
			return sorted->listing->keys[k].descending ? -order : order;
	}
	return x < y ? -1 : x > y;
}

static void print_again(const struct fl_view *view, struct out *out, struct job_listing *listing,
			const struct row_at *at, row_print *print, void *context)
{
	struct stat_parts parts = { 0 };
	struct fl_job job, row;

	if (at->job_number ? fl_find(view, at->job_number, at->k, &job) : fl_get(view, at->list, at->k, &job))
		return;
	listing->at = *at;
	row = job;
	if (at->task) {
		if (at->dress)
			stat_part_dress(&row, at->dress);
		row.task = at->task;
		row.nranges = 0;
		print(out, listing, &row, context);
		return;
	}
	if (at->part && (!stat_parts_find(&parts, &job) || !stat_part(&parts, &job, at->part - 1, &row)))
		return;
	print(out, listing, &row, context);
	stat_parts_clear(&parts);
}

int sort_each(const struct fl_view *view, struct out *out, struct job_listing *listing, unsigned lists,
	      row_print *print, void *context)
{
	struct sorted sorted = { .listing = listing, .run = { .view = view, .listing = listing } };
	struct fl_run run;

	fl_run(view, &run);
	sorted.run.now = run.now;
	for (enum fl_list list = FL_STARTED; list <= FL_PENDING; list++)
		if (lists & 1u << list)
			rows_each(view, out, listing, list, collect, &sorted);
	sorted.order = calloc(sorted.n + 1, sizeof(*sorted.order));
	for (size_t i = 0; sorted.order && i < sorted.n; i++)
		sorted.order[i] = i;
	if (sorted.order && !sorted.failed)
		qsort_r(sorted.order, sorted.n, sizeof(*sorted.order), by_keys, &sorted);
	for (size_t i = 0; sorted.order && !sorted.failed && i < sorted.n && !out->error; i++)
		print_again(view, out, listing, &sorted.rows[sorted.order[i]], print, context);
	free(sorted.rows);
	free(sorted.keys);
	free(sorted.order);
	return sorted.failed || !sorted.order ? -ENOMEM : 0;
}
