/* SPDX-License-Identifier: Apache-2.0 */
/* Where the local cell of a scheduler listens: known to it and to whoever has a request. */
#ifndef SCHED_QMASTER_LOCAL_PATH_H
#define SCHED_QMASTER_LOCAL_PATH_H

#include <sys/socket.h>
#include <sys/un.h>

/*
 * The Unix socket of the cell in `directory`, beside its segment, in the directory that is the
 * scheduler's alone (shm/place.h).
 *   0, -ENOENT, -EACCES, -ENOTDIR (no such directory), or -ENAMETOOLONG (longer than the address of
 *   a socket can be: 107 bytes)
 */
int path_socket(struct sockaddr_un *at, const char *directory);

#endif
