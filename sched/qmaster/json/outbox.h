/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers and orders on their way out. Bounded, and never waiting unless asked to: who does not
 * read loses the connection, not we our time.
 */
#ifndef SCHED_QMASTER_JSON_OUTBOX_H
#define SCHED_QMASTER_JSON_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>

#define OUTBOX_BYTES (2u << 20)

struct outbox {
	char *buffer;
	size_t used, sent;	/* of used */
	bool moved;		/* something was sent; the caller clears it */
};

int outbox_create(struct outbox *outbox);
void outbox_destroy(struct outbox *outbox);
void outbox_reset(struct outbox *outbox);
bool outbox_empty(const struct outbox *outbox);
size_t outbox_bytes(const struct outbox *outbox);	/* that wait */

/* -ENOBUFS: no room, nothing was put. */
int outbox_put(struct outbox *outbox, const char *text, size_t length);

/*
 * Send what the descriptor takes now; it may be blocking. 0, also when something is left, or
 * -errno: nobody will read it.
 */
int outbox_send(struct outbox *outbox, int fd, bool is_socket);

/* Send all, for at most `timeout_ms` without progress (-1: for ever). -ETIMEDOUT, or as above. */
int outbox_drain(struct outbox *outbox, int fd, bool is_socket, int timeout_ms);

#endif
