/* SPDX-License-Identifier: Apache-2.0 */
/* Change from the scheduler's user to the user of a task. */
#ifndef SHEPHERD_USER_H
#define SHEPHERD_USER_H

#include "sched/shepherd/task.h"

/*
 * Become the user permanently. Uses `user`, `uid`, `gid` and `init_groups` of the task. Without
 * root rights only the current user is possible. Returns 0, or -ECANCELED with the reason.
 */
int user_become(const struct shepherd_task *task, struct failure *failure);

/*
 * Join a new session keyring. Without it the user could read the keys of the session that started
 * the scheduler. Call it while still root, because users may have reached their limit of keys. On a
 * kernel without keys this does nothing.
 */
void keyring_leave(void);

#endif
