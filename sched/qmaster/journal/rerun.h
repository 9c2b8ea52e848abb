/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a journal again. A scheduler is created from the state at the beginning of a part. It
 * receives all input that came afterwards, and makes each run at the recorded time. Each order, and
 * a digest of the published results, is compared with the journal.
 *
 *     rerun(&options, &outcome, &error)
 *
 * The rerun continues from part to part while there is no gap between them, and starts again after
 * a gap. It ends at the first difference.
 */
#ifndef SCHED_QMASTER_JOURNAL_RERUN_H
#define SCHED_QMASTER_JOURNAL_RERUN_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/base/error.h"

struct sched;

struct rerun_options {
	/* FILE of the journal, which includes FILE.1, FILE.2, ...; or the path of one of these. */
	const char *path;
	uint64_t from, until;	/* runs to compare; 0: the first, the last */
	/*
	 * Existing directory in which the results are published for readers. NULL: not published.
	 */
	const char *as;
	unsigned workers;	/* 0: one */
	/* Called after each run. A value other than 0 ends the rerun. NULL: not called. */
	void *context;
	int (*ran)(void *context, uint64_t run, int64_t now, const struct sched *sched);
};

struct rerun_difference {
	uint64_t run;
	char table[32];		/* "jobs", "share tree"; "orders" */
	char of[600];		/* record, such as "job 17"; "" if only digests are known */
	char column[64];	/* "" likewise */
	char live[640], again[640];	/* 17 digits; "" likewise */
};

struct rerun_outcome {
	uint64_t first, last;	/* runs that were compared; 0: none */
	uint64_t runs, orders, events;	/* numbers of runs, orders and events */
	uint64_t parts, gaps;	/* parts that were begun; gaps between parts */
	char gap[256];		/* reason of the last gap */
	bool differs;
	struct rerun_difference difference;
	/*
	 * The last file ends within a part, because its scheduler was killed or is still writing.
	 */
	bool cut;
	uint64_t present_first, present_last;	/* with -ENODATA: runs in the journal */
	char segment[512];	/* with `as`: name of the shared memory; "" */
};

/*
 * Run a journal again. Returns 0, whether `differs` is set or not. -ENOENT, -EACCES: no file.
 * -EPROTO: damaged, with file and line. -ENODATA: the journal has no such run. -EBUSY and others:
 * results cannot be published in the directory. -ENOMEM. Otherwise the value that ran() has
 * returned.
 */
int rerun(const struct rerun_options *options, struct rerun_outcome *outcome, struct error *error);

#endif
