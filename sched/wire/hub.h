/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler's end of the wire: one socket for all hosts.
 *
 *     hub_open(&hub, &options, &calls, &error)
 *     poll(hub_fd(hub)) -> hub_handle(hub)     never waits
 *     hub_tickets(hub, "node1", tasks, n)      set the host's tasks; sent when it is connected
 *     hub_close(hub)
 *
 * A host is known if its public key is in KEYS/hosts/ (keys.h). A peer without such a key is
 * refused before its first message is read. Until a peer has shown a key, its descriptors and time
 * are limited: see struct gate. The hub keeps only the newest set of tasks of a host. A set that is
 * replaced before the host has taken it is never sent.
 *
 * A hub is not thread-safe. A host with a valid key can still use memory without limit. ZeroMQ
 * keeps all parts of a message until the last one arrives, and does not limit their number.
 */
#ifndef WIRE_HUB_H
#define WIRE_HUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/wire/content.h"

#define HUB_AWAY_S 30u			/* default of hub_options.away_s */

struct hub;

struct hub_options {			/* Options of hub_open(). Strings are copied. */
	/* "tcp://ADDRESS:PORT"; ADDRESS and PORT may be "*" */
	const char *endpoint;
	const char *keys;		/* directory */
	/* seconds without a message after which a host is down; >= 2 */
	unsigned away_s;
	/* require a MUNGE credential of root or of the hub's own user */
	bool munge;
	const char *munge_socket;	/* NULL: libmunge's default */
};

/* Functions that only hub_handle() calls. They may call hub_tickets(). `host` is borrowed. */
struct hub_calls {
	void *context;
	void (*up)(void *context, const char *host);
	void (*down)(void *context, const char *host);
	void (*report)(void *context, const char *host, const struct wire_report *report);
	/* Log a sentence about an unusual event. */
	void (*odd)(void *context, const char *host, const char *text);
};

/* Counters since hub_open(), unless a member says otherwise. */
struct hub_counts {
	uint64_t hosts, up;		/* current numbers */
	uint64_t taken;			/* messages accepted */
	uint64_t unknown_keys;		/* handshakes refused */
	/* last refused peer: "ADDRESS, key KEY"; ""; owned by the hub */
	const char *unknown_from;
	/* failed handshakes: without CURVE, or for another scheduler */
	uint64_t no_curve;
	uint64_t no_credential;		/* refused: no valid MUNGE credential */
	uint64_t foreign;		/* messages of another session */
	uint64_t replayed;		/* messages not newer than the last one */
	uint64_t malformed;		/* not JSON, or not as in content.h */
	/*
	 * Messages longer than WIRE_BYTES. Much longer messages cut the connection and count as
	 * `cut`.
	 */
	uint64_t oversized;
	uint64_t cut;			/* connections that ended */
	/* connections without a key that were closed because there were too many */
	uint64_t pushed_out;
};

/*
 * Write the counters of refused and dropped messages in words, without those that are 0.
 *
 * Example: "3 of an unknown key (the last from 10.0.0.7, key ...), 1 malformed".
 */
void hub_counts_text(const struct hub_counts *counts, char *text, size_t size);

/*
 * Open the hub. On failure *hub is NULL and `error` has the reason.
 *
 * Returns -EADDRINUSE, -EACCES, -EINVAL (endpoint), -ENOMEM, or an error of key_read() and
 * host_keys_read().
 */
int hub_open(struct hub **hub, const struct hub_options *options, const struct hub_calls *calls, struct error *error);
void hub_close(struct hub *hub);	/* NULL is allowed. */

size_t hub_up(const struct hub *hub);	/* Return the number of connected hosts. */

/* Return a descriptor that is readable whenever hub_handle() has work. */
int hub_fd(const struct hub *hub);
void hub_handle(struct hub *hub);

/*
 * Set the newest complete set of tasks of the host.
 *
 * Returns -ENOENT if the host has no known key, -E2BIG or -ENOMEM. After an error nothing has
 * changed.
 */
int hub_tickets(struct hub *hub, const char *host, const struct wire_task *tasks, size_t n);

/*
 * Read KEYS/hosts/ again and drop hosts whose key was removed or changed. After an error nothing
 * has changed.
 */
int hub_keys(struct hub *hub, struct error *error);

struct hub_counts hub_counts(const struct hub *hub);

/* Return the address that the hub listens on, with the port that was chosen for "*". */
const char *hub_endpoint(const struct hub *hub);

#endif
