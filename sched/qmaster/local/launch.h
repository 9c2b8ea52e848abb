/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of the scheduler (orders.c), and the start of a task (launch.c, limits.c). */
#ifndef SCHED_QMASTER_LOCAL_LAUNCH_H
#define SCHED_QMASTER_LOCAL_LAUNCH_H

#include "sched/qmaster/local/job.h"
#include "sched/qmaster/local/task.h"

#define DESCRIPTORS_SPARE 64	/* descriptors reserved for other purposes than shepherds */

/* Carry out or refuse all pending orders. */
void orders_carry_out(struct local *local);
/*
 * Prepare a new attempt: make its directory and the configuration of the shepherd. Nothing is
 * started yet.
 */
int launch_prepare(struct local *local, struct local_task *task, const struct local_job *job, struct error *error);
/*
 * Return whether launch_prepare() has failed with this code for a reason in the job, which would
 * fail again.
 */
bool launch_is_hopeless(int rc);
/* Return the priority of the task's queue. */
int local_task_nice(const struct local *local, const struct local_task *task);
/* Start the shepherd, if none was started yet, and watch it. */
int launch_spawn(struct local *local, struct local_task *task, struct error *error);
/* Remove the directory of an attempt of a task, or the directory `name`. */
void attempt_remove(struct local *local, const struct local_task *task, uint32_t attempt);
void launch_sweep(struct local *local, const char *name);
/* Read the configuration of its shepherd. NULL: unreadable. The caller destroys the values. */
const struct value *attempt_config(int dir_fd, struct values *values);
char *attempt_cgroup(int dir_fd);	/* freed by the caller; NULL: none */
uint32_t attempt_uid(int dir_fd);	/* user of the attempt; 0: not known */
/* Watch the end of a shepherd. Takes ownership of the descriptor, even on error. */
int local_task_watch(struct local *local, struct local_task *task, int pid_fd, struct error *error);

/*
 * Return the smaller of the limit `name` of a queue instance and the job's request, in seconds or
 * bytes per slot. -1: no limit. *of_queue: the queue has the smaller limit.
 */
int64_t limit_of(const struct local *local, const char *queue, const struct local_job *job, const char *name,
		 bool *of_queue);
/* Write all limits in the format of the shepherd. */
void limits_write(struct out *out, const struct local *local, const struct local_task *task,
		  const struct local_job *job);

#endif
