/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that have ended, newest first, out of a cell's accounting file: fairlead stat -s z, and -j
 * of a job that is gone.
 */
#ifndef CLI_STAT_FINISHED_H
#define CLI_STAT_FINISHED_H

#include "sched/cli/cli.h"
#include "sched/trace/accounting_record.h"

#define FINISHED_MOST 100		/* rows, as finished_jobs of a Grid Engine has them */
#define FINISHED_LOOK_BYTES (64 << 20)	/* of the file's end */

struct finished_task {
	char *line;			/* owned; the record points into it */
	struct accounting_record record;
	struct fl_job job;		/* the same as a row, in state z */
};

struct finished {			/* zero-initialise */
	struct finished_task **items;	/* newest first */
	size_t n, capacity;
	bool cut;			/* the file has more before what was looked at */
};

/* Is it one of those that are meant? `most`: at most so many. */
typedef bool finished_wanted(void *context, const struct fl_job *job);

/*
 * Adds those of the file's end that are wanted, at most `most`. 0, or -errno with the reason.
 * `number` > 0: of this job alone, however many tasks it had.
 */
int finished_read(struct finished *finished, const char *path, uint32_t number, size_t most, finished_wanted *wanted,
		  void *context, struct error *error);
/* Call for each job, the one whose first task ended first before others: a row with all of its tasks that are there. */
typedef void finished_job(void *context, const struct fl_job *job);
void finished_each(const struct finished *finished, finished_job *each, void *context);
void finished_free(struct finished *finished);

#endif
