/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/publisher.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include "sched/wire/gate.h"
#include "sched/wire/keys.h"
#include "sched/wire/watch.h"

#define QUEUE_MESSAGES 3	/* kept by ZeroMQ for each subscriber; the next ones are lost */
#define EVENTS_A_TURN 1024
#define HANDSHAKE_MS 10000
#define HEARTBEAT_MS 5000
#define ENDPOINT_BYTES 256

struct wire_publisher {
	struct publisher_calls calls;
	struct watch watch;
	struct gate gate;
	struct host_keys keys;
	struct key secret;
	char *directory;
	void *zmq, *socket;
	uint64_t refused;		/* refused keys that have been reported */
	char endpoint[ENDPOINT_BYTES];
};

/* Opening */

static int option_set(void *socket, int option, int value)
{
	return zmq_setsockopt(socket, option, &value, sizeof(value)) ? -errno : 0;
}

static int options_set(void *socket, const struct key *secret)
{
	int rc = option_set(socket, ZMQ_LINGER, 0);

	rc = rc ? rc : option_set(socket, ZMQ_XPUB_VERBOSE, 1);
	rc = rc ? rc : option_set(socket, ZMQ_SNDHWM, QUEUE_MESSAGES);
	rc = rc ? rc : option_set(socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
	rc = rc ? rc : option_set(socket, ZMQ_HEARTBEAT_IVL, HEARTBEAT_MS);
	rc = rc ? rc : option_set(socket, ZMQ_HEARTBEAT_TIMEOUT, 3 * HEARTBEAT_MS);
	rc = rc ? rc : option_set(socket, ZMQ_IPV6, access("/proc/net/if_inet6", R_OK) == 0);
	rc = rc ? rc : option_set(socket, ZMQ_CURVE_SERVER, 1);
	if (rc == 0 && zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, secret->text, KEY_CHARS + 1))
		rc = -errno;
	return rc;
}

static int keys_open(struct wire_publisher *publisher, const char *directory, struct error *error)
{
	char path[4096];
	int rc;

	publisher->directory = strdup(directory);
	if (!publisher->directory)
		return error_set(error, -ENOMEM, "out of memory");
	if (key_path(path, sizeof(path), directory, NULL, true))
		return error_set(error, -ENAMETOOLONG, "%.80s: the path is too long", directory);
	rc = key_read(path, true, &publisher->secret, error);
	return rc ? rc : host_keys_read(&publisher->keys, directory, error);
}

static int sockets_open(struct wire_publisher *publisher)
{
	int rc;

	publisher->zmq = zmq_ctx_new();
	publisher->socket = publisher->zmq ? zmq_socket(publisher->zmq, ZMQ_XPUB) : NULL;
	if (!publisher->socket)
		return -errno;
	rc = gate_open(&publisher->gate, publisher->zmq, publisher->socket, &publisher->keys);
	rc = rc ? rc : options_set(publisher->socket, &publisher->secret);
	rc = rc ? rc : watch_open(&publisher->watch);
	rc = rc ? rc : watch_add(&publisher->watch, publisher->socket);
	rc = rc ? rc : watch_add(&publisher->watch, publisher->gate.zap);
	return rc ? rc : watch_add(&publisher->watch, publisher->gate.monitor);
}

static int bind(struct wire_publisher *publisher, const char *endpoint, struct error *error)
{
	size_t size = sizeof(publisher->endpoint);

	if (zmq_bind(publisher->socket, endpoint) ||
	    zmq_getsockopt(publisher->socket, ZMQ_LAST_ENDPOINT, publisher->endpoint, &size))
		return error_set(error, -errno, "%.80s: %s", endpoint, zmq_strerror(errno));
	return 0;
}

