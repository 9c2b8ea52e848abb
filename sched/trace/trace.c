/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/trace/inside.h"

#define FACTOR_MOST 1e6
#define SHOWN 40		/* characters of an unrecognised line in a message */

static const struct trace_reader readers[TRACE_FORMATS] = {
	[TRACE_ANY] = { .name = "any" },
	[TRACE_SWF] = { "swf", swf_knows, swf_header, swf_take, NULL, false },
	[TRACE_ACCOUNTING] = { "accounting", accounting_knows, accounting_header, accounting_take, NULL, true },
	[TRACE_SACCT] = { "sacct", sacct_knows, sacct_header, sacct_take, sacct_end, true },
};

const char *trace_format_name(enum trace_format format)
{
	return readers[format].name;
}

bool trace_format_find(const char *name, enum trace_format *format)
{
	for (size_t i = 0; i < TRACE_FORMATS; i++)
		if (strcmp(readers[i].name, name) == 0) {
			*format = (enum trace_format)i;
			return true;
		}
	return false;
}

/* Opening */

static int reader_choose(struct trace *trace, const char *line, struct error *error)
{
	enum trace_format format = trace->options.format;

	for (size_t i = TRACE_ANY + 1; format == TRACE_ANY && i < TRACE_FORMATS; i++)
		if (readers[i].knows(line))
			format = (enum trace_format)i;
	if (format == TRACE_ANY)
		return trace_fault(
			trace, error,
			"\"%.*s\" is not a line of a trace; allowed: 18 numbers of SWF or its ';', accounting(5) of 45 "
			"fields, or a header of sacct -P "
			"with JobID",
			SHOWN, line);
	trace->about.format = format;
	trace->reader = &readers[format];
	return 0;
}

/* Read up to the first record, which is kept. A header without records is a valid trace. */
static int begin(struct trace *trace, struct error *error)
{
	char *line;
	size_t n;
	int rc;

	while ((rc = trace_lines_next(&trace->lines, &line, &n, error)) == 0) {
		if (n == 0 || *line == '#')
			continue;
		rc = trace->reader ? 0 : reader_choose(trace, line, error);
		if (rc == 0)
			rc = trace->reader->header(trace, line, n, error);
		if (rc == TAKE_NONE)
			continue;
		trace->first = line;
		trace->first_bytes = n;
		break;
	}
	trace->about.lines = trace->lines.number;
	if (rc == 1 && !trace->reader)
		return error_set(error, -EINVAL, "%.160s has no line of a trace: it is empty or has only comments",
				 trace->lines.path);
	return rc < 0 ? rc : 0;
}

/* Read the next job of the file as recorded. 1: there is none. */
static int job_read(struct trace *trace, struct trace_job *job, struct error *error)
{
	char *line = trace->first;
	size_t n = trace->first_bytes;
	int rc;

	for (;; line = NULL) {
		rc = line ? 0 : trace_lines_next(&trace->lines, &line, &n, error);
		if (rc)
			return rc == 1 && trace->reader && trace->reader->end && trace->reader->end(trace, error)
				       ? -EINVAL
				       : rc;
		trace->first = NULL;
		trace->about.lines = trace->lines.number;
		if (n == 0 || *line == '#')
			continue;
		*job = (struct trace_job){ .line = trace->lines.number, .cpu_s = -1 };
		rc = trace->reader->take(trace, line, n, job, error);
		if (rc != TAKE_NONE)
			return rc;
	}
}

/* Read all jobs and sort them. */
static int rows_fill(struct trace *trace, struct error *error)
{
	int64_t above = INT64_MIN;
	struct trace_job job;
	int rc;

	while ((rc = job_read(trace, &job, error)) == 0) {
		if (!trace->reader->by_end && job.submit < above)
			trace_note(trace, TRACE_OUT_OF_ORDER);
		above = job.submit;
		rc = rows_add(&trace->rows, &job);
		if (rc)
			return error_set(error, rc,
					 rc == -E2BIG ? "%.160s has more jobs than can be sorted"
						      : "%.160s: out of memory",
					 trace->lines.path);
	}
	if (rc < 0)
		return rc;
	return rows_sort(&trace->rows) ? error_set(error, -ENOMEM, "%.160s: out of memory", trace->lines.path)
				       : 0;
}

