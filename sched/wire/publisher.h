/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One stream of messages to all subscribers, over ZeroMQ's XPUB with CURVE.
 *
 *     publisher_open(&publisher, &options, &calls, &error)
 *     poll(publisher_fd(publisher)) -> publisher_handle(publisher)     never waits
 *     publisher_send(publisher, "D", parts, 2)
 *     publisher_close(publisher)
 *
 * A message has a topic and parts. It is sent to the subscribers of its topic and costs its memory
 * once, however many these are. A subscriber that does not read loses messages, and the others do
 * not notice. Subscribers are hosts whose keys are in KEYS/hosts/ (keys.h), as for hub.h.
 */
#ifndef WIRE_PUBLISHER_H
#define WIRE_PUBLISHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"

#define TOPIC_BYTES 32		/* longest topic, with a NUL */
#define STREAM_PARTS 2

struct wire_publisher;

struct publisher_options {			/* Strings are copied. */
	const char *endpoint;		/* "tcp://ADDRESS:PORT"; ADDRESS and PORT may be "*" */
	const char *keys;		/* directory: scheduler.key, hosts/NAME.pub */
};

struct publisher_calls {			/* Functions that only publisher_handle() calls. */
	void *context;
	/* A host has subscribed to a topic. Called again when it connects again. */
	void (*subscribed)(void *context, const char *topic);
	/* Log a sentence about an unusual event. */
	void (*odd)(void *context, const char *text);
};

/* A part of a message. publisher_send() takes the bytes, which come from malloc(3). */
struct stream_part {
	void *bytes;
	size_t size;
};

/*
 * Open the publisher. On failure *publisher is NULL and `error` has the reason. Returns
 * -EADDRINUSE, -EACCES, -EINVAL, -ENOMEM, or an error of key_read() and host_keys_read().
 */
int publisher_open(struct wire_publisher **publisher, const struct publisher_options *options,
		   const struct publisher_calls *calls, struct error *error);
void publisher_close(struct wire_publisher *publisher);	/* NULL is allowed. */

/* Return a descriptor that is readable when publisher_handle() has work, and once a second. */
int publisher_fd(const struct wire_publisher *publisher);
void publisher_handle(struct wire_publisher *publisher);

/* Read KEYS/hosts/ again. After an error nothing has changed. */
int publisher_keys(struct wire_publisher *publisher, struct error *error);

/* Send a message. The parts are freed in any case. Returns 0 or -errno. */
int publisher_send(struct wire_publisher *publisher, const char *topic, struct stream_part parts[STREAM_PARTS]);

/* Return the address that the publisher listens on, with the port that was chosen for "*". */
const char *publisher_endpoint(const struct wire_publisher *publisher);

#endif
