/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that a task consists of, and what it leaves behind when its first process has ended: that is
 * killed and waited for, so that its slots are free when the task is reported to have ended. We are
 * the subreaper of these processes: whatever sessions they have made for themselves, they are our
 * descendants.
 */
#ifndef SHEPHERD_LEFTOVERS_H
#define SHEPHERD_LEFTOVERS_H

/*
 * Kills until there is none left; `cgroup` (NULL: none) is emptied, too. Waits as long as it takes
 * (a process may hang in the kernel), but not for processes that we may not kill: returns how many
 * of them are left after a while, 0 as a rule. SIGCHLD must be blocked.
 */
unsigned leftovers_kill(const char *cgroup);

/*
 * A signal to all of the task, once; SIGKILL to all in `cgroup`, too. Who was stopped goes on, so
 * that it hears of it. 0; -ENOMEM, -EMFILE, -ENFILE: nobody has got it.
 */
int leftovers_signal(int signal, const char *cgroup);

#endif
