/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/gate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

#include "conf/utf8.h"

#define ZAP_ENDPOINT "inproc://zeromq.zap.01"
#define MONITOR "inproc://fairlead-gate"
#define KEY_BYTES 32
/* version, request, domain, address, identity, mechanism, public key */
#define ZAP_FRAMES 7
#define FRAME_BYTES 256
#define EVENTS_A_TURN 1024

struct zap_request {
	size_t nframes;
	size_t length[ZAP_FRAMES];
	char frame[ZAP_FRAMES][FRAME_BYTES];
};

int gate_open(struct gate *g, void *zmq, void *router, const struct host_keys *keys)
{
	const int events = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_DISCONNECTED |
			   ZMQ_EVENT_LISTENING | ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED, now = 0;

	*g = (struct gate){ .keys = keys, .zap = zmq_socket(zmq, ZMQ_REP), .monitor = zmq_socket(zmq, ZMQ_PAIR),
			   .strangers.listener = -1 };
	if (!g->zap || !g->monitor)
		return -errno;
	zmq_setsockopt(g->zap, ZMQ_LINGER, &now, sizeof(now));
	zmq_setsockopt(g->monitor, ZMQ_LINGER, &now, sizeof(now));
	if (zmq_bind(g->zap, ZAP_ENDPOINT) || zmq_socket_monitor(router, MONITOR, events) || zmq_connect(g->monitor, MONITOR))
		return -errno;
	return zmq_setsockopt(router, ZMQ_ZAP_DOMAIN, GATE_DOMAIN, strlen(GATE_DOMAIN)) ? -errno : 0;
}

void gate_close(struct gate *g)
{
	if (g->zap)
		zmq_close(g->zap);
	if (g->monitor)
		zmq_close(g->monitor);
	g->zap = g->monitor = NULL;
}

/*
 * All frames of one message; those that are too many or too long are read and left out. false:
 * there is none.
 */
static bool request_read(void *socket, struct zap_request *r)
{
	int more = 1, n;
	size_t size = sizeof(more);
	char waste[FRAME_BYTES];

	for (r->nframes = 0; more; r->nframes++) {
		bool fits = r->nframes < ZAP_FRAMES;

		n = zmq_recv(socket, fits ? r->frame[r->nframes] : waste, FRAME_BYTES, ZMQ_DONTWAIT);
		if (n < 0 || zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size))
			return false;
		if (fits)
			r->length[r->nframes] = (size_t)n;
	}
	return true;
}

static bool frame_is(const struct zap_request *r, size_t k, const char *text)
{
	return r->length[k] == strlen(text) && memcmp(r->frame[k], text, r->length[k]) == 0;
}

static const struct host_key *request_host(const struct gate *g, const struct zap_request *r)
{
	char text[KEY_CHARS + 1];

	if (r->nframes != ZAP_FRAMES || !frame_is(r, 0, "1.0") || !frame_is(r, 2, GATE_DOMAIN) || !frame_is(r, 5, "CURVE") ||
	    r->length[6] != KEY_BYTES || !zmq_z85_encode(text, (const uint8_t *)r->frame[6], KEY_BYTES))
		return NULL;
	return host_keys_find(g->keys, text);
}

/* For the log: whose key it is an administrator can look up on the host. */
static void unknown_note(struct gate *g, const struct zap_request *r)
{
	char key[KEY_CHARS + 1];
	bool has_key = r->nframes == ZAP_FRAMES && r->length[6] == KEY_BYTES && zmq_z85_encode(key, (const uint8_t *)r->frame[6], KEY_BYTES);

	g->unknown_keys++;
	snprintf(g->unknown_from, sizeof(g->unknown_from), "%.*s, key %s", r->nframes > 3 ? (int)r->length[3] : 0, r->frame[3], has_key ? key : "none");
	utf8_clean(g->unknown_from);
}

static void request_answer(struct gate *g, const struct zap_request *r)
{
	const struct host_key *host = request_host(g, r);
	const char *code = host ? "200" : "400", *text = host ? "OK" : "unknown key", *user = host ? host->key.text : "";

	if (!host)
		unknown_note(g, r);
	zmq_send(g->zap, "1.0", 3, ZMQ_SNDMORE | ZMQ_DONTWAIT);
	zmq_send(g->zap, r->frame[1], r->nframes > 1 && r->length[1] <= FRAME_BYTES ? r->length[1] : 0, ZMQ_SNDMORE | ZMQ_DONTWAIT);
	zmq_send(g->zap, code, strlen(code), ZMQ_SNDMORE | ZMQ_DONTWAIT);
	zmq_send(g->zap, text, strlen(text), ZMQ_SNDMORE | ZMQ_DONTWAIT);
	zmq_send(g->zap, user, strlen(user), ZMQ_SNDMORE | ZMQ_DONTWAIT);
	zmq_send(g->zap, "", 0, ZMQ_DONTWAIT);
}

static void event_take(struct gate *g, const struct zap_request *event, uint64_t now_ns)
{
	uint16_t id;
	uint32_t value;

	if (event->length[0] < sizeof(id) + sizeof(value))
		return;
	memcpy(&id, event->frame[0], sizeof(id));
	memcpy(&value, event->frame[0] + sizeof(id), sizeof(value));
	g->no_curve += id == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL || id == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL;
	g->cut += id == ZMQ_EVENT_DISCONNECTED;
	if (id == ZMQ_EVENT_LISTENING)
		g->strangers.listener = (int)value;
	else if (id == ZMQ_EVENT_ACCEPTED)
		strangers_accepted(&g->strangers, (int)value, now_ns);
	else if (id == ZMQ_EVENT_HANDSHAKE_SUCCEEDED || id == ZMQ_EVENT_DISCONNECTED)
		strangers_left(&g->strangers, (int)value);
}

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void gate_handle(struct gate *g)
{
	uint64_t now_ns = clock_ns();
	struct zap_request r;

	for (int k = 0; k < EVENTS_A_TURN && request_read(g->zap, &r); k++)
		request_answer(g, &r);
	for (int k = 0; k < EVENTS_A_TURN && request_read(g->monitor, &r); k++)
		event_take(g, &r, now_ns);
	strangers_tick(&g->strangers, now_ns);
}
