/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands between the bytes of a connection and the messages on it: a length as text, a header
 * as text, then as many bytes of data as the header says. Both directions are read the same way;
 * the shape of the headers is fixed, and anything else is refused.
 *
 *     struct gdi_frames frames = { 0 };
 *
 *     room = gdi_frames_room(&frames, &bytes);        where the next bytes from the socket go
 *     n = recv(fd, room, bytes, 0);
 *     gdi_frames_took(&frames, n);
 *     while ((rc = gdi_frames_next(&frames, &frame, &error)) > 0)
 *             ... frame.data is ours now, from malloc(3) ...
 *
 * Data of a message are received into one buffer, which grows with what has come and not with what
 * was announced, and is handed over as it is: a total update of 1 GB is never copied.
 */
#ifndef SCHED_QMASTER_GDI_FRAME_H
#define SCHED_QMASTER_GDI_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"

#define GDI_MESSAGE_MOST ((size_t)1 << 30)	/* bytes of data of a message: the limit of 8.1.9 */
#define GDI_CONTROL_MOST ((size_t)1 << 16)	/* the same of one that is not for the application */
#define GDI_HEADER_MOST 4096			/* bytes of a header, with its length in front */

enum gdi_frame_kind {
	GDI_FRAME_CONNECTED,		/* CRM: the answer to a connect, whether granted or not */
	GDI_FRAME_DATA,			/* bin: a packed buffer */
	GDI_FRAME_RECEIVED,		/* AM: our message `id` was received */
	GDI_FRAME_STATUS_ASKED,		/* SIM */
	GDI_FRAME_STATUS,		/* SIRM */
	GDI_FRAME_CLOSE,		/* CCM: the peer wants to close */
	GDI_FRAME_CLOSED,		/* CCRM: and agrees to it */
};

enum gdi_tag { GDI_TAG_REQUEST = 2, GDI_TAG_ACKNOWLEDGE = 3, GDI_TAG_REPORT = 4, GDI_TAG_LEAVE = 17 };

struct gdi_frame {
	enum gdi_frame_kind kind;
	uint32_t id;			/* of the message; CONNECTED: the id that was given to us */
	uint32_t tag, answers;		/* tag; the id of the request which this answers, 0: none */
	bool wants_receipt;		/* the sender waits for an AM */
	bool granted;			/* CONNECTED */
	char text[256];			/* CONNECTED: why not, printable */
	unsigned char *data;		/* n bytes and a NUL behind them */
	size_t n;
};

struct gdi_frames {			/* zero-initialise; gdi_frames_free() */
	char head[GDI_HEADER_MOST + 1];
	size_t nhead;
	struct gdi_frame frame;		/* whose data are on their way */
	bool in_data;
	size_t wanted, capacity;	/* bytes of its data */
	uint64_t bytes;			/* that have come in all */
};

void gdi_frames_free(struct gdi_frames *frames);

/* Where the next bytes go, and how many may: never 0. NULL: no memory. */
void *gdi_frames_room(struct gdi_frames *frames, size_t *bytes);
void gdi_frames_took(struct gdi_frames *frames, size_t bytes);

/*
 * 1: the next one, whose data are the caller's; 0: more bytes are needed; -EPROTO, -EMSGSIZE,
 * -ENOMEM.
 */
int gdi_frames_next(struct gdi_frames *frames, struct gdi_frame *frame, struct error *error);

/*
 * Headers and whole messages to send, as text; the length. `text` has room for GDI_HEADER_MOST + 1
 * bytes; -EMSGSIZE: names are too long.
 */
int gdi_write_connect(char *text, const char *qmaster, const char *host, const char *component);
int gdi_write_message(char *text, uint32_t id, enum gdi_tag tag, size_t data_bytes);	/* the data follow */
int gdi_write_received(char *text, uint32_t id, uint32_t received);	/* AM */
int gdi_write_close(char *text, uint32_t id);				/* CCM */
int gdi_write_closed(char *text, uint32_t id);				/* CCRM */

struct gdi_status_report {		/* SIRM: what we say of ourselves */
	uint32_t asked;			/* id of the SIM */
	uint64_t start_time, runtime;	/* seconds since 1970; seconds */
	uint64_t received_waiting, sending;	/* messages nobody has taken yet; not sent yet */
	const char *text;
};
int gdi_write_status(char *text, uint32_t id, const struct gdi_status_report *report);

#endif
