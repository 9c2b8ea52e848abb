/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits that end a task.
 *
 * The scheduler watches h_rt and s_rt and records a reached limit in the file `limit`. The kernel
 * enforces h_cpu, s_cpu and h_fsize.
 */
#ifndef SHEPHERD_LIMITS_H
#define SHEPHERD_LIMITS_H

#include "sched/shepherd/task.h"

/*
 * Find out from the exit and the usage whether a limit has ended the task. If so, return true and
 * set exit->text to the limit. If the task was killed, also set exit->failed to FAILED_LIMIT.
 */
bool limits_explain(int dirfd, const struct shepherd_task *task, struct attempt_exit *exit);

#endif
