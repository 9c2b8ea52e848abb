/* SPDX-License-Identifier: Apache-2.0 */
/* The file accounting(5) of the local cell: a line for each task that has ended. */
#ifndef SCHED_QMASTER_LOCAL_ACCOUNTING_H
#define SCHED_QMASTER_LOCAL_ACCOUNTING_H

#include "sched/qmaster/local/job.h"
#include "sched/qmaster/local/task.h"
#include "sched/shepherd/record.h"

struct accounting {
	int fd;
	char *path;
	int64_t end;		/* bytes that belong to committed transactions */
	uint64_t inode;
	/* where lines begin that a store from a backup does not know of; -1: it is none */
	int64_t restored;
	char *text;		/* lines of this turn, not written yet */
	size_t used;
};

int accounting_open(struct local *local, struct error *error);
void accounting_close(struct accounting *accounting);
/* A line for a task that has ended. */
int accounting_add(struct local *local, const struct local_task *task, const struct local_job *job,
		   const struct attempt_exit *exit, struct error *error);
/* Before the commit: writes the lines of this turn to the disk, and their end to the store. */
int accounting_write(struct local *local, struct error *error);
void accounting_undo(struct local *local);		/* the turn is undone */
void accounting_settled(struct local *local);	/* it is committed */

/* of its end, in which a job's lines are looked for */
#define ACCOUNTING_LOOK_BYTES (1 << 20)

struct ended_line {
	uint32_t job_number;
	int64_t submission_time;
	const char *owner;
	uint32_t task;		/* 0: the job is no array */
	enum attempt_failed failed;
	int exit_status;
};

typedef void ended_take(void *context, const struct ended_line *ended);
/* Each line behind `from`. If that is within a line, the line is left out. 0 or -errno. */
int accounting_lines(const struct local *local, int64_t from, ended_take *take, void *context);
/*
 * Each committed line of a job in the last ACCOUNTING_LOOK_BYTES: one for each time that one of its
 * tasks has ended. 0 or -errno.
 */
int accounting_find(const struct local *local, uint32_t job_number, ended_take *take, void *context);

#endif
