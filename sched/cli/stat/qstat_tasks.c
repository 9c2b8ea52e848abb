/* SPDX-License-Identifier: Apache-2.0 */
/* Print the lines of qstat -j about the tasks of a job: usage, errors, and why they wait. */
#include <stdio.h>
#include <string.h>

#include "sched/cli/stat/stat.h"
#include "sched/process/digits.h"

#define DAY_S 86400.0

/* Print "hh:mm:ss", preceded by the days if there are any. */
static void put_duration(struct out *out, double seconds)
{
	char text[DIGITS_BYTES + 1] = "";

	*text_duration(text, seconds) = '\0';
	out_text(out, seconds < DAY_S && !strncmp(text, "0:", 2) ? text + 2 : text);
}

static void put_usage(const struct fl_view *view, struct out *out, struct job_listing *listing,
		      const struct fl_job *job)
{
	struct memory_shown memory = detail_memory(view, listing, job);

	out_put(out, "usage %9u:            cpu=", job->task);
	put_duration(out, job->has_usage ? job->cpu : 0);
	out_put(out, ", mem=%.5f GB s, io=%.5f GB, vmem=%s, maxvmem=%s\n", job->has_usage ? job->mem : 0,
		job->has_usage ? job->io : 0, memory.vmem, memory.maxvmem);
}

/* Print the reasons of the row of tasks that have not started. */
static void put_reasons(const struct fl_view *view, struct out *out, uint32_t job_number)
{
	char text[STAT_WHY_BYTES];
	struct fl_why why;
	size_t k = 0;

	stat_label(out, "scheduling info");
	for (; !out->error && fl_why(view, job_number, k, &why) == 0; k++) {
		if (k > 0)
			out_take(out, text_blanks(out_room(out, STAT_LABEL_BYTES), STAT_LABEL_BYTES));
		fl_why_text(&why, text, sizeof(text));
		text_plain(out, text);
		out_text(out, "\n");
	}
	if (k == 0)
		out_text(out, "There are no messages available\n");
}

void tasks_qstat(const struct fl_view *view, struct out *out, struct job_listing *listing, uint32_t job_number)
{
	struct fl_job job;
	bool waits = false;

	for (size_t k = 0; !out->error && fl_find(view, job_number, k, &job) == 0; k++)
		if (job.is_started)
			put_usage(view, out, listing, &job);
		else
			waits = true;
	for (size_t k = 0; !out->error && fl_find(view, job_number, k, &job) == 0; k++)
		if (job.is_started)
			out_put(out, "binding %7u:            NONE\n", job.task);
		else
			detail_error(view, out, &job);
	if (waits)
		put_reasons(view, out, job_number);
}
