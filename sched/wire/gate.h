/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who gets in. ZeroMQ sends a request here (ZAP, RFC 27) before it takes the first message of a
 * peer that has proved that it holds the secret of a public key; its socket monitor reports those
 * that did not get so far. Both are handled in the same loop as everything else: no thread.
 */
#ifndef WIRE_GATE_H
#define WIRE_GATE_H

#include <stdint.h>

#include "sched/wire/keys.h"
#include "sched/wire/strangers.h"

#define GATE_DOMAIN "fairlead"
#define GATE_PEER 128

struct gate {
	void *zap, *monitor;			/* sockets to be watched */
	const struct host_keys *keys;		/* borrowed: who may enter */
	struct strangers strangers;
	uint64_t unknown_keys, no_curve, cut;	/* as in struct hub_counts */
	char unknown_from[GATE_PEER];		/* the last one: "ADDRESS, key KEY"; "" */
};

/*
 * Before `router` is bound. The peer's public key becomes the "User-Id" of its messages. -errno;
 * gate_close() in any case.
 */
int gate_open(struct gate *gate, void *zmq, void *router, const struct host_keys *keys);
void gate_close(struct gate *gate);

/* Answer and count what is there, up to some hundred events: the loop has other things to do. */
void gate_handle(struct gate *gate);

#endif
