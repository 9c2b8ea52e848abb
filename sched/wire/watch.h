/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One descriptor for several ZeroMQ sockets and a second hand, to be put in anybody's poll(2).
 * ZMQ_FD is edge-triggered, and sending may use up the edge of receiving: so whoever handles it
 * ends with watch_settle(), which makes the descriptor readable again as long as a socket has
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

/* Ticks once a second. -errno; watch_close() in any case. */
int watch_open(struct watch *watch);
void watch_close(struct watch *watch);

/* -errno. */
int watch_add(struct watch *watch, void *socket);
void watch_remove(struct watch *watch, void *socket);

/* Has a second passed since the last call? */
bool watch_tick(struct watch *watch);
void watch_settle(struct watch *watch);

#endif
