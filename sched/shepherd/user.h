/* SPDX-License-Identifier: Apache-2.0 */
/* From the scheduler's user to that of a task. */
#ifndef SHEPHERD_USER_H
#define SHEPHERD_USER_H

#include "sched/shepherd/task.h"

/*
 * With `user`, `uid`, `gid` and `init_groups` of a task, for good. Who is not root can only stay
 * himself. 0, or -ECANCELED and why.
 */
int user_become(const struct shepherd_task *task, struct failure *failure);

/*
 * Join a new session keyring. Without it the user could read the keys of the session that started
 * the scheduler. Call it while still root: the user may have reached his limit of keys. A kernel
 * without keys has none to hide.
 */
void keyring_leave(void);

#endif
