/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader of accounting(5) as a trace: a line for each task that has ended. accounting_record.h
 * splits the lines.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/number.h"
#include "conf/text.h"
#include "sched/trace/accounting_record.h"
#include "sched/trace/inside.h"

bool accounting_knows(const char *line)
{
	size_t colons = 0;
	const char *number = NULL;

	for (const char *at = strchr(line, ':'); at; at = strchr(at + 1, ':'))
		if (++colons == ACCOUNTED_NUMBER)
			number = at + 1;
	return colons >= ACCOUNTING_FIELDS_LEAST - 1 && isdigit((unsigned char)*number);
}

int accounting_header(struct trace *trace, char *line, size_t n, struct error *error)
{
	(void)trace, (void)line, (void)n, (void)error;
	return TAKE_JOB;
}

/* Read a whole number, or the whole part of a number with a fraction. */
static int field_read(struct trace *trace, char *const fields[], size_t field, int64_t least, int64_t most,
		      int64_t *value, struct error *error)
{
	double number;

	if (number_double(fields[field], &number) || number < (double)least || number > (double)most)
		return trace_fault(trace, error, "field %zu, %s, is \"%.40s\"; allowed: %" PRId64 " to %" PRId64,
				   field + 1, accounting_field_name((enum accounting_field)field), fields[field], least,
				   most);
	*value = (int64_t)number;
	return 0;
}

struct record {
	/* `exit` -1: the job continues */
	int64_t number, submit, start, end, failed, exit, wallclock_s, slots, task;
};

static int record_read(struct trace *trace, char *const fields[], struct record *record, struct error *error)
{
	const struct {
		size_t field;
		int64_t least, most, *value;
	} rows[] = {
		{ ACCOUNTED_NUMBER, 0, UINT32_MAX, &record->number },
		{ SUBMISSION_TIME, 0, TIME_MOST, &record->submit },
		{ START_TIME, 0, TIME_MOST, &record->start },
		{ END_TIME, 0, TIME_MOST, &record->end },
		{ FAILED, 0, UINT32_MAX, &record->failed },
		{ EXIT_STATUS, -1, UINT32_MAX, &record->exit },
		{ RU_WALLCLOCK, 0, TIME_MOST, &record->wallclock_s },
		{ SLOTS, 0, SLOTS_MOST, &record->slots },
		{ TASK_NUMBER, 0, UINT32_MAX, &record->task },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int rc = field_read(trace, fields, rows[i].field, rows[i].least, rows[i].most, rows[i].value, error);

		if (rc)
			return rc;
	}
	return 0;
}

/* Return the hard requests of the category, terminated in place. */
static char *hard_cut(char *category)
{
	const char *found = accounting_hard(category);
	char *hard = found ? category + (found - category) : NULL;

	if (hard)
		hard[strcspn(hard, " \t")] = '\0';
	return hard;
}

/* Return the smaller of h_rt and s_rt; 0: none, or infinite. */
static int64_t limit_find(const char *hard)
{
	static const char *const names[] = { "h_rt", "s_rt" };
	int64_t limit_s = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char value[ACCOUNTING_VALUE_BYTES];
		uint32_t seconds;

		if (accounting_request(hard, names[i], value) && number_time(value, &seconds) == 0 && seconds > 0 &&
		    seconds <= SECONDS_MOST && (limit_s == 0 || seconds < limit_s))
			limit_s = seconds;
	}
	return limit_s;
}

static uint64_t memory_find(const char *hard)
{
	char value[ACCOUNTING_VALUE_BYTES];
	double bytes;

	if (!accounting_request(hard, "h_vmem", value) || number_parse(value, &bytes) || bytes < 0 || bytes > 1e18)
		return 0;
	return (uint64_t)bytes;
}

