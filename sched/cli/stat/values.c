/* SPDX-License-Identifier: Apache-2.0 */
/* Values of columns as text and as sort keys. */
#include <math.h>
#include <stdio.h>

#include "sched/cli/stat/columns.h"
#include "sched/process/digits.h"

/* Write "0:00:31" or "3-04:05:06". */
static void duration_text(int64_t seconds, char *to)
{
	int64_t s = seconds < 0 ? 0 : seconds;

	if (s < 86400)
		snprintf(to, COLUMN_BYTES, "%d:%02d:%02d", (int)(s / 3600), (int)(s / 60 % 60), (int)(s % 60));
	else
		snprintf(to, COLUMN_BYTES, "%lld-%02d:%02d:%02d", (long long)(s / 86400), (int)(s / 3600 % 24),
			 (int)(s / 60 % 60), (int)(s % 60));
}

static void time_text(const struct column_run *run, int64_t time, char *to)
{
	if (time)
		*clock_put(&run->listing->clock, to, time, run->listing->time_format) = '\0';
	else
		strcpy(to, "-");
}

/* Write as many ranges as fit. */
static void ids_text(const struct fl_job *job, char *to)
{
	char *p = to, *end = to + COLUMN_BYTES - 64;

	if (job->is_started || !job->nranges) {
		*digits_u64(p, job->task) = '\0';
		return;
	}
	for (size_t k = 0; k < job->nranges; k++) {
		const struct fl_range range = job->tasks[k];

		if (p >= end) {
			strcpy(p, "...");
			return;
		}
		p += sprintf(p, k ? ",%u" : "%u", range.min);
		if (range.max > range.min)
			p += range.max - range.min == range.step ? sprintf(p, ",%u", range.max)
								 : sprintf(p, "-%u:%u", range.max, range.step);
	}
}

static bool is_one_of(const char *kind, const char *const *kinds)
{
	while (*kinds && strcmp(kind, *kinds) != 0)
		kinds++;
	return *kinds;
}

/*
 * Return how important a reason is. Reasons about instances that the job excludes count least.
 * Reasons about the job's own request count most.
 */
static int worth(const struct fl_why *why)
{
	static const char *const aside[] = { "queue_request", "qtype",	     "pe_list", "ckpt_list",
					     "others",	      "not_reached", NULL };
	static const char *const general[] = { "disabled", "overloaded",   "suspended_by_load",
					       "full",	   "host_unknown", NULL };

	return is_one_of(why->kind, aside) ? 0 : is_one_of(why->kind, general) ? 1 : 2;
}

static bool is_own(const struct fl_why *why)
{
	return !strcmp(why->kind, "on_hold") || !strcmp(why->kind, "predecessor") || !strcmp(why->kind, "in_error");
}

/*
 * Find the most important reason. Among equal ones, the reason for most instances wins; among the
 * job's own, the first. Return false if there is no reason.
 */
static bool most_telling(const struct column_run *run, uint32_t job_number, struct fl_why *most)
{
	struct fl_why why;
	size_t k = 0;

	for (; fl_why(run->view, job_number, k, &why) == 0; k++) {
		bool better =
			k == 0 || worth(&why) > worth(most) || (worth(&why) == worth(most) && why.count > most->count);

		if (better)
			*most = why;
		if (is_own(&why))
			break;
	}
	return k > 0 || is_own(most);
}

/* Write the reason. Rows of held or failed tasks of an array have reasons of their own. */
static void why_text(const struct column_run *run, const struct fl_job *job, char *to)
{
	struct fl_why most = { .kind = "" };
	bool found = most_telling(run, job->job_number, &most);

	if (strchr(job->state, 'E') && strcmp(most.kind, "in_error") != 0)
		strcpy(to, "it is in error state");
	else if (!strchr(job->state, 'E') && strchr(job->state, 'h') && strcmp(most.kind, "on_hold") != 0 &&
		 strcmp(most.kind, "predecessor") != 0)
		strcpy(to, "it is held");
	else if (found)
		fl_why_text(&most, to, COLUMN_BYTES);
}

static void string_text(const char *text, char *to)
{
	snprintf(to, COLUMN_BYTES, "%s", *text ? text : "-");
}

static void contribution_text(double value, char *to)
{
	if (isfinite(value) && value > 99999999)
		snprintf(to, COLUMN_BYTES, "%.3g", value);
	else
		*digits_fixed(to, value, 0) = '\0';
}

static void usage_text(const struct fl_job *job, const struct stat_field *field, char *to)
{
	if (!job->is_started || !job->has_usage)
		strcpy(to, "-");
	else if (field->type == STAT_CPU)
		*text_duration(to, stat_real(job, field)) = '\0';
	else
		*digits_fixed(to, stat_real(job, field), 5) = '\0';
}

