/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver DIR: a scheduler on the cell DIR, without its process, for tests/multifactor/random. Lines
 * on stdin: an event of fairlead-events(5); "run T", a run at T whose published values are printed
 * as lines with blanks between values; "reload FROM", which replaces the cell's files by those of
 * the directory FROM. A refused event is reported in a line. Each run is explained as well.
 *
 * With FAIRLEAD_JOURNAL in the environment runs are kept in a journal of small parts in DIR. At the
 * end they are made again from it, from its oldest part on and from each part alone. The exit
 * status is 3 if a result differs.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/explain/explanation.h"
#include "sched/qmaster/journal/files.h"
#include "sched/qmaster/journal/journal.h"
#include "sched/qmaster/journal/rerun.h"
#include "sched/qmaster/json/events.h"
#include "sched/reader/fairlead.h"
#include "sched/sched.h"

struct driver {
	struct sched *sched;
	struct intake intake;
	struct events events;
	struct fl_cell *reader;
	const char *directory;
	struct run_journal *journal;
	char journal_path[500];
};

static void answered(void *context, const char *line, size_t length)
{
	(void)context;
	printf("refused %.*s\n", (int)length, line);
}

static const char *word(const char *text)
{
	return text && *text ? text : "-";
}

/* Published values */

static void factors_show(const struct fl_factors *factors, size_t k)
{
	printf("job %u %zu %u %d %d %u %s %s %d %d %" PRId64 " %" PRId64
	       " %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g",
	       factors->job_number, k, factors->priority, factors->is_started, factors->is_held,
	       factors->direct_priority, word(factors->partition), word(factors->account), factors->site, factors->nice,
	       factors->accrue_time, factors->is_started ? 0 : factors->eligible_time, factors->sum, factors->age,
	       factors->assoc, factors->fairshare, factors->job_size, factors->partition_factor, factors->job_qos,
	       factors->weighted_tres);
	for (uint32_t i = 0; i < factors->ntres; i++)
		printf(" %.17g", factors->tres[i]);
	printf("\n");
}

static void list_show(const struct fl_view *view, enum fl_list list, const char *name)
{
	struct fl_factors factors;
	struct fl_job job;

	printf("%s", name);
	for (size_t row = 0; fl_get(view, list, row, &job) == 0; row++)
		printf(" %u", job.job_number);
	printf("\n");
	for (size_t row = 0; row < fl_count(view, list); row++)
		for (size_t k = 0; fl_list_factors(view, list, row, k, &factors) == 0; k++)
			factors_show(&factors, k);
}

static void associations_show(const struct fl_view *view)
{
	struct fl_association association;

	for (size_t k = 0; fl_association(view, k, &association) == 0; k++) {
		printf("share %s %s %s %u %u %u %u %.17g %.17g %.17g %.17g %.17g %.17g", word(association.account),
		       word(association.user), word(association.partition), association.depth, association.shares,
		       association.rank, association.running_tasks, association.raw_usage, association.norm_shares,
		       association.norm_usage, association.effective_usage, association.fairshare,
		       association.level_fs);
		for (size_t i = 0; fl_tres_kind(view, i); i++)
			printf(" %" PRIu64, i < association.ntres ? association.tres_run_minutes[i] : 0);
		printf("\n");
	}
}

/* Explain each row. The explanation compares derived with published values. */
static int explain_all(const struct fl_view *view)
{
	struct error error = { { 0 } };
	struct explanation explanation;
	struct explainer *explainer;
	struct fl_job job;
	int code = explainer_create(&explainer, view, &error);

	for (int list = FL_STARTED; list <= FL_PENDING; list++)
		for (size_t k = 0; code == 0 && fl_get(view, (enum fl_list)list, k, &job) == 0; k++) {
			code = explain_job(explainer, job.job_number, job.is_started ? job.task : 0, &explanation,
					   &error);
			explanation_free(&explanation);
		}
	if (code)
		fprintf(stderr, "driver: %s\n", error.text);
	explainer_destroy(explainer);
	return code;
}

