/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connection to the scheduler of a local cell, over a Unix socket.
 *
 *     code = connection_open(&connection, cell, messages);
 *     if (!code)
 *             code = request_ask(&connection, &request, &reply, messages);     ... more requests
 *     connection_close(&connection);
 */
#ifndef CLIENT_CONNECTION_H
#define CLIENT_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "sched/process/messages.h"

#define REQUEST_LINE_BYTES (1u << 20)	/* maximum size of a request that the scheduler reads */

struct connection {
	int fd;			/* -1: closed */
	unsigned patience_s;	/* seconds until a reply must arrive, 0: the default */
	const char *cell;	/* borrowed */
	char *text;		/* received bytes that were not parsed yet */
	size_t used, capacity;
};

/*
 * Connect to the cell's scheduler. If it is being started, wait two seconds. Verify that the
 * listener is root, the owner of the cell's directory, or this user: any user may create a socket
 * in shared memory, and requests may contain secrets. Return an exit code, with a message unless it
 * is EXIT_OK.
 */
int connection_open(struct connection *connection, const char *cell, struct messages *messages);
/*
 * Connect again, for repeated attempts. Only an unauthenticated peer causes a message. Return 0 or
 * -errno.
 */
int connection_open_again(struct connection *connection, struct messages *messages);
void connection_close(struct connection *connection);

/*
 * Wait until the scheduler sends something. If it is silent for two seconds, add a note with the
 * reason, and flush the messages.
 */
void connection_note_silence(const struct connection *connection, struct messages *messages);

#endif
