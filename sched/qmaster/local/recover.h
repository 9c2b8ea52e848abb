/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is true when a scheduler begins, or after a turn was undone: recover.c; and where the store
 * is older than the state beside it: restored.c.
 */
#ifndef SCHED_QMASTER_LOCAL_RECOVER_H
#define SCHED_QMASTER_LOCAL_RECOVER_H

#include "sched/qmaster/local/task.h"
#include "sched/shepherd/record.h"

/* All started tasks of the store into memory; those that it does not have are forgotten. */
int recover(struct local *l, struct error *error);
/* Which of them run; the scheduler is told of those that don't. */
int recover_look(struct local *l, struct error *error);

/*
 * Whether it is: the accounting's lines from there on are none of a transaction that was not
 * committed.
 */
int restored_look(struct local *l, int64_t from, bool *older, struct error *error);
/* Numbers of jobs in the accounting, from there on at least, are not given again. */
int restored_numbers(struct local *l, int64_t from, struct error *error);
/* Nor those of jobs and attempts in active_jobs. */
int restored_attempts(struct local *l, struct error *error);
/* Tasks that have ended, as those lines say, are not run again. After recover(). */
int restored_settle(struct local *l, int64_t from, struct error *error);
/*
 * One of active_jobs that has begun, and waits as the store knows it: it runs, or has ended. False:
 * it is not.
 */
bool restored_adopt(struct local *l, const char *name, int dir_fd, const struct attempt *a);

#endif
