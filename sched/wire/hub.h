/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler's end of the wire: one socket for all hosts.
 *
 *     hub_open(&hub, &options, &calls, &error)
 *     poll(hub_fd(hub)) -> hub_handle(hub)		never waits
 *     hub_tickets(hub, "node1", tasks, n)		what the host is to know; at once if it is there, else when it comes
 *     hub_close(hub)
 *
 * Hosts are those whose public keys lie in KEYS/hosts/: keys.h. Who has no such key is refused
 * before it can say a word, and until it has shown one it has a bounded share of descriptors and
 * time: strangers.h. What is kept of a host is its newest set of tasks; a set that it has not yet
 * taken when the next one comes is never sent.
 *
 * Not for several threads. A host that has a valid key can still cost memory: ZeroMQ keeps the
 * parts of a message until the last one has come, and has no limit for their number.
 */
#ifndef WIRE_HUB_H
#define WIRE_HUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"
#include "sched/wire/content.h"

#define HUB_AWAY_S 30u			/* default */

struct hub;

struct hub_options {			/* strings are copied */
	/* "tcp://ADDRESS:PORT"; the address may be "*", the port, too */
	const char *endpoint;
	const char *keys;		/* directory */
	unsigned away_s;		/* a host that says nothing for so long is down; >= 2 */
	/* a credential of MUNGE is due, from root or our own user */
	bool munge;
	const char *munge_socket;	/* NULL: libmunge's default */
};

/* Called from hub_handle() alone; they may call hub_tickets(). `host`: its name; borrowed. */
struct hub_calls {
	void *context;
	void (*up)(void *context, const char *host);
	void (*down)(void *context, const char *host);
	void (*report)(void *context, const char *host, const struct wire_report *report);
	/* something for the log; a sentence */
	void (*odd)(void *context, const char *host, const char *text);
};

struct hub_counts {			/* since the beginning */
	uint64_t hosts, up;		/* now */
	uint64_t taken;			/* messages */
	uint64_t unknown_keys;		/* handshakes refused */
	const char *unknown_from;	/* the last of these: "ADDRESS, key KEY"; the hub's, "" */
	/* handshakes that failed: no CURVE, or meant for another scheduler */
	uint64_t no_curve;
	uint64_t no_credential;		/* refused: no good MUNGE credential */
	uint64_t foreign;		/* of another session */
	uint64_t replayed;		/* not newer than the last one */
	uint64_t malformed;		/* no JSON, or not as content.h says */
	/* longer than WIRE_BYTES. Of much longer ones the connection is cut: they count as `cut` */
	uint64_t oversized;
	uint64_t cut;			/* connections that ended */
	uint64_t pushed_out;		/* of these, without a key: too many were there */
};

/*
 * What was refused and dropped, in words, but for what never was: "3 of an unknown key (the last
 * from 10.0.0.7, key ...), 1 malformed".
 */
void hub_counts_text(const struct hub_counts *counts, char *text, size_t size);

/*
 * -EADDRINUSE, -EACCES, -EINVAL (endpoint), errors of key_read() and host_keys_read(), -ENOMEM;
 * with the reason. *hub is NULL then.
 */
int hub_open(struct hub **hub, const struct hub_options *options, const struct hub_calls *calls, struct error *error);
void hub_close(struct hub *hub);	/* NULL: nothing */

size_t hub_up(const struct hub *hub);	/* hosts that are connected */

/* Readable whenever hub_handle() has something to do. */
int hub_fd(const struct hub *hub);
void hub_handle(struct hub *hub);

/*
 * The newest complete set of the host. -ENOENT: no key of such a host is known; -E2BIG, -ENOMEM:
 * nothing changes.
 */
int hub_tickets(struct hub *hub, const char *host, const struct wire_task *tasks, size_t n);

/*
 * Read KEYS/hosts/ again. Hosts whose key has gone or changed are dropped. With an error all stays
 * as it was.
 */
int hub_keys(struct hub *hub, struct error *error);

struct hub_counts hub_counts(const struct hub *hub);

/* Where it listens, with the port that was chosen for "*". */
const char *hub_endpoint(const struct hub *hub);

#endif
