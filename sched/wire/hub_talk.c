/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/hub_talk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

#define SECOND_NS 1000000000ull

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

/* Sending */

/*
 * So many bytes of the buffer. Never waits: -EAGAIN, the host does not read; -EHOSTUNREACH, this
 * connection is gone.
 */
static int buffer_send(struct hub *h, const struct route *route, size_t length)
{
	if (zmq_send(h->router, route->id, route->length, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0 ||
	    zmq_send(h->router, h->buffer, length, ZMQ_DONTWAIT) < 0)
		return -errno;
	return 0;
}

/* These are short. */
static ssize_t message_write(struct hub *h, const json_t *message)
{
	size_t length = json_dumpb(message, h->buffer, WIRE_BYTES, JSON_COMPACT);

	return length == 0 || length > WIRE_BYTES ? -ENOMEM : (ssize_t)length;
}

static int message_send(struct hub *h, const struct route *route, const json_t *message)
{
	ssize_t length = message_write(h, message);

	return length < 0 ? (int)length : buffer_send(h, route, (size_t)length);
}

/*
 * The tasks of the host instead of the brace that ends the message in the buffer. Its length then.
 */
static ssize_t tickets_append(struct hub *h, const struct member *m, size_t length)
{
	static const char name[] = ",\"tickets\":";
	char *p = h->buffer + length - 1;
	ssize_t n;

	memcpy(p, name, sizeof(name) - 1);
	p += sizeof(name) - 1;
	n = wire_tickets_write(p, (size_t)(h->buffer + WIRE_BYTES - 1 - p), m->tasks, m->ntasks);
	if (n < 0)
		return n;
	p += n;
	*p++ = '}';
	return p - h->buffer;
}

/* In the session in force: what was taken, and the tasks if they are to be sent. */
static int member_send(struct hub *h, struct member *m, bool tickets)
{
	json_t *message = json_object();
	ssize_t length = message && session_stamp(&m->current, message) == 0 ? message_write(h, message) : -ENOMEM;
	int rc;

	json_decref(message);
	if (length > 0 && tickets)
		length = tickets_append(h, m, (size_t)length);
	rc = length < 0 ? (int)length : buffer_send(h, &m->route, (size_t)length);
	if (rc == 0)
		m->said = m->current.received;
	return rc;
}

/* To somebody who has no session: it begins anew, or not at all. */
static void peer_tell(struct hub *h, const struct route *route, const json_t *heard, const char *member, const char *text)
{
	const char *to = session_member(heard, "from");
	json_t *message = to ? json_pack("{s:s,s:s}", "to", to, member, text) : NULL;

	if (message)
		(void)message_send(h, route, message);
	json_decref(message);
}

void talk_flush(struct hub *h, struct member *m)
{
	int rc;

	if (!m->up || !m->dirty || m->in_flight > m->current.acknowledged)
		return;
	rc = member_send(h, m, true);
	if (rc == 0)
		m->in_flight = m->current.sent;
	if (rc == -EMSGSIZE || rc == -EINVAL)
		h->calls.odd(h->calls.context, m->key.name, "its tasks don't fit into one message");
	/* else with its next message, or in a second */
	m->dirty = rc != 0 && rc != -EMSGSIZE && rc != -EINVAL;
}

/* Beginning */

static void welcome(struct hub *h, struct member *m)
{
	json_t *message = json_pack("{s:i}", "welcome", SESSION_VERSION);

	if (message && session_stamp(&m->pending, message) == 0)
		/* else it says hello again */
		(void)message_send(h, &m->pending_route, message);
	json_decref(message);
}

static void refuse(struct hub *h, struct member *m, const struct route *route, const json_t *hello, const char *text)
{
	h->counts.no_credential++;
	peer_tell(h, route, hello, "refused", text);
	h->calls.odd(h->calls.context, m->key.name, text);
}

static void credential_check(struct hub *h, struct member *m, const struct route *route, const json_t *hello)
{
	const char *credential = json_string_value(json_object_get(hello, "munge"));
	char tag[NOTARY_TAG];

	notary_tag(tag, m->key.name, m->pending.peer);
	m->checking = credential && notary_ask(h->notary, tag, credential) == 0;
	if (m->checking)
		return;
	m->pending = (struct session){ 0 };
	refuse(h, m, route, hello, credential ? "its MUNGE credential can't be checked now" : "a MUNGE credential is expected");
}

void talk_checked(struct hub *h, const struct notary_answer *answer)
{
	for (size_t i = 0; i < h->members.n; i++) {
		struct member *m = h->members.by_key[i];
		char tag[NOTARY_TAG], text[200];
		json_t *hello;

		if (!m->checking)
			continue;
		notary_tag(tag, m->key.name, m->pending.peer);
		if (strcmp(tag, answer->tag) != 0)
			continue;
		m->checking = false;
		if (answer->good) {
			welcome(h, m);
			return;
		}
		snprintf(text, sizeof(text), "its MUNGE credential is refused: %s", answer->text);
		hello = json_pack("{s:s}", "from", m->pending.peer);
		refuse(h, m, &m->pending_route, hello, text);
		json_decref(hello);
		m->pending = (struct session){ 0 };
		return;
	}
}

/*
 * The last hello counts. The session in force goes on until somebody proves to have got the
 * welcome.
 */
static void hello_take(struct hub *h, struct member *m, const struct route *route, const json_t *message)
{
	struct session pending;

	if (session_begin(&pending) || session_meet(&pending, message) != SESSION_TAKEN) {
		h->counts.malformed++;
		return;
	}
	if (json_integer_value(json_object_get(message, "hello")) != SESSION_VERSION) {
		h->counts.malformed++;
		peer_tell(h, route, message, "refused", "the scheduler speaks version 1 of this protocol");
		return;
	}
	m->pending = pending;
	m->pending_route = *route;
	m->checking = false;
	if (h->notary)
		credential_check(h, m, route, message);
	else
		welcome(h, m);
}

static void session_enter(struct hub *h, struct member *m)
{
	m->current = m->pending;
	m->route = m->pending_route;
	m->pending = (struct session){ 0 };
	m->in_flight = m->said = 0;
	m->dirty = m->told;
	m->up = true;
	h->calls.up(h->calls.context, m->key.name);
}

/* Going on */

static bool route_is(const struct route *a, const struct route *b)
{
	return a->length == b->length && memcmp(a->id, b->id, a->length) == 0;
}

/* In the session in force, or in the pending one, which is in force from then on. */
static enum session_verdict session_of(struct hub *h, struct member *m, const struct route *route, const json_t *message)
{
	enum session_verdict verdict = SESSION_FOREIGN;

	if (m->up && route_is(route, &m->route))
		verdict = session_take(&m->current, message);
	if (verdict != SESSION_FOREIGN || !*m->pending.own || m->checking || !route_is(route, &m->pending_route))
		return verdict;
	verdict = session_take(&m->pending, message);
	if (verdict == SESSION_TAKEN)
		session_enter(h, m);
	return verdict;
}

static void report_take(struct hub *h, struct member *m, const json_t *message)
{
	struct wire_report report;
	struct error error;
	char text[300];

	if (!json_object_get(message, "usage") && !json_object_get(message, "load") && !json_object_get(message, "lever"))
		return;
	if (wire_report_unpack(message, &report, &error) == 0) {
		h->calls.report(h->calls.context, m->key.name, &report);
		wire_report_free(&report);
		return;
	}
	h->counts.malformed++;
	snprintf(text, sizeof(text), "a report is dropped: %s", error.text);
	h->calls.odd(h->calls.context, m->key.name, text);
}

void talk_take(struct hub *h, struct member *m, const struct route *route, json_t *message)
{
	if (json_object_get(message, "hello")) {
		hello_take(h, m, route, message);
		return;
	}
	switch (session_of(h, m, route, message)) {
	case SESSION_TAKEN:
		h->counts.taken++;
		m->heard_ns = now_ns();
		report_take(h, m, message);
		talk_flush(h, m);
		break;
	case SESSION_REPLAYED:
		h->counts.replayed++;
		break;
	case SESSION_FOREIGN:
		h->counts.foreign++;
		peer_tell(h, route, message, "again", "there is no such session");
		break;
	case SESSION_MALFORMED:
		h->counts.malformed++;
		break;
	}
}

void talk_tick(struct hub *h)
{
	uint64_t now = now_ns();

	for (size_t i = 0; i < h->members.n; i++) {
		struct member *m = h->members.by_key[i];

		if (!m->up)
			continue;
		if (now - m->heard_ns > h->away_s * SECOND_NS) {
			m->up = false;
			h->calls.down(h->calls.context, m->key.name);
			continue;
		}
		talk_flush(h, m);
		if (m->said < m->current.received)
			(void)member_send(h, m, false);
	}
}
