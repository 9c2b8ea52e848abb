/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to a qmaster that never waits: who owns it polls its descriptor. Messages about the
 * connection itself (status, receipts, the end) are answered in here.
 *
 *     gdi_link_open(&link, cell, qmaster, &error);
 *     again: poll(link.fd, gdi_link_events(&link)), until gdi_link_due_ns() at the latest
 *             rc = gdi_link_handle(&link, now_ns, &error);
 *             while (rc == 0 && (rc = gdi_link_next(&link, &frame, now_ns, &error)) > 0)
 *                     ... a message; frame.data is to be freed ...
 *     gdi_link_free(&link);
 *
 * A peer that does not read, sends less than 64 KiB a second of a message that it has begun, or
 * does not answer a connect is given up after GDI_LINK_PATIENCE_S.
 */
#ifndef SCHED_QMASTER_GDI_LINK_H
#define SCHED_QMASTER_GDI_LINK_H

#include <sys/types.h>

#include "sched/qmaster/gdi/cell.h"
#include "sched/qmaster/gdi/frame.h"

#define GDI_COMPONENT "fairlead"
#define GDI_LINK_PATIENCE_S 30
#define GDI_LINK_SENDING_MOST ((size_t)256 << 20)	/* bytes that wait to be sent */

enum gdi_link_state { GDI_LINK_NONE, GDI_LINK_CONNECTING, GDI_LINK_GREETING, GDI_LINK_OPEN, GDI_LINK_CLOSING };

struct gdi_link_part;
struct addrinfo;

struct gdi_link {			/* zero-initialise; gdi_link_free() */
	enum gdi_link_state state;
	int fd;				/* valid unless GDI_LINK_NONE */
	uint32_t connection;		/* the id that the qmaster gave us */
	uint64_t messages_waiting;	/* set by the owner, for status messages */
	char host[GDI_HOSTNAME_MOST + 1];	/* the qmaster's */
	/* link.c's own */
	char own[GDI_HOSTNAME_MOST + 1];
	uint64_t patience_ns;		/* GDI_LINK_PATIENCE_S, unless it was changed after the opening */
	uid_t admin;			/* who may be the qmaster's user beside root and ourselves */
	struct addrinfo *addresses, *address;
	struct gdi_frames frames;
	struct gdi_link_part *sending, *sending_last;
	size_t sending_bytes;
	uint32_t last_id;
	unsigned controls;		/* answers about the connection since nothing waited to be sent */
	uint64_t opened_ns, stuck_ns, begun_ns, begun_at;
	int64_t opened;			/* seconds since 1970 */
};

/*
 * Begins to connect. -EHOSTUNREACH (its name has no address), -ECONNREFUSED and others of
 * connect(2),
 * -EMFILE, -ENOMEM.
 */
int gdi_link_open(struct gdi_link *link, const struct gdi_cell *cell, const char *qmaster, uint64_t now_ns,
		  struct error *error);
void gdi_link_free(struct gdi_link *link);	/* at once */

short gdi_link_events(const struct gdi_link *link);
uint64_t gdi_link_due_ns(const struct gdi_link *link);	/* when to call handle at the latest; UINT64_MAX: never */

/*
 * Connects further, reads and writes what can be without waiting, up to some megabytes.
 * -ECONNREFUSED, -ETIMEDOUT, -ECONNRESET, -ENOMEM: it can only be freed then.
 */
int gdi_link_handle(struct gdi_link *link, uint64_t now_ns, struct error *error);
/*
 * 1: a message of the application; 0: none now; -ECONNRESET (the peer ends it), -EACCES (it does
 * not take us, with its words), -EPERM (it is the process of somebody else on this host than root,
 * the cell's admin user and ourselves), -EPROTO, -EMSGSIZE, -ENOMEM.
 */
int gdi_link_next(struct gdi_link *link, struct gdi_frame *frame, uint64_t now_ns, struct error *error);

/*
 * Takes the bytes, which are freed when they are sent. The id of the message; 0: no memory, or too
 * much is waiting already; the bytes are freed then, too.
 */
uint32_t gdi_link_send(struct gdi_link *link, enum gdi_tag tag, unsigned char *bytes, size_t n);

/* Ends it in good order: gdi_link_next() returns -ECONNRESET when the peer has agreed. */
void gdi_link_close(struct gdi_link *link);

#endif