static int options_take(struct trace *trace, const struct trace_options *options, struct error *error)
{
	trace->options = options ? *options : (struct trace_options){ .sort = false };
	trace->user_prefix = strdup(trace->options.user_prefix ? trace->options.user_prefix : "user");
	trace->group_prefix = strdup(trace->options.group_prefix ? trace->options.group_prefix : "group");
	if (!trace->user_prefix || !trace->group_prefix)
		return error_set(error, -ENOMEM, "out of memory");
	if (strlen(trace->user_prefix) > PREFIX_MOST || strlen(trace->group_prefix) > PREFIX_MOST)
		return error_set(error, -EINVAL,
				 "the prefixes of user and group numbers may have %d characters",
				 PREFIX_MOST);
	trace->options.user_prefix = trace->user_prefix;
	trace->options.group_prefix = trace->group_prefix;
	if (trace->options.arrival_factor == 0)
		trace->options.arrival_factor = 1;
	if (!(trace->options.arrival_factor > 0 && trace->options.arrival_factor <= FACTOR_MOST))
		return error_set(error, -EINVAL,
				 "%g is not a factor of times between submissions; allowed: more than 0, up to %g",
				 trace->options.arrival_factor, FACTOR_MOST);
	return 0;
}

static int open_all(struct trace *trace, const char *path, const struct trace_options *options, struct error *error)
{
	int rc = options_take(trace, options, error);

	if (rc == 0)
		rc = trace_lines_open(&trace->lines, path, error);
	if (rc == 0)
		rc = begin(trace, error);
	if (rc)
		return rc;
	trace->about.compressed = trace_lines_compressed(&trace->lines);
	trace->sorted = trace->reader->by_end || trace->options.sort;
	return trace->sorted ? rows_fill(trace, error) : 0;
}

int trace_open(struct trace **trace, const char *path, const struct trace_options *options, struct error *error)
{
	int rc;

	*trace = calloc(1, sizeof(**trace));
	if (!*trace)
		return error_set(error, -ENOMEM, "out of memory");
	rc = open_all(*trace, path, options, error);
	if (rc) {
		trace_close(*trace);
		*trace = NULL;
	}
	return rc;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	trace_lines_close(&trace->lines);
	rows_free(&trace->rows);
	swf_free(&trace->swf);
	sacct_free(&trace->sacct);
	for (size_t i = 0; i < TEXT_KINDS; i++)
		text_set_free(&trace->texts[i]);
	free(trace->user_prefix);
	free(trace->group_prefix);
	free(trace);
}

/* Output */

static void tally(struct trace_tally *trace_tally, uint64_t line)
{
	if (trace_tally->n++ == 0)
		trace_tally->line = line;
}

/* Check the order and the window of recorded times. */
static int job_admit(struct trace *trace, const struct trace_job *job, struct error *error)
{
	const struct trace_options *options = &trace->options;

	if (!trace->sorted && job->submit < trace->recorded)
		return trace_fault(
			trace, error,
			"submitted %" PRId64
			" s before the job above; allowed: lines in the order of submission, or sorting (--sort)",
			trace->recorded - job->submit);
	trace->recorded = job->submit;
	if ((options->from && job->submit < options->from) || (options->until && job->submit >= options->until)) {
		tally(&trace->about.left_out[TRACE_OUTSIDE], job->line);
		return TAKE_NONE;
	}
	return TAKE_JOB;
}

/* Scale the times between submissions, beginning at the first one. Waiting times are unchanged. */
static void job_move(struct trace *trace, struct trace_job *job)
{
	int64_t wait_s = job->start - job->submit;

	if (!trace->begun)
		trace->origin = job->submit;
	trace->begun = true;
	if (trace->options.arrival_factor != 1)
		job->submit = trace->origin +
			      (int64_t)llround((double)(job->submit - trace->origin) * trace->options.arrival_factor);
	if (job->start)
		job->start = job->submit + wait_s;
}

