/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader of the Standard Workload Format, version 2.2, of the Parallel Workloads Archive: a line of
 * 18 numbers for each job, in the order of submission. Some tools omit the last one, or write more
 * after it.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/trace/inside.h"

#define SWF_COLUMNS_LEAST 17
/* whole numbers with this many digits are exact as doubles */
#define DIGITS_MOST 15
#define ABSOLUTE_FROM 631152000.0	/* 1990: no log begins 20 years after its time 0 */
#define INT_ENDLESS 2147483647.0	/* used for "no limit" where a number is required */

enum swf_column {
	SWF_NUMBER,
	SWF_SUBMIT,
	SWF_WAIT,
	SWF_RUN,
	SWF_ALLOCATED,
	SWF_CPU,
	SWF_MEMORY,
	SWF_REQUESTED,
	SWF_LIMIT,
	SWF_REQUESTED_MEMORY,
	SWF_STATUS,
	SWF_USER,
	SWF_GROUP,
	SWF_APPLICATION,
	SWF_QUEUE,
	SWF_PARTITION,
	SWF_AFTER,
	SWF_THINK
};

/* Columns. In each, -1 is unknown. */
static const struct swf_field {
	const char *name;
	double most;
	bool is_time;			/* rounded to whole seconds */
} columns[SWF_COLUMNS] = {
	[SWF_NUMBER] = { "Job Number", UINT32_MAX, false },
	[SWF_SUBMIT] = { "Submit Time", (double)TIME_MOST, true },
	[SWF_WAIT] = { "Wait Time", (double)SECONDS_MOST, true },
	[SWF_RUN] = { "Run Time", (double)SECONDS_MOST, true },
	[SWF_ALLOCATED] = { "Number of Allocated Processors", (double)SLOTS_MOST, false },
	[SWF_CPU] = { "Average CPU Time Used", 1e15, false },
	[SWF_MEMORY] = { "Used Memory", 1e15, false },
	[SWF_REQUESTED] = { "Requested Number of Processors", (double)SLOTS_MOST, false },
	[SWF_LIMIT] = { "Requested Time", (double)SECONDS_MOST, true },
	[SWF_REQUESTED_MEMORY] = { "Requested Memory", 1e15, false },
	[SWF_STATUS] = { "Status", 5, false },
	[SWF_USER] = { "User ID", INT32_MAX, false },
	[SWF_GROUP] = { "Group ID", INT32_MAX, false },
	[SWF_APPLICATION] = { "Executable Number", INT32_MAX, false },
	[SWF_QUEUE] = { "Queue Number", INT32_MAX, false },
	[SWF_PARTITION] = { "Partition Number", INT32_MAX, false },
	[SWF_AFTER] = { "Preceding Job Number", UINT32_MAX, false },
	[SWF_THINK] = { "Think Time from Preceding Job", (double)SECONDS_MOST, true },
};

/* Read a number at *at and move it after the number. False: there is none. */
static bool number_read(const char **at, double *value)
{
	const char *c = *at;
	bool negative = *c == '-';
	const char *digits = c += negative;
	int64_t v = 0;

	while ((unsigned char)(*c - '0') < 10 && c - digits < DIGITS_MOST)
		v = 10 * v + (*c++ - '0');
	if (c > digits && (*c == ' ' || *c == '\t' || *c == '\0')) {
		*value = (double)(negative ? -v : v);
		*at = c;
		return true;
	}
	/* a fraction, an exponent, or a long number */
	if (!isdigit((unsigned char)*digits) && (*digits != '.' || !isdigit((unsigned char)digits[1])))
		return false;
	if (*digits == '0' && (digits[1] | 0x20) == 'x')
		return false;
	*value = strtod(*at, (char **)&c);
	*at = c;
	return isfinite(*value) && (*c == ' ' || *c == '\t' || *c == '\0');
}

