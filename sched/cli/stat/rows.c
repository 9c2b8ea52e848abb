/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that match the filter, from the lists or by job number. */
#include <errno.h>
#include <string.h>

#include "sched/cli/stat/stat.h"
#include "sched/cli/stat/parts.h"

#define TASKS_MOST 100000u		/* tasks of a job that are printed one by one */

struct row_walk {
	const struct fl_view *view;
	struct out *out;
	struct job_listing *listing;
	row_print *print;
	void *context;
	uint64_t line;			/* jobs so far that could start */
};

static void print_task(const struct row_walk *walk, const struct fl_job *row)
{
	walk->listing->at.task = row->task;
	if (stat_filter_has(&walk->listing->filter, walk->view, row))
		walk->print(walk->out, walk->listing, row, walk->context);
}

/*
 * -g d: print each task in a row of its own. A qmaster may report arrays with billions of tasks, so
 * tasks after the first TASKS_MOST are printed range by range.
 */
static void print_tasks(const struct row_walk *walk, const struct fl_job *job)
{
	struct fl_job row = *job;
	size_t printed = 0;

	for (size_t k = 0; k < job->nranges && !walk->out->error; k++) {
		struct fl_range rest = job->tasks[k];
		uint64_t id = rest.min;

		for (row.nranges = 0; rest.step > 0 && id <= rest.max && printed < TASKS_MOST && !walk->out->error;
		     id += rest.step, printed++) {
			row.task = (uint32_t)id;
			print_task(walk, &row);
		}
		if (rest.step == 0 || id > rest.max || walk->out->error)
			continue;
		row.task = rest.min = (uint32_t)id;
		row.tasks = &rest;
		row.nranges = 1;
		print_task(walk, &row);
	}
}

static void print_row(const struct row_walk *walk, const struct fl_job *job)
{
	if (walk->listing->one_by_one && !job->is_started && job->nranges > 0)
		print_tasks(walk, job);
	else if (stat_filter_has(&walk->listing->filter, walk->view, job))
		walk->print(walk->out, walk->listing, job, walk->context);
}

static void print_parts(const struct row_walk *walk, const struct stat_parts *parts, const struct fl_job *job)
{
	struct row_at *at = &walk->listing->at;
	struct fl_job row;

	for (unsigned part = 0; part < STAT_PARTS; part++) {
		if (!stat_part(parts, job, part, &row))
			continue;
		at->part = part + 1;
		at->dress = part == 0 ? 0
				      : (strchr(row.state, 'h') ? PART_HELD : 0u) |
						(strchr(row.state, 'E') ? PART_ERROR : 0u) |
						(strchr(row.state, 'R') ? PART_RESTARTED : 0u);
		at->place = strpbrk(row.state, "hE") ? 0 : walk->line;
		print_row(walk, &row);
	}
}

/* Print the rows of a job. `at` is their origin. */
static void print_rows(struct row_walk *walk, const struct fl_job *job, struct row_at at)
{
	struct stat_parts parts;

	walk->line += !job->is_started && !strpbrk(job->state, "hE");
	at.place = job->is_started || strpbrk(job->state, "hE") ? 0 : walk->line;
	walk->listing->at = at;
	/* no row of the job matches, so its tasks need not be divided */
	if (!stat_filter_names(&walk->listing->filter, job))
		return;
	if (!stat_parts_find(&parts, job)) {
		print_row(walk, job);
		return;
	}
	print_parts(walk, &parts, job);
	stat_parts_clear(&parts);
}

static void each_wanted(struct row_walk *walk, enum fl_list list)
{
	struct job_listing *listing = walk->listing;
	struct fl_job job;

	for (size_t i = 0; i < listing->njobs; i++) {
		struct wanted_job *wanted = &listing->jobs[i];

		wanted->found = fl_find(walk->view, wanted->number, 0, &job) == 0;
		for (size_t k = 0; !walk->out->error && fl_find(walk->view, wanted->number, k, &job) == 0; k++)
			if (job.is_started == (list == FL_STARTED))
				print_rows(walk, &job,
					   (struct row_at){ .list = list, .job_number = wanted->number, .k = k });
	}
}

static void print_finished(void *context, const struct fl_job *job)
{
	const struct row_walk *walk = context;

	if (!walk->out->error)
		walk->print(walk->out, walk->listing, job, walk->context);
}

void rows_each(const struct fl_view *view, struct out *out, struct job_listing *listing, enum fl_list list,
	       row_print *print, void *context)
{
	struct row_walk walk = { view, out, listing, print, context, 0 };
	size_t n = fl_count(view, list);
	struct fl_job job;

	if (listing->njobs) {
		each_wanted(&walk, list);
		return;
	}
	for (size_t k = 0; k < n && !out->error; k++)
		if (fl_get(view, list, k, &job) == 0)
			print_rows(&walk, &job, (struct row_at){ .list = list, .k = k });
	/* ended jobs follow all others; JSON has them in another member */
	if (list == FL_PENDING && listing->format.print != stat_json)
		finished_each(&listing->finished, print_finished, &walk);
}

static void each_sorted(const struct fl_view *view, struct out *out, struct job_listing *listing, unsigned lists,
			row_print *print, void *context)
{
	if (sort_each(view, out, listing, lists, print, context))
		error_set(&listing->error, -ENOMEM, "no memory to sort so many rows");
}

void stat_each(const struct fl_view *view, struct out *out, struct job_listing *listing, enum fl_list list,
	       row_print *print, void *context)
{
	if (listing->nkeys > 0)
		each_sorted(view, out, listing, 1u << list, print, context);
	else
		rows_each(view, out, listing, list, print, context);
}

void stat_all(const struct fl_view *view, struct out *out, struct job_listing *listing, row_print *print, void *context)
{
	if (listing->nkeys > 0) {
		each_sorted(view, out, listing, 1u << FL_STARTED | 1u << FL_PENDING, print, context);
		return;
	}
	rows_each(view, out, listing, FL_STARTED, print, context);
	rows_each(view, out, listing, FL_PENDING, print, context);
}
