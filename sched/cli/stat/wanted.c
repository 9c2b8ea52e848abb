/* SPDX-License-Identifier: Apache-2.0 */
/* -j and -s z: collect what must be known before rows are printed. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/base/array.h"
#include "conf/base/wildcard.h"
#include "sched/cli/acct/acct.h"
#include "sched/cli/jobs/job_names.h"
#include "sched/cli/stat/stat.h"

#define TRIES 100		/* attempts to read one run, like section_run() */

/* Values of -j */

static int number_add(struct stat *st, uint32_t number)
{
	for (size_t i = 0; st->by_job.npatterns == 0 && i < st->njobs; i++)
		if (st->jobs[i].number == number)
			return 0;
	if (array_grow(&st->jobs, st->njobs + 1, sizeof(*st->jobs)))
		return -ENOMEM;
	st->jobs[st->njobs++] = (struct wanted_job){ .number = number };
	return 0;
}

static int word_take(struct stat *st, char *word)
{
	unsigned long number;

	if (isdigit((unsigned char)*word) || *word == '-' || !*word) {
		if (options_number("stat: -j", word, 1, UINT32_MAX, &number))
			return EXIT_USAGE;
		if (number_add(st, (uint32_t)number))
			return cli_fail(EXIT_NO_DATA, "no memory");
		st->by_job.numbers = st->njobs;
		return EXIT_OK;
	}
	if (strlen(word) >= WILDCARD_BYTES)
		return cli_fail(EXIT_USAGE, "stat: -j: a name or pattern has fewer than %d bytes", WILDCARD_BYTES);
	if (array_grow(&st->by_job.patterns, st->by_job.npatterns + 1, sizeof(*st->by_job.patterns)))
		return cli_fail(EXIT_NO_DATA, "no memory");
	st->by_job.patterns[st->by_job.npatterns++] = word;
	return EXIT_OK;
}

int wanted_take(void *stat, struct words *words)
{
	struct stat *st = stat;
	bool any = words->next < words->argc &&
		   (words->argv[words->next][0] != '-' || isdigit((unsigned char)words->argv[words->next][1]));
	char *rest = any ? words->argv[words->next++] : NULL;
	int code = EXIT_OK;

	st->by_job.asked = true;
	st->by_job.reasons = !any && st->njobs == 0 && st->by_job.npatterns == 0;
	for (char *word; !code && (word = strsep(&rest, ",")) != NULL;)
		code = word_take(st, word);
	return code;
}

/* Names */