static int run(struct driver *driver, int64_t now)
{
	struct error error;
	const struct fl_view *view;
	struct fl_multifactor multifactor;

	journal_drain(driver->journal);
	journal_prepared(driver->journal);
	if (sched_run(driver->sched, now, driver->events.last, &error))
		return 1;
	journal_ran(driver->journal, 0, true);
	if ((!driver->reader && fl_attach(&driver->reader, driver->directory)))
		return 1;
	view = fl_begin(driver->reader);
	if (fl_multifactor(view, &multifactor) || explain_all(view))
		return 1;
	printf("run %" PRId64 " %" PRId64 "\n", now, multifactor.pass);
	list_show(view, FL_PENDING, "pending");
	list_show(view, FL_STARTED, "started");
	associations_show(view);
	printf("end\n");
	return fl_end(driver->reader) ? 1 : 0;
}

/* Commands */

static int reload(struct driver *driver, const char *from)
{
	static const char *const names[] = { "slurm.conf", "associations", "qos" };
	struct report report = { 0 };
	struct error error;
	int code = 0;

	for (size_t i = 0; code == 0 && i < sizeof(names) / sizeof(*names); i++) {
		char old[500], new[500];

		snprintf(old, sizeof(old), "%s/%s", from, names[i]);
		snprintf(new, sizeof(new), "%s/%s", driver->directory, names[i]);
		code = rename(old, new);
	}
	code = code ? code : sched_reload(driver->sched, &report, &error);
	report_print(&report, stderr);
	report_free(&report);
	return code ? 1 : 0;
}

static int take(struct driver *driver, const char *line, size_t length)
{
	if (strncmp(line, "run ", 4) == 0)
		return run(driver, strtoll(line + 4, NULL, 10));
	if (strncmp(line, "reload ", 7) == 0)
		return reload(driver, line + 7);
	events_line(&driver->events, line, length);
	return 0;
}

static int create(struct driver *driver)
{
	const struct segment_options options = { .file_bytes = 1u << 28, .group = -1 };
	struct report report = { 0 };
	struct error error = { { 0 } };
	int code = sched_create(&driver->sched, driver->directory, &options, &report, &error);

	if (code) {
		report_print(&report, stderr);
		fprintf(stderr, "driver: %s\n", error.text);
		return 1;
	}
	report_free(&report);
	sched_dispatch(driver->sched, false);		/* starts are reported by events */
	driver->intake = (struct intake){ .mirror = sched_mirror(driver->sched) };
	driver->events = (struct events){ .intake = &driver->intake, .answer = answered };
	return 0;
}

/* A journal */

#define PART_BYTES (24u << 10)

static int journal_begin(struct driver *driver)
{
	const struct journal_options options = { .path = driver->journal_path,
						 .bytes = (uint64_t)JOURNAL_FILES * PART_BYTES,
						 .full = true };
	struct error error = { "" };

	snprintf(driver->journal_path, sizeof(driver->journal_path), "%s/.journal", driver->directory);
	return getenv("FAIRLEAD_JOURNAL") &&
			       journal_open(&driver->journal, &options, driver->sched, &driver->intake, &error)
		       ? 1
		       : 0;
}

static int made_again(const char *path)
{
	struct rerun_outcome outcome;
	struct error error = { "" };
	int rc = rerun(&(struct rerun_options){ .path = path }, &outcome, &error);

	if (rc == -ENOENT || rc == -ENODATA)
		return 0;
	if (rc)
		fprintf(stderr, "driver: %s\n", error.text);
	else if (outcome.differs)
		fprintf(stderr, "driver: %s: run %llu: %s: %s: %s: %s, and now %s\n", path,
			(unsigned long long)outcome.difference.run, outcome.difference.table, outcome.difference.of,
			outcome.difference.column, outcome.difference.live, outcome.difference.again);
	return rc || outcome.differs ? 3 : 0;
}

static int journal_check(struct driver *driver)
{
	char name[520];
	int code = 0;

	if (!driver->journal)
		return 0;
	journal_close(driver->journal);
	for (unsigned k = 0; k < JOURNAL_FILES && code == 0; k++)
		if (journal_file_name(name, sizeof(name), driver->journal_path, k))
			code = made_again(name);
	return code;
}

int main(int argc, char **argv)
{
	struct driver driver = { .directory = argc == 2 ? argv[1] : "." };
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	int code = create(&driver);

	code = code ? code : journal_begin(&driver);
	while (code == 0 && (length = getline(&line, &size, stdin)) > 0) {
		line[--length] = '\0';
		code = take(&driver, line, (size_t)length);
	}
	free(line);
	code = code ? code : journal_check(&driver);
	fl_detach(driver.reader);
	events_destroy(&driver.events);
	sched_destroy(driver.sched);
	return code;
}
