/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The framing of messages on a connection: a length as text, a header as text, then as many bytes
 * of data as the header says. Both directions have the same format. The format of the headers is
 * fixed, and anything else is refused.
 *
 *     struct gdi_frames frames = { 0 };
 *
 *     room = gdi_frames_room(&frames, &bytes);        where to put the next bytes from the socket
 *     n = recv(fd, room, bytes, 0);
 *     gdi_frames_took(&frames, n);
 *     while ((rc = gdi_frames_next(&frames, &frame, &error)) > 0)
 *             ... the caller owns frame.data, from malloc(3) ...
 *
 * The data of a message are received into one buffer and handed over without a copy, even for a
 * total update of 1 GB. The buffer grows with the received bytes, regardless of the announced
 * length.
 */
#ifndef SCHED_QMASTER_GDI_FRAME_H
#define SCHED_QMASTER_GDI_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"

#define GDI_MESSAGE_MOST ((size_t)1 << 30)	/* bytes of data of a message: the limit of 8.1.9 */
#define GDI_CONTROL_MOST ((size_t)1 << 16)	/* limit for messages about the connection itself */
/* Bytes of a header, including the length in front of it. */
#define GDI_HEADER_MOST 4096

enum gdi_frame_kind {
	GDI_FRAME_CONNECTED,		/* CRM: answer to a connect, granted or refused */
	GDI_FRAME_DATA,			/* bin: a packed buffer */
	GDI_FRAME_RECEIVED,		/* AM: our message `id` was received */
	GDI_FRAME_STATUS_ASKED,		/* SIM */
	GDI_FRAME_STATUS,		/* SIRM */
	GDI_FRAME_CLOSE,		/* CCM: the peer wants to close */
	GDI_FRAME_CLOSED,		/* CCRM: the peer agrees to close */
};

enum gdi_tag { GDI_TAG_REQUEST = 2, GDI_TAG_ACKNOWLEDGE = 3, GDI_TAG_REPORT = 4, GDI_TAG_LEAVE = 17 };

struct gdi_frame {
	enum gdi_frame_kind kind;
	uint32_t id;			/* id of the message; CONNECTED: the id assigned to us */
	uint32_t tag, answers;		/* tag; id of the request that this answers, 0: none */
	bool wants_receipt;		/* the sender waits for an AM */
	bool granted;			/* CONNECTED */
	char text[256];			/* CONNECTED: reason of a refusal, printable */
	unsigned char *data;		/* n bytes and a NUL after them */
	size_t n;
};

struct gdi_frames {			/* zero-initialise; free with gdi_frames_free() */
	char head[GDI_HEADER_MOST + 1];
	size_t nhead;
	struct gdi_frame frame;		/* frame whose data are being received */
	bool in_data;
	size_t wanted, capacity;	/* bytes of its data */
	uint64_t bytes;			/* bytes received in total */
};

void gdi_frames_free(struct gdi_frames *frames);

/* Return the place for the next bytes and its size, which is never 0. NULL: no memory. */
void *gdi_frames_room(struct gdi_frames *frames, size_t *bytes);
void gdi_frames_took(struct gdi_frames *frames, size_t bytes);

/*
 * Return 1 and the next frame, whose data the caller owns. Returns 0 if more bytes are needed, or
 * -EPROTO, -EMSGSIZE, -ENOMEM.
 */
int gdi_frames_next(struct gdi_frames *frames, struct gdi_frame *frame, struct error *error);

/*
 * Write headers or whole messages as text. Return the length. `text` has room for GDI_HEADER_MOST +
 * 1 bytes. -EMSGSIZE: names are too long.
 */
int gdi_write_connect(char *text, const char *qmaster, const char *host, const char *component);
/* The data follow. */
int gdi_write_message(char *text, uint32_t id, enum gdi_tag tag, size_t data_bytes);
int gdi_write_received(char *text, uint32_t id, uint32_t received);	/* AM */
int gdi_write_close(char *text, uint32_t id);				/* CCM */
int gdi_write_closed(char *text, uint32_t id);				/* CCRM */

struct gdi_status_report {		/* SIRM: the status that we report */
	uint32_t asked;			/* id of the SIM */
	uint64_t start_time, runtime;	/* seconds since 1970; seconds */
	/* Messages not handled yet; messages not sent yet. */
	uint64_t received_waiting, sending;
	const char *text;
};
int gdi_write_status(char *text, uint32_t id, const struct gdi_status_report *report);

#endif
