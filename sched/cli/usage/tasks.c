/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/cli/acct/acct.h"
#include "sched/cli/usage/usage.h"

static const enum accounting_field fields[USAGE_YEAR] = {
	[USAGE_USER] = OWNER,	[USAGE_GROUP] = GROUP, [USAGE_PROJECT] = PROJECT, [USAGE_DEPARTMENT] = DEPARTMENT,
	[USAGE_ACCOUNT] = ACCOUNT, [USAGE_QUEUE] = QNAME, [USAGE_HOST] = HOSTNAME, [USAGE_PE] = GRANTED_PE,
};

struct span { int64_t begin, end; };	/* epoch seconds, the end excluded */

static bool is_selected(const struct usage_query *query, const struct accounting_record *record)
{
	return (!query->user || strcmp(query->user, accounting_text(record, OWNER)) == 0) &&
	       (!query->project || strcmp(query->project, accounting_text(record, PROJECT)) == 0);
}

/* Return whether a value is a time from 1 to USAGE_TIME_MOST. */
static bool is_time(double value)
{
	return value >= 1 && value <= (double)USAGE_TIME_MOST;
}

/* Find the run time of a task. The submission of a task that did not start counts as both ends. */
static int span_find(const struct accounting_record *record, struct span *span)
{
	double start = record->numbers[START_TIME], end = record->numbers[END_TIME],
	       submission = record->numbers[SUBMISSION_TIME];

	if (start == 0 && is_time(submission))
		*span = (struct span){ (int64_t)submission, (int64_t)submission };
	else if (is_time(start) && is_time(end) && end >= start)
		*span = (struct span){ (int64_t)start, (int64_t)end };
	else
		return 1;
	return 0;
}

/* Return the usage of the whole task. */
static struct usage_sum whole(const struct accounting_record *record)
{
	const double *n = record->numbers;
	bool is_master = strcmp(accounting_text(record, PE_TASKID), "NONE") == 0, has_started = n[START_TIME] > 0;
	double wait = has_started ? fmax(n[START_TIME] - n[SUBMISSION_TIME], 0) : 0;
	struct usage_sum sum = { .cpu_s = n[CPU], .mem_gbs = n[MEM], .io_gb = n[IO] };

	if (!is_master)
		return sum;
	sum.jobs = 1;
	sum.waits = has_started;
	sum.waiting_s = sum.longest_wait_s = wait;
	sum.wallclock_s = n[RU_WALLCLOCK];
	sum.slot_s = n[RU_WALLCLOCK] * n[SLOTS];
	return sum;
}

/* Return a part of the usage. The task itself is counted in the part in which it ended. */
static struct usage_sum part_of(const struct usage_sum *sum, double part, bool has_end)
{
	struct usage_sum result = has_end ? *sum : (struct usage_sum){ 0 };

	result.wallclock_s = sum->wallclock_s * part;
	result.slot_s = sum->slot_s * part;
	result.cpu_s = sum->cpu_s * part;
	result.mem_gbs = sum->mem_gbs * part;
	result.io_gb = sum->io_gb * part;
	return result;
}

/* Write the values of the keys, for the period that begins at `time`. */
static int keys_write(char **keys, const struct usage_query *query, const struct accounting_record *record,
		      int64_t time)
{
	size_t length;
	FILE *file = open_memstream(keys, &length);

	if (!file)
		return -ENOMEM;
	for (size_t k = 0; k < query->nby; k++) {
		char name[USAGE_PERIOD_BYTES];

		if (query->by[k] >= USAGE_YEAR)
			usage_period_name(query->by[k], time, name);
		fputs(query->by[k] >= USAGE_YEAR ? name : accounting_text(record, fields[query->by[k]]), file);
		fputc(USAGE_SEPARATOR, file);
	}
	return fclose(file) ? -ENOMEM : 0;
}

static int add(struct usage_sums *sums, const struct usage_query *query, const struct accounting_record *record,
	       const struct usage_sum *part, int64_t time)
{
	char *keys = NULL;
	int rc = keys_write(&keys, query, record, time);

	if (rc == 0)
		rc = usage_sums_add(sums, keys, part);
	free(keys);
	return rc;
}

/* Return the end of the shortest period of the keys that contains `time`. */
static int64_t next_edge(const struct usage_query *query, int64_t time)
{
	int64_t edge = INT64_MAX;

	for (size_t k = 0; k < query->nby; k++)
		if (query->by[k] >= USAGE_YEAR) {
			int64_t next = usage_period_next(query->by[k], time);

			edge = next < edge ? next : edge;
		}
	return edge;
}

int usage_task_add(struct usage_sums *sums, const struct usage_query *query, const struct accounting_record *record)
{
	struct span span, counted;
	struct usage_sum all;
	int rc = 0;

	if (!is_selected(query, record))
		return 0;
	if (span_find(record, &span))
		return 1;
	all = whole(record);
	counted.begin = query->since > span.begin ? query->since : span.begin;
	counted.end = query->until >= 0 && query->until < span.end ? query->until : span.end;
	if (span.begin == span.end) {		/* it has no duration that could be divided */
		bool is_inside = span.end >= query->since && (query->until < 0 || span.end < query->until);

		return is_inside ? add(sums, query, record, &all, span.end) : 0;
	}
	while (rc == 0 && counted.begin < counted.end) {
		int64_t edge = next_edge(query, counted.begin);
		int64_t end = edge < counted.end ? edge : counted.end;
		double part = (double)(end - counted.begin) / (double)(span.end - span.begin);
		struct usage_sum sum = part_of(&all, part, end == span.end);

		rc = add(sums, query, record, &sum, counted.begin);
		counted.begin = end;
	}
	return rc;
}

/* Files */

struct usage_reading {
	const struct usage_query *query;
	struct usage_sums *sums;
	uint64_t without_times;
};

static int record_take(void *context, const struct accounting_record *record)
{
	struct usage_reading *reading = context;
	int rc = usage_task_add(reading->sums, reading->query, record);

	if (rc == -ENOMEM)
		cli_fail(EXIT_NO_DATA, "no memory");
	reading->without_times += rc == 1;
	return rc < 0 ? -1 : 0;
}

static int file_read(const char *path, struct usage_reading *reading, uint64_t *faults)
{
	struct messages messages = { .items = NULL };
	uint64_t faulty = 0;
	int rc = acct_read(&messages, path, record_take, reading, &faulty);

	cli_print(&messages);
	if (rc)
		return EXIT_NO_DATA;
	if (reading->without_times)
		cli_fail(EXIT_OK,
			 "%s: %llu tasks are left out, because their end is before their start or their times are no "
			 "epoch seconds",
			 path, (unsigned long long)reading->without_times);
	*faults += faulty + reading->without_times;
	reading->without_times = 0;
	return EXIT_OK;
}

int usage_read(const char *cell, const struct usage_query *query, struct usage_sums *sums, uint64_t *faults)
{
	struct usage_reading reading = { .query = query, .sums = sums };
	struct messages messages = { .items = NULL };
	char *path = NULL;
	int code = EXIT_OK;

	*faults = 0;
	for (size_t k = 0; !code && k < query->nfiles; k++)
		code = file_read(query->files[k], &reading, faults);
	if (query->nfiles > 0)
		return code;
	code = acct_path(&messages, cell, &path);
	cli_print(&messages);
	if (!code)
		code = file_read(path, &reading, faults);
	free(path);
	return code;
}
