/* SPDX-License-Identifier: Apache-2.0 */
/* Letters about jobs: -m and -M of submit(1). They are sent as the job's owner, by sendmail(8). */
#ifndef SCHED_QMASTER_LOCAL_MAIL_H
#define SCHED_QMASTER_LOCAL_MAIL_H

#include "sched/qmaster/local/job.h"
#include "sched/qmaster/local/task.h"

/* The program that sends them; NULL: this machine has none. */
const char *mail_program(const struct local *local);
bool mail_is_wanted(const struct local_job *job);
/* At which times, of those that a task of this job begins with, or goes on with after a restart. */
void mail_of_job(struct local_task *task, const struct local_job *job);
/*
 * What is committed: it has begun (b); it has ended (e), and something was the matter (a); it was
 * stopped, and goes on (s). No-op if the job does not want that told.
 */
void mail_begun(struct local *local, const struct local_task *task);
void mail_ended(struct local *local, const struct local_task *task);
void mail_suspended(struct local *local, const struct local_task *task, bool stops);

#endif
