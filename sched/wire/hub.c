/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler's end of the wire: sockets and received messages. hub_talk.c interprets the
 * messages.
 */
#include "sched/wire/hub.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <zmq.h>

#include "sched/wire/hub_talk.h"
#include "sched/wire/socket.h"

#define MESSAGES_A_TURN 256 /* limit per call, so that the caller's loop can do other work */
#define HANDSHAKE_MS 10000
#define DESCRIPTORS 65536u

/*
 * Raise the limit of descriptors, because each connection needs one. The usual limit of 1024 exists
 * for programs that use select(2).
 */
static void descriptors_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < DESCRIPTORS) {
		limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Opening */

static int router_options(void *router, const struct hub *hub)
{
	const int away_ms = (int)hub->away_s * 1000;
	const struct socket_option options[] = {
		{ ZMQ_ROUTER_MANDATORY, 1 },
		{ ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS },
		{ ZMQ_HEARTBEAT_IVL, away_ms / 2 },
		{ ZMQ_HEARTBEAT_TIMEOUT, away_ms },
		{ ZMQ_CURVE_SERVER, 1 },
	};

	return socket_configure(router, &hub->secret, options, sizeof(options) / sizeof(*options));
}

static int router_bind(struct hub *hub, const char *endpoint, struct error *error)
{
	size_t size = sizeof(hub->endpoint);

	if (zmq_bind(hub->router, endpoint))
		return error_set(error, -errno, "%.80s: %s", endpoint, zmq_strerror(errno));
	if (zmq_getsockopt(hub->router, ZMQ_LAST_ENDPOINT, hub->endpoint, &size))
		return error_set(error, -errno, "%.80s: %s", endpoint, zmq_strerror(errno));
	return 0;
}

static int sockets_open(struct hub *hub, const struct hub_options *options)
{
	int rc;

	descriptors_raise();
	hub->zmq = zmq_ctx_new();
	hub->router = hub->zmq ? zmq_socket(hub->zmq, ZMQ_ROUTER) : NULL;
	if (!hub->router)
		return -errno;
	rc = gate_open(&hub->gate, hub->zmq, hub->router, &hub->keys);
	rc = rc ? rc : router_options(hub->router, hub);
	rc = rc ? rc : watch_open(&hub->watch);
	rc = rc ? rc : watch_add(&hub->watch, hub->router);
	rc = rc ? rc : watch_add(&hub->watch, hub->gate.zap);
	rc = rc ? rc : watch_add(&hub->watch, hub->gate.monitor);
	if (rc == 0 && options->munge) {
		rc = notary_open(&hub->notary, hub->zmq, options->munge_socket);
		rc = rc ? rc : watch_add(&hub->watch, notary_socket(hub->notary));
	}
	return rc;
}

static int keys_open(struct hub *hub, const struct hub_options *options, struct error *error)
{
	char path[4096];
	int rc;

	hub->directory = strdup(options->keys);
	hub->buffer = malloc(WIRE_BYTES);
	if (!hub->directory || !hub->buffer)
		return error_set(error, -ENOMEM, "out of memory");
	if (key_path(path, sizeof(path), options->keys, NULL, true))
		return error_set(error, -ENAMETOOLONG, "%.80s: the path is too long", options->keys);
	rc = key_read(path, true, &hub->secret, error);
	return rc ? rc : hub_keys(hub, error);
}

int hub_open(struct hub **hub, const struct hub_options *options, const struct hub_calls *calls, struct error *error)
{
	struct hub *h = calloc(1, sizeof(*h));
	int rc;

	*hub = NULL;
	if (!h)
		return error_set(error, -ENOMEM, "out of memory");
	h->watch = (struct watch){ .epoll = -1, .timer = -1, .again = -1 };
	h->calls = *calls;
	h->away_s = options->away_s < 2 ? HUB_AWAY_S : options->away_s;
	if (strncmp(options->endpoint, "tcp://", 6) != 0)
		rc = error_set(error, -EINVAL, "\"%.80s\": tcp://ADDRESS:PORT is expected", options->endpoint);
	else
		rc = keys_open(h, options, error);
	if (rc == 0 && (rc = sockets_open(h, options)))
		error_set(error, rc, "ZeroMQ: %s", zmq_strerror(-rc));
	if (rc == 0)
		rc = router_bind(h, options->endpoint, error);
	if (rc) {
		hub_close(h);
		return rc;
	}
	*hub = h;
	return 0;
}

void hub_close(struct hub *hub)
{
	if (!hub)
		return;
	notary_close(hub->notary);
	if (hub->router) {
		zmq_socket_monitor(hub->router, NULL, 0);
		zmq_close(hub->router);
	}
	gate_close(&hub->gate);
	watch_close(&hub->watch);
	if (hub->zmq)
		zmq_ctx_term(hub->zmq);
	members_free(&hub->members);
	host_keys_free(&hub->keys);
	explicit_bzero(&hub->secret, sizeof(hub->secret));
	free(hub->directory);
	free(hub->buffer);
	free(hub);
}

int hub_keys(struct hub *hub, struct error *error)
{
	struct host_keys keys = { 0 };
	int rc = host_keys_read(&keys, hub->directory, error);

	if (rc == 0 && members_renew(&hub->members, &keys))
		rc = error_set(error, -ENOMEM, "out of memory");
	if (rc) {
		host_keys_free(&keys);
		return rc;
	}
	host_keys_free(&hub->keys);
	hub->keys = keys;
	return 0;
}

/* Handling */

/* Drop the rest of a message that has too many parts. Returns true if there was such a part. */
static bool parts_drop(void *router)
{
	size_t size = sizeof(int);
	bool dropped = false;
	int more = 0;
	char byte;

	while (zmq_getsockopt(router, ZMQ_RCVMORE, &more, &size) == 0 && more &&
	       zmq_recv(router, &byte, 1, ZMQ_DONTWAIT) >= 0)
		dropped = true;
	return dropped;
}

static void message_count(struct hub *hub, zmq_msg_t *body, const struct route *route, bool more)
{
	const char *key = zmq_msg_gets(body, "User-Id");
	struct member *member = key ? member_by_key(&hub->members, key) : NULL;
	json_t *message;

	if (!member) {			/* the host's key was removed after it connected */
		hub->counts.foreign++;
		return;
	}
	if (zmq_msg_size(body) > WIRE_BYTES) {
		hub->counts.oversized++;
		return;
	}
	message = more ? NULL : json_loadb(zmq_msg_data(body), zmq_msg_size(body), JSON_REJECT_DUPLICATES, NULL);
	if (json_is_object(message))
		talk_take(hub, member, route, message);
	else
		hub->counts.malformed++;
	json_decref(message);
}

/* Read one message. Returns false if there is none. */
static bool message_read(struct hub *hub)
{
	struct route route = { 0 };
	int n = zmq_recv(hub->router, route.id, sizeof(route.id), ZMQ_DONTWAIT);
	zmq_msg_t body;

	if (n < 0)
		return false;
	route.length = (size_t)n;
	zmq_msg_init(&body);
	if (zmq_msg_recv(&body, hub->router, ZMQ_DONTWAIT) >= 0) {
		bool more = parts_drop(hub->router);

		message_count(hub, &body, &route, more);
	}
	zmq_msg_close(&body);
	return true;
}

size_t hub_up(const struct hub *hub)
{
	size_t n = 0;

	for (size_t i = 0; i < hub->members.n; i++)
		n += hub->members.by_key[i]->up;
	return n;
}

int hub_fd(const struct hub *hub)
{
	return hub->watch.epoll;
}

void hub_handle(struct hub *hub)
{
	bool tick = watch_tick(&hub->watch);
	struct notary_answer answer;

	gate_handle(&hub->gate);
	while (hub->notary && notary_answered(hub->notary, &answer))
		talk_checked(hub, &answer);
	for (int i = 0; i < MESSAGES_A_TURN && message_read(hub); i++)
		;
	if (tick)
		talk_tick(hub);
	watch_settle(&hub->watch);
}

int hub_tickets(struct hub *hub, const char *host, const struct wire_task *tasks, size_t n)
{
	struct member *member = member_by_name(&hub->members, host);

	if (!member)
		return -ENOENT;
	if (n > WIRE_TASKS)
		return -E2BIG;
	if (member_tasks(member, tasks, n))
		return -ENOMEM;
	talk_flush(hub, member);
	watch_settle(&hub->watch);
	return 0;
}

struct hub_counts hub_counts(const struct hub *hub)
{
	struct hub_counts counts = hub->counts;

	counts.hosts = hub->members.n;
	for (size_t i = 0; i < hub->members.n; i++)
		counts.up += hub->members.by_key[i]->up;
	counts.unknown_keys = hub->gate.unknown_keys;
	counts.unknown_from = hub->gate.unknown_from;
	counts.no_curve = hub->gate.no_curve;
	counts.cut = hub->gate.cut;
	counts.pushed_out = hub->gate.new_peers.pushed_out;
	return counts;
}

const char *hub_endpoint(const struct hub *hub)
{
	return hub->endpoint;
}
