/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded queue of answers and orders to be sent. It waits only if asked to. A peer that does not
 * read loses the connection, so that it cannot delay the scheduler.
 */
#ifndef SCHED_QMASTER_JSON_OUTBOX_H
#define SCHED_QMASTER_JSON_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>

#define OUTBOX_BYTES (2u << 20)

struct outbox {
	char *buffer;
	size_t used, sent;	/* sent: bytes of `used` */
	bool moved;		/* some bytes were sent; cleared by the caller */
};

int outbox_create(struct outbox *outbox);
void outbox_destroy(struct outbox *outbox);
void outbox_reset(struct outbox *outbox);
bool outbox_empty(const struct outbox *outbox);
size_t outbox_bytes(const struct outbox *outbox);	/* bytes not sent yet */

/* Append a text. -ENOBUFS: no room, and the text was not appended. */
int outbox_put(struct outbox *outbox, const char *text, size_t length);

/*
 * Send as much as the descriptor takes now. The descriptor may be blocking. Returns 0, also if some
 * bytes are left, or -errno if the reader is gone.
 */
int outbox_send(struct outbox *outbox, int fd, bool is_socket);

/*
 * Send all, waiting at most `timeout_ms` without progress (-1: no limit). -ETIMEDOUT, or as above.
 */
int outbox_drain(struct outbox *outbox, int fd, bool is_socket, int timeout_ms);

#endif
