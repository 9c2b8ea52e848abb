/* SPDX-License-Identifier: Apache-2.0 */
/* The file accounting(5) of the local cell: one line for each task that has ended. */
#ifndef SCHED_QMASTER_LOCAL_ACCOUNTING_H
#define SCHED_QMASTER_LOCAL_ACCOUNTING_H

#include "sched/qmaster/local/job.h"
#include "sched/qmaster/local/task.h"
#include "sched/shepherd/record.h"

struct accounting {
	int fd;
	char *path;
	int64_t end;		/* length of committed lines, in bytes */
	uint64_t inode;
	/* start of lines that a store from a backup does not know; -1: none */
	int64_t restored;
	char *text;		/* lines of this turn, not written yet */
	size_t used;
};

int accounting_open(struct local *local, struct error *error);
void accounting_close(struct accounting *accounting);
/* Add the line of a task that has ended. */
int accounting_add(struct local *local, const struct local_task *task, const struct local_job *job,
		   const struct attempt_exit *exit, struct error *error);
/* Write the lines of this turn to disk and their end to the store, before the commit. */
int accounting_write(struct local *local, struct error *error);
void accounting_undo(struct local *local);		/* drop the lines: the turn is undone */
void accounting_settled(struct local *local);	/* keep the lines: the turn is committed */

/* part at the end of the file that is searched for lines of a job */
#define ACCOUNTING_LOOK_BYTES (1 << 20)

struct ended_line {
	uint32_t job_number;
	int64_t submission_time;
	const char *owner;
	uint32_t task;		/* 0: the job is not an array */
	enum attempt_failed failed;
	int exit_status;
};

typedef void ended_take(void *context, const struct ended_line *ended);
/*
 * Call `take` for each line after `from`. A line that begins before `from` is skipped. Returns 0 or
 * -errno.
 */
int accounting_lines(const struct local *local, int64_t from, ended_take *take, void *context);
/*
 * Call `take` for each committed line of a job in the last ACCOUNTING_LOOK_BYTES. A task has one
 * line for each time that it ended. Returns 0 or -errno.
 */
int accounting_find(const struct local *local, uint32_t job_number, ended_take *take, void *context);

#endif