static void field_text(const struct stat_field *field, const struct column_run *run, const struct fl_job *job, char *to)
{
	switch (field->type) {
	case STAT_NUMBER: *digits_u64(to, *(const uint32_t *)stat_at(job, field)) = '\0'; break;
	case STAT_ID:
		if (*(const uint32_t *)stat_at(job, field))
			*digits_u64(to, *(const uint32_t *)stat_at(job, field)) = '\0';
		break;
	case STAT_SIGNED: *digits_i64(to, *(const int32_t *)stat_at(job, field)) = '\0'; break;
	case STAT_BOOL: strcpy(to, *(const bool *)stat_at(job, field) ? "yes" : "no"); break;
	case STAT_KIND: strcpy(to, job->is_started ? "running" : "pending"); break;
	case STAT_LETTERS: string_text(stat_at(job, field), to); break;
	case STAT_TEXT:
	case STAT_NAME:
	case STAT_REQUESTS:
	case STAT_PE:
	case STAT_GRANTED:
	case STAT_QUEUE:
		string_text(stat_string(job, field), to);
		break;
	case STAT_SUBMITTED: case STAT_STARTED: case STAT_TIME: time_text(run, stat_time(job, field), to); break;
	case STAT_TASKS: ids_text(job, to); break;
	case STAT_CPU: case STAT_USAGE: usage_text(job, field, to); break;
	case STAT_PRIO:
		if (run->prio_is_whole)
			*digits_truncated(to, stat_real(job, field)) = '\0';
		else
			*digits_fixed(to, stat_real(job, field), 5) = '\0';
		break;
	case STAT_NORMALISED: *digits_fixed(to, stat_real(job, field), 5) = '\0'; break;
	case STAT_CONTRIBUTION: contribution_text(stat_real(job, field), to); break;
	case STAT_TICKETS: *digits_truncated(to, stat_real(job, field)) = '\0'; break;
	case STAT_SHARE: *digits_fixed(to, stat_real(job, field), 2) = '\0'; break;
	case STAT_TYPES: *to = '\0'; break;
	}
}

static int64_t waited(const struct column_run *run, const struct fl_job *job)
{
	return (job->is_started ? job->start_time : run->now) - job->submission_time;
}

static int64_t lasted(const struct column_run *run, const struct fl_job *job)
{
	return job->is_started ? run->now - job->start_time : waited(run, job);
}

void column_text(const struct named_column *column, const struct column_run *run, const struct fl_job *job, char *to)
{
	strcpy(to, "-");
	switch (column->kind) {
	case COLUMN_FIELD: field_text(column->field, run, job, to); break;
	case COLUMN_PLACE: if (run->listing->at.place) *digits_u64(to, run->listing->at.place) = '\0'; break;
	case COLUMN_WAITS: duration_text(waited(run, job), to); break;
	case COLUMN_RUNS: if (job->is_started) duration_text(run->now - job->start_time, to); break;
	case COLUMN_FOR: duration_text(lasted(run, job), to); break;
	case COLUMN_AT: time_text(run, job->is_started ? job->start_time : job->submission_time, to); break;
	case COLUMN_TASK_IDS: if (job->is_array) ids_text(job, to); break;
	case COLUMN_WHY: if (!job->is_started) why_text(run, job, to); break;
	case COLUMN_WHERE:
		if (job->is_started)
			string_text(job->queue, to);
		else
			why_text(run, job, to);
		break;
	}
}

/* Sorting */

bool column_has_key(const struct named_column *column)
{
	return column->kind != COLUMN_WHY && column->kind != COLUMN_WHERE;
}

static double letters_number(const char *letters)
{
	double number = 0.0;

	/* more letters than any state has; a double holds all of them exactly */
	for (int k = 0; k < 6; k++) {
		number = number * 256 + (unsigned char)*letters;
		letters += *letters != '\0';
	}
	return number;
}

static struct column_key field_key(const struct stat_field *field, const struct fl_job *job)
{
	switch (field->type) {
	case STAT_NUMBER: case STAT_ID: return (struct column_key){ .number = *(const uint32_t *)stat_at(job, field) };
	case STAT_SIGNED: return (struct column_key){ .number = *(const int32_t *)stat_at(job, field) };
	case STAT_BOOL: return (struct column_key){ .number = *(const bool *)stat_at(job, field) };
	case STAT_KIND: return (struct column_key){ .number = !job->is_started };
	case STAT_LETTERS: return (struct column_key){ .number = letters_number(stat_at(job, field)) };
	case STAT_TEXT: case STAT_NAME: case STAT_REQUESTS: case STAT_PE: case STAT_GRANTED: case STAT_QUEUE:
		return (struct column_key){ .text = stat_string(job, field) };
	case STAT_SUBMITTED:
	case STAT_STARTED:
	case STAT_TIME:
		return (struct column_key){ .number = (double)stat_time(job, field) };
	case STAT_TASKS: return (struct column_key){ .number = job->task };
	case STAT_CPU:
	case STAT_USAGE:
		return (struct column_key){ .number = job->is_started && job->has_usage ? stat_real(job, field) : -1 };
	default: return (struct column_key){ .number = stat_real(job, field) };
	}
}

struct column_key column_key(const struct named_column *column, const struct column_run *run, const struct fl_job *job)
{
	switch (column->kind) {
	case COLUMN_FIELD: return field_key(column->field, job);
	case COLUMN_PLACE:
		return (struct column_key){ .number = run->listing->at.place ? (double)run->listing->at.place
						      : job->is_started	     ? 0
									     : INFINITY };
	case COLUMN_WAITS: return (struct column_key){ .number = (double)waited(run, job) };
	case COLUMN_RUNS:
		return (struct column_key){ .number = job->is_started ? (double)(run->now - job->start_time) : -1 };
	case COLUMN_FOR: return (struct column_key){ .number = (double)lasted(run, job) };
	case COLUMN_AT:
		return (struct column_key){ .number = (double)(job->is_started ? job->start_time
									       : job->submission_time) };
	default: return (struct column_key){ .number = job->task };
	}
}