int publisher_open(struct wire_publisher **result, const struct publisher_options *options,
		   const struct publisher_calls *calls, struct error *error)
{
	struct wire_publisher *publisher = calloc(1, sizeof(*publisher));
	int rc;

	*result = NULL;
	if (!publisher)
		return error_set(error, -ENOMEM, "out of memory");
	publisher->watch = (struct watch){ .epoll = -1, .timer = -1, .again = -1 };
	publisher->calls = *calls;
	if (strncmp(options->endpoint, "tcp://", 6) != 0)
		rc = error_set(error, -EINVAL, "\"%.80s\": tcp://ADDRESS:PORT is expected", options->endpoint);
	else
		rc = keys_open(publisher, options->keys, error);
	if (rc == 0 && (rc = sockets_open(publisher)))
		error_set(error, rc, "ZeroMQ: %s", zmq_strerror(-rc));
	if (rc == 0)
		rc = bind(publisher, options->endpoint, error);
	if (rc) {
		publisher_close(publisher);
		return rc;
	}
	*result = publisher;
	return 0;
}

void publisher_close(struct wire_publisher *publisher)
{
	if (!publisher)
		return;
	watch_close(&publisher->watch);
	gate_close(&publisher->gate);
	if (publisher->socket)
		zmq_close(publisher->socket);
	if (publisher->zmq)
		zmq_ctx_term(publisher->zmq);
	host_keys_free(&publisher->keys);
	explicit_bzero(&publisher->secret, sizeof(publisher->secret));
	free(publisher->directory);
	free(publisher);
}

int publisher_keys(struct wire_publisher *publisher, struct error *error)
{
	struct host_keys keys = { 0 };
	int rc = host_keys_read(&keys, publisher->directory, error);

	if (rc)
		return rc;
	host_keys_free(&publisher->keys);
	publisher->keys = keys;
	return 0;
}

int publisher_fd(const struct wire_publisher *publisher)
{
	return publisher->watch.epoll;
}

const char *publisher_endpoint(const struct wire_publisher *publisher)
{
	return publisher->endpoint;
}

/* Subscriptions */

/* Read one event of the socket: 1 and the topic of a new subscription, or 0 and an old topic. */
static bool event_read(struct wire_publisher *publisher)
{
	char event[TOPIC_BYTES + 1];
	int n = zmq_recv(publisher->socket, event, sizeof(event), ZMQ_DONTWAIT);

	if (n < 0)
		return false;
	if (n < 1 || n > TOPIC_BYTES || event[0] != 1)
		return true;
	event[n] = '\0';
	if (strlen(event + 1) == (size_t)n - 1)
		publisher->calls.subscribed(publisher->calls.context, event + 1);
	return true;
}

static void refusals_report(struct wire_publisher *publisher)
{
	char text[GATE_PEER + 100];

	if (publisher->gate.unknown_keys == publisher->refused)
		return;
	snprintf(text, sizeof(text), "%llu connections with an unknown key were refused, the last from %s",
		 (unsigned long long)(publisher->gate.unknown_keys - publisher->refused), publisher->gate.unknown_from);
	publisher->refused = publisher->gate.unknown_keys;
	publisher->calls.odd(publisher->calls.context, text);
}

void publisher_handle(struct wire_publisher *publisher)
{
	bool tick = watch_tick(&publisher->watch);

	gate_handle(&publisher->gate);
	for (int k = 0; k < EVENTS_A_TURN && event_read(publisher); k++)
		;
	if (tick)
		refusals_report(publisher);
	watch_settle(&publisher->watch);
}

/* Sending */

static void part_free(void *bytes, void *hint)
{
	(void)hint;
	free(bytes);
}

int publisher_send(struct wire_publisher *publisher, const char *topic, struct stream_part parts[STREAM_PARTS])
{
	int rc = zmq_send(publisher->socket, topic, strlen(topic), ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0 ? -errno : 0;

	for (int k = 0; k < STREAM_PARTS; k++) {
		zmq_msg_t message;

		if (rc || zmq_msg_init_data(&message, parts[k].bytes, parts[k].size, part_free, NULL)) {
			free(parts[k].bytes);
			rc = rc ? rc : -errno;
			continue;
		}
		if (zmq_msg_send(&message, publisher->socket, ZMQ_DONTWAIT | (k + 1 < STREAM_PARTS ? ZMQ_SNDMORE : 0)) <
		    0) {
			rc = -errno;
			zmq_msg_close(&message);
		}
	}
	watch_settle(&publisher->watch);
	return rc;
}
