/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Admission of connections to the hub.
 *
 * A peer proves that it holds the secret of a public key. Before ZeroMQ accepts its first message,
 * ZeroMQ asks here whether the key is known (ZAP, RFC 27). The socket monitor reports peers that
 * failed earlier. Both are handled in the caller's loop, without a thread.
 */
#ifndef WIRE_GATE_H
#define WIRE_GATE_H

#include <stdint.h>

#include "sched/wire/keys.h"
#include "sched/wire/new_peers.h"

#define GATE_DOMAIN "fairlead"
#define GATE_PEER 128

struct gate {
	void *zap, *monitor;			/* sockets to be watched */
	const struct host_keys *keys;		/* keys of admitted hosts; borrowed */
	struct new_peers new_peers;
	uint64_t unknown_keys, no_curve, cut;	/* counters of struct hub_counts */
	char unknown_from[GATE_PEER];		/* last unknown key: "ADDRESS, key KEY"; "": none */
};

/*
 * Open the gate before `router` is bound. Call gate_close() even if this fails.
 *
 * The public key of an admitted peer becomes the "User-Id" of its messages. Returns 0 or -errno.
 */
int gate_open(struct gate *gate, void *zmq, void *router, const struct host_keys *keys);
void gate_close(struct gate *gate);

/* Answer pending requests and count pending events, at most EVENTS_A_TURN of each per call. */
void gate_handle(struct gate *gate);

#endif
