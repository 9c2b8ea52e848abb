/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private data of the hub, and the conversation with one host: hello, welcome, tickets, reports.
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
	struct hub_counts counts;	/* without the counters of the gate */
	struct watch watch;
	struct gate gate;
	struct members members;
	struct host_keys keys;
	struct key secret;
	struct notary *notary;		/* NULL: credentials are not required */
	void *zmq, *router;
	char *directory;		/* directory of keys */
	char *buffer;			/* outgoing message; WIRE_BYTES long */
	char endpoint[256];
	unsigned away_s;
};

/* Handle one message of the host. */
void talk_take(struct hub *hub, struct member *member, const struct route *route, json_t *message);
/* Handle the result of a credential check. */
void talk_checked(struct hub *hub, const struct notary_answer *answer);
/* Send the newest set of tasks if the host is connected and has taken the previous set. */
void talk_flush(struct hub *hub, struct member *member);
/* Do the work that is due once a second. */
void talk_tick(struct hub *hub);

#endif
