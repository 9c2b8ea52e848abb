/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal: everything that runs are made from, kept as it comes, so that the same runs can be
 * made again (rerun.h) and be found the same to the bit. fairlead-journal(5) has the form.
 *
 *     journal_open(&journal, &options, sched, intake, &error)	before the first event
 *     journal_prepared(journal)	before each run, when what it works on is in force
 *     sched_run(...)
 *     journal_ran(journal, rc, stored)
 *     journal_close(journal)
 *
 * In between it sees by itself what is told, edited and loaded: it watches the intake
 * (sched/qmaster/intake.h), the scheduler (sched_witness()) and what the ledger is answered.
 *
 *     the scheduler's thread                    the journal's thread (spool.h)
 *     lines, into memory           ── queue ──▶ zstd, files
 *     a pin on what was published  ──────────▶ its digests; the state, where a part begins
 *
 * The scheduler waits for neither disk nor compression. What the journal can't keep, since a disk
 * is full or too slow, is lost to it alone: the part ends, it is said in the log and in the next
 * part, which begins with the next run that is published whole.
 */
#ifndef SCHED_QMASTER_JOURNAL_JOURNAL_H
#define SCHED_QMASTER_JOURNAL_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/error.h"
#include "sched/qmaster/intake.h"
#include "sched/sched.h"

#define JOURNAL_BYTES ((uint64_t)512 << 20)		/* of all files together */
#define JOURNAL_BYTES_LEAST ((uint64_t)1 << 20)
#define JOURNAL_FILES 8u				/* that these are divided among */

struct run_journal;

struct journal_options {
	const char *path;	/* NULL: no journal */
	uint64_t bytes;		/* the most that all its files take; 0: JOURNAL_BYTES */
	bool full;		/* keep the values of each run, too, not their digests alone */
};

/*
 * *j is NULL without a path. Both are borrowed. A place that can't be written is no error: it is
 * said in the log, and tried again. -ENOMEM, -EAGAIN (no thread).
 */
int journal_open(struct run_journal **journal, const struct journal_options *options, struct sched *sched,
		 struct intake *intake, struct error *error);
/* What has come so far is written. The scheduler must still be there. NULL is a no-op. */
void journal_close(struct run_journal *journal);

/* Both accept NULL. `stored`: what the run has booked is on the disk, and its ledger empty. */
void journal_prepared(struct run_journal *journal);
void journal_ran(struct run_journal *journal, int rc, bool stored);

/* All that was handed over is written; for tests, and before a process is left. */
void journal_drain(struct run_journal *journal);

#endif
