/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The subscribing end of a publisher (publisher.h).
 *
 *     subscriber_open(&subscriber, &options, &calls, &error)
 *     subscriber_subscribe(subscriber, "D")
 *     poll(subscriber_fd(subscriber)) -> subscriber_handle(subscriber)     never waits
 *     subscriber_close(subscriber)
 *
 * ZeroMQ repeats failed connections without limit and subscribes again by itself. After a failed
 * handshake, which ZeroMQ does not repeat, subscriber_handle() connects again.
 */
#ifndef WIRE_SUBSCRIBER_H
#define WIRE_SUBSCRIBER_H

#include <stdint.h>

#include "sched/wire/publisher.h"

struct wire_subscriber;

struct subscriber_options {			/* Strings are copied. */
	const char *endpoint;		/* "tcp://HOST:PORT" of the publisher */
	const char *keys;		/* directory: scheduler.pub, hosts/NAME.key */
	const char *name;		/* name of this host in the directory of keys */
	uint64_t most_bytes;		/* longest part that is received */
};

struct subscriber_calls {			/* Functions that only subscriber_handle() calls. */
	void *context;
	/* A message has arrived. The parts are borrowed. */
	void (*message)(void *context, const char *topic, const struct stream_part parts[STREAM_PARTS]);
	void (*tick)(void *context);	/* once a second */
};

/*
 * Open the subscriber. On failure *subscriber is NULL and `error` has the reason. Returns -EINVAL,
 * -ENOMEM, or an error of key_read().
 */
int subscriber_open(struct wire_subscriber **subscriber, const struct subscriber_options *options,
		    const struct subscriber_calls *calls, struct error *error);
void subscriber_close(struct wire_subscriber *subscriber);	/* NULL is allowed. */

int subscriber_fd(const struct wire_subscriber *subscriber);
void subscriber_handle(struct wire_subscriber *subscriber);

/* Subscribe to a topic, or end the subscription. Returns 0 or -errno. */
int subscriber_subscribe(struct wire_subscriber *subscriber, const char *topic);
int subscriber_unsubscribe(struct wire_subscriber *subscriber, const char *topic);

#endif