static void job_limit(struct trace *trace, struct trace_job *job)
{
	if (job->run_s == 0)
		tally(&trace->about.quirks[TRACE_NO_TIME], job->line);
	if (job->limit_s == 0)
		tally(&trace->about.quirks[TRACE_NO_LIMIT], job->line);
	if (job->limit_s > 0 && job->run_s > job->limit_s) {
		tally(&trace->about.quirks[TRACE_OVER_LIMIT], job->line);
		if (trace->options.keeps_limits)
			job->run_s = job->limit_s;
	}
	if (trace->options.exact_limits)
		job->limit_s = job->run_s > 0 ? job->run_s : 1;
	if (!trace->options.think_times)
		job->after = 0, job->think_s = 0;
}

static void job_count(struct trace_about *about, const struct trace_job *job)
{
	if (about->jobs++ == 0)
		about->submit_first = job->submit;
	about->submit_last = job->submit;
	if (job->start && job->start + job->run_s > about->end_last)
		about->end_last = job->start + job->run_s;
	if (job->slots > about->slots_most)
		about->slots_most = job->slots;
	about->slot_s += (double)job->slots * (double)job->run_s;
}

/* Return the next job. 1: there is none. */
static int job_next(struct trace *trace, struct trace_job *job, struct error *error)
{
	bool again = false;

	if (!trace->sorted)
		return job_read(trace, job, error);
	while (rows_next(&trace->rows, job, &again)) {
		if (!again || !trace->reader->by_end)
			return 0;
		tally(&trace->about.left_out[TRACE_AGAIN], job->line);
	}
	return 1;
}

int trace_next(struct trace *trace, struct trace_job *job, struct error *error)
{
	while (trace->rc == 0) {
		trace->rc = job_next(trace, job, &trace->error);
		if (trace->rc == 0) {
			int rc = job_admit(trace, job, &trace->error);

			if (rc == TAKE_NONE)
				continue;
			trace->rc = rc;
		}
		if (trace->rc)
			break;
		job_move(trace, job);
		job_limit(trace, job);
		job_count(&trace->about, job);
		return 0;
	}
	return trace->rc < 0 ? error_set(error, trace->rc, "%s", trace->error.text) : trace->rc;
}

/* Functions for readers */

int trace_fault(const struct trace *trace, struct error *error, const char *format, ...)
{
	char words[sizeof(error->text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	return error_set(error, -EINVAL, "%.80s:%" PRIu64 ": %s", trace->lines.path, trace->lines.number, words);
}

int trace_leave(struct trace *trace, enum trace_reason reason)
{
	tally(&trace->about.left_out[reason], trace->lines.number);
	return TAKE_NONE;
}

void trace_note(struct trace *trace, enum trace_quirk quirk)
{
	tally(&trace->about.quirks[quirk], trace->lines.number);
}

void trace_started(struct trace *trace, struct trace_job *job, int64_t start)
{
	if (start > 0 && start < job->submit) {
		trace_note(trace, TRACE_EARLY);
		start = job->submit;
	}
	job->start = start - job->submit <= SECONDS_MOST ? start : 0;
}

static void texts_count(struct trace *trace)
{
	trace->about.users = trace->texts[TEXT_USER].n;
	trace->about.groups = trace->texts[TEXT_GROUP].n;
	/* groups of SWF are used as both */
	trace->about.projects = trace->about.format == TRACE_SWF ? trace->about.groups : trace->texts[TEXT_PROJECT].n;
	trace->about.queues = trace->texts[TEXT_QUEUE].n;
	trace->about.partitions = trace->texts[TEXT_PARTITION].n;
}

int trace_text(struct trace *trace, enum text_kind kind, char *text, const char **kept, struct error *error)
{
	struct text_set *set = &trace->texts[kind];
	uint32_t number;
	size_t before = set->n;

	if (utf8_clean(text) > 0)
		trace_note(trace, TRACE_ODD_NAMES);
	if ((set->n >= TEXTS_MOST || trace->text_bytes >= TEXT_BYTES_MOST) && text_set_find(set, text) == INDEX_NONE) {
		*kept = NULL;
		if (kind != TEXT_NAME)
			return trace_fault(trace, error, "too many different names: %zu of this kind, %zu bytes of all",
					   set->n, trace->text_bytes);
		trace_note(trace, TRACE_NO_NAME);
		return 0;
	}
	if (text_set_add(set, text, &number))
		return error_set(error, -ENOMEM, "out of memory");
	*kept = set->texts[number];
	if (set->n > before) {
		trace->text_bytes += strlen(text) + 1;
		texts_count(trace);
	}
	return 0;
}
