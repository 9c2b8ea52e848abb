/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a journal, from the oldest one that is needed. */
#include "sched/qmaster/journal/rerun.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/qmaster/journal/files.h"
#include "sched/qmaster/journal/journal.h"
#include "sched/qmaster/journal/line.h"
#include "sched/qmaster/journal/reading.h"
#include "sched/qmaster/journal/rerun_inside.h"

#define ORDERS_TEXT_BYTES ((size_t)1 << 30)	/* longest text of the orders of one run */

/* Return the first run of a file. 0: not known. */
static uint64_t first_run(const char *path)
{
	struct journal_reading *reading;
	struct values values = { 0 };
	struct error error;
	const char *line;
	size_t bytes;
	uint64_t run = 0;

	if (reading_open(&reading, path, &error))
		return 0;
	if (reading_next(reading, &line, &bytes, &error) == 1) {
		const struct value *object = values_read(&values, line, bytes, &error);

		run = object ? (uint64_t)line_whole(object, "run", 0, INT64_MAX) : 0;
	}
	values_destroy(&values);
	reading_close(reading);
	return run;
}

static int read_file(struct rerunning *rerunning, const char *path, struct error *error)
{
	struct journal_reading *reading;
	const char *line;
	size_t bytes;
	int rc = reading_open(&reading, path, error);

	if (rc)
		return rc;
	while (!rerunning->done && (rc = reading_next(reading, &line, &bytes, error)) == 1) {
		struct error why = { "" };

		rc = rerun_take(rerunning, line, bytes, &why);
		if (rc) {
			error_set(error, rc, "%.120s: line %llu: %.300s", path,
				  (unsigned long long)reading_line(reading), why.text);
			break;
		}
	}
	rerunning->outcome->cut = rc == 0 && !rerunning->done && reading_is_cut(reading);
	reading_close(reading);
	return rc == 1 ? 0 : rc;
}

/*
 * Return the number of the oldest file to read: the latest one that begins no later than run
 * `from`, or the oldest of all.
 */
static unsigned oldest(const struct rerun_options *options)
{
	char name[PATH_MAX];
	unsigned k = 0;

	for (unsigned i = 1; i < JOURNAL_FILES; i++)
		if (journal_file_name(name, sizeof(name), options->path, i) && access(name, F_OK) == 0)
			k = i;
	for (unsigned i = 0; options->from && i <= k; i++) {
		uint64_t run = journal_file_name(name, sizeof(name), options->path, i) ? first_run(name) : 0;

		if (run && run <= options->from)
			return i;
	}
	return k;
}

static int read_files(struct rerunning *rerunning, struct error *error)
{
	char name[PATH_MAX];
	unsigned k = oldest(rerunning->options);
	int rc = 0;

	for (unsigned i = k + 1; rc == 0 && !rerunning->done && i-- > 0;) {
		if (!journal_file_name(name, sizeof(name), rerunning->options->path, i))
			return error_set(error, -ENAMETOOLONG, "the name of the journal is too long");
		rc = read_file(rerunning, name, error);
		/* a running scheduler has renamed it, or it was removed */
		if (rc == -ENOENT && i > 0)
			rc = 0;
	}
	return rc;
}

int rerun(const struct rerun_options *options, struct rerun_outcome *outcome, struct error *error)
{
	struct rerunning rerunning = { .options = options, .outcome = outcome };
	int rc;

	*outcome = (struct rerun_outcome){ 0 };
	rc = values_kept_make(&rerunning.values);
	if (rc == 0)
		rc = out_open_memory(&rerunning.orders, ORDERS_TEXT_BYTES);
	if (rc)
		error_set(error, rc, "out of memory");
	else
		rc = read_files(&rerunning, error);
	if (rc == 0 && outcome->runs == 0 && outcome->present_first)
		rc = error_set(error, -ENODATA, "%.160s has no such run; it has the runs %llu to %llu", options->path,
			       (unsigned long long)outcome->present_first, (unsigned long long)outcome->present_last);
	else if (rc == 0 && outcome->runs == 0)
		rc = error_set(error, -ENODATA, "%.160s has no run", options->path);
	rerun_drop(&rerunning);
	free(rerunning.kept);
	places_free(&rerunning.places);
	values_kept_free(rerunning.values);
	values_destroy(&rerunning.parsed);
	out_close(&rerunning.orders);
	return rc;
}
