/* SPDX-License-Identifier: Apache-2.0 */
/* Pending jobs with the terms of their priority, and running tasks. */
#include <stdio.h>
#include <string.h>

#include "sched/cli/text.h"
#include "sched/cli/top/top.h"

enum job_columns { COLUMNS_GRIDENGINE, COLUMNS_MULTIFACTOR, COLUMNS_USERPRIO };

/* Return the columns of the policy of the run. */
static enum job_columns columns_of(const struct fl_view *view)
{
	struct fl_multifactor multifactor;
	struct fl_negotiation negotiation;

	return fl_multifactor(view, &multifactor) == 0 ? COLUMNS_MULTIFACTOR
	       : fl_negotiation(view, &negotiation) == 0 ? COLUMNS_USERPRIO
							  : COLUMNS_GRIDENGINE;
}

static const char *const pending_heads[] = {
	[COLUMNS_GRIDENGINE] = "   job-ID   prior    nurg npprior  ntckts owner    project  st  slots wait name",
	[COLUMNS_MULTIFACTOR] = "   job-ID    prior      age fairshare     size partition      qos owner    st  wait name",
	[COLUMNS_USERPRIO] = "   job-ID   prior     eup owner    project  st  slots wait name",
};

/* Write "59s", "59m", "23h" or "99d". */
static const char *span_text(char text[24], int64_t seconds)
{
	if (seconds < 0)
		snprintf(text, 24, "-");
	else if (seconds < 100)
		snprintf(text, 24, "%ds", (int)seconds);
	else if (seconds < 100 * 60)
		snprintf(text, 24, "%dm", (int)(seconds / 60));
	else if (seconds < 100 * 3600)
		snprintf(text, 24, "%dh", (int)(seconds / 3600));
	else
		snprintf(text, 24, "%lldd", (long long)(seconds / 86400));
	return text;
}

/* Write the number of the job, and the first task of an array. */
static void number_text(char text[32], const struct fl_job *job)
{
	if (job->is_array)
		snprintf(text, 32, "%u.%u", job->job_number, job->task);
	else
		snprintf(text, 32, "%u", job->job_number);
}

static void pending_row(const struct fl_view *view, struct top_page *page, enum page_style style,
			enum job_columns columns, size_t row, const struct fl_job *job, int64_t now)
{
	char number[32], owner[NAME_BYTES], project[NAME_BYTES], state[NAME_BYTES], name[NAME_BYTES], wait[24];
	struct fl_factors factors = { .owner = "" };

	number_text(number, job);
	page_label(owner, job->owner, 8);
	page_label(project, job->project, 8);
	page_label(state, job->state, 3);
	page_label(name, job->name, NAME_BYTES - 1);
	span_text(wait, now - job->submission_time);
	if (columns == COLUMNS_MULTIFACTOR) {
		fl_list_factors(view, FL_PENDING, row, 0, &factors);
		page_add(page, style, "%9s %8.0f %8.0f %9.0f %8.0f %9.0f %8.0f %s %s %4s %s", number, job->prio,
			 factors.weighted_age, factors.weighted_fairshare, factors.weighted_job_size,
			 factors.weighted_partition, factors.weighted_qos, owner, state, wait, name);
	} else if (columns == COLUMNS_USERPRIO) {
		page_add(page, style, "%9s %7.5f %7.1f %s %s %s %5u %4s %s", number, job->prio,
			 job->prio > 0 ? 1 / job->prio : 0, owner, project, state, job->slots, wait, name);
	} else {
		page_add(page, style, "%9s %7.5f %7.5f %7.5f %7.5f %s %s %s %5u %4s %s", number, job->prio, job->nurg,
			 job->npprior, job->ntckts, owner, project, state, job->slots, wait, name);
	}
}

static void running_row(struct top_page *page, enum page_style style, const struct fl_job *job, int64_t now)
{
	char number[32], owner[NAME_BYTES], state[NAME_BYTES], queue[NAME_BYTES], name[NAME_BYTES], run[24],
		cpu[24] = "-";

	number_text(number, job);
	page_label(owner, job->owner, 8);
	page_label(state, job->state, 3);
	page_label(queue, job->queue, 20);
	page_label(name, job->name, NAME_BYTES - 1);
	span_text(run, now - job->start_time);
	if (job->has_usage)
		span_text(cpu, (int64_t)job->cpu);
	page_add(page, style, "%9s %7.5f %s %s %5u %4s %4s %s %s", number, job->prio, owner, state, job->slots, run,
		 cpu, queue, name);
}

static size_t jobs_show(struct top *top, const struct fl_view *view, struct top_page *page, unsigned rows, size_t first,
			size_t selected, enum fl_list list)
{
	enum job_columns columns = columns_of(view);
	struct fl_run run;

	if (rows < 2)
		return top->choice.total;
	fl_run(view, &run);
	page_add(page, PAGE_HEAD, "%s",
		 list == FL_PENDING ? pending_heads[columns]
				    : "   job-ID   prior owner    st  slots  run  cpu queue                name");
	if (job_choice_make(&top->choice, view, list, &top->filter, top->sort, first, rows - 1))
		return 0;
	for (size_t k = 0; k < top->choice.n; k++) {
		enum page_style style = first + k == selected ? PAGE_SELECTED : PAGE_PLAIN;
		struct fl_job job;

		if (fl_get(view, list, top->choice.rows[k], &job))
			break;
		if (first + k == selected)
			top->job_number = job.job_number;
		if (list == FL_PENDING)
			pending_row(view, page, style, columns, top->choice.rows[k], &job, run.now);
		else
			running_row(page, style, &job, run.now);
	}
	return top->choice.total;
}

size_t top_pending(struct top *top, const struct fl_view *view, struct top_page *page, unsigned rows, size_t first,
		   size_t selected)
{
	return jobs_show(top, view, page, rows, first, selected, FL_PENDING);
}

size_t top_running(struct top *top, const struct fl_view *view, struct top_page *page, unsigned rows, size_t first,
		   size_t selected)
{
	return jobs_show(top, view, page, rows, first, selected, FL_STARTED);
}
