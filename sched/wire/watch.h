/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptor for several ZeroMQ sockets and a timer of one second, for use with poll(2).
 *
 * ZMQ_FD is edge-triggered, and sending may consume the edge of receiving. The handler must
 * therefore end with watch_settle(), which makes the descriptor readable again if a socket has
 * something to read.
 */
#ifndef WIRE_WATCH_H
#define WIRE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#define WATCH_SOCKETS 4

struct watch {
	int epoll, timer, again;	/* -1: not open */
	void *sockets[WATCH_SOCKETS];
	size_t n;
};

/*
 * Open the descriptor, which is readable once a second. Call watch_close() even if this fails.
 * Returns 0 or -errno.
 */
int watch_open(struct watch *watch);
void watch_close(struct watch *watch);

/* Return 0 or -errno. */
int watch_add(struct watch *watch, void *socket);
void watch_remove(struct watch *watch, void *socket);

/* Return whether a second has passed since the last call. */
bool watch_tick(struct watch *watch);
void watch_settle(struct watch *watch);

#endif
