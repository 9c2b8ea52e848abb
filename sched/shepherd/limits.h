/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits that end a task: those that the scheduler watches (h_rt, s_rt), of which the file `limit`
 * says that they are reached, and those of the kernel (h_cpu, s_cpu, h_fsize).
 */
#ifndef SHEPHERD_LIMITS_H
#define SHEPHERD_LIMITS_H

#include "sched/shepherd/task.h"

/*
 * Find out whether a limit has ended the task, by its exit and its usage. If so, x->text says which
 * one, and x->failed is FAILED_LIMIT if the task was killed. Returns whether one has.
 */
bool limits_explain(int dirfd, const struct shepherd_task *task, struct attempt_exit *exit);

#endif
