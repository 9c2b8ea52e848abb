/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal records all inputs of scheduling runs as they come. The same runs can be computed
 * again (rerun.h), with results that are identical to the bit. fairlead-journal(5) describes the
 * format.
 *
 *     journal_open(&journal, &options, sched, intake, &error)	before the first event
 *     journal_prepared(journal)	before each run, when its inputs are in force
 *     sched_run(...)
 *     journal_ran(journal, rc, stored)
 *     journal_close(journal)
 *
 * Between these calls it records events, edits and reloads by itself. It watches the intake
 * (sched/qmaster/intake.h), the scheduler (sched_witness()) and the answers of the ledger.
 *
 *     the scheduler's thread                    the journal's thread (spool.h)
 *     lines in memory              ── queue ──▶ zstd, files
 *     a pin on published results   ──────────▶ their digests; the state at the beginning of a part
 *
 * The scheduler waits for neither disk nor compression. If the journal cannot keep its input,
 * because a disk is full or too slow, only the journal is affected. The part ends, and the reason
 * is in the log and in the next part. The next part begins with the next run that is published
 * completely.
 */
#ifndef SCHED_QMASTER_JOURNAL_JOURNAL_H
#define SCHED_QMASTER_JOURNAL_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/qmaster/intake.h"
#include "sched/sched.h"

#define JOURNAL_BYTES ((uint64_t)512 << 20)		/* size of all files together */
#define JOURNAL_BYTES_LEAST ((uint64_t)1 << 20)
/* Number of files, each with its share of the size. */
#define JOURNAL_FILES 8u

struct run_journal;

struct journal_options {
	const char *path;	/* NULL: no journal */
	uint64_t bytes;		/* largest size of all files together; 0: JOURNAL_BYTES */
	bool full;		/* record the values of each run in addition to their digests */
};

/*
 * Open a journal. *result is NULL without a path. `sched` and `intake` are borrowed. If the path
 * cannot be written, this is not an error: it is logged and tried again later. -ENOMEM, -EAGAIN (no
 * thread).
 */
int journal_open(struct run_journal **journal, const struct journal_options *options, struct sched *sched,
		 struct intake *intake, struct error *error);
/*
 * Close the journal after writing the input so far. The scheduler must still exist. NULL is a
 * no-op.
 */
void journal_close(struct run_journal *journal);

/*
 * NULL is a no-op for both. `stored`: the usage booked by the run is on the disk, and the ledger is
 * empty.
 */
void journal_prepared(struct run_journal *journal);
void journal_ran(struct run_journal *journal, int rc, bool stored);

/* Wait until all input is written; for tests, and before the process is left. */
void journal_drain(struct run_journal *journal);

#endif
