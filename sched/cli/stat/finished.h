/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ended tasks from the accounting file of a cell, newest first. For fairlead stat -s z, and for -j
 * with a job that has ended.
 */
#ifndef CLI_STAT_FINISHED_H
#define CLI_STAT_FINISHED_H

#include "sched/cli/cli.h"
#include "sched/trace/accounting_record.h"

#define FINISHED_MOST 100		/* rows, like finished_jobs of Grid Engine */
#define FINISHED_LOOK_BYTES (64 << 20)	/* bytes read from the end of the file */

struct finished_task {
	char *line;			/* owned, the record points into it */
	struct accounting_record record;
	struct fl_job job;		/* the record as a row, in state z */
};

struct finished {			/* zero-initialised by the caller */
	struct finished_task **items;	/* newest first */
	size_t n, capacity;
	bool cut;			/* the file has older records that were not read */
};

/* Return whether a task is wanted. */
typedef bool finished_wanted(void *context, const struct fl_job *job);

/*
 * Add the wanted tasks from the end of the file, at most `most`. If `number` > 0, add only tasks of
 * this job, however many it had. Return 0, or -errno with the reason in `error`.
 */
int finished_read(struct finished *finished, const char *path, uint32_t number, size_t most, finished_wanted *wanted,
		  void *context, struct error *error);
/*
 * Call `each` once per job, with a row that has all tasks of the job that were found. The job whose
 * first task ended first comes first.
 */
typedef void finished_job(void *context, const struct fl_job *job);
void finished_each(const struct finished *finished, finished_job *each, void *context);
void finished_free(struct finished *finished);

#endif