static const char *blanks_skip(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* Count the words, up to `most`. */
static size_t words_count(const char *at, size_t most)
{
	size_t n = 0;

	for (at = blanks_skip(at); *at && n < most; n++)
		at = blanks_skip(at + strcspn(at, " \t"));
	return n;
}

bool swf_knows(const char *line)
{
	double value;

	line = blanks_skip(line);
	if (*line == ';')
		return true;
	for (size_t i = 0; i < SWF_COLUMNS_LEAST; i++, line = blanks_skip(line))
		if (!number_read(&line, &value))
			return false;
	return true;
}

static int value_fault(struct trace *trace, size_t i, const char *at, struct error *error)
{
	size_t n = strcspn(at, " \t");

	return trace_fault(trace, error, "field %zu, %s, is \"%.*s%s\"; allowed: %s%.15g, -1 is unknown", i + 1,
			   columns[i].name, (int)(n < 40 ? n : 40), at, n < 40 ? "" : "...",
			   columns[i].is_time ? "seconds from 0 to " : "0 to ", columns[i].most);
}

static int columns_fault(struct trace *trace, const char *line, struct error *error)
{
	return trace_fault(trace, error, "%zu columns; the lines above have %zu", words_count(line, 1000),
			   trace->swf.columns);
}

/* Read all columns of a line. */
static int line_read(struct trace *trace, const char *line, double values[SWF_COLUMNS], struct error *error)
{
	size_t n = trace->swf.columns < SWF_COLUMNS ? trace->swf.columns : SWF_COLUMNS;
	const char *at = blanks_skip(line), *begin;
	bool fraction = false;

	values[SWF_THINK] = -1;
	for (size_t i = 0; i < n; i++, at = blanks_skip(at)) {
		begin = at;
		if (!*at)
			return columns_fault(trace, line, error);
		if (!number_read(&at, &values[i]) || values[i] > columns[i].most || (values[i] < 0 && values[i] != -1))
			return value_fault(trace, i, begin, error);
		if (columns[i].is_time && values[i] != rint(values[i])) {
			fraction = true;
			values[i] = floor(values[i] + 0.5);
		}
	}
	if (trace->swf.columns > SWF_COLUMNS ? words_count(line, SWF_COLUMNS + 1) <= SWF_COLUMNS : *at != '\0')
		return columns_fault(trace, line, error);
	if (fraction)
		trace_note(trace, TRACE_FRACTIONS);
	return 0;
}

/* Read the first record: note the quirks of the whole trace, and find time 0. */
static int records_begin(struct trace *trace, const char *line, struct error *error)
{
	struct swf *swf = &trace->swf;

	swf->columns = words_count(line, 1000);
	if (swf->columns < SWF_COLUMNS_LEAST)
		return trace_fault(
			trace, error,
			"%zu columns; allowed: %d numbers, %d without a think time, or anything after them",
			swf->columns, SWF_COLUMNS, SWF_COLUMNS_LEAST);
	if (trace->lines.number == 1)
		trace_note(trace, TRACE_NO_HEADER);
	if (swf->columns != SWF_COLUMNS)
		trace_note(trace, TRACE_COLUMNS);
	if (trace->options.unix_start)
		trace->about.unix_start = trace->options.unix_start;
	return TAKE_JOB;
}

int swf_header(struct trace *trace, char *line, size_t n, struct error *error)
{
	char *text = line + (blanks_skip(line) - line);

	(void)n;
	if (*text == ';') {
		int rc = swf_comment(trace, text + 1, error);

		return rc ? rc : TAKE_NONE;
	}
	return *text ? records_begin(trace, text, error) : TAKE_NONE;
}

/* Decide by the first submission whether times are relative. */
static void zero_set(struct trace *trace, double submit)
{
	struct swf *swf = &trace->swf;

	swf->timed = true;
	if (submit >= ABSOLUTE_FROM) {
		trace_note(trace, TRACE_EPOCH_TIMES);
		swf->zero = 0;
	} else {
		if (trace->about.unix_start == 0)
			trace_note(trace, TRACE_NO_UNIX_START);
		swf->zero = trace->about.unix_start;
	}
}

static int names_take(struct trace *trace, const double values[SWF_COLUMNS], struct trace_job *job, struct error *error)
{
	struct swf *swf = &trace->swf;
	const struct {
		enum swf_column column;
		enum text_kind kind;
		struct numbered *names;
		const char **name;
	} rows[] = {
		{ SWF_USER, TEXT_USER, &swf->users, &job->user },
		{ SWF_GROUP, TEXT_GROUP, &swf->groups, &job->group },
		{ SWF_APPLICATION, TEXT_NAME, &swf->applications, &job->name },
		{ SWF_QUEUE, TEXT_QUEUE, &swf->queues, &job->queue },
		{ SWF_PARTITION, TEXT_PARTITION, &swf->partitions, &job->partition },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double value = values[rows[i].column];
		int rc = value < 0 ? 0
				   : numbered_name(trace, rows[i].names, rows[i].kind, (uint32_t)value, rows[i].name,
						   error);

		if (rc)
			return rc;
	}
	job->project = job->group;
	if (!job->user) {
		char unknown[] = "unknown";

		trace_note(trace, TRACE_NO_USER);
		return trace_text(trace, TEXT_USER, unknown, &job->user, error);
	}
	return 0;
}

static uint32_t slots_choose(struct trace *trace, double allocated, double requested)
{
	bool first = trace->options.allocated ? allocated > 0 : requested <= 0;
	double slots = first ? allocated : requested;

	if (slots <= 0)
		return 0;
	if (requested <= 0)
		trace_note(trace, TRACE_ALLOCATED);
	else if (allocated <= 0)
		trace_note(trace, TRACE_REQUESTED);
	else if (allocated != requested)
		trace_note(trace, TRACE_DIFFERENT_SLOTS);
	return (uint32_t)slots;
}

/*
 * Return whether the line is a burst of a job that was swapped out. Bursts follow the line with the
 * sums of the job.
 */
static bool is_burst(const struct swf *swf, const double values[SWF_COLUMNS])
{
	return values[SWF_STATUS] >= 2 && values[SWF_STATUS] <= 4 && swf->timed && values[SWF_NUMBER] == swf->number;
}

static void times_take(struct trace *trace, const double values[SWF_COLUMNS], struct trace_job *job)
{
	job->submit = trace->swf.zero + (int64_t)values[SWF_SUBMIT];
	job->start = values[SWF_WAIT] < 0 ? 0 : job->submit + (int64_t)values[SWF_WAIT];
	job->run_s = (int64_t)values[SWF_RUN];
	job->limit_s = values[SWF_LIMIT] > 0 && values[SWF_LIMIT] < INT_ENDLESS ? (int64_t)values[SWF_LIMIT] : 0;
	if (values[SWF_AFTER] > 0 && values[SWF_THINK] >= 0) {
		job->after = (uint32_t)values[SWF_AFTER];
		job->think_s = (int64_t)values[SWF_THINK];
	} else if (values[SWF_AFTER] > 0) {
		trace_note(trace, TRACE_NO_THINK);
	}
}

static void rest_take(struct trace *trace, const double values[SWF_COLUMNS], struct trace_job *job)
{
	static const enum trace_status status[] = { TRACE_FAILED, TRACE_DONE,	TRACE_STATUS_UNKNOWN,
						    TRACE_DONE,	  TRACE_FAILED, TRACE_CANCELLED };
	double allocated = values[SWF_ALLOCATED] > 0 ? values[SWF_ALLOCATED] : job->slots;

	if (values[SWF_STATUS] >= 0)
		job->status = status[(size_t)values[SWF_STATUS]];
	if (values[SWF_CPU] >= 0)
		job->cpu_s = values[SWF_CPU] * allocated;
	if (values[SWF_REQUESTED_MEMORY] > 0)
		job->memory_bytes = (uint64_t)values[SWF_REQUESTED_MEMORY] * 1024;
	trace->about.allocated_s += allocated * (double)job->run_s;
}

int swf_take(struct trace *trace, char *line, size_t n, struct trace_job *job, struct error *error)
{
	double values[SWF_COLUMNS];
	bool burst;
	int rc;

	(void)n;
	line += blanks_skip(line) - line;
	if (*line == ';' || *line == '\0')
		return TAKE_NONE;
	rc = line_read(trace, line, values, error);
	if (rc == 0)
		rc = names_take(trace, values, job, error);
	if (rc)
		return rc;
	trace->about.records++;
	burst = is_burst(&trace->swf, values);
	if (values[SWF_NUMBER] >= 0)
		trace->swf.number = job->number = (uint32_t)values[SWF_NUMBER];
	if (burst)
		return trace_leave(trace, TRACE_PART);
	if (values[SWF_SUBMIT] < 0)
		return trace_leave(trace, TRACE_NO_SUBMIT);
	if (!trace->swf.timed)
		zero_set(trace, values[SWF_SUBMIT]);
	if (values[SWF_STATUS] == 5 && values[SWF_RUN] <= 0)
		return trace_leave(trace, TRACE_NOT_STARTED);
	if (values[SWF_RUN] < 0)
		return trace_leave(trace, TRACE_NO_RUN_TIME);
	times_take(trace, values, job);
	job->slots = slots_choose(trace, values[SWF_ALLOCATED], values[SWF_REQUESTED]);
	if (job->slots == 0)
		return trace_leave(trace, TRACE_NO_SLOTS);
	rest_take(trace, values, job);
	return 0;
}