static int texts_take(struct trace *trace, char *fields[], size_t n, struct trace_job *job, struct error *error)
{
	char *hard = n > CATEGORY && !text_is_none(fields[CATEGORY]) ? hard_cut(fields[CATEGORY]) : NULL,
	     unknown[] = "unknown";
	const struct {
		char *text;
		enum text_kind kind;
		const char **kept;
	} rows[] = {
		{ fields[QNAME], TEXT_QUEUE, &job->queue },
		{ fields[GROUP], TEXT_GROUP, &job->group },
		{ fields[ACCOUNTED_NAME], TEXT_NAME, &job->name },
		{ *fields[OWNER] ? fields[OWNER] : unknown, TEXT_USER, &job->user },
		{ fields[PROJECT], TEXT_PROJECT, &job->project },
		{ fields[DEPARTMENT], TEXT_DEPARTMENT, &job->department },
		{ fields[GRANTED_PE], TEXT_PE, &job->pe },
		{ hard, TEXT_HARD, &job->hard },
	};

	if (!*fields[OWNER])
		trace_note(trace, TRACE_NO_USER);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool nothing = !rows[i].text || text_is_none(rows[i].text) ||
			       (rows[i].kind == TEXT_QUEUE && strcmp(rows[i].text, "UNKNOWN") == 0);
		int rc = nothing && rows[i].kind != TEXT_USER && rows[i].kind != TEXT_NAME
				 ? 0
				 : trace_text(trace, rows[i].kind, rows[i].text, rows[i].kept, error);

		if (rc)
			return rc;
	}
	if (job->hard) {
		job->limit_s = limit_find(job->hard);
		job->memory_bytes = memory_find(job->hard);
	}
	return 0;
}

static int record_give(struct trace *trace, const struct record *record, struct trace_job *job)
{
	if (record->submit == 0)
		return trace_leave(trace, TRACE_NO_SUBMIT);
	if (record->exit < 0)
		return trace_leave(trace, TRACE_NOT_ENDED);
	if (record->start == 0)
		return trace_leave(trace, TRACE_NOT_STARTED);
	job->run_s = record->end >= record->start ? record->end - record->start : record->wallclock_s;
	if (job->run_s > SECONDS_MOST || (record->end < record->start && record->wallclock_s == 0))
		return trace_leave(trace, TRACE_NO_RUN_TIME);
	if (record->slots == 0)
		return trace_leave(trace, TRACE_NO_SLOTS);
	if (record->end >= record->start && llabs(record->wallclock_s - job->run_s) > 1)
		trace_note(trace, TRACE_WALLCLOCK);
	job->number = (uint32_t)record->number;
	job->task = (uint32_t)record->task;
	job->is_array = record->task > 0;
	job->slots = (uint32_t)record->slots;
	job->submit = record->submit;
	job->status = record->failed == 0 && record->exit == 0 ? TRACE_DONE : TRACE_FAILED;
	trace_started(trace, job, record->start);
	trace->about.allocated_s += (double)job->slots * (double)job->run_s;
	return 0;
}

int accounting_take(struct trace *trace, char *line, size_t n, struct trace_job *job, struct error *error)
{
	struct accounting_fields accounting_fields;
	char **fields = accounting_fields.texts;
	struct error fault;
	struct record record;
	int rc;

	(void)n;
	if (accounting_split(line, &accounting_fields, &fault))
		return trace_fault(trace, error, "%s", fault.text);
	if (accounting_fields.colons)
		trace_note(trace, TRACE_COLONS);
	if (accounting_fields.more)
		trace_note(trace, TRACE_MORE_FIELDS);
	rc = record_read(trace, fields, &record, error);
	if (rc)
		return rc;
	trace->about.records++;
	if (accounting_fields.n > PE_TASKID && !text_is_none(fields[PE_TASKID]))
		return trace_leave(trace, TRACE_PART);
	if (accounting_fields.n > CPU && number_double(fields[CPU], &job->cpu_s))
		job->cpu_s = -1;
	rc = texts_take(trace, fields, accounting_fields.n, job, error);
	return rc ? rc : record_give(trace, &record, job);
}
