/* SPDX-License-Identifier: Apache-2.0 */
/* Address of a scheduler's local cell, used by the scheduler and by clients. */
#ifndef SCHED_QMASTER_LOCAL_PATH_H
#define SCHED_QMASTER_LOCAL_PATH_H

#include <sys/socket.h>
#include <sys/un.h>

/*
 * Write the address of the Unix socket of the cell in `directory`. The socket is beside the cell's
 * segment, in the directory that only the scheduler may change (shm/place.h). Returns
 *   0, -ENOENT, -EACCES, -ENOTDIR (no such directory), or -ENAMETOOLONG (longer than the address of
 *   a socket can be: 107 bytes)
 */
int path_socket(struct sockaddr_un *at, const char *directory);

#endif
