/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A journal run again: the scheduler of its time, made from the state that a part begins with and
 * given everything that came afterwards, makes each run at its clock. Each order, and a digest of
 * everything that was published, is compared with what the journal has.
 *
 *     rerun(&options, &outcome, &error)
 *
 * It goes on from part to part as long as there is no gap between them, and begins anew behind a
 * gap. It ends at the first difference.
 */
#ifndef SCHED_QMASTER_JOURNAL_RERUN_H
#define SCHED_QMASTER_JOURNAL_RERUN_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/error.h"

struct sched;

struct rerun_options {
	/* the journal's FILE, with which FILE.1, FILE.2, ... belong; or one of these */
	const char *path;
	uint64_t from, until;	/* runs to compare; 0: the first, the last */
	/*
	 * The directory by which readers find what is published, which is there; NULL: nobody does
	 */
	const char *as;
	unsigned workers;	/* 0: one */
	/* another value than 0 ends it; NULL: nobody asks */
	void *context;
	int (*ran)(void *context, uint64_t run, int64_t now, const struct sched *sched);
};

struct rerun_difference {
	uint64_t run;
	char table[32];		/* "jobs", "share tree"; "orders" */
	char of[600];		/* which record: "job 17"; "" where digests alone are known */
	char column[64];	/* "" as well */
	char live[640], again[640];	/* 17 digits; "" as well */
};

struct rerun_outcome {
	uint64_t first, last;	/* runs that were compared; 0: none */
	uint64_t runs, orders, events;	/* how many */
	uint64_t parts, gaps;	/* that were begun with; between them */
	char gap[256];		/* why, of the last gap */
	bool differs;
	struct rerun_difference difference;
	/* the last file ends within a part, as where a scheduler was killed or is still at it */
	bool cut;
	uint64_t present_first, present_last;	/* with -ENODATA: runs that there are */
	char segment[512];	/* with `as`: what of it is in shared memory; "" */
};

/*
 * 0, with differs or not; -ENOENT, -EACCES: no file; -EPROTO: damaged, with file and line;
 * -ENODATA: it has no such run; -EBUSY, ...: the directory can't be published in; -ENOMEM; what
 * ran() has returned.
 */
int rerun(const struct rerun_options *options, struct rerun_outcome *outcome, struct error *error);

#endif
