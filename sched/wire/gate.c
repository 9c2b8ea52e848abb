/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/gate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

#include "conf/base/utf8.h"
#include "sched/process/clock.h"

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

int gate_open(struct gate *gate, void *zmq, void *router, const struct host_keys *keys)
{
	const int events = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
			   ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_LISTENING | ZMQ_EVENT_ACCEPTED |
			   ZMQ_EVENT_HANDSHAKE_SUCCEEDED,
		  now = 0;

	*gate = (struct gate){ .keys = keys, .zap = zmq_socket(zmq, ZMQ_REP), .monitor = zmq_socket(zmq, ZMQ_PAIR),
			   .new_peers.listener = -1 };
	if (!gate->zap || !gate->monitor)
		return -errno;
	zmq_setsockopt(gate->zap, ZMQ_LINGER, &now, sizeof(now));
	zmq_setsockopt(gate->monitor, ZMQ_LINGER, &now, sizeof(now));
	if (zmq_bind(gate->zap, ZAP_ENDPOINT) || zmq_socket_monitor(router, MONITOR, events) ||
	    zmq_connect(gate->monitor, MONITOR))
		return -errno;
	return zmq_setsockopt(router, ZMQ_ZAP_DOMAIN, GATE_DOMAIN, strlen(GATE_DOMAIN)) ? -errno : 0;
}

void gate_close(struct gate *gate)
{
	if (gate->zap)
		zmq_close(gate->zap);
	if (gate->monitor)
		zmq_close(gate->monitor);
	gate->zap = gate->monitor = NULL;
}

/*
 * Read all frames of one message. Frames that are too many or too long are dropped. Returns false
 * if there is no message.
 */
static bool request_read(void *socket, struct zap_request *request)
{
	int more = 1, n;
	size_t size = sizeof(more);
	char waste[FRAME_BYTES];

	for (request->nframes = 0; more; request->nframes++) {
		bool fits = request->nframes < ZAP_FRAMES;

		n = zmq_recv(socket, fits ? request->frame[request->nframes] : waste, FRAME_BYTES, ZMQ_DONTWAIT);
		if (n < 0 || zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size))
			return false;
		if (fits)
			request->length[request->nframes] = (size_t)n;
	}
	return true;
}

static bool frame_is(const struct zap_request *request, size_t k, const char *text)
{
	return request->length[k] == strlen(text) && memcmp(request->frame[k], text, request->length[k]) == 0;
}

static const struct host_key *request_host(const struct gate *gate, const struct zap_request *request)
{
	char text[KEY_CHARS + 1];

	if (request->nframes != ZAP_FRAMES || !frame_is(request, 0, "1.0") || !frame_is(request, 2, GATE_DOMAIN) ||
	    !frame_is(request, 5, "CURVE") || request->length[6] != KEY_BYTES ||
	    !zmq_z85_encode(text, (const uint8_t *)request->frame[6], KEY_BYTES))
		return NULL;
	return host_keys_find(gate->keys, text);
}

/* Record an unknown key for the log, so that an administrator can find the host that has it. */
static void unknown_note(struct gate *gate, const struct zap_request *request)
{
	char key[KEY_CHARS + 1];
	bool has_key = request->nframes == ZAP_FRAMES && request->length[6] == KEY_BYTES &&
		       zmq_z85_encode(key, (const uint8_t *)request->frame[6], KEY_BYTES);

	gate->unknown_keys++;
	snprintf(gate->unknown_from, sizeof(gate->unknown_from), "%.*s, key %s",
		 request->nframes > 3 ? (int)request->length[3] : 0, request->frame[3], has_key ? key : "none");
	utf8_clean(gate->unknown_from);
}

static void request_answer(struct gate *gate, const struct zap_request *request)
{
	const struct host_key *host = request_host(gate, request);
	const char *code = host ? "200" : "400", *text = host ? "OK" : "unknown key",
		   *user = host ? host->key.text : "";

	if (!host)
		unknown_note(gate, request);
	zmq_send(gate->zap, "1.0", 3, ZMQ_SNDMORE | ZMQ_DONTWAIT);
	zmq_send(gate->zap, request->frame[1],
		 request->nframes > 1 && request->length[1] <= FRAME_BYTES ? request->length[1] : 0,
		 ZMQ_SNDMORE | ZMQ_DONTWAIT);
	zmq_send(gate->zap, code, strlen(code), ZMQ_SNDMORE | ZMQ_DONTWAIT);
	zmq_send(gate->zap, text, strlen(text), ZMQ_SNDMORE | ZMQ_DONTWAIT);
	zmq_send(gate->zap, user, strlen(user), ZMQ_SNDMORE | ZMQ_DONTWAIT);
	zmq_send(gate->zap, "", 0, ZMQ_DONTWAIT);
}

static void event_take(struct gate *gate, const struct zap_request *event, uint64_t now_ns)
{
	uint16_t id;
	uint32_t value;

	if (event->length[0] < sizeof(id) + sizeof(value))
		return;
	memcpy(&id, event->frame[0], sizeof(id));
	memcpy(&value, event->frame[0] + sizeof(id), sizeof(value));
	gate->no_curve += id == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL || id == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL;
	gate->cut += id == ZMQ_EVENT_DISCONNECTED;
	if (id == ZMQ_EVENT_LISTENING)
		gate->new_peers.listener = (int)value;
	else if (id == ZMQ_EVENT_ACCEPTED)
		new_peers_accepted(&gate->new_peers, (int)value, now_ns);
	else if (id == ZMQ_EVENT_HANDSHAKE_SUCCEEDED || id == ZMQ_EVENT_DISCONNECTED)
		new_peers_left(&gate->new_peers, (int)value);
}

void gate_handle(struct gate *gate)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct zap_request request;

	for (int k = 0; k < EVENTS_A_TURN && request_read(gate->zap, &request); k++)
		request_answer(gate, &request);
	for (int k = 0; k < EVENTS_A_TURN && request_read(gate->monitor, &request); k++)
		event_take(gate, &request, now_ns);
	new_peers_tick(&gate->new_peers, now_ns);
}
