/* SPDX-License-Identifier: Apache-2.0 */
/* -j and -s z: collect what must be known before rows are printed. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/base/array.h"
#include "conf/base/wildcard.h"
#include "sched/client/trouble.h"
#include "sched/cli/acct/acct.h"
#include "sched/client/job_names.h"
#include "sched/cli/stat/stat.h"

#define TRIES 100		/* attempts to read one run, like section_run() */

/* Values of -j */

static int number_add(struct job_listing *listing, uint32_t number)
{
	for (size_t i = 0; listing->by_job.npatterns == 0 && i < listing->njobs; i++)
		if (listing->jobs[i].number == number)
			return 0;
	if (array_grow(&listing->jobs, listing->njobs + 1, sizeof(*listing->jobs)))
		return -ENOMEM;
	listing->jobs[listing->njobs++] = (struct wanted_job){ .number = number };
	return 0;
}

static int word_take(struct job_listing *listing, char *word)
{
	unsigned long number;

	if (isdigit((unsigned char)*word) || *word == '-' || !*word) {
		if (options_number(listing->messages, "stat", "-j", word, 1, UINT32_MAX, &number))
			return EXIT_USAGE;
		if (number_add(listing, (uint32_t)number))
			return message_no_memory(listing->messages);
		listing->by_job.numbers = listing->njobs;
		return EXIT_OK;
	}
	if (strlen(word) >= WILDCARD_BYTES)
		return message_add(listing->messages, EXIT_USAGE, "stat",
				   "-j: a name or pattern has fewer than %d bytes", WILDCARD_BYTES);
	if (array_grow(&listing->by_job.patterns, listing->by_job.npatterns + 1, sizeof(*listing->by_job.patterns)))
		return message_no_memory(listing->messages);
	listing->by_job.patterns[listing->by_job.npatterns++] = word;
	return EXIT_OK;
}

int wanted_take(void *context, struct words *words)
{
	struct job_listing *listing = context;
	bool any = words->next < words->argc &&
		   (words->argv[words->next][0] != '-' || isdigit((unsigned char)words->argv[words->next][1]));
	char *rest = any ? words->argv[words->next++] : NULL;
	int code = EXIT_OK;

	listing->by_job.asked = true;
	listing->by_job.reasons = !any && listing->njobs == 0 && listing->by_job.npatterns == 0;
	for (char *word; !code && (word = strsep(&rest, ",")) != NULL;)
		code = word_take(listing, word);
	return code;
}

/* Names */

