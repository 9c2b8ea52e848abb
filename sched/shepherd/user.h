/* SPDX-License-Identifier: Apache-2.0 */
/* From the scheduler's user to that of a task. */
#ifndef SHEPHERD_USER_H
#define SHEPHERD_USER_H

#include "sched/shepherd/task.h"

/*
 * With `user`, `uid`, `gid` and `init_groups` of a task, for good. Who is not root can only stay
 * himself. 0, or -ECANCELED and why.
 */
int user_become(const struct shepherd_task *t, struct failure *f);

#endif
