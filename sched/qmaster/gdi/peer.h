/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose process is at the other end of a connection within this host? The qmaster's port is one
 * that any user may take while no qmaster runs, and the protocol does not say who speaks.
 */
#ifndef SCHED_QMASTER_GDI_PEER_H
#define SCHED_QMASTER_GDI_PEER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * The user who has accepted the connection, as the kernel has it; to be asked after the first bytes
 * have come. False: it goes to another host, or the kernel does not tell.
 */
bool gdi_peer_user(int fd, uid_t *uid);

#endif
