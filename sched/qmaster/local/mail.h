/* SPDX-License-Identifier: Apache-2.0 */
/* Mail about jobs: -m and -M of submit(1). It is sent as the job's owner, by sendmail(8). */
#ifndef SCHED_QMASTER_LOCAL_MAIL_H
#define SCHED_QMASTER_LOCAL_MAIL_H

#include "sched/qmaster/local/job.h"
#include "sched/qmaster/local/task.h"

/* Return the sending program. NULL: this machine has none. */
const char *mail_program(const struct local *local);
bool mail_is_wanted(const struct local_job *job);
/*
 * Set the events for which the owner wants mail. Called when a task begins and when it is taken
 * over after a restart.
 */
void mail_of_job(struct local_task *task, const struct local_job *job);
/*
 * Send mail about a committed event, if the owner wants it: the task has begun (b), has ended (e),
 * possibly after a problem (a), or was suspended or resumed (s).
 */
void mail_begun(struct local *local, const struct local_task *task);
void mail_ended(struct local *local, const struct local_task *task);
void mail_suspended(struct local *local, const struct local_task *task, bool stops);

#endif
