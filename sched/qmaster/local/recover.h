/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovery when a scheduler begins or after a turn was undone: recover.c. If the store is older
 * than the files beside it: restored.c.
 */
#ifndef SCHED_QMASTER_LOCAL_RECOVER_H
#define SCHED_QMASTER_LOCAL_RECOVER_H

#include "sched/qmaster/local/task.h"
#include "sched/shepherd/record.h"

/* Read all started tasks of the store into memory, and remove directories without a task. */
int recover(struct local *local, struct error *error);
/*
 * Find the shepherd of each task that is SOUGHT. Call after the tasks were reported to the
 * scheduler, because ended tasks are reported here.
 */
int recover_look(struct local *local, struct error *error);

/*
 * Find out whether the store is older than the accounting file. If so, lines after `from`, which
 * the store does not know, are not only those of an uncommitted transaction.
 */
int restored_look(struct local *local, int64_t from, bool *older, struct error *error);
/* Prevent job numbers in accounting lines from being used again, at least those after `from`. */
int restored_numbers(struct local *local, int64_t from, struct error *error);
/* Prevent numbers of jobs and attempts in active_jobs from being used again. */
int restored_attempts(struct local *local, struct error *error);
/*
 * Prevent tasks that have ended according to lines after `from` from running again. Call after
 * recover().
 */
int restored_settle(struct local *local, int64_t from, struct error *error);
/*
 * Take over the task of a directory in active_jobs that has begun, although it is pending in the
 * store. The task is then running or ended. Returns false if the directory is not of this kind.
 */
bool restored_adopt(struct local *local, const char *name, int dir_fd, const struct attempt *attempt);

#endif
