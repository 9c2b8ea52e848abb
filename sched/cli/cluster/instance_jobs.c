/* SPDX-License-Identifier: Apache-2.0 */
/* Print a job's columns below a host, like qhost -j. */
#include <stdio.h>

#include "sched/cli/cluster/instance_jobs.h"

static void columns_put(struct job_lines *lines, struct out *out, const struct fl_job *job, size_t width)
{
	char *p = out_room(out, 512), *start = p;

	p += sprintf(p, "%*u %7.5f ", (int)width, job->job_number, job->prio);
	p = text_column(p, job->name, 10);
	*p++ = ' ';
	p = text_column(p, job->owner, 12);
	*p++ = ' ';
	p = text_column(p, job->state, 5);
	*p++ = ' ';
	p = clock_put(&lines->clock, p, job->is_started ? job->start_time : job->submission_time, TIME_TABLE);
	(void)start;
	out_take(out, p);
}

static void task_put(struct out *out, const struct fl_job *job, const char *otherwise)
{
	if (!job->is_array)
		out_text(out, otherwise);
	else if (job->is_started || job->nranges == 0)
		out_put(out, "%u", job->task);
	else
		text_ranges(out, job->tasks, job->nranges);
}

/* Print a line for each slot. The first slot in the master queue is the job's own. */
void job_lines_host(struct job_lines *job_lines, struct out *out, const struct fl_view *view,
		    const struct placed *placed, const char *queue, bool with_queue, bool extra_slave)
{
	struct fl_job job;
	uint32_t lines;

	if (fl_get(view, FL_STARTED, placed->row, &job))
		return;
	/* with job_is_first_task FALSE, the job's own process has an additional line */
	lines = *job.granted_pe ? placed->slots + (placed->master && extra_slave) : 1;
	for (uint32_t k = 0; k < lines && !out->error; k++) {
		char cut[16];

		if (k == 0)
			columns_put(job_lines, out, &job, 10);
		else
			out_put(out, "%68s", "");
		out_text(out, " ");
		if (with_queue) {
			*text_column(cut, queue, 10) = '\0';
			out_put(out, "%-10s ", cut);
		}
		out_text(out, placed->master && k == 0 ? "MASTER " : "SLAVE  ");
		task_put(out, &job, "       ");
		out_text(out, "\n");
	}
}
