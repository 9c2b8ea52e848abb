/* SPDX-License-Identifier: Apache-2.0 */
/* How tasks end: ending.c. */
#ifndef SCHED_QMASTER_LOCAL_ENDING_H
#define SCHED_QMASTER_LOCAL_ENDING_H

#include "sched/qmaster/local/task.h"
#include "sched/shepherd/record.h"

struct local_job;

/*
 * Finds out what has become of a task whose shepherd is gone, or may be. True: it has ended, or is
 * to begin again. False: it runs below *shepherd; or that can't be found out now, then *shepherd is
 * zero.
 */
bool ending_take(struct local *local, struct local_task *task, struct attempt_process *shepherd);
/*
 * A deleted task that has not begun, because a file server does not answer, say, shall never begin.
 * No-op if it has begun.
 */
void ending_prevent(struct local *local, struct local_task *task);
/* It can't be ended by force: it counts as ended from now on, whatever its shepherd does. */
void ending_forget(struct local *local, struct local_task *task);
/* The field `failed` of accounting(5). */
enum attempt_failed ending_failed(const struct attempt_exit *exit);
/* Does a task wait again after this end, unless it was deleted? */
bool ending_is_void(enum attempt_failed failed, int exit_status);
/* Return the same of a task of this job, which may end instead of waiting in the error state. */
bool ending_is_void_for(const struct local_job *job, enum attempt_failed failed, int exit_status);
/*
 * A run has booked the tasks that have ended: they are removed from the store, not committed yet.
 */
int endings_booked(struct local *local, struct error *error);
/* That is committed: they are removed from memory. */
void endings_forget(struct local *local);

#endif
