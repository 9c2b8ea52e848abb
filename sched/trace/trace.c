/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/utf8.h"
#include "sched/trace/inside.h"

#define FACTOR_MOST 1e6
#define SHOWN 40		/* characters of a line that nobody knows */

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

static int reader_choose(struct trace *t, const char *line, struct error *e)
{
	enum trace_format format = t->options.format;

	for (size_t i = TRACE_ANY + 1; format == TRACE_ANY && i < TRACE_FORMATS; i++)
		if (readers[i].knows(line))
			format = (enum trace_format)i;
	if (format == TRACE_ANY)
		return trace_fault(t, e, "\"%.*s\" is of no trace; allowed: 18 numbers of SWF or its ';', accounting(5) of 45 fields, or a header of sacct -P "
				   "with JobID", SHOWN, line);
	t->about.format = format;
	t->reader = &readers[format];
	return 0;
}

/* Up to the first record, which is kept. A header alone is a trace, too. */
static int begin(struct trace *t, struct error *e)
{
	char *line;
	size_t n;
	int rc;

	while ((rc = trace_lines_next(&t->lines, &line, &n, e)) == 0) {
		if (n == 0 || *line == '#')
			continue;
		rc = t->reader ? 0 : reader_choose(t, line, e);
		if (rc == 0)
			rc = t->reader->header(t, line, n, e);
		if (rc == TAKE_NONE)
			continue;
		t->first = line;
		t->first_bytes = n;
		break;
	}
	t->about.lines = t->lines.number;
	if (rc == 1 && !t->reader)
		return error_set(e, -EINVAL, "%.160s has no line of a trace: it is empty, or all comments", t->lines.path);
	return rc < 0 ? rc : 0;
}

/* The next job of the file, as recorded. 1: there is none. */
static int job_read(struct trace *t, struct trace_job *job, struct error *e)
{
	char *line = t->first;
	size_t n = t->first_bytes;
	int rc;

	for (;; line = NULL) {
		rc = line ? 0 : trace_lines_next(&t->lines, &line, &n, e);
		if (rc)
			return rc == 1 && t->reader && t->reader->end && t->reader->end(t, e) ? -EINVAL : rc;
		t->first = NULL;
		t->about.lines = t->lines.number;
		if (n == 0 || *line == '#')
			continue;
		*job = (struct trace_job){ .line = t->lines.number, .cpu_s = -1 };
		rc = t->reader->take(t, line, n, job, e);
		if (rc != TAKE_NONE)
			return rc;
	}
}

/* All of them, sorted. */
static int rows_fill(struct trace *t, struct error *e)
{
	int64_t above = INT64_MIN;
	struct trace_job job;
	int rc;

	while ((rc = job_read(t, &job, e)) == 0) {
		if (!t->reader->by_end && job.submit < above)
			trace_note(t, TRACE_OUT_OF_ORDER);
		above = job.submit;
		rc = rows_add(&t->rows, &job);
		if (rc)
			return error_set(e, rc, rc == -E2BIG ? "%.160s has more jobs than can be sorted" : "%.160s: no memory for its jobs", t->lines.path);
	}
	if (rc < 0)
		return rc;
	return rows_sort(&t->rows) ? error_set(e, -ENOMEM, "%.160s: no memory for its jobs", t->lines.path) : 0;
}

static int options_take(struct trace *t, const struct trace_options *o, struct error *e)
{
	t->options = o ? *o : (struct trace_options){ .sort = false };
	t->user_prefix = strdup(t->options.user_prefix ? t->options.user_prefix : "user");
	t->group_prefix = strdup(t->options.group_prefix ? t->options.group_prefix : "group");
	if (!t->user_prefix || !t->group_prefix)
		return error_set(e, -ENOMEM, "out of memory");
	if (strlen(t->user_prefix) > PREFIX_MOST || strlen(t->group_prefix) > PREFIX_MOST)
		return error_set(e, -EINVAL, "what stands before the numbers of users and groups may have %d characters", PREFIX_MOST);
	t->options.user_prefix = t->user_prefix;
	t->options.group_prefix = t->group_prefix;
	if (t->options.arrival_factor == 0)
		t->options.arrival_factor = 1;
	if (!(t->options.arrival_factor > 0 && t->options.arrival_factor <= FACTOR_MOST))
		return error_set(e, -EINVAL, "times between submissions can't be %g times as long; allowed: more than 0, up to %g", t->options.arrival_factor,
				 FACTOR_MOST);
	return 0;
}

static int open_all(struct trace *t, const char *path, const struct trace_options *o, struct error *e)
{
	int rc = options_take(t, o, e);

	if (rc == 0)
		rc = trace_lines_open(&t->lines, path, e);
	if (rc == 0)
		rc = begin(t, e);
	if (rc)
		return rc;
	t->about.compressed = trace_lines_compressed(&t->lines);
	t->sorted = t->reader->by_end || t->options.sort;
	return t->sorted ? rows_fill(t, e) : 0;
}

int trace_open(struct trace **t, const char *path, const struct trace_options *o, struct error *e)
{
	int rc;

	*t = calloc(1, sizeof(**t));
	if (!*t)
		return error_set(e, -ENOMEM, "out of memory");
	rc = open_all(*t, path, o, e);
	if (rc) {
		trace_close(*t);
		*t = NULL;
	}
	return rc;
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	trace_lines_close(&t->lines);
	rows_free(&t->rows);
	swf_free(&t->swf);
	sacct_free(&t->sacct);
	for (size_t i = 0; i < TEXT_KINDS; i++)
		text_set_free(&t->texts[i]);
	free(t->user_prefix);
	free(t->group_prefix);
	free(t);
}

/* Giving */

static void tally(struct trace_tally *t, uint64_t line)
{
	if (t->n++ == 0)
		t->line = line;
}

