/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of the hub, and the conversation with one host: hello, welcome, tickets, reports.
 * Private to hub*.c.
 */
#ifndef WIRE_HUB_TALK_H
#define WIRE_HUB_TALK_H

#include "sched/wire/gate.h"
#include "sched/wire/hub.h"
#include "sched/wire/member.h"
#include "sched/wire/notary.h"
#include "sched/wire/watch.h"

struct hub {
	struct hub_calls calls;
	struct hub_counts counts;	/* without those of the gate */
	struct watch watch;
	struct gate gate;
	struct members members;
	struct host_keys keys;
	struct key secret;
	struct notary *notary;		/* NULL: no credentials are due */
	void *zmq, *router;
	char *directory;		/* of keys */
	char *buffer;			/* a message on its way out: WIRE_BYTES */
	char endpoint[256];
	unsigned away_s;
};

/* One message of this host. */
void talk_take(struct hub *hub, struct member *member, const struct route *route, json_t *message);
/* A credential has been looked at. */
void talk_checked(struct hub *hub, const struct notary_answer *answer);
/* Send the newest set of tasks, if the host is there and has taken the one before. */
void talk_flush(struct hub *hub, struct member *member);
/* A second has passed. */
void talk_tick(struct hub *hub);

#endif
