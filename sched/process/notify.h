/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tell the service manager how we are: sd_notify(3)'s protocol, spoken to the socket that
 * NOTIFY_SOCKET names.
 */
#ifndef SCHED_PROCESS_NOTIFY_H
#define SCHED_PROCESS_NOTIFY_H

/*
 * "READY=1", "STOPPING=1", "STATUS=..."; several with newlines between them. A no-op without
 * NOTIFY_SOCKET. Never waits: a manager that does not read misses it.
 */
void notify_send(const char *state);

/* "RELOADING=1" with the time stamp that the manager asks for; "READY=1" must follow. */
void notify_reloading(void);

#endif