/* Order and window, by what is recorded. */
static int job_admit(struct trace *t, const struct trace_job *job, struct error *e)
{
	const struct trace_options *o = &t->options;

	if (!t->sorted && job->submit < t->recorded)
		return trace_fault(t, e, "submitted %" PRId64 " s before the job above; allowed: lines in the order of submission, or sorting (--sort)",
				   t->recorded - job->submit);
	t->recorded = job->submit;
	if ((o->from && job->submit < o->from) || (o->until && job->submit >= o->until)) {
		tally(&t->about.left_out[TRACE_OUTSIDE], job->line);
		return TAKE_NONE;
	}
	return TAKE_JOB;
}

/* Submissions move away from the first one; how long each waited stays. */
static void job_move(struct trace *t, struct trace_job *job)
{
	int64_t wait_s = job->start - job->submit;

	if (!t->begun)
		t->origin = job->submit;
	t->begun = true;
	if (t->options.arrival_factor != 1)
		job->submit = t->origin + (int64_t)llround((double)(job->submit - t->origin) * t->options.arrival_factor);
	if (job->start)
		job->start = job->submit + wait_s;
}

static void job_limit(struct trace *t, struct trace_job *job)
{
	if (job->run_s == 0)
		tally(&t->about.quirks[TRACE_NO_TIME], job->line);
	if (job->limit_s == 0)
		tally(&t->about.quirks[TRACE_NO_LIMIT], job->line);
	if (job->limit_s > 0 && job->run_s > job->limit_s) {
		tally(&t->about.quirks[TRACE_OVER_LIMIT], job->line);
		if (t->options.keeps_limits)
			job->run_s = job->limit_s;
	}
	if (t->options.exact_limits)
		job->limit_s = job->run_s > 0 ? job->run_s : 1;
	if (!t->options.think_times)
		job->after = 0, job->think_s = 0;
}

static void job_count(struct trace_about *a, const struct trace_job *job)
{
	if (a->jobs++ == 0)
		a->submit_first = job->submit;
	a->submit_last = job->submit;
	if (job->start && job->start + job->run_s > a->end_last)
		a->end_last = job->start + job->run_s;
	if (job->slots > a->slots_most)
		a->slots_most = job->slots;
	a->slot_s += (double)job->slots * (double)job->run_s;
}

/* 1: there is none. */
static int job_next(struct trace *t, struct trace_job *job, struct error *e)
{
	bool again = false;

	if (!t->sorted)
		return job_read(t, job, e);
	while (rows_next(&t->rows, job, &again)) {
		if (!again || !t->reader->by_end)
			return 0;
		tally(&t->about.left_out[TRACE_AGAIN], job->line);
	}
	return 1;
}

int trace_next(struct trace *t, struct trace_job *job, struct error *e)
{
	while (t->rc == 0) {
		t->rc = job_next(t, job, &t->error);
		if (t->rc == 0) {
			int rc = job_admit(t, job, &t->error);

			if (rc == TAKE_NONE)
				continue;
			t->rc = rc;
		}
		if (t->rc)
			break;
		job_move(t, job);
		job_limit(t, job);
		job_count(&t->about, job);
		return 0;
	}
	return t->rc < 0 ? error_set(e, t->rc, "%s", t->error.text) : t->rc;
}

double trace_progress(const struct trace *t)
{
	return t->sorted ? rows_progress(&t->rows) : trace_lines_progress(&t->lines);
}

/* What readers say */

int trace_fault(const struct trace *t, struct error *e, const char *format, ...)
{
	char words[sizeof(e->text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	return error_set(e, -EINVAL, "%.80s:%" PRIu64 ": %s", t->lines.path, t->lines.number, words);
}

int trace_leave(struct trace *t, enum trace_reason reason)
{
	tally(&t->about.left_out[reason], t->lines.number);
	return TAKE_NONE;
}

void trace_note(struct trace *t, enum trace_quirk quirk)
{
	tally(&t->about.quirks[quirk], t->lines.number);
}

void trace_started(struct trace *t, struct trace_job *job, int64_t start)
{
	if (start > 0 && start < job->submit) {
		trace_note(t, TRACE_EARLY);
		start = job->submit;
	}
	job->start = start - job->submit <= SECONDS_MOST ? start : 0;
}

static void texts_count(struct trace *t)
{
	t->about.users = t->texts[TEXT_USER].n;
	t->about.groups = t->texts[TEXT_GROUP].n;
	/* SWF's groups are both */
	t->about.projects = t->about.format == TRACE_SWF ? t->about.groups : t->texts[TEXT_PROJECT].n;
	t->about.queues = t->texts[TEXT_QUEUE].n;
	t->about.partitions = t->texts[TEXT_PARTITION].n;
}

int trace_text(struct trace *t, enum text_kind kind, char *text, const char **kept, struct error *e)
{
	struct text_set *set = &t->texts[kind];
	uint32_t number;
	size_t before = set->n;

	if (utf8_clean(text) > 0)
		trace_note(t, TRACE_ODD_NAMES);
	if ((set->n >= TEXTS_MOST || t->text_bytes >= TEXT_BYTES_MOST) && text_set_find(set, text) == INDEX_NONE) {
		*kept = NULL;
		if (kind != TEXT_NAME)
			return trace_fault(t, e, "too many different names: %zu of this kind, %zu bytes of all", set->n, t->text_bytes);
		trace_note(t, TRACE_NO_NAME);
		return 0;
	}
	if (text_set_add(set, text, &number))
		return error_set(e, -ENOMEM, "out of memory");
	*kept = set->texts[number];
	if (set->n > before) {
		t->text_bytes += strlen(text) + 1;
		texts_count(t);
	}
	return 0;
}
