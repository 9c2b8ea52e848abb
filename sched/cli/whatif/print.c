/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text output: a summary, then tables of jobs, users, projects, starts and targets. With one
 * column, rows have all values. With several, each has its columns.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sched/cli/whatif/line.h"

/* Append to the row. The text is cut when the row is full. */
struct row_text { char text[40 * WHATIF_COLUMNS_MOST + 1]; size_t n; };

static void __attribute__((format(printf, 2, 3))) cell(struct row_text *cells, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(cells->text + cells->n, sizeof(cells->text) - cells->n, format, arguments);
	va_end(arguments);
	cells->n += n < 0					 ? 0
		    : (size_t)n < sizeof(cells->text) - cells->n ? (size_t)n
								 : sizeof(cells->text) - 1 - cells->n;
}

static void letters(struct row_text *cells, const struct whatif_query *query, int width)
{
	*cells = (struct row_text){ .n = 0 };
	for (size_t k = 0; query->ncolumns > 1 && k < query->ncolumns; k++)
		cell(cells, " %*s", width, whatif_letter(query, k));
}

/* Summary */

static void time_text(char text[40], int64_t when)
{
	time_t t = (time_t)when;
	struct tm tm;

	if (!localtime_r(&t, &tm) || strftime(text, 40, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		snprintf(text, 40, "%lld", (long long)when);
}

static void print_question(struct out *out, const struct whatif_query *query, size_t k, const struct fl_run *before)
{
	const struct whatif_column *column = &query->columns[k];
	char when[40];

	time_text(when, column->run.now);
	whatif_line(out, "%s%swhat if %s%s%s?", whatif_letter(query, k), query->ncolumns > 1 ? ": " : "", column->title,
		    column->run.now == before->now ? "" : ", at ", column->run.now == before->now ? "" : when);
	for (const char *note = column->notes; *note; note += strcspn(note, "\n") + 1)
		whatif_line(out, "   %.*s", (int)strcspn(note, "\n"), note);
}

struct total { const char *name; size_t offset; };

static uint64_t total_of(const struct whatif_column *column, size_t offset)
{
	return *(const uint64_t *)(const void *)((const char *)&column->moves + offset);
}

static void print_totals(struct out *out, const struct whatif_query *query)
{
	static const struct total totals[] = {
		{ "jobs move up", offsetof(struct moves, up) },
		{ "jobs move down", offsetof(struct moves, down) },
		{ "tasks start that did not", offsetof(struct moves, starting) },
		{ "tasks wait that started", offsetof(struct moves, waiting) },
		{ "tasks start elsewhere", offsetof(struct moves, elsewhere) },
	};
	struct row_text cells;

	letters(&cells, query, 12);
	if (cells.n)
		whatif_line(out, "%-26s%s", "", cells.text);
	for (size_t i = 0; i < sizeof(totals) / sizeof(*totals); i++) {
		cells = (struct row_text){ .n = 0 };
		for (size_t k = 0; k < query->ncolumns; k++)
			cell(&cells, " %12llu", (unsigned long long)total_of(&query->columns[k], totals[i].offset));
		whatif_line(out, "%-26s%s", totals[i].name, cells.text);
	}
	cells = (struct row_text){ .n = 0 };
	for (size_t k = 0; k < query->ncolumns; k++)
		cell(&cells, " %12llu",
		     (unsigned long long)(query->columns[k].moves.jobs - query->columns[k].moves.up -
					  query->columns[k].moves.down));
	whatif_line(out, "%-26s%s", "jobs stay where they are", cells.text);
}

/* Jobs */

/* position from 1, and the greatest move in any column */
struct job_row { uint32_t before; uint32_t far; };

static int by_far(const void *a, const void *b)
{
	const struct job_row *x = a, *y = b;

	return x->far != y->far ? (x->far > y->far ? -1 : 1) : x->before < y->before ? -1 : x->before > y->before;
}

static int by_before(const void *a, const void *b)
{
	const struct job_row *x = a, *y = b;

	return x->before != y->before ? (x->before < y->before ? -1 : 1) : x->far > y->far ? -1 : x->far < y->far;
}

/* Return the jobs with the greatest moves in any column, each once. NULL: memory is exhausted. */
static struct job_row *rows_of(const struct whatif_query *query, size_t *n)
{
	struct job_row *rows;
	size_t all = 0, kept = 0;

	for (size_t k = 0; k < query->ncolumns; k++)
		all += query->columns[k].moves.nmost;
	rows = malloc((all + 1) * sizeof(*rows));
	all = 0;
	for (size_t k = 0; rows && k < query->ncolumns; k++)
		for (size_t i = 0; i < query->columns[k].moves.nmost; i++) {
			const struct move *move = &query->columns[k].moves.most[i];

			rows[all++] = (struct job_row){ move->before, (uint32_t)llabs((long long)move->places) };
		}
	*n = 0;
	if (!rows)
		return NULL;
	qsort(rows, all, sizeof(*rows), by_before);
	for (size_t i = 0; i < all; i++)
		if (kept == 0 || rows[kept - 1].before != rows[i].before)
			rows[kept++] = rows[i];
	qsort(rows, kept, sizeof(*rows), by_far);
	*n = query->all || kept < query->rows ? kept : query->rows;
	return rows;
}

static void print_job(struct out *out, const struct whatif_query *query, const struct fl_view *before,
		      const struct job_row *row)
{
	struct row_text cells = { .n = 0 };
	struct fl_job job;

	if (fl_get(before, FL_PENDING, row->before - 1, &job))
		return;
	for (size_t k = 0; k < query->ncolumns; k++) {
		const struct moves *moves = &query->columns[k].moves;

		if (row->before > moves->nbefore || moves->after[row->before - 1] == 0)
			cell(&cells, " %9s %9s", "starts", "");
		else
			cell(&cells, " %9u %+9d", moves->after[row->before - 1], moves->places[row->before - 1]);
	}
	whatif_line(out, "%10u %-12.12s %-12.12s %9u%s", job.job_number, job.owner, *job.project ? job.project : "-",
		    row->before, cells.text);
}

static void print_jobs(struct out *out, const struct whatif_query *query, const struct fl_view *before)
{
	struct row_text cells = { .n = 0 };
	size_t n;
	struct job_row *rows = rows_of(query, &n);

	if (!rows || n == 0) {
		free(rows);
		return;
	}
	out_text(out, "\n");
	for (size_t k = 0; k < query->ncolumns; k++)
		cell(&cells, " %s%s%*s %9s", whatif_letter(query, k), query->ncolumns > 1 ? ":" : "",
		     (int)(9 - strlen(whatif_letter(query, k)) - (query->ncolumns > 1)), "after", "moves");
	whatif_line(out, "%10s %-12s %-12s %9s%s", "job", "owner", "project", "before", cells.text);
	for (size_t i = 0; i < n; i++)
		print_job(out, query, before, &rows[i]);
	free(rows);
}

/* Users and projects */

/* Sums of one kind in a column, sorted by name, for print_sums(). */
struct sums_by_name { const struct moved_sum **items; size_t n; };

static int by_sum_name(const void *a, const void *b)
{
	return strcmp((*(const struct moved_sum *const *)a)->name, (*(const struct moved_sum *const *)b)->name);
}

static struct sums_by_name sums_sort(const struct moves *moves, bool project)
{
	const struct moved_sum *sums = project ? moves->projects : moves->users;
	size_t n = project ? moves->nprojects : moves->nusers;
	struct sums_by_name sorted = { malloc((n + 1) * sizeof(struct moved_sum *)), n };

	for (size_t i = 0; sorted.items && i < n; i++)
		sorted.items[i] = &sums[i];
	if (sorted.items)
		qsort(sorted.items, n, sizeof(*sorted.items), by_sum_name);
	else
		sorted.n = 0;
	return sorted;
}

static const struct moved_sum *sum_find(const struct sums_by_name *sums, const char *name)
{
	const struct moved_sum key = { .name = name }, *wanted = &key;
	const struct moved_sum **found =
		sums->n ? bsearch(&wanted, sums->items, sums->n, sizeof(*sums->items), by_sum_name) : NULL;

	return found ? *found : NULL;
}

static bool sum_is_any(const struct moved_sum *sum)
{
	return sum && (sum->up || sum->down || sum->starts || sum->waits);
}

static void print_sum(struct out *out, const struct whatif_query *query, const struct sums_by_name *sums,
		      const char *name)
{
	static const struct moved_sum none;
	struct row_text cells = { .n = 0 };

	for (size_t k = 0; k < query->ncolumns; k++) {
		const struct moved_sum *sum = sum_find(&sums[k], name);

		sum = sum ? sum : &none;
		cell(&cells, " %9llu %9llu", (unsigned long long)sum->up, (unsigned long long)sum->down);
		if (query->ncolumns == 1)
			cell(&cells, " %+12lld", (long long)sum->places);
		cell(&cells, " %+7lld", (long long)sum->starts - (long long)sum->waits);
	}
	whatif_line(out, "%-20.20s%s", *name ? name : "-", cells.text);
}

/* Return whether an earlier column has the name. It was printed then. */
static bool is_earlier(const struct sums_by_name *sums, size_t column, const char *name)
{
	for (size_t k = 0; k < column; k++)
		if (sum_is_any(sum_find(&sums[k], name)))
			return true;
	return false;
}

static void print_sums(struct out *out, const struct whatif_query *query, bool project)
{
	struct sums_by_name sums[WHATIF_COLUMNS_MOST];
	struct row_text cells = { .n = 0 };
	size_t rows = 0;

	for (size_t k = 0; k < query->ncolumns; k++)
		sums[k] = sums_sort(&query->columns[k].moves, project);
	for (size_t k = 0; k < query->ncolumns; k++) {
		cell(&cells, " %s%s%*s %9s", whatif_letter(query, k), query->ncolumns > 1 ? ":" : "",
		     (int)(9 - strlen(whatif_letter(query, k)) - (query->ncolumns > 1)), "up", "down");
		if (query->ncolumns == 1)
			cell(&cells, " %12s", "places");
		cell(&cells, " %7s", "starts");
	}
	for (size_t k = 0; k < query->ncolumns; k++) {
		const struct moves *moves = &query->columns[k].moves;
		size_t n = project ? moves->nprojects : moves->nusers;

		for (size_t i = 0; i < n && (query->all || rows < query->rows); i++) {
			const struct moved_sum *sum = project ? &moves->projects[i] : &moves->users[i];

			if (!sum_is_any(sum) || is_earlier(sums, k, sum->name))
				continue;
			if (rows++ == 0) {
				out_text(out, "\n");
				whatif_line(out, "%-20s%s", project ? "project" : "user", cells.text);
			}
			print_sum(out, query, sums, sum->name);
		}
	}
	for (size_t k = 0; k < query->ncolumns; k++)
		free(sums[k].items);
}

/* Starts */

static void print_start(struct out *out, const struct moved_start *start)
{
	static const char *const how[] = {
		[MOVED_STARTS] = "starts", [MOVED_WAITS] = "waits", [MOVED_ELSEWHERE] = "moves"
	};

	whatif_line(out, "%10u %6u %-7s %5u  %s%s%s", start->job_number, start->task, how[start->how], start->slots,
		    start->before, start->how == MOVED_ELSEWHERE ? " -> " : "", start->after);
}

static void print_starts(struct out *out, const struct whatif_query *query)
{
	for (size_t k = 0; k < query->ncolumns; k++) {
		const struct moves *moves = &query->columns[k].moves;

		if (moves->nstarts == 0)
			continue;
		out_text(out, "\n");
		whatif_line(out, "%s%s%*s %6s %-7s %5s  %s", whatif_letter(query, k), query->ncolumns > 1 ? ":" : "",
			    (int)(10 - strlen(whatif_letter(query, k)) - (query->ncolumns > 1)), "job", "task", "now",
			    "slots", "queue");
		for (size_t i = 0; i < moves->nstarts && (query->all || i < query->rows); i++)
			print_start(out, &moves->starts[i]);
		if (!query->all && moves->nstarts > query->rows)
			whatif_line(out, "%10s %zu more: --rows, --all", "...", moves->nstarts - query->rows);
	}
}

void whatif_print(struct out *out, const struct whatif_query *query, const struct fl_view *before)
{
	bool any = false;
	struct fl_run run;

	fl_run(before, &run);
	for (size_t k = 0; k < query->ncolumns; k++) {
		print_question(out, query, k, &run);
		any |= moves_any(&query->columns[k].moves);
	}
	if (!any) {
		whatif_line(out, "No job moves, and the same tasks start: %zu job%s, run %llu.", run.pending,
			    run.pending == 1 ? " waits" : "s wait", (unsigned long long)run.run);
	} else {
		print_totals(out, query);
		print_jobs(out, query, before);
		print_sums(out, query, false);
		print_sums(out, query, true);
		print_starts(out, query);
	}
	for (size_t k = 0; k < query->ncolumns; k++)
		if (query->columns[k].targets.different)
			whatif_print_targets(out, query, k);
}
