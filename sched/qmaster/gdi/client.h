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
 * Connects to the cell's qmaster. -ECONNREFUSED, -EHOSTUNREACH, -ETIMEDOUT, -EACCES (it does not
 * take us, with its words), -EPROTO (that is no qmaster), -ENOMEM. `timeout_ms` is for this and for
 * each call. The cell is borrowed until the client is closed.
 */
int gdi_client_open(struct gdi_client **client, const struct gdi_cell *cell, int timeout_ms, struct error *error);
void gdi_client_close(struct gdi_client *client);	/* in good order; NULL is fine */

/*
 * Sends the packet and waits for its answer, of which `answer` is what gdi_take_answer() reads: its
 * header is taken, and it is valid until the next call. The packet stays the caller's. -EPROTO,
 * -ECONNRESET, -ETIMEDOUT, -ENOMEM: the client can only be closed then.
 */
int gdi_client_call(struct gdi_client *client, const struct gdi_writer *packet, struct gdi_buffer *answer,
		    struct error *error);

#endif
