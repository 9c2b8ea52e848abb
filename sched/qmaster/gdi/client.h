/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to a qmaster on which one request follows the other: for commands. The scheduler
 * itself uses post.h.
 */
#ifndef SCHED_QMASTER_GDI_CLIENT_H
#define SCHED_QMASTER_GDI_CLIENT_H

#include "sched/qmaster/gdi/cell.h"
#include "sched/qmaster/gdi/packet.h"

struct gdi_client;

/*
 * Connects to the cell's qmaster as component "fairlead". -ECONNREFUSED, -EHOSTUNREACH, -ETIMEDOUT,
 * -EACCES (it does not take us, with its words), -EPROTO (that is no qmaster), -ENOMEM. The cell is
 * borrowed until the client is closed.
 */
int gdi_client_open(struct gdi_client **client, const struct gdi_cell *cell, int timeout_ms, struct error *error);
void gdi_client_close(struct gdi_client *client);	/* in good order; NULL is fine */

/*
 * Sends the packet and waits for its answer, of which `answer` is what gdi_take_answer() reads: it is
 * valid until the next call. -EPROTO, -ECONNRESET, -ETIMEDOUT: the client can only be closed then.
 */
int gdi_client_call(struct gdi_client *client, const struct gdi_writer *packet, struct gdi_buffer *answer, struct error *error);

#endif
