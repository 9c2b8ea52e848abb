/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler's end of the wire: sockets, and what they bring. What messages mean is
 * hub_talk.c's.
 */
#include "sched/wire/hub.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zmq.h>

#include "sched/wire/hub_talk.h"

#define MESSAGES_A_TURN 256		/* the loop has other things to do, too */
#define QUEUE_MESSAGES 4		/* kept by ZeroMQ for each connection and direction */
#define HANDSHAKE_MS 10000
#define DESCRIPTORS 65536u
#define PART_BYTES (WIRE_BYTES + 4096)	/* CURVE adds some; what is longer cuts the connection */

/* Hosts and strangers have one each; the usual 1024 are for programs that know select(2). */
static void descriptors_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < DESCRIPTORS) {
		limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Opening */

static int router_set(void *router, int option, int value)
{
	return zmq_setsockopt(router, option, &value, sizeof(value)) ? -errno : 0;
}

static int router_options(void *router, const struct hub *h)
{
	const int64_t longest = PART_BYTES;
	const int away_ms = (int)h->away_s * 1000;
	int rc = router_set(router, ZMQ_LINGER, 0);

	rc = rc ? rc : router_set(router, ZMQ_ROUTER_MANDATORY, 1);
	rc = rc ? rc : router_set(router, ZMQ_SNDHWM, QUEUE_MESSAGES);
	rc = rc ? rc : router_set(router, ZMQ_RCVHWM, QUEUE_MESSAGES);
	rc = rc ? rc : router_set(router, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
	rc = rc ? rc : router_set(router, ZMQ_HEARTBEAT_IVL, away_ms / 2);
	rc = rc ? rc : router_set(router, ZMQ_HEARTBEAT_TIMEOUT, away_ms);
	rc = rc ? rc : router_set(router, ZMQ_IPV6, access("/proc/net/if_inet6", R_OK) == 0);
	rc = rc ? rc : router_set(router, ZMQ_CURVE_SERVER, 1);
	if (rc == 0 && (zmq_setsockopt(router, ZMQ_MAXMSGSIZE, &longest, sizeof(longest)) ||
			zmq_setsockopt(router, ZMQ_CURVE_SECRETKEY, h->secret.text, KEY_CHARS + 1)))
		rc = -errno;
	return rc;
}

static int router_bind(struct hub *h, const char *endpoint, struct error *error)
{
	size_t size = sizeof(h->endpoint);

	if (zmq_bind(h->router, endpoint))
		return error_set(error, -errno, "%.80s: %s", endpoint, zmq_strerror(errno));
	if (zmq_getsockopt(h->router, ZMQ_LAST_ENDPOINT, h->endpoint, &size))
		return error_set(error, -errno, "%.80s: %s", endpoint, zmq_strerror(errno));
	return 0;
}

static int sockets_open(struct hub *h, const struct hub_options *options)
{
	int rc;

	descriptors_raise();
	h->zmq = zmq_ctx_new();
	h->router = h->zmq ? zmq_socket(h->zmq, ZMQ_ROUTER) : NULL;
	if (!h->router)
		return -errno;
	rc = gate_open(&h->gate, h->zmq, h->router, &h->keys);
	rc = rc ? rc : router_options(h->router, h);
	rc = rc ? rc : watch_open(&h->watch);
	rc = rc ? rc : watch_add(&h->watch, h->router);
	rc = rc ? rc : watch_add(&h->watch, h->gate.zap);
	rc = rc ? rc : watch_add(&h->watch, h->gate.monitor);
	if (rc == 0 && options->munge) {
		rc = notary_open(&h->notary, h->zmq, options->munge_socket);
		rc = rc ? rc : watch_add(&h->watch, notary_socket(h->notary));
	}
	return rc;
}

static int keys_open(struct hub *h, const struct hub_options *options, struct error *error)
{
	char path[4096];
	int rc;

	h->directory = strdup(options->keys);
	h->buffer = malloc(WIRE_BYTES);
	if (!h->directory || !h->buffer)
		return error_set(error, -ENOMEM, "no memory");
	if (key_path(path, sizeof(path), options->keys, NULL, true))
		return error_set(error, -ENAMETOOLONG, "%.80s: the path is too long", options->keys);
	rc = key_read(path, true, &h->secret, error);
	return rc ? rc : hub_keys(h, error);
}

int hub_open(struct hub **hub, const struct hub_options *options, const struct hub_calls *calls, struct error *error)
{
	struct hub *h = calloc(1, sizeof(*h));
	int rc;

	*hub = NULL;
	if (!h)
		return error_set(error, -ENOMEM, "no memory");
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

void hub_close(struct hub *h)
{
	if (!h)
		return;
	notary_close(h->notary);
	if (h->router) {
		zmq_socket_monitor(h->router, NULL, 0);
		zmq_close(h->router);
	}
	gate_close(&h->gate);
	watch_close(&h->watch);
	if (h->zmq)
		zmq_ctx_term(h->zmq);
	members_free(&h->members);
	host_keys_free(&h->keys);
	explicit_bzero(&h->secret, sizeof(h->secret));
	free(h->directory);
	free(h->buffer);
	free(h);
}

int hub_keys(struct hub *h, struct error *error)
{
	struct host_keys keys = { 0 };
	int rc = host_keys_read(&keys, h->directory, error);

	if (rc == 0 && members_renew(&h->members, &keys))
		rc = error_set(error, -ENOMEM, "no memory");
	if (rc) {
		host_keys_free(&keys);
		return rc;
	}
	host_keys_free(&h->keys);
	h->keys = keys;
	return 0;
}

/* Handling */

/* The rest of a message that has more parts than it should. true: there was one. */
static bool parts_drop(void *router)
{
	size_t size = sizeof(int);
	bool dropped = false;
	int more = 0;
	char byte;

	while (zmq_getsockopt(router, ZMQ_RCVMORE, &more, &size) == 0 && more && zmq_recv(router, &byte, 1, ZMQ_DONTWAIT) >= 0)
		dropped = true;
	return dropped;
}

static void message_count(struct hub *h, zmq_msg_t *body, const struct route *route, bool more)
{
	const char *key = zmq_msg_gets(body, "User-Id");
	struct member *m = key ? member_by_key(&h->members, key) : NULL;
	json_t *message;

	if (!m) {			/* its key has been taken away since it connected */
		h->counts.foreign++;
		return;
	}
	if (zmq_msg_size(body) > WIRE_BYTES) {
		h->counts.oversized++;
		return;
	}
	message = more ? NULL : json_loadb(zmq_msg_data(body), zmq_msg_size(body), JSON_REJECT_DUPLICATES, NULL);
	if (json_is_object(message))
		talk_take(h, m, route, message);
	else
		h->counts.malformed++;
	json_decref(message);
}

/* false: nothing was there. */
static bool message_read(struct hub *h)
{
	struct route route = { 0 };
	int n = zmq_recv(h->router, route.id, sizeof(route.id), ZMQ_DONTWAIT);
	zmq_msg_t body;

	if (n < 0)
		return false;
	route.length = (size_t)n;
	zmq_msg_init(&body);
	if (zmq_msg_recv(&body, h->router, ZMQ_DONTWAIT) >= 0) {
		bool more = parts_drop(h->router);

		message_count(h, &body, &route, more);
	}
	zmq_msg_close(&body);
	return true;
}

size_t hub_up(const struct hub *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->members.n; i++)
		n += h->members.by_key[i]->up;
	return n;
}

int hub_fd(const struct hub *h)
{
	return h->watch.epoll;
}

void hub_handle(struct hub *h)
{
	bool tick = watch_tick(&h->watch);
	struct notary_answer answer;

	gate_handle(&h->gate);
	while (h->notary && notary_answered(h->notary, &answer))
		talk_checked(h, &answer);
	for (int i = 0; i < MESSAGES_A_TURN && message_read(h); i++)
		;
	if (tick)
		talk_tick(h);
	watch_settle(&h->watch);
}

int hub_tickets(struct hub *h, const char *host, const struct wire_task *tasks, size_t n)
{
	struct member *m = member_by_name(&h->members, host);

	if (!m)
		return -ENOENT;
	if (n > WIRE_TASKS)
		return -E2BIG;
	if (member_tasks(m, tasks, n))
		return -ENOMEM;
	talk_flush(h, m);
	watch_settle(&h->watch);
	return 0;
}

struct hub_counts hub_counts(const struct hub *h)
{
	struct hub_counts counts = h->counts;

	counts.hosts = h->members.n;
	for (size_t i = 0; i < h->members.n; i++)
		counts.up += h->members.by_key[i]->up;
	counts.unknown_keys = h->gate.unknown_keys;
	counts.unknown_from = h->gate.unknown_from;
	counts.no_curve = h->gate.no_curve;
	counts.cut = h->gate.cut;
	counts.pushed_out = h->gate.strangers.pushed_out;
	return counts;
}

const char *hub_endpoint(const struct hub *h)
{
	return h->endpoint;
}
