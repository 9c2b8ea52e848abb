/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/subscriber.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include "sched/wire/approach.h"
#include "sched/wire/keys.h"
#include "sched/wire/socket.h"
#include "sched/wire/watch.h"

#define QUEUE_MESSAGES 3
#define MESSAGES_A_TURN 4
#define RECONNECT_MS 200
#define RECONNECT_MAX_MS 5000
#define HEARTBEAT_MS 5000
#define REFUSED_S 5u			/* seconds to wait after the publisher has refused this host */

struct wire_subscriber {
	struct subscriber_calls calls;
	struct watch watch;
	struct approach approach;
	struct connection_keys keys;
	void *zmq, *socket;
	char *endpoint;
	unsigned refused_s;		/* seconds since the handshake has failed */
};

static int option_set(void *socket, int option, int value)
{
	return zmq_setsockopt(socket, option, &value, sizeof(value)) ? -errno : 0;
}

static int options_set(const struct wire_subscriber *subscriber, uint64_t most_bytes)
{
	const int64_t longest = (int64_t)most_bytes;
	void *socket = subscriber->socket;
	int rc = option_set(socket, ZMQ_LINGER, 0);

	rc = rc ? rc : option_set(socket, ZMQ_RCVHWM, QUEUE_MESSAGES);
	rc = rc ? rc : option_set(socket, ZMQ_RECONNECT_IVL, RECONNECT_MS);
	rc = rc ? rc : option_set(socket, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MAX_MS);
	rc = rc ? rc : option_set(socket, ZMQ_HEARTBEAT_IVL, HEARTBEAT_MS);
	rc = rc ? rc : option_set(socket, ZMQ_HEARTBEAT_TIMEOUT, 3 * HEARTBEAT_MS);
	rc = rc ? rc : option_set(socket, ZMQ_IPV6, access("/proc/net/if_inet6", R_OK) == 0);
	if (rc == 0 && (zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &longest, sizeof(longest)) ||
			zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, subscriber->keys.server.text, KEY_CHARS + 1) ||
			zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, subscriber->keys.public.text, KEY_CHARS + 1) ||
			zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, subscriber->keys.secret.text, KEY_CHARS + 1)))
		rc = -errno;
	return rc;
}

static int socket_open(struct wire_subscriber *subscriber, const struct subscriber_options *options,
		       struct error *error)
{
	int rc;

	subscriber->zmq = zmq_ctx_new();
	subscriber->socket = subscriber->zmq ? zmq_socket(subscriber->zmq, ZMQ_SUB) : NULL;
	rc = subscriber->socket ? options_set(subscriber, options->most_bytes) : -errno;
	rc = rc ? rc : approach_open(&subscriber->approach, subscriber->zmq, subscriber->socket);
	if (rc == 0 && zmq_connect(subscriber->socket, subscriber->endpoint))
		rc = -errno;
	rc = rc ? rc : watch_open(&subscriber->watch);
	rc = rc ? rc : watch_add(&subscriber->watch, subscriber->socket);
	return rc ? error_set(error, rc, "ZeroMQ: %s", zmq_strerror(-rc)) : 0;
}

int subscriber_open(struct wire_subscriber **result, const struct subscriber_options *options,
		    const struct subscriber_calls *calls, struct error *error)
{
	struct wire_subscriber *subscriber = calloc(1, sizeof(*subscriber));
	int rc;

	*result = NULL;
	if (!subscriber)
		return error_set(error, -ENOMEM, "out of memory");
	subscriber->watch = (struct watch){ .epoll = -1, .timer = -1, .again = -1 };
	subscriber->calls = *calls;
	subscriber->endpoint = strdup(options->endpoint);
	if (!subscriber->endpoint)
		rc = error_set(error, -ENOMEM, "out of memory");
	else if (!endpoint_is_valid(options->endpoint))
		rc = error_set(error, -EINVAL, "\"%.80s\": tcp://HOST:PORT is expected", options->endpoint);
	else
		rc = connection_keys_read(&subscriber->keys, options->keys, options->name, error);
	rc = rc ? rc : socket_open(subscriber, options, error);
	if (rc) {
		subscriber_close(subscriber);
		return rc;
	}
	*result = subscriber;
	return 0;
}

