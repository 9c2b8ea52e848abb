/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits for unauthenticated peers: connections that have not shown a key yet.
 *
 * Any program can open such connections. They may be STRANGERS_EACH from one address and
 * STRANGERS_MOST in total. A connection above a limit closes the oldest one. A host with a key is
 * therefore admitted if its handshake is faster than the arrival of so many other connections. If
 * an address has STRANGERS_PUSHED connections closed in this way, it is banned for some seconds.
 * The kernel then drops its packets to the listener; its established connections continue.
 *
 * ZeroMQ accepts connections in a thread of its own and reports them afterwards. It continues to
 * accept until the pipe of its events is full, so the limits may be exceeded by some hundred
 * connections for a moment.
 */
#ifndef WIRE_STRANGERS_H
#define WIRE_STRANGERS_H

#include <stddef.h>
#include <stdint.h>

#define STRANGERS_MOST 256
#define STRANGERS_EACH 64
#define STRANGERS_BANS 64		/* addresses banned at the same time */
#define STRANGERS_PUSHED 128		/* closed connections of one address that lead to a ban */
#define STRANGERS_BAN_NS 5000000000ull

/* IPv4 address in `low`, or the network (64 bits) of an IPv6 address. */
struct address {
	uint32_t high, low;
	int version;
};

struct strange_peer {
	/*
	 * ZeroMQ's descriptor. ZeroMQ may close it at any time, and the number may be used again.
	 */
	int fd;
	uint64_t cookie;		/* unique identity of the socket */
	struct address address;
};

struct ban {
	struct address address;
	/* connections closed; the address is banned from STRANGERS_PUSHED on */
	unsigned pushed;
	uint64_t until_ns;		/* end of the ban or of the record */
};

struct strangers {			/* Zero-initialized, except for `listener`, which is -1. */
	int listener;
	struct strange_peer all[STRANGERS_MOST];	/* in order of arrival */
	size_t n;
	struct ban bans[STRANGERS_BANS];
	size_t nbans;
	uint64_t pushed_out;
};

/* Handle ZeroMQ's event of an accepted connection. */
void strangers_accepted(struct strangers *strangers, int fd, uint64_t now_ns);
/* Forget a connection that has shown a key or has ended. */
void strangers_left(struct strangers *strangers, int fd);
/* End bans whose time is over. Call about once a second. */
void strangers_tick(struct strangers *strangers, uint64_t now_ns);

#endif
