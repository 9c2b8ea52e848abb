/* SPDX-License-Identifier: Apache-2.0 */
/* The hosts that the hub knows: what is kept of each. Private to hub*.c. */
#ifndef WIRE_MEMBER_H
#define WIRE_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/wire/content.h"
#include "sched/wire/keys.h"
#include "sched/wire/session.h"

#define ROUTE_BYTES 255

struct route {			/* a connection, as ZeroMQ names it */
	size_t length;
	unsigned char id[ROUTE_BYTES];
};

struct member {
	struct host_key key;
	struct session current;		/* in force, if `up` */
	struct session pending;		/* the last hello's; no `own`: none */
	struct route route, pending_route;
	bool up;
	bool checking;			/* the pending one's credential */
	bool told, dirty;		/* a set of tasks is known; the host has not been sent it */
	uint64_t in_flight;		/* number of the message with the set that was sent last */
	/* up to where the host knows that we have taken its messages */
	uint64_t said;
	uint64_t heard_ns;		/* monotonic */
	struct wire_task *tasks;
	size_t ntasks;
};

struct members {			/* zero at first */
	struct member **by_key, **by_name;
	size_t n;
};

/*
 * One for each key; those that had the same key and name before stay as they are. -ENOMEM: nothing
 * changes.
 */
int members_renew(struct members *members, const struct host_keys *keys);
void members_free(struct members *members);

/* NULL: there is none. */
struct member *member_by_key(const struct members *members, const char *key);
struct member *member_by_name(const struct members *members, const char *name);

/* Takes a copy. -ENOMEM. */
int member_tasks(struct member *member, const struct wire_task *tasks, size_t n);

#endif
