/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages to the journal of systemd with fields: systemd.journal-fields(7). The protocol is a
 * datagram of lines FIELD=value to a socket, so no library is needed:
 * https://systemd.io/JOURNAL_NATIVE_PROTOCOL
 */
#ifndef SCHED_PROCESS_LOG_JOURNAL_H
#define SCHED_PROCESS_LOG_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#define LOG_JOURNAL_SOCKET "/run/systemd/journal/socket"

/* Return whether standard error is the stream to the journal that JOURNAL_STREAM names. */
bool log_journal_is_stderr(void);

/* Connect to the socket. Returns a descriptor, or -errno. */
int log_journal_open(const char *path);

/* Send a message, without waiting. Returns 0, -EAGAIN if there is no space, or another -errno. */
int log_journal_send(int fd, const char *message, size_t bytes);

#endif
