/* SPDX-License-Identifier: Apache-2.0 */
/* The file accounting(5) of the local cell: a line for each task that has ended. */
#ifndef SCHED_QMASTER_LOCAL_ACCOUNTING_H
#define SCHED_QMASTER_LOCAL_ACCOUNTING_H

#include "sched/qmaster/local/job.h"
#include "sched/qmaster/local/task.h"
#include "sched/shepherd/record.h"

struct accounting {
	int fd;
	int64_t end;		/* up to here it is in a committed transaction */
	uint64_t inode;
	/* from there on it has more than a store that was restored knows of; -1: it was not */
	int64_t restored;
	char *text;		/* lines of this turn */
	size_t used;
};

int accounting_open(struct local *l, struct error *error);
void accounting_close(struct accounting *a);
int accounting_add(struct local *l, const struct local_task *t, const struct local_job *job, const struct attempt_exit *exit, struct error *error);
/* The lines of this turn are on disk, and the store knows how far; before the commit. */
int accounting_write(struct local *l, struct error *error);
void accounting_undo(struct local *l);
void accounting_settled(struct local *l);	/* committed */

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
/*
 * The lines from a place in the file on, which is between two of them or in one that is left out.
 */
int accounting_lines(const struct local *l, int64_t from, ended_take *take, void *context);
/*
 * The committed lines of a job, one for each time that one of its tasks has ended, among the last
 * ones of the file.
 */
int accounting_find(const struct local *l, uint32_t job_number, ended_take *take, void *context);

#endif