void subscriber_close(struct wire_subscriber *subscriber)
{
	if (!subscriber)
		return;
	watch_close(&subscriber->watch);
	approach_close(&subscriber->approach);
	if (subscriber->socket)
		zmq_close(subscriber->socket);
	if (subscriber->zmq)
		zmq_ctx_term(subscriber->zmq);
	explicit_bzero(&subscriber->keys.secret, sizeof(subscriber->keys.secret));
	free(subscriber->endpoint);
	free(subscriber);
}

int subscriber_fd(const struct wire_subscriber *subscriber)
{
	return subscriber->watch.epoll;
}

int subscriber_subscribe(struct wire_subscriber *subscriber, const char *topic)
{
	return zmq_setsockopt(subscriber->socket, ZMQ_SUBSCRIBE, topic, strlen(topic)) ? -errno : 0;
}

int subscriber_unsubscribe(struct wire_subscriber *subscriber, const char *topic)
{
	return zmq_setsockopt(subscriber->socket, ZMQ_UNSUBSCRIBE, topic, strlen(topic)) ? -errno : 0;
}

/* Read the rest of a message whose first frame was read. Frames beyond STREAM_PARTS are dropped. */
static size_t parts_read(void *socket, zmq_msg_t messages[STREAM_PARTS])
{
	size_t n = 0, size = sizeof(int);
	int more = 1;

	while (zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size) == 0 && more) {
		zmq_msg_t waste, *message = n < STREAM_PARTS ? &messages[n] : &waste;

		zmq_msg_init(message);
		if (zmq_msg_recv(message, socket, ZMQ_DONTWAIT) < 0 || message == &waste)
			zmq_msg_close(message);
		else
			n++;
	}
	return n;
}

static bool message_read(struct wire_subscriber *subscriber)
{
	char topic[TOPIC_BYTES];
	zmq_msg_t messages[STREAM_PARTS];
	struct stream_part parts[STREAM_PARTS];
	int length = zmq_recv(subscriber->socket, topic, sizeof(topic) - 1, ZMQ_DONTWAIT);
	size_t n;

	if (length < 0)
		return false;
	n = parts_read(subscriber->socket, messages);
	for (size_t k = 0; k < n; k++)
		parts[k] = (struct stream_part){ zmq_msg_data(&messages[k]), zmq_msg_size(&messages[k]) };
	if (length < (int)sizeof(topic) && n == STREAM_PARTS) {
		topic[length] = '\0';
		subscriber->calls.message(subscriber->calls.context, topic, parts);
	}
	for (size_t k = 0; k < n; k++)
		zmq_msg_close(&messages[k]);
	return true;
}

/*
 * Connect again some time after a failed handshake, for example because the publisher did not know
 * the key of this host yet. ZeroMQ considers such a failure permanent. The subscriptions remain.
 */
static void refusal_check(struct wire_subscriber *subscriber)
{
	approach_read(&subscriber->approach);
	if (subscriber->approach.outcome != APPROACH_REFUSED && subscriber->approach.outcome != APPROACH_BROKEN) {
		subscriber->refused_s = 0;
	} else if (++subscriber->refused_s >= REFUSED_S) {
		subscriber->refused_s = 0;
		(void)zmq_disconnect(subscriber->socket, subscriber->endpoint);
		(void)zmq_connect(subscriber->socket, subscriber->endpoint);
	}
}

void subscriber_handle(struct wire_subscriber *subscriber)
{
	bool tick = watch_tick(&subscriber->watch);

	for (int k = 0; k < MESSAGES_A_TURN && message_read(subscriber); k++)
		;
	if (tick) {
		refusal_check(subscriber);
		subscriber->calls.tick(subscriber->calls.context);
	}
	watch_settle(&subscriber->watch);
}