static int name_by_number(const void *a, const void *b)
{
	const struct wanted_job *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static int pattern_find(const struct fl_view *view, struct job_listing *listing, const char *pattern)
{
	struct named_jobs found = { .items = NULL };
	int rc = jobs_named(&found, view, pattern);

	for (size_t i = 0; rc == 0 && i < found.n; i++)
		rc = number_add(listing, found.items[i]);
	named_jobs_free(&found);
	return rc;
}

static void doubles_drop(struct job_listing *listing)
{
	size_t n = 0;

	qsort(listing->jobs, listing->njobs, sizeof(*listing->jobs), name_by_number);
	for (size_t i = 0; i < listing->njobs; i++)
		if (n == 0 || listing->jobs[n - 1].number != listing->jobs[i].number)
			listing->jobs[n++] = listing->jobs[i];
	listing->njobs = n;
}

/* The run */

struct wanted_seen {
	bool is_local;			/* the scheduler answers requests */
	bool all;			/* every job named by number is in the run */
	const char *nobody;		/* pattern that matches no job */
};

static int files_see(const struct fl_view *view, struct job_listing *listing, struct wanted_seen *seen)
{
	struct fl_files files;

	free(listing->accounting);
	listing->accounting = NULL;
	if (fl_files(view, &files))
		return 0;
	seen->is_local = *files.state;
	listing->accounting = *files.accounting ? strdup(files.accounting) : NULL;
	return *files.accounting && !listing->accounting ? -ENOMEM : 0;
}

/* Read the run once. Return 0, -ESTALE or -ENOMEM. */
static int see_once(struct fl_cell *handle, struct job_listing *listing, size_t given, struct wanted_seen *seen)
{
	const struct fl_view *view = fl_begin(handle);
	struct fl_job job;
	int rc = files_see(view, listing, seen);

	listing->njobs = given;
	seen->nobody = NULL;
	for (size_t i = 0; rc == 0 && i < listing->by_job.npatterns; i++) {
		size_t before = listing->njobs;

		rc = pattern_find(view, listing, listing->by_job.patterns[i]);
		if (listing->njobs == before)
			seen->nobody = listing->by_job.patterns[i];
	}
	seen->all = true;
	for (size_t i = 0; rc == 0 && i < given; i++)
		seen->all &= fl_find(view, listing->jobs[i].number, 0, &job) == 0;
	return fl_end(handle) ? -ESTALE : rc;
}

static int see(struct job_listing *listing, const char *cell, struct wanted_seen *seen)
{
	struct fl_cell *handle;
	size_t given = listing->by_job.numbers;
	int rc = fl_attach(&handle, cell);

	if (rc)
		return cell_attach_failed(listing->messages, cell, rc);
	rc = -ESTALE;
	for (int k = 0; k < TRIES && rc == -ESTALE; k++)
		rc = see_once(handle, listing, given, seen);
	fl_detach(handle);
	if (rc)
		return message_add(listing->messages, EXIT_NO_DATA, NULL,
				rc == -ENOMEM ? "no memory" : "%s: no run stayed published long enough to be read",
				cell);
	if (seen->nobody)
		return message_add(listing->messages, EXIT_NO_DATA, NULL, "there is no job named %s", seen->nobody);
	return EXIT_OK;
}

/* Other sources */

static int jobs_describe(struct job_listing *listing, const char *cell)
{
	uint32_t *numbers = calloc(listing->njobs + 1, sizeof(*numbers));

	if (!numbers)
		return message_no_memory(listing->messages);
	for (size_t i = 0; i < listing->njobs; i++)
		numbers[i] = listing->jobs[i].number;
	descriptions_ask(&listing->descriptions, cell, numbers, listing->njobs, listing->messages);
	free(numbers);
	return EXIT_OK;
}

static bool is_unpublished(const struct job_listing *listing, const struct wanted_seen *seen)
{
	bool known = false;

	for (size_t i = 0; i < listing->njobs; i++)
		known |= description_of(&listing->descriptions, listing->jobs[i].number) != NULL;
	return known && !seen->all;
}

static bool task_is_wanted(void *context, const struct fl_job *job)
{
	return stat_filter_names(&((struct job_listing *)context)->filter, job);
}

bool wanted_has_ended(struct job_listing *listing, struct wanted_job *job)
{
	size_t before = listing->finished.n;

	if (job->looked_up || !listing->accounting)
		return job->ended;
	job->looked_up = true;
	(void)finished_read(&listing->finished, listing->accounting, job->number, SIZE_MAX, NULL, NULL,
			    &listing->error);
	job->ended = listing->finished.n > before;
	return job->ended;
}

static int ended_find(struct job_listing *listing)
{
	struct error error = { "" };

	if (!listing->accounting)
		return message_add(listing->messages, EXIT_NO_DATA, "stat",
				   "-s z: the accounting file of this cell is not known");
	if (finished_read(&listing->finished, listing->accounting, 0, FINISHED_MOST, task_is_wanted, listing, &error))
		return message_add(listing->messages, EXIT_NO_DATA, NULL, "%s", error.text);
	return EXIT_OK;
}

int wanted_find(struct job_listing *listing, const char *cell)
{
	const struct timespec moment = { 0, 50000000 };
	struct wanted_seen seen = { .all = true };
	int code;

	if (!listing->by_job.asked && !(listing->filter.states & STATE_FINISHED))
		return EXIT_OK;
	code = see(listing, cell, &seen);
	if (!code && listing->njobs > 0 && seen.is_local)
		code = jobs_describe(listing, cell);
	/* a job submitted a moment ago: the scheduler knows it and will publish it soon */
	for (int k = 0; !code && k < TRIES / 2 && is_unpublished(listing, &seen); k++) {
		nanosleep(&moment, NULL);
		code = see(listing, cell, &seen);
	}
	if (!code && listing->by_job.npatterns > 0)
		doubles_drop(listing);
	if (!code && listing->filter.states & STATE_FINISHED && !listing->by_job.asked)
		code = ended_find(listing);
	return code;
}

void wanted_free(struct job_listing *listing)
{
	descriptions_free(&listing->descriptions);
	finished_free(&listing->finished);
	free(listing->accounting);
	free(listing->by_job.patterns);
	free(listing->jobs);
}
