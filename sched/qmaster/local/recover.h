/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is true when a scheduler begins, or after a turn was undone: recover.c; and where the store
 * is older than the state beside it: restored.c.
 */
#ifndef SCHED_QMASTER_LOCAL_RECOVER_H
#define SCHED_QMASTER_LOCAL_RECOVER_H

#include "sched/qmaster/local/task.h"
#include "sched/shepherd/record.h"

/* Reads all started tasks of the store into memory, and removes directories that belong to none. */
int recover(struct local *local, struct error *error);
/*
 * Looks for the shepherd of each task that is SOUGHT. After the scheduler was told of the tasks: it
 * is told of those that have ended.
 */
int recover_look(struct local *local, struct error *error);

/*
 * Is the store older than the accounting? Then lines behind `from`, which the store does not know
 * of, are not just those of a transaction that was never committed.
 */
int restored_look(struct local *local, int64_t from, bool *older, struct error *error);
/* Job numbers in lines of the accounting, at least those behind `from`, are not given again. */
int restored_numbers(struct local *local, int64_t from, struct error *error);
/* Nor are the numbers of jobs and attempts that have directories in active_jobs. */
int restored_attempts(struct local *local, struct error *error);
/* Tasks that have ended according to lines behind `from` are not run again. After recover(). */
int restored_settle(struct local *local, int64_t from, struct error *error);
/*
 * A directory in active_jobs whose task has begun, while the store says that it waits: the task is
 * taken up as one that runs, or has ended. False: it is no such directory.
 */
bool restored_adopt(struct local *local, const char *name, int dir_fd, const struct attempt *attempt);

#endif
