/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/finished.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
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

static const char *text_or_nothing(const struct accounting_record *r, enum accounting_field field)
{
	const char *text = accounting_text(r, field);

	return strcmp(text, "NONE") ? text : "";
}

/*
 * As Grid Engine shows a job that has ended: as one that waits, with the time of its submission and without a queue. What the file does
 * not have is as of a job that has nothing.
 */
static void job_fill(struct finished_task *t)
{
	const struct accounting_record *r = &t->record;
	const double *n = r->numbers;

	t->job = (struct fl_job){
		.job_number = number_of(n[ACCOUNTED_NUMBER]), .task = n[TASK_NUMBER] > 0 ? number_of(n[TASK_NUMBER]) : 1, .is_array = n[TASK_NUMBER] > 0,
		.state = "z", .name = accounting_text(r, ACCOUNTED_NAME), .owner = accounting_text(r, OWNER),
		.project = text_or_nothing(r, PROJECT), .department = text_or_nothing(r, DEPARTMENT), .submission_time = whole(n[SUBMISSION_TIME]),
		.start_time = whole(n[START_TIME]), .hard_resources = "", .soft_resources = "", .pe = "", .pe_range = "",
		.granted_pe = text_or_nothing(r, GRANTED_PE), .queue = "", .slots = number_of(n[SLOTS]), .ar = number_of(n[ARID]),
	};
}

static void task_free(struct finished_task *t)
{
	if (!t)
		return;
	free(t->line);
	free(t);
}

/* NULL with errno: EINVAL, it is no record. */
static struct finished_task *task_make(const char *line)
{
	struct finished_task *t = calloc(1, sizeof(*t));
	struct error error;

	if (!t || !(t->line = strdup(line)))
		goto undo;
	if (accounting_record(t->line, &t->record, &error)) {
		task_free(t);
		errno = EINVAL;
		return NULL;
	}
	job_fill(t);
	return t;
undo:
	task_free(t);
	errno = ENOMEM;
	return NULL;
}

static int task_add(struct finished *f, struct finished_task *t)
{
	size_t capacity = f->capacity ? 2 * f->capacity : 16;

	if (f->n == f->capacity) {
		if (array_grow(&f->items, capacity, sizeof(*f->items)))
			return -ENOMEM;
		f->capacity = capacity;
	}
	f->items[f->n++] = t;
	return 0;
}

/* Of another job, as far as can be seen without taking the line apart. */
static bool is_of_another(const char *line, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), ":%u:", number);
	return number > 0 && !strstr(line, text);
}

static int line_take(struct finished *f, const char *line, uint32_t number, finished_wanted *wanted, void *context)
{
	struct finished_task *t;

	if (is_of_another(line, number) || accounting_is_blank(line))
		return 0;
	t = task_make(line);
	if (!t)
		return errno == ENOMEM ? -ENOMEM : 0;		/* fairlead acct tells of faulty lines */
	if ((number == 0 || t->job.job_number == number) && strcmp(accounting_text(&t->record, PE_TASKID), "NONE") == 0 &&
	    (!wanted || wanted(context, &t->job))) {
		if (task_add(f, t) == 0)
			return 0;
		task_free(t);
		return -ENOMEM;
	}
	task_free(t);
	return 0;
}

int finished_read(struct finished *f, const char *path, uint32_t number, size_t most, finished_wanted *wanted, void *context,
		  struct error *error)
{
	struct trace_tail tail;
	size_t before = f->n;
	char *line;
	int rc = trace_tail_open(&tail, path, FINISHED_LOOK_BYTES, error);

	while (rc == 0 && f->n - before < most && (rc = trace_tail_next(&tail, &line, error)) == 0)
		if (line_take(f, line, number, wanted, context))
			rc = error_set(error, -ENOMEM, "out of memory");
	f->cut = rc == 1 && tail.least > 0;
	trace_tail_close(&tail);
	return rc < 0 ? rc : 0;
}

/* The ids of a job's tasks, from the i-th record on to newer ones. */
static void ids_find(const struct finished *f, size_t i, struct ranges *ids)
{
	uint32_t number = f->items[i]->job.job_number;

	do
		if (f->items[i]->job.job_number == number)
			(void)ranges_add(ids, f->items[i]->job.task);
	while (i-- > 0);
}

static bool is_first(const struct finished *f, size_t i)
{
	for (size_t k = f->n; k-- > i + 1;)
		if (f->items[k]->job.job_number == f->items[i]->job.job_number)
			return false;
	return true;
}

void finished_each(const struct finished *f, finished_job *each, void *context)
{
	for (size_t i = f->n; i-- > 0;) {
		struct fl_job job = f->items[i]->job;
		struct ranges ids = { 0 };

		if (!is_first(f, i))
			continue;
		if (job.is_array)
			ids_find(f, i, &ids);
		job.tasks = (const struct fl_range *)(const void *)ids.items;
		job.nranges = ids.n;
		each(context, &job);
		ranges_free(&ids);
	}
}

void finished_free(struct finished *f)
{
	for (size_t i = 0; i < f->n; i++)
		task_free(f->items[i]);
	free(f->items);
	*f = (struct finished){ .items = NULL };
}
