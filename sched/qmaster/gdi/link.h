/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to a qmaster that never waits. Its owner polls the descriptor. Messages about the
 * connection itself (status, receipts, the end) are handled here.
 *
 *     gdi_link_open(&link, cell, qmaster, &error);
 *     again: poll(link.fd, gdi_link_events(&link)), until gdi_link_due_ns() at the latest
 *             rc = gdi_link_handle(&link, now_ns, &error);
 *             while (rc == 0 && (rc = gdi_link_next(&link, &frame, now_ns, &error)) > 0)
 *                     ... a message; free frame.data ...
 *     gdi_link_free(&link);
 *
 * The link gives up a peer after GDI_LINK_PATIENCE_S in three cases: the peer does not read, does
 * not answer a connect, or sends less than 64 KiB a second of a message that it has begun.
 */
#ifndef SCHED_QMASTER_GDI_LINK_H
#define SCHED_QMASTER_GDI_LINK_H

#include <sys/types.h>

#include "sched/qmaster/gdi/cell.h"
#include "sched/qmaster/gdi/frame.h"

#define GDI_COMPONENT "fairlead"
#define GDI_LINK_PATIENCE_S 30
#define GDI_LINK_SENDING_MOST ((size_t)256 << 20)	/* bytes that may wait to be sent */

enum gdi_link_state { GDI_LINK_NONE, GDI_LINK_CONNECTING, GDI_LINK_GREETING, GDI_LINK_OPEN, GDI_LINK_CLOSING };

struct gdi_link_part;
struct addrinfo;

struct gdi_link {			/* zero-initialise; free with gdi_link_free() */
	enum gdi_link_state state;
	int fd;				/* valid unless GDI_LINK_NONE */
	uint32_t connection;		/* id assigned by the qmaster */
	uint64_t messages_waiting;	/* set by the owner, for status messages */
	char host[GDI_HOSTNAME_MOST + 1];	/* host of the qmaster */
	/* Private to link.c. */
	char own[GDI_HOSTNAME_MOST + 1];
	uint64_t patience_ns;		/* GDI_LINK_PATIENCE_S, unless changed after the opening */
	/* Allowed user of the qmaster, besides root and our own user. */
	uid_t admin;
	struct addrinfo *addresses, *address;
	struct gdi_frames frames;
	struct gdi_link_part *sending, *sending_last;
	size_t sending_bytes;
	uint32_t last_id;
	/* Answers about the connection since the queue was last empty. */
	unsigned controls;
	uint64_t opened_ns, stuck_ns, begun_ns, begun_at;
	int64_t opened;			/* seconds since 1970 */
};

/*
 * Begin to connect. -EHOSTUNREACH: the host name has no address. -ECONNREFUSED and other errors of
 * connect(2), -EMFILE, -ENOMEM.
 */
int gdi_link_open(struct gdi_link *link, const struct gdi_cell *cell, const char *qmaster, uint64_t now_ns,
		  struct error *error);
void gdi_link_free(struct gdi_link *link);	/* closes at once */

short gdi_link_events(const struct gdi_link *link);
/* Latest time for the next handle; UINT64_MAX: none. */
uint64_t gdi_link_due_ns(const struct gdi_link *link);

/*
 * Continue to connect; read and write without waiting, up to some megabytes. After -ECONNREFUSED,
 * -ETIMEDOUT, -ECONNRESET or -ENOMEM the link can only be freed.
 */
int gdi_link_handle(struct gdi_link *link, uint64_t now_ns, struct error *error);
/*
 * Take the next message of the application. Returns 1, or 0 if there is none now. -ECONNRESET: the
 * peer ends the connection. -EACCES: the qmaster refuses the connection, with its message. -EPERM:
 * the peer is a process on this host of a user other than root, the cell's admin user and our own.
 * -EPROTO, -EMSGSIZE, -ENOMEM.
 */
int gdi_link_next(struct gdi_link *link, struct gdi_frame *frame, uint64_t now_ns, struct error *error);

/*
 * Send the bytes, which are taken over and freed. Returns the id of the message. 0: no memory, or
 * too many bytes are waiting; the bytes are also freed then.
 */
uint32_t gdi_link_send(struct gdi_link *link, enum gdi_tag tag, unsigned char *bytes, size_t n);

/* Close regularly. gdi_link_next() returns -ECONNRESET when the peer has agreed. */
void gdi_link_close(struct gdi_link *link);

#endif
