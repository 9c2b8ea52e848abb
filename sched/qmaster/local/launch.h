/* SPDX-License-Identifier: Apache-2.0 */
/* What the scheduler orders (orders.c), and how a task is started (launch.c, limits.c). */
#ifndef SCHED_QMASTER_LOCAL_LAUNCH_H
#define SCHED_QMASTER_LOCAL_LAUNCH_H

#include "sched/qmaster/local/job.h"
#include "sched/qmaster/local/task.h"

#define DESCRIPTORS_SPARE 64	/* file descriptors not used for shepherds */

/* Carries out, or refuses, all orders that there are. */
void orders_carry_out(struct local *local);
/* A new attempt: its directory, with the file that says what is to be started. Nothing runs yet. */
int launch_prepare(struct local *local, struct local_task *task, const struct local_job *job, struct error *error);
/*
 * That has failed, with this return code, for a reason that lies with the job, and would fail
 * again.
 */
bool launch_is_hopeless(int rc);
int local_task_nice(const struct local *local, const struct local_task *task);	/* its queue's priority */
/* Starts its shepherd, if none was started yet, and watches it. */
int launch_spawn(struct local *local, struct local_task *task, struct error *error);
/* Remove the directory of an attempt of a task, or the one with this name. */
void attempt_remove(struct local *local, const struct local_task *task, uint32_t attempt);
void launch_sweep(struct local *local, const char *name);
json_t *attempt_config(int dir_fd);	/* what its shepherd was given; NULL: it can't be read */
char *attempt_cgroup(int dir_fd);	/* the caller frees; NULL: none */
uint32_t attempt_uid(int dir_fd);	/* of its user; 0: not known */
/* The end of this shepherd wakes us. Takes the descriptor, on error, too. */
int local_task_watch(struct local *local, struct local_task *task, int pid_fd, struct error *error);

/*
 * Return the limit `name` of queue_conf(5), or the request of the job, if that is less. -1: none.
 * Seconds or bytes, for a slot. *of_queue: the queue is stricter than the job.
 */
int64_t limit_of(const struct local *local, const struct local_task *task, const struct local_job *job,
		 const char *name, bool *of_queue);
/* All of them, as the shepherd reads them. */
json_t *limits_of(const struct local *local, const struct local_task *task, const struct local_job *job);

#endif
