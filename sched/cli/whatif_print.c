/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For people: what happens in sum, then tables of jobs, users, projects, starts and targets. Of one
 * question all is told of each row; of several each has its columns.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sched/cli/whatif_line.h"

/* Behind what there is of it; cut where it is full. */
struct cells { char text[40 * WHATIF_COLUMNS_MOST + 1]; size_t n; };

static void __attribute__((format(printf, 2, 3))) cell(struct cells *c, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(c->text + c->n, sizeof(c->text) - c->n, format, arguments);
	va_end(arguments);
	c->n += n < 0 ? 0 : (size_t)n < sizeof(c->text) - c->n ? (size_t)n : sizeof(c->text) - 1 - c->n;
}

static void letters(struct cells *c, const struct whatif_query *q, int width)
{
	*c = (struct cells){ .n = 0 };
	for (size_t k = 0; q->ncolumns > 1 && k < q->ncolumns; k++)
		cell(c, " %*s", width, whatif_letter(q, k));
}

/* In sum */

static void time_text(char text[40], int64_t when)
{
	time_t t = (time_t)when;
	struct tm tm;

	if (!localtime_r(&t, &tm) || strftime(text, 40, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		snprintf(text, 40, "%lld", (long long)when);
}

static void print_question(struct out *o, const struct whatif_query *q, size_t k, const struct fl_run *before)
{
	const struct whatif_column *c = &q->columns[k];
	char when[40];

	time_text(when, c->run.now);
	whatif_line(o, "%s%swhat if %s%s%s?", whatif_letter(q, k), q->ncolumns > 1 ? ": " : "", c->title, c->run.now == before->now ? "" : ", at ",
	     c->run.now == before->now ? "" : when);
	for (const char *note = c->notes; *note; note += strcspn(note, "\n") + 1)
		whatif_line(o, "   %.*s", (int)strcspn(note, "\n"), note);
}

struct total { const char *name; size_t offset; };

static uint64_t total_of(const struct whatif_column *c, size_t offset)
{
	return *(const uint64_t *)(const void *)((const char *)&c->moves + offset);
}

static void print_totals(struct out *o, const struct whatif_query *q)
{
	static const struct total totals[] = {
		{ "jobs move up", offsetof(struct moves, up) }, { "jobs move down", offsetof(struct moves, down) },
		{ "tasks start that did not", offsetof(struct moves, starting) }, { "tasks wait that started", offsetof(struct moves, waiting) },
		{ "tasks start elsewhere", offsetof(struct moves, elsewhere) },
	};
	struct cells c;

	letters(&c, q, 12);
	if (c.n)
		whatif_line(o, "%-26s%s", "", c.text);
	for (size_t i = 0; i < sizeof(totals) / sizeof(*totals); i++) {
		c = (struct cells){ .n = 0 };
		for (size_t k = 0; k < q->ncolumns; k++)
			cell(&c, " %12llu", (unsigned long long)total_of(&q->columns[k], totals[i].offset));
		whatif_line(o, "%-26s%s", totals[i].name, c.text);
	}
	c = (struct cells){ .n = 0 };
	for (size_t k = 0; k < q->ncolumns; k++)
		cell(&c, " %12llu", (unsigned long long)(q->columns[k].moves.jobs - q->columns[k].moves.up - q->columns[k].moves.down));
	whatif_line(o, "%-26s%s", "jobs stay where they are", c.text);
}

/* Jobs */

/* place from 1; of all columns the farthest */
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

/* Of each column the farthest, each job once. NULL: no memory. */
static struct job_row *rows_of(const struct whatif_query *q, size_t *n)
{
	struct job_row *rows;
	size_t all = 0, kept = 0;

	for (size_t k = 0; k < q->ncolumns; k++)
		all += q->columns[k].moves.nmost;
	rows = malloc((all + 1) * sizeof(*rows));
	all = 0;
	for (size_t k = 0; rows && k < q->ncolumns; k++)
		for (size_t i = 0; i < q->columns[k].moves.nmost; i++) {
			const struct move *m = &q->columns[k].moves.most[i];

			rows[all++] = (struct job_row){ m->before, (uint32_t)llabs((long long)m->places) };
		}
	*n = 0;
	if (!rows)
		return NULL;
	qsort(rows, all, sizeof(*rows), by_before);
	for (size_t i = 0; i < all; i++)
		if (kept == 0 || rows[kept - 1].before != rows[i].before)
			rows[kept++] = rows[i];
	qsort(rows, kept, sizeof(*rows), by_far);
	*n = q->all || kept < q->rows ? kept : q->rows;
	return rows;
}

static void print_job(struct out *o, const struct whatif_query *q, const struct fl_view *before, const struct job_row *row)
{
	struct cells c = { .n = 0 };
	struct fl_job job;

	if (fl_get(before, FL_PENDING, row->before - 1, &job))
		return;
	for (size_t k = 0; k < q->ncolumns; k++) {
		const struct moves *m = &q->columns[k].moves;

		if (row->before > m->nbefore || m->after[row->before - 1] == 0)
			cell(&c, " %9s %9s", "starts", "");
		else
			cell(&c, " %9u %+9d", m->after[row->before - 1], m->places[row->before - 1]);
	}
	whatif_line(o, "%10u %-12.12s %-12.12s %9u%s", job.job_number, job.owner, *job.project ? job.project : "-", row->before, c.text);
}

static void print_jobs(struct out *o, const struct whatif_query *q, const struct fl_view *before)
{
	struct cells c = { .n = 0 };
	size_t n;
	struct job_row *rows = rows_of(q, &n);

	if (!rows || n == 0) {
		free(rows);
		return;
	}
	out_text(o, "\n");
	for (size_t k = 0; k < q->ncolumns; k++)
		cell(&c, " %s%s%*s %9s", whatif_letter(q, k), q->ncolumns > 1 ? ":" : "", (int)(9 - strlen(whatif_letter(q, k)) - (q->ncolumns > 1)), "after", "moves");
	whatif_line(o, "%10s %-12s %-12s %9s%s", "job", "owner", "project", "before", c.text);
	for (size_t i = 0; i < n; i++)
		print_job(o, q, before, &rows[i]);
	free(rows);
}

/* Users and projects */

/* Of each column those of the kind, by name: in print_sums(). */
struct sums_by_name { const struct moved_sum **items; size_t n; };

static int by_sum_name(const void *a, const void *b)
{
	return strcmp((*(const struct moved_sum *const *)a)->name, (*(const struct moved_sum *const *)b)->name);
}

static struct sums_by_name sums_sort(const struct moves *m, bool project)
{
	const struct moved_sum *sums = project ? m->projects : m->users;
	size_t n = project ? m->nprojects : m->nusers;
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
	const struct moved_sum **found = sums->n ? bsearch(&wanted, sums->items, sums->n, sizeof(*sums->items), by_sum_name) : NULL;

	return found ? *found : NULL;
}

static bool sum_is_any(const struct moved_sum *s)
{
	return s && (s->up || s->down || s->starts || s->waits);
}

static void print_sum(struct out *o, const struct whatif_query *q, const struct sums_by_name *sums, const char *name)
{
	static const struct moved_sum none;
	struct cells c = { .n = 0 };

	for (size_t k = 0; k < q->ncolumns; k++) {
		const struct moved_sum *s = sum_find(&sums[k], name);

		s = s ? s : &none;
		cell(&c, " %9llu %9llu", (unsigned long long)s->up, (unsigned long long)s->down);
		if (q->ncolumns == 1)
			cell(&c, " %+12lld", (long long)s->places);
		cell(&c, " %+7lld", (long long)s->starts - (long long)s->waits);
	}
	whatif_line(o, "%-20.20s%s", *name ? name : "-", c.text);
}

/* Is it in the table of an earlier column? Then it was printed. */
static bool is_earlier(const struct sums_by_name *sums, size_t column, const char *name)
{
	for (size_t k = 0; k < column; k++)
		if (sum_is_any(sum_find(&sums[k], name)))
			return true;
	return false;
}

static void print_sums(struct out *o, const struct whatif_query *q, bool project)
{
	struct sums_by_name sums[WHATIF_COLUMNS_MOST];
	struct cells c = { .n = 0 };
	size_t rows = 0;

	for (size_t k = 0; k < q->ncolumns; k++)
		sums[k] = sums_sort(&q->columns[k].moves, project);
	for (size_t k = 0; k < q->ncolumns; k++) {
		cell(&c, " %s%s%*s %9s", whatif_letter(q, k), q->ncolumns > 1 ? ":" : "", (int)(9 - strlen(whatif_letter(q, k)) - (q->ncolumns > 1)),
		     "up", "down");
		if (q->ncolumns == 1)
			cell(&c, " %12s", "places");
		cell(&c, " %7s", "starts");
	}
	for (size_t k = 0; k < q->ncolumns; k++) {
		const struct moves *m = &q->columns[k].moves;
		size_t n = project ? m->nprojects : m->nusers;

		for (size_t i = 0; i < n && (q->all || rows < q->rows); i++) {
			const struct moved_sum *s = project ? &m->projects[i] : &m->users[i];

			if (!sum_is_any(s) || is_earlier(sums, k, s->name))
				continue;
			if (rows++ == 0) {
				out_text(o, "\n");
				whatif_line(o, "%-20s%s", project ? "project" : "user", c.text);
			}
			print_sum(o, q, sums, s->name);
		}
	}
	for (size_t k = 0; k < q->ncolumns; k++)
		free(sums[k].items);
}

/* Starts */

static void print_start(struct out *o, const struct moved_start *s)
{
	static const char *const how[] = { [MOVED_STARTS] = "starts", [MOVED_WAITS] = "waits", [MOVED_ELSEWHERE] = "moves" };

	whatif_line(o, "%10u %6u %-7s %5u  %s%s%s", s->job_number, s->task, how[s->how], s->slots, s->before, s->how == MOVED_ELSEWHERE ? " -> " : "", s->after);
}

static void print_starts(struct out *o, const struct whatif_query *q)
{
	for (size_t k = 0; k < q->ncolumns; k++) {
		const struct moves *m = &q->columns[k].moves;

		if (m->nstarts == 0)
			continue;
		out_text(o, "\n");
		whatif_line(o, "%s%s%*s %6s %-7s %5s  %s", whatif_letter(q, k), q->ncolumns > 1 ? ":" : "", (int)(10 - strlen(whatif_letter(q, k)) - (q->ncolumns > 1)), "job",
		     "task", "now", "slots", "queue");
		for (size_t i = 0; i < m->nstarts && (q->all || i < q->rows); i++)
			print_start(o, &m->starts[i]);
		if (!q->all && m->nstarts > q->rows)
			whatif_line(o, "%10s %zu more: --rows, --all", "...", m->nstarts - q->rows);
	}
}

void whatif_print(struct out *o, const struct whatif_query *q, const struct fl_view *before)
{
	bool any = false;
	struct fl_run run;

	fl_run(before, &run);
	for (size_t k = 0; k < q->ncolumns; k++) {
		print_question(o, q, k, &run);
		any |= moves_any(&q->columns[k].moves);
	}
	if (!any) {
		whatif_line(o, "Nobody moves, and the same tasks start: %zu job%s, run %llu.", run.pending, run.pending == 1 ? " waits" : "s wait", (unsigned long long)run.run);
	} else {
		print_totals(o, q);
		print_jobs(o, q, before);
		print_sums(o, q, false);
		print_sums(o, q, true);
		print_starts(o, q);
	}
	for (size_t k = 0; k < q->ncolumns; k++)
		if (q->columns[k].targets.different)
			whatif_print_targets(o, q, k);
}
