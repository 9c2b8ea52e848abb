/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a fixture, kept in a journal and computed again from it. Include after cmocka.h. */
#ifndef TESTS_JOURNAL_KEPT_H
#define TESTS_JOURNAL_KEPT_H

#include <limits.h>
#include <unistd.h>

#include "sched/qmaster/journal/journal.h"
#include "sched/qmaster/journal/rerun.h"
#include "tests/dispatch/cell.h"

struct kept_runs {
	struct fixture *f;
	struct run_journal *journal;
	char path[PATH_MAX];
	bool keep;			/* keep existing files */
};

static inline void kept_remove(const struct kept_runs *runs)
{
	char name[PATH_MAX + 16];

	remove(runs->path);
	for (unsigned i = 1; i < 2 * JOURNAL_FILES; i++) {
		snprintf(name, sizeof(name), "%s.%u", runs->path, i);
		remove(name);
	}
}

/* Begin a journal in the cell's directory, which is removed with it. */
static inline void kept_begin(struct kept_runs *runs, struct fixture *fixture, uint64_t bytes, bool full)
{
	struct journal_options options = { .path = runs->path, .bytes = bytes, .full = full };

	runs->f = fixture;
	snprintf(runs->path, sizeof(runs->path), "/tmp/journal-test.%d", (int)getpid());
	if (!runs->keep)
		kept_remove(runs);
	if (journal_open(&runs->journal, &options, fixture->sched, &fixture->intake, &fixture->error))
		fail_msg("%s", fixture->error.text);
}

static inline void kept_run(struct kept_runs *runs, int64_t now)
{
	/* Runs follow each other faster than in any process. */
	journal_drain(runs->journal);
	journal_prepared(runs->journal);
	run(runs->f, now);
	journal_ran(runs->journal, 0, true);
}

static inline void kept_end(struct kept_runs *runs)
{
	journal_close(runs->journal);
	runs->journal = NULL;
}

/* Check a single file: its beginning leads to the same runs, however many it has. */
static inline uint64_t kept_same_alone(const struct kept_runs *runs, unsigned file, const char *where)
{
	char path[PATH_MAX + 16];
	const struct rerun_options options = { .path = path };
	struct rerun_outcome outcome;
	struct error error = { "" };
	int rc;

	snprintf(path, sizeof(path), file ? "%s.%u" : "%s", runs->path, file);
	rc = rerun(&options, &outcome, &error);
	if (rc == -ENOENT)
		return 0;
	if (rc)
		fail_msg("%s: %s", where, error.text);
	if (outcome.differs)
		fail_msg("%s: %s: run %llu: %s: %s: %s: %s, and now %s", where, path,
			 (unsigned long long)outcome.difference.run, outcome.difference.table, outcome.difference.of,
			 outcome.difference.column, outcome.difference.live, outcome.difference.again);
	assert_int_equal(outcome.parts, 1);
	return outcome.runs;
}

/* Check that all runs from `from` on are the same and that there are `runs` of them. */
static inline void kept_same(const struct kept_runs *kept_runs, uint64_t from, uint64_t runs, unsigned workers,
			     const char *where)
{
	const struct rerun_options options = { .path = kept_runs->path, .from = from, .workers = workers };
	struct rerun_outcome outcome;
	struct error error = { "" };
	int rc = rerun(&options, &outcome, &error);

	if (rc)
		fail_msg("%s: %s", where, error.text);
	if (outcome.differs)
		fail_msg("%s: run %llu: %s: %s: %s: %s, and now %s", where, (unsigned long long)outcome.difference.run,
			 outcome.difference.table, outcome.difference.of, outcome.difference.column,
			 outcome.difference.live, outcome.difference.again);
	assert_int_equal(outcome.runs, runs);
	assert_int_equal(outcome.gaps, 0);
}

#endif
