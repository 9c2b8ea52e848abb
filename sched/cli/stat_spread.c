/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -g t: a started task in each queue instance where it has slots, a line a slot. The master task
 * has a line of its own beside those of its instance, unless the parallel environment counts it as
 * the first of them (job_is_first_task, sge_pe(5)), as the cell says that was in force.
 */
#include <string.h>

#include "conf/cell_source.h"
#include "sched/cli/stat.h"
#include "sched/reader/handle.h"
#include "sched/run/retell.h"

#define KEY "job_is_first_task"
#define LINES_MOST 100000u		/* of a task in an instance, whatever slots a qmaster tells of */

void spread_begin(struct stat *s, const struct fl_view *view)
{
	s->has_cell = retell_files(&view->view, &s->files) == 0;
}

void spread_end(struct stat *s)
{
	if (s->has_cell)
		cell_files_free(&s->files);
	s->has_cell = false;
}

static bool says_no(const char *text)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, KEY, strlen(KEY)) == 0)
			return strncasecmp(line + strlen(KEY) + strspn(line + strlen(KEY), " \t"), "FALSE", 5) == 0;
	}
	return false;
}

/* What is not known is as it is by default. */
static bool master_is_extra(const struct stat *s, const char *pe)
{
	char name[256] = "pe/";

	strncat(name, pe, sizeof(name) - 4);
	for (size_t i = 0; s->has_cell && *pe && i < s->files.n; i++)
		if (!strcmp(s->files.items[i].name, name))
			return says_no(s->files.items[i].text);
	return false;
}

void spread_each(const struct fl_view *view, struct out *o, struct stat *s, const struct fl_job *job, spread_print *print, void *context)
{
	struct fl_granted granted;
	struct fl_job row = *job;
	bool extra = master_is_extra(s, job->granted_pe);

	for (size_t k = 0; fl_granted(view, job->job_number, job->task, k, &granted) == 0; k++) {
		uint64_t lines = (uint64_t)granted.slots + (k == 0 && extra);

		lines = lines < LINES_MOST ? lines : LINES_MOST;
		row.queue = granted.queue;
		for (uint64_t i = 0; i < lines && !o->error; i++)
			print(o, s, &row, &(struct spread_line){ .is_master = k == 0 && i == 0, .repeated = i > 0 }, context);
	}
}
