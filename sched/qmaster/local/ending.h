/* SPDX-License-Identifier: Apache-2.0 */
/* End of tasks: ending.c. */
#ifndef SCHED_QMASTER_LOCAL_ENDING_H
#define SCHED_QMASTER_LOCAL_ENDING_H

#include "sched/qmaster/local/task.h"
#include "sched/shepherd/record.h"

struct local_job;

/*
 * Find out the state of a task whose shepherd has ended or may have ended. Returns true if the task
 * has ended or is to begin again. Returns false if it runs with *shepherd; *shepherd is zero if
 * that cannot be found out now.
 */
bool ending_take(struct local *local, struct local_task *task, struct attempt_process *shepherd);
/*
 * Prevent a deleted task from beginning, if it has not begun yet, for example because a file server
 * does not answer.
 */
void ending_prevent(struct local *local, struct local_task *task);
/* Regard a task that cannot be killed as ended, whatever its shepherd does. */
void ending_forget(struct local *local, struct local_task *task);
/* Return the field `failed` of accounting(5). */
enum attempt_failed ending_failed(const struct attempt_exit *exit);
/* Return whether a task waits again after this end, unless it was deleted. */
bool ending_is_void(enum attempt_failed failed, int exit_status);
/*
 * Return whether a task of this job waits again. A task of a job that ends on errors does not wait
 * in the error state.
 */
bool ending_is_void_for(const struct local_job *job, enum attempt_failed failed, int exit_status);
/* Remove ended tasks that a run has booked from the store, before the commit. */
int endings_booked(struct local *local, struct error *error);
/* Remove them from memory, after the commit. */
void endings_forget(struct local *local);

#endif
