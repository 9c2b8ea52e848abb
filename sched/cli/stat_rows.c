/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that are asked for, of the lists or of jobs by number. */
#include <errno.h>
#include <string.h>

#include "sched/cli/stat.h"
#include "sched/cli/stat_parts.h"

#define TASKS_MOST 100000u		/* of a job, one by one */

struct row_walk {
	const struct fl_view *view;
	struct out *out;
	struct stat *stat;
	row_print *print;
	void *context;
	uint64_t line;			/* jobs so far that could start */
};

static void print_task(const struct row_walk *w, const struct fl_job *row)
{
	w->stat->at.task = row->task;
	if (stat_filter_has(&w->stat->filter, w->view, row))
		w->print(w->out, w->stat, row, w->context);
}

/*
 * -g d: each of the tasks by itself; of an array of billions, which a qmaster may well tell of,
 * those behind TASKS_MOST range by range.
 */
static void print_tasks(const struct row_walk *w, const struct fl_job *job)
{
	struct fl_job row = *job;
	size_t printed = 0;

	for (size_t k = 0; k < job->nranges && !w->out->error; k++) {
		struct fl_range rest = job->tasks[k];
		uint64_t id = rest.min;

		for (row.nranges = 0; rest.step > 0 && id <= rest.max && printed < TASKS_MOST && !w->out->error; id += rest.step, printed++) {
			row.task = (uint32_t)id;
			print_task(w, &row);
		}
		if (rest.step == 0 || id > rest.max || w->out->error)
			continue;
		row.task = rest.min = (uint32_t)id;
		row.tasks = &rest;
		row.nranges = 1;
		print_task(w, &row);
	}
}

static void print_row(const struct row_walk *w, const struct fl_job *job)
{
	if (w->stat->one_by_one && !job->is_started && job->nranges > 0)
		print_tasks(w, job);
	else if (stat_filter_has(&w->stat->filter, w->view, job))
		w->print(w->out, w->stat, job, w->context);
}

static void print_parts(const struct row_walk *w, const struct stat_parts *parts, const struct fl_job *job)
{
	struct row_at *at = &w->stat->at;
	struct fl_job row;

	for (unsigned part = 0; part < STAT_PARTS; part++) {
		if (!stat_part(parts, job, part, &row))
			continue;
		at->part = part + 1;
		at->dress = part == 0 ? 0 : (strchr(row.state, 'h') ? PART_HELD : 0u) | (strchr(row.state, 'E') ? PART_ERROR : 0u);
		at->place = strpbrk(row.state, "hE") ? 0 : w->line;
		print_row(w, &row);
	}
}

/* `at` has where it comes from. */
static void print_rows(struct row_walk *w, const struct fl_job *job, struct row_at at)
{
	struct stat_parts parts;

	w->line += !job->is_started && !strpbrk(job->state, "hE");
	at.place = job->is_started || strpbrk(job->state, "hE") ? 0 : w->line;
	w->stat->at = at;
	if (!stat_filter_names(&w->stat->filter, job))	/* no row of it is shown: do not divide its tasks */
		return;
	if (!stat_parts_find(&parts, job)) {
		print_row(w, job);
		return;
	}
	print_parts(w, &parts, job);
	stat_parts_clear(&parts);
}

static void each_wanted(struct row_walk *w, enum fl_list list)
{
	struct stat *s = w->stat;
	struct fl_job job;

	for (size_t i = 0; i < s->njobs; i++) {
		struct wanted_job *wanted = &s->jobs[i];

		wanted->found = fl_find(w->view, wanted->number, 0, &job) == 0;
		for (size_t k = 0; !w->out->error && fl_find(w->view, wanted->number, k, &job) == 0; k++)
			if (job.is_started == (list == FL_STARTED))
				print_rows(w, &job, (struct row_at){ .list = list, .job_number = wanted->number, .k = k });
	}
}

static void print_finished(void *context, const struct fl_job *job)
{
	const struct row_walk *w = context;

	if (!w->out->error)
		w->print(w->out, w->stat, job, w->context);
}

void rows_each(const struct fl_view *view, struct out *o, struct stat *s, enum fl_list list, row_print *print, void *context)
{
	struct row_walk w = { view, o, s, print, context, 0 };
	size_t n = fl_count(view, list);
	struct fl_job job;

	if (s->njobs) {
		each_wanted(&w, list);
		return;
	}
	for (size_t k = 0; k < n && !o->error; k++)
		if (fl_get(view, list, k, &job) == 0)
			print_rows(&w, &job, (struct row_at){ .list = list, .k = k });
	/* jobs that have ended stand after all others; JSON has them elsewhere */
	if (list == FL_PENDING && s->format.print != stat_json)
		finished_each(&s->finished, print_finished, &w);
}

static void each_sorted(const struct fl_view *view, struct out *o, struct stat *s, unsigned lists, row_print *print, void *context)
{
	if (sort_each(view, o, s, lists, print, context))
		error_set(&s->error, -ENOMEM, "no memory to sort so many rows");
}

void stat_each(const struct fl_view *view, struct out *o, struct stat *s, enum fl_list list, row_print *print, void *context)
{
	if (s->nkeys > 0)
		each_sorted(view, o, s, 1u << list, print, context);
	else
		rows_each(view, o, s, list, print, context);
}

void stat_all(const struct fl_view *view, struct out *o, struct stat *s, row_print *print, void *context)
{
	if (s->nkeys > 0) {
		each_sorted(view, o, s, 1u << FL_STARTED | 1u << FL_PENDING, print, context);
		return;
	}
	rows_each(view, o, s, FL_STARTED, print, context);
	rows_each(view, o, s, FL_PENDING, print, context);
}
