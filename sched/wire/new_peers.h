/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits for unauthenticated peers: connections that have not shown a key yet.
 *
 * Any program can open such connections. They may be NEW_PEERS_EACH from one address and
 * NEW_PEERS_MOST in total. A connection above a limit closes the oldest one. A host with a key is
 * therefore admitted if its handshake is faster than the arrival of so many other connections. If
 * an address has NEW_PEERS_PUSHED connections closed in this way, it is banned for some seconds.
 * The kernel then drops its packets to the listener; its established connections continue.
 *
 * ZeroMQ accepts connections in a thread of its own and reports them afterwards. It continues to
 * accept until the pipe of its events is full, so the limits may be exceeded by some hundred
 * connections for a moment.
 */
#ifndef WIRE_NEW_PEERS_H
#define WIRE_NEW_PEERS_H

#include <stddef.h>
#include <stdint.h>

#define NEW_PEERS_MOST 256
#define NEW_PEERS_EACH 64
#define NEW_PEERS_BANS 64		/* addresses banned at the same time */
#define NEW_PEERS_PUSHED 128		/* closed connections of one address that lead to a ban */
#define NEW_PEERS_BAN_NS 5000000000ull

/* IPv4 address in `low`, or the network (64 bits) of an IPv6 address. */
struct address {
	uint32_t high, low;
	int version;
};

struct new_peer {
	/*
	 * ZeroMQ's descriptor. ZeroMQ may close it at any time, and the number may be used again.
	 */
	int fd;
	uint64_t cookie;		/* unique identity of the socket */
	struct address address;
};

struct ban {
	struct address address;
	/* connections closed; the address is banned from NEW_PEERS_PUSHED on */
	unsigned pushed;
	uint64_t until_ns;		/* end of the ban or of the record */
};

struct new_peers {			/* Zero-initialized, except for `listener`, which is -1. */
	int listener;
	struct new_peer all[NEW_PEERS_MOST];	/* in order of arrival */
	size_t n;
	struct ban bans[NEW_PEERS_BANS];
	size_t nbans;
	uint64_t pushed_out;
};

/* Handle ZeroMQ's event of an accepted connection. */
void new_peers_accepted(struct new_peers *new_peers, int fd, uint64_t now_ns);
/* Forget a connection that has shown a key or has ended. */
void new_peers_left(struct new_peers *new_peers, int fd);
/* End bans whose time is over. Call about once a second. */
void new_peers_tick(struct new_peers *new_peers, uint64_t now_ns);

#endif
