/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to a qmaster for commands, with one request at a time. The scheduler itself uses
 * post.h.
 */
#ifndef SCHED_QMASTER_GDI_CLIENT_H
#define SCHED_QMASTER_GDI_CLIENT_H

#include "sched/qmaster/gdi/cell.h"
#include "sched/qmaster/gdi/packet.h"

struct gdi_client;

/*
 * Connect to the qmaster of the cell. -ECONNREFUSED, -EHOSTUNREACH, -ETIMEDOUT. -EACCES: the
 * qmaster refuses the connection, with its message. -EPROTO: the peer is not a qmaster. -ENOMEM.
 * `timeout_ms` applies to this call and to each gdi_client_call(). The cell is borrowed until the
 * client is closed.
 */
int gdi_client_open(struct gdi_client **client, const struct gdi_cell *cell, int timeout_ms, struct error *error);
/* Close the connection regularly. NULL is a no-op. */
void gdi_client_close(struct gdi_client *client);

/*
 * Send the packet and wait for its answer. `answer` can be passed to gdi_take_answer(); its header
 * has been taken. It is valid until the next call. The caller still owns the packet. After -EPROTO,
 * -ECONNRESET, -ETIMEDOUT or -ENOMEM the client can only be closed.
 */
int gdi_client_call(struct gdi_client *client, const struct gdi_writer *packet, struct gdi_buffer *answer,
		    struct error *error);

#endif
