/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user of the process at the other end of a connection within this host. While no qmaster runs,
 * any user may open its port, and the protocol does not identify the peer.
 */
#ifndef SCHED_QMASTER_GDI_PEER_H
#define SCHED_QMASTER_GDI_PEER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Find the user who has accepted the connection, according to the kernel. Call this after the first
 * bytes have been received. False: the peer is on another host, or the kernel does not know.
 */
bool gdi_peer_user(int fd, uid_t *uid);

#endif
