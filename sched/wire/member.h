/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts that the hub knows, and the state of each. Private to hub*.c. */
#ifndef WIRE_MEMBER_H
#define WIRE_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/wire/content.h"
#include "sched/wire/keys.h"
#include "sched/wire/session.h"

#define ROUTE_BYTES 255

struct route {			/* ZeroMQ's identity of a connection. */
	size_t length;
	unsigned char id[ROUTE_BYTES];
};

struct member {
	struct host_key key;
	struct session current;		/* active session, if `up` */
	/* session of the last hello; `own` is empty if there is none */
	struct session pending;
	struct route route, pending_route;
	bool up;
	bool checking;			/* the credential of `pending` is being checked */
	/* a set of tasks is known; it has not been sent to the host */
	bool has_tasks, dirty;
	uint64_t in_flight;		/* number of the message with the last set sent */
	/* last number that the host knows we have taken */
	uint64_t said;
	uint64_t heard_ns;		/* time of the last message; monotonic */
	struct wire_task *tasks;
	size_t ntasks;
};

struct members {			/* Zero-initialized. */
	struct member **by_key, **by_name;
	size_t n;
};

/*
 * Create a member for each key. Members with the same key and name as before keep their state. On
 * -ENOMEM nothing has changed.
 */
int members_renew(struct members *members, const struct host_keys *keys);
void members_free(struct members *members);

/* Return the member with this key or name. NULL: there is none. */
struct member *member_by_key(const struct members *members, const char *key);
struct member *member_by_name(const struct members *members, const char *name);

/* Copy the tasks to the member. Returns 0 or -ENOMEM. */
int member_tasks(struct member *member, const struct wire_task *tasks, size_t n);

#endif
