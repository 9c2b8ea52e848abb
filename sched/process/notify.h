/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Report the state of the process to the service manager with the protocol of sd_notify(3), on the
 * socket that NOTIFY_SOCKET names.
 */
#ifndef SCHED_PROCESS_NOTIFY_H
#define SCHED_PROCESS_NOTIFY_H

/*
 * Send "READY=1", "STOPPING=1", "STATUS=..."; several are separated by newlines. Does nothing
 * without NOTIFY_SOCKET. Never waits: the message is lost if the manager does not read it.
 */
void notify_send(const char *state);

/* Send "RELOADING=1" with the time stamp that the manager requires; "READY=1" must follow. */
void notify_reloading(void);

#endif