static int name_by_number(const void *a, const void *b)
{
	const struct wanted_job *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static int pattern_find(const struct fl_view *view, struct stat *st, const char *pattern)
{
	struct named_jobs found = { .items = NULL };
	int rc = jobs_named(&found, view, pattern);

	for (size_t i = 0; rc == 0 && i < found.n; i++)
		rc = number_add(st, found.items[i]);
	named_jobs_free(&found);
	return rc;
}

static void doubles_drop(struct stat *st)
{
	size_t n = 0;

	qsort(st->jobs, st->njobs, sizeof(*st->jobs), name_by_number);
	for (size_t i = 0; i < st->njobs; i++)
		if (n == 0 || st->jobs[n - 1].number != st->jobs[i].number)
			st->jobs[n++] = st->jobs[i];
	st->njobs = n;
}

/* The run */

struct wanted_seen {
	bool is_local;			/* the scheduler answers requests */
	bool all;			/* every job named by number is in the run */
	const char *nobody;		/* pattern that matches no job */
};

static int files_see(const struct fl_view *view, struct stat *st, struct wanted_seen *seen)
{
	struct fl_files files;

	free(st->accounting);
	st->accounting = NULL;
	if (fl_files(view, &files))
		return 0;
	seen->is_local = *files.state;
	st->accounting = *files.accounting ? strdup(files.accounting) : NULL;
	return *files.accounting && !st->accounting ? -ENOMEM : 0;
}

/* Read the run once. Return 0, -ESTALE or -ENOMEM. */
static int see_once(struct fl_cell *handle, struct stat *st, size_t given, struct wanted_seen *seen)
{
	const struct fl_view *view = fl_begin(handle);
	struct fl_job job;
	int rc = files_see(view, st, seen);

	st->njobs = given;
	seen->nobody = NULL;
	for (size_t i = 0; rc == 0 && i < st->by_job.npatterns; i++) {
		size_t before = st->njobs;

		rc = pattern_find(view, st, st->by_job.patterns[i]);
		if (st->njobs == before)
			seen->nobody = st->by_job.patterns[i];
	}
	seen->all = true;
	for (size_t i = 0; rc == 0 && i < given; i++)
		seen->all &= fl_find(view, st->jobs[i].number, 0, &job) == 0;
	return fl_end(handle) ? -ESTALE : rc;
}

static int see(struct stat *st, const char *cell, struct wanted_seen *seen)
{
	struct fl_cell *handle;
	size_t given = st->by_job.numbers;
	int rc = fl_attach(&handle, cell);

	if (rc)
		return cli_attach_failed(cell, rc);
	rc = -ESTALE;
	for (int k = 0; k < TRIES && rc == -ESTALE; k++)
		rc = see_once(handle, st, given, seen);
	fl_detach(handle);
	if (rc)
		return cli_fail(EXIT_NO_DATA,
				rc == -ENOMEM ? "no memory" : "%s: no run stayed published long enough to be read",
				cell);
	if (seen->nobody)
		return cli_fail(EXIT_NO_DATA, "there is no job named %s", seen->nobody);
	return EXIT_OK;
}

/* Other sources */

static int jobs_describe(struct stat *st, const char *cell)
{
	uint32_t *numbers = calloc(st->njobs + 1, sizeof(*numbers));

	if (!numbers)
		return cli_fail(EXIT_NO_DATA, "no memory");
	for (size_t i = 0; i < st->njobs; i++)
		numbers[i] = st->jobs[i].number;
	descriptions_ask(&st->descriptions, cell, numbers, st->njobs);
	free(numbers);
	return EXIT_OK;
}

static bool is_unpublished(const struct stat *st, const struct wanted_seen *seen)
{
	bool known = false;

	for (size_t i = 0; i < st->njobs; i++)
		known |= description_of(&st->descriptions, st->jobs[i].number) != NULL;
	return known && !seen->all;
}

static bool task_is_wanted(void *stat, const struct fl_job *job)
{
	return stat_filter_names(&((struct stat *)stat)->filter, job);
}

bool wanted_has_ended(struct stat *st, struct wanted_job *job)
{
	size_t before = st->finished.n;

	if (job->looked_up || !st->accounting)
		return job->ended;
	job->looked_up = true;
	(void)finished_read(&st->finished, st->accounting, job->number, SIZE_MAX, NULL, NULL, &st->error);
	job->ended = st->finished.n > before;
	return job->ended;
}

static int ended_find(struct stat *st)
{
	struct error error = { "" };

	if (!st->accounting)
		return cli_fail(EXIT_NO_DATA, "stat: -s z: the accounting file of this cell is not known");
	if (finished_read(&st->finished, st->accounting, 0, FINISHED_MOST, task_is_wanted, st, &error))
		return cli_fail(EXIT_NO_DATA, "%s", error.text);
	return EXIT_OK;
}

int wanted_find(struct stat *st, const char *cell)
{
	const struct timespec moment = { 0, 50000000 };
	struct wanted_seen seen = { .all = true };
	int code;

	if (!st->by_job.asked && !(st->filter.states & STATE_FINISHED))
		return EXIT_OK;
	code = see(st, cell, &seen);
	if (!code && st->njobs > 0 && seen.is_local)
		code = jobs_describe(st, cell);
	/* a job submitted a moment ago: the scheduler knows it and will publish it soon */
	for (int k = 0; !code && k < TRIES / 2 && is_unpublished(st, &seen); k++) {
		nanosleep(&moment, NULL);
		code = see(st, cell, &seen);
	}
	if (!code && st->by_job.npatterns > 0)
		doubles_drop(st);
	if (!code && st->filter.states & STATE_FINISHED && !st->by_job.asked)
		code = ended_find(st);
	return code;
}

void wanted_free(struct stat *st)
{
	descriptions_free(&st->descriptions);
	finished_free(&st->finished);
	free(st->accounting);
	free(st->by_job.patterns);
	free(st->jobs);
}
