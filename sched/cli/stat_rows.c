/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that are asked for, of the lists or of jobs by number. */
#include "sched/cli/stat.h"
#include "sched/cli/stat_parts.h"

struct row_walk {				/* a walk */
	const struct fl_view *view;
	struct out *out;
	struct stat *stat;
	row_print *print;
	void *context;
};

/* -g d: each of the tasks by itself. */
static void print_tasks(const struct row_walk *w, const struct fl_job *job)
{
	struct fl_job row = *job;

	row.nranges = 0;
	for (size_t k = 0; k < job->nranges && !w->out->error; k++) {
		const struct fl_range r = job->tasks[k];

		for (uint64_t id = r.min; r.step > 0 && id <= r.max && !w->out->error; id += r.step) {
			row.task = (uint32_t)id;
			if (stat_filter_has(&w->stat->filter, w->view, &row))
				w->print(w->out, w->stat, &row, w->context);
		}
	}
}

static void print_row(const struct row_walk *w, const struct fl_job *job)
{
	if (w->stat->one_by_one && !job->is_started && job->nranges > 0)
		print_tasks(w, job);
	else if (stat_filter_has(&w->stat->filter, w->view, job))
		w->print(w->out, w->stat, job, w->context);
}

static void print_rows(const struct row_walk *w, const struct fl_job *job)
{
	struct stat_parts parts;
	struct fl_job row;

	if (!stat_parts_find(&parts, job)) {
		print_row(w, job);
		return;
	}
	for (unsigned part = 0; part < STAT_PARTS; part++)
		if (stat_part(&parts, job, part, &row))
			print_row(w, &row);
	stat_parts_clear(&parts);
}

static void each_wanted(const struct row_walk *w, enum fl_list list)
{
	struct stat *s = w->stat;
	struct fl_job job;

	for (size_t i = 0; i < s->njobs; i++) {
		struct wanted_job *wanted = &s->jobs[i];

		wanted->found = fl_find(w->view, wanted->number, 0, &job) == 0;
		for (size_t k = 0; !w->out->error && fl_find(w->view, wanted->number, k, &job) == 0; k++)
			if (job.is_started == (list == FL_STARTED))
				print_rows(w, &job);
	}
}

void stat_each(const struct fl_view *view, struct out *o, struct stat *s, enum fl_list list, row_print *print, void *context)
{
	const struct row_walk w = { view, o, s, print, context };
	size_t n = fl_count(view, list);
	struct fl_job job;

	if (s->njobs) {
		each_wanted(&w, list);
		return;
	}
	for (size_t k = 0; k < n && !o->error; k++)
		if (fl_get(view, list, k, &job) == 0)
			print_rows(&w, &job);
}
