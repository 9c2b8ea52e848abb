/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections that have not shown a key yet. Anybody can make them, so they get a bounded share of
 * descriptors and time: of one address STRANGERS_EACH, of all STRANGERS_MOST. Who comes beyond
 * pushes out the oldest, so that a host with a key gets in as long as it needs less time for its
 * handshake than so many others take to come. An address that is pushed out time and again is not
 * heard for some seconds: the kernel drops its packets to the listener; connections that it has go
 * on.
 *
 * ZeroMQ accepts by itself, in a thread of its own, and reports it afterwards; it goes on accepting
 * until the pipe of its events is full. So there may be some hundred more for a moment.
 */
#ifndef WIRE_STRANGERS_H
#define WIRE_STRANGERS_H

#include <stddef.h>
#include <stdint.h>

#define STRANGERS_MOST 256
#define STRANGERS_EACH 64
#define STRANGERS_BANS 64		/* addresses not heard at the same time */
#define STRANGERS_PUSHED 128		/* of one address: then it is not heard */
#define STRANGERS_BAN_NS 5000000000ull

struct address {			/* IPv4 in `low`; of IPv6 the network: 64 bits */
	uint32_t high, low;
	int version;
};

struct strange_peer {
	/* ZeroMQ's: it may be closed at any time, and its number be somebody else's */
	int fd;
	uint64_t cookie;		/* of the socket: no other one ever has it */
	struct address address;
};

struct ban {
	struct address address;
	unsigned pushed;		/* out; it is not heard from STRANGERS_PUSHED on */
	uint64_t until_ns;		/* forgotten, or heard again */
};

struct strangers {			/* zero, with listener -1, at first */
	int listener;
	struct strange_peer all[STRANGERS_MOST];	/* the oldest first */
	size_t n;
	struct ban bans[STRANGERS_BANS];
	size_t nbans;
	uint64_t pushed_out;
};

/* As ZeroMQ's events say. */
void strangers_accepted(struct strangers *strangers, int fd, uint64_t now_ns);
/* It has shown a key, or has gone. */
void strangers_left(struct strangers *strangers, int fd);
/* Once a second or so: bans end. */
void strangers_tick(struct strangers *strangers, uint64_t now_ns);

#endif
