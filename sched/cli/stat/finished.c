/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/stat/finished.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "sched/process/ranges.h"
#include "sched/trace/tail.h"

_Static_assert(sizeof(struct range) == sizeof(struct fl_range), "ranges are shown as they are");

static int64_t whole(double value)
{
	return (int64_t)fmin(fmax(value, -9e15), 9e15);
}

static uint32_t number_of(double value)
{
	return (uint32_t)fmin(fmax(value, 0.0), (double)UINT32_MAX);
}

static const char *text_or_nothing(const struct accounting_record *record, enum accounting_field field)
{
	const char *text = accounting_text(record, field);

	return strcmp(text, "NONE") ? text : "";
}

/*
 * Fill in the row of an ended task like Grid Engine: as a pending task with its submission time and
 * without a queue. Values that the accounting file does not have are empty.
 */
static void job_fill(struct finished_task *task)
{
	const struct accounting_record *record = &task->record;
	const double *n = record->numbers;

	task->job = (struct fl_job){
		.job_number = number_of(n[ACCOUNTED_NUMBER]),
		.task = n[TASK_NUMBER] > 0 ? number_of(n[TASK_NUMBER]) : 1,
		.is_array = n[TASK_NUMBER] > 0,
		.state = "z",
		.name = accounting_text(record, ACCOUNTED_NAME),
		.owner = accounting_text(record, OWNER),
		.project = text_or_nothing(record, PROJECT),
		.department = text_or_nothing(record, DEPARTMENT),
		.submission_time = whole(n[SUBMISSION_TIME]),
		.start_time = whole(n[START_TIME]),
		.hard_resources = "",
		.soft_resources = "",
		.pe = "",
		.pe_range = "",
		.granted_pe = text_or_nothing(record, GRANTED_PE),
		.queue = "",
		.slots = number_of(n[SLOTS]),
		.ar = number_of(n[ARID]),
	};
}

static void task_free(struct finished_task *task)
{
	if (!task)
		return;
	free(task->line);
	free(task);
}

/* Parse a line. -EINVAL: the line is not a record. */
static int task_make(struct finished_task **result, const char *line)
{
	struct finished_task *task = calloc(1, sizeof(*task));
	struct error error;
	int rc = -ENOMEM;

	if (!task || !(task->line = strdup(line)))
		goto undo;
	rc = accounting_record(task->line, &task->record, &error);
	if (rc)
		goto undo;
	job_fill(task);
	*result = task;
	return 0;
undo:
	task_free(task);
	return rc;
}

static int task_add(struct finished *finished, struct finished_task *task)
{
	if (array_reserve(&finished->capacity, finished->n + 1, COLUMN(finished->items)))
		return -ENOMEM;
	finished->items[finished->n++] = task;
	return 0;
}

/* Return whether a line is certainly about another job, without parsing it. */
static bool is_of_another(const char *line, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), ":%u:", number);
	return number > 0 && !strstr(line, text);
}

static int line_take(struct finished *finished, const char *line, uint32_t number, finished_wanted *wanted,
		     void *context)
{
	struct finished_task *task;
	int rc;

	if (is_of_another(line, number) || accounting_is_blank(line))
		return 0;
	rc = task_make(&task, line);
	if (rc)
		/* faulty lines are skipped; fairlead acct reports them */
		return rc == -ENOMEM ? rc : 0;
	if ((number == 0 || task->job.job_number == number) &&
	    strcmp(accounting_text(&task->record, PE_TASKID), "NONE") == 0 &&
	    (!wanted || wanted(context, &task->job))) {
		if (task_add(finished, task) == 0)
			return 0;
		task_free(task);
		return -ENOMEM;
	}
	task_free(task);
	return 0;
}

int finished_read(struct finished *finished, const char *path, uint32_t number, size_t most, finished_wanted *wanted,
		  void *context, struct error *error)
{
	struct trace_tail tail;
	size_t before = finished->n;
	char *line;
	int rc = trace_tail_open(&tail, path, FINISHED_LOOK_BYTES, error);

	while (rc == 0 && finished->n - before < most && (rc = trace_tail_next(&tail, &line, error)) == 0)
		if (line_take(finished, line, number, wanted, context))
			rc = error_set(error, -ENOMEM, "out of memory");
	finished->cut = rc == 1 && tail.least > 0;
	trace_tail_close(&tail);
	return rc < 0 ? rc : 0;
}

/* Collect the task ids of a job, from the i-th record to newer ones. */
static void ids_find(const struct finished *finished, size_t i, struct ranges *ids)
{
	uint32_t number = finished->items[i]->job.job_number;

	do
		if (finished->items[i]->job.job_number == number)
			(void)ranges_add(ids, finished->items[i]->job.task);
	while (i-- > 0);
}

static bool is_first(const struct finished *finished, size_t i)
{
	for (size_t k = finished->n; k-- > i + 1;)
		if (finished->items[k]->job.job_number == finished->items[i]->job.job_number)
			return false;
	return true;
}

void finished_each(const struct finished *finished, finished_job *each, void *context)
{
	for (size_t i = finished->n; i-- > 0;) {
		struct fl_job job = finished->items[i]->job;
		struct ranges ids = { 0 };

		if (!is_first(finished, i))
			continue;
		if (job.is_array)
			ids_find(finished, i, &ids);
		job.tasks = (const struct fl_range *)(const void *)ids.items;
		job.nranges = ids.n;
		each(context, &job);
		ranges_free(&ids);
	}
}

void finished_free(struct finished *finished)
{
	for (size_t i = 0; i < finished->n; i++)
		task_free(finished->items[i]);
	free(finished->items);
	*finished = (struct finished){ .items = NULL };
}
