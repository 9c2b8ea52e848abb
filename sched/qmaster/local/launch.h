/* SPDX-License-Identifier: Apache-2.0 */
/* What the scheduler orders (orders.c), and how a task is started (launch.c, limits.c). */
#ifndef SCHED_QMASTER_LOCAL_LAUNCH_H
#define SCHED_QMASTER_LOCAL_LAUNCH_H

#include "sched/qmaster/local/job.h"
#include "sched/qmaster/local/task.h"

#define DESCRIPTORS_SPARE 64	/* that are kept for others than shepherds */

void orders_carry_out(struct local *l);
/* A new attempt: directory and description. The task is put into the store; nothing runs yet. */
int launch_prepare(struct local *l, struct local_task *t, const struct local_job *job, struct error *error);
/* It failed for a reason that lies with the job, and would again. */
bool launch_is_hopeless(int rc);
int local_task_nice(const struct local *l, const struct local_task *t);	/* with which it begins */
int launch_spawn(struct local *l, struct local_task *t, struct error *error);
/* Their directories: of one attempt of a task, or by name. */
void attempt_remove(struct local *l, const struct local_task *t, uint32_t attempt);
void launch_sweep(struct local *l, const char *name);
json_t *attempt_config(int dir_fd);	/* what its shepherd was given; NULL: it can't be read */
char *attempt_cgroup(int dir_fd);	/* the caller frees; NULL: none */
int local_task_watch(struct local *l, struct local_task *t, int pid_fd, struct error *error);

/* -1: none. Seconds or bytes. */
int64_t limit_of(const struct local *l, const struct local_task *t, const struct local_job *job, const char *name);
/* for the shepherd */
json_t *limits_of(const struct local *l, const struct local_task *t, const struct local_job *job);

#endif
