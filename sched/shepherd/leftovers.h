/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of a task, including those that remain when its first process has ended.
 *
 * Remaining processes are killed and waited for, so that the slots of the task are free when its
 * end is reported. The shepherd is the subreaper of these processes. They are its descendants,
 * regardless of the sessions that they have created.
 */
#ifndef SHEPHERD_LEFTOVERS_H
#define SHEPHERD_LEFTOVERS_H

/*
 * Kill all processes of the task and wait for them. `cgroup` (NULL: none) is emptied, too.
 *
 * Waits as long as necessary, because a process may hang in the kernel. Processes that may not be
 * killed are waited for only a short time. Returns the number of these that remain, usually 0.
 * SIGCHLD must be blocked.
 */
unsigned leftovers_kill(const char *cgroup);

/*
 * Send a signal once to all processes of the task; SIGKILL also to all in `cgroup`. Stopped
 * processes are continued so that they handle the signal. Returns 0, or -ENOMEM, -EMFILE or -ENFILE
 * if the signal was sent to no process.
 */
int leftovers_signal(int signal, const char *cgroup);

#endif
