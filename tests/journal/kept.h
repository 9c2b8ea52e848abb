/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a fixture that are kept in a journal, and made again from it. cmocka.h comes first. */
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
	bool keep;			/* what is there already */
};

static inline void kept_remove(const struct kept_runs *k)
{
	char name[PATH_MAX + 16];

	remove(k->path);
	for (unsigned i = 1; i < 2 * JOURNAL_FILES; i++) {
		snprintf(name, sizeof(name), "%s.%u", k->path, i);
		remove(name);
	}
}

/* In the cell's directory, which goes with it. */
static inline void kept_begin(struct kept_runs *k, struct fixture *f, uint64_t bytes, bool full)
{
	struct journal_options options = { .path = k->path, .bytes = bytes, .full = full };

	k->f = f;
	snprintf(k->path, sizeof(k->path), "/tmp/journal-test.%d", (int)getpid());
	if (!k->keep)
		kept_remove(k);
	if (journal_open(&k->journal, &options, f->sched, &f->intake, &f->error))
		fail_msg("%s", f->error.text);
}

static inline void kept_run(struct kept_runs *k, int64_t now)
{
	/* runs follow each other faster than any process makes them */
	journal_drain(k->journal);
	journal_prepared(k->journal);
	run(k->f, now);
	journal_ran(k->journal, 0, true);
}

static inline void kept_end(struct kept_runs *k)
{
	journal_close(k->journal);
	k->journal = NULL;
}

/* A file alone: what it begins with leads to the same runs, how many ever it has. */
static inline uint64_t kept_same_alone(const struct kept_runs *k, unsigned file, const char *where)
{
	char path[PATH_MAX + 16];
	const struct rerun_options options = { .path = path };
	struct rerun_outcome o;
	struct error error = { "" };
	int rc;

	snprintf(path, sizeof(path), file ? "%s.%u" : "%s", k->path, file);
	rc = rerun(&options, &o, &error);
	if (rc == -ENOENT)
		return 0;
	if (rc)
		fail_msg("%s: %s", where, error.text);
	if (o.differs)
		fail_msg("%s: %s: run %llu: %s: %s: %s: %s, and now %s", where, path, (unsigned long long)o.difference.run, o.difference.table,
			 o.difference.of, o.difference.column, o.difference.live, o.difference.again);
	assert_int_equal(o.parts, 1);
	return o.runs;
}

/* All runs from `from` on are the same, and there are `runs` of them. */
static inline void kept_same(const struct kept_runs *k, uint64_t from, uint64_t runs, unsigned workers, const char *where)
{
	const struct rerun_options options = { .path = k->path, .from = from, .workers = workers };
	struct rerun_outcome o;
	struct error error = { "" };
	int rc = rerun(&options, &o, &error);

	if (rc)
		fail_msg("%s: %s", where, error.text);
	if (o.differs)
		fail_msg("%s: run %llu: %s: %s: %s: %s, and now %s", where, (unsigned long long)o.difference.run, o.difference.table, o.difference.of,
			 o.difference.column, o.difference.live, o.difference.again);
	assert_int_equal(o.runs, runs);
	assert_int_equal(o.gaps, 0);
}

#endif
