/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/hub_talk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

#include "sched/process/clock.h"

#define SECOND_NS 1000000000ull

/* Sending */

/*
 * Send the first `length` bytes of the buffer without waiting. Returns -EAGAIN if the host does not
 * read, or -EHOSTUNREACH if the connection has ended.
 */
static int buffer_send(struct hub *hub, const struct route *route, size_t length)
{
	if (zmq_send(hub->router, route->id, route->length, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0 ||
	    zmq_send(hub->router, hub->buffer, length, ZMQ_DONTWAIT) < 0)
		return -errno;
	return 0;
}

/* Write a message without tickets to the buffer. */
static ssize_t message_write(struct hub *hub, const json_t *message)
{
	size_t length = json_dumpb(message, hub->buffer, WIRE_BYTES, JSON_COMPACT);

	return length == 0 || length > WIRE_BYTES ? -ENOMEM : (ssize_t)length;
}

static int message_send(struct hub *hub, const struct route *route, const json_t *message)
{
	ssize_t length = message_write(hub, message);

	return length < 0 ? (int)length : buffer_send(hub, route, (size_t)length);
}

/*
 * Replace the closing brace of the message in the buffer with the tasks of the host. Returns the
 * new length.
 */
static ssize_t tickets_append(struct hub *hub, const struct member *member, size_t length)
{
	static const char name[] = ",\"tickets\":";
	char *p = hub->buffer + length - 1;
	ssize_t n;

	memcpy(p, name, sizeof(name) - 1);
	p += sizeof(name) - 1;
	n = wire_tickets_write(p, (size_t)(hub->buffer + WIRE_BYTES - 1 - p), member->tasks, member->ntasks);
	if (n < 0)
		return n;
	p += n;
	*p++ = '}';
	return p - hub->buffer;
}

/* Send a message in the active session: the acknowledgement, and the tasks if `tickets`. */
static int member_send(struct hub *hub, struct member *member, bool tickets)
{
	json_t *message = json_object();
	ssize_t length =
		message && session_stamp(&member->current, message) == 0 ? message_write(hub, message) : -ENOMEM;
	int rc;

	json_decref(message);
	if (length > 0 && tickets)
		length = tickets_append(hub, member, (size_t)length);
	rc = length < 0 ? (int)length : buffer_send(hub, &member->route, (size_t)length);
	if (rc == 0)
		member->said = member->current.received;
	return rc;
}

/* Answer a peer that has no valid session. The peer begins a new session, or is refused. */
static void peer_answer(struct hub *hub, const struct route *route, const json_t *heard, const char *member,
			const char *text)
{
	const char *to = session_member(heard, "from");
	json_t *message = to ? json_pack("{s:s,s:s}", "to", to, member, text) : NULL;

	if (message)
		(void)message_send(hub, route, message);
	json_decref(message);
}

void talk_flush(struct hub *hub, struct member *member)
{
	int rc;

	if (!member->up || !member->dirty || member->in_flight > member->current.acknowledged)
		return;
	rc = member_send(hub, member, true);
	if (rc == 0)
		member->in_flight = member->current.sent;
	if (rc == -EMSGSIZE || rc == -EINVAL)
		hub->calls.odd(hub->calls.context, member->key.name, "its tasks do not fit into one message");
	/* on other errors: sent with the next message, or after a second */
	member->dirty = rc != 0 && rc != -EMSGSIZE && rc != -EINVAL;
}

/* Session start */

static void welcome(struct hub *hub, struct member *member)
{
	json_t *message = json_pack("{s:i}", "welcome", SESSION_VERSION);

	if (message && session_stamp(&member->pending, message) == 0)
		/* after a failure the host sends another hello */
		(void)message_send(hub, &member->pending_route, message);
	json_decref(message);
}

static void refuse(struct hub *hub, struct member *member, const struct route *route, const json_t *hello,
		   const char *text)
{
	hub->counts.no_credential++;
	peer_answer(hub, route, hello, "refused", text);
	hub->calls.odd(hub->calls.context, member->key.name, text);
}

static void credential_check(struct hub *hub, struct member *member, const struct route *route, const json_t *hello)
{
	const char *credential = json_string_value(json_object_get(hello, "munge"));
	char tag[NOTARY_TAG];

	notary_tag(tag, member->key.name, member->pending.peer);
	member->checking = credential && notary_ask(hub->notary, tag, credential) == 0;
	if (member->checking)
		return;
	member->pending = (struct session){ 0 };
	refuse(hub, member, route, hello,
	       credential ? "its MUNGE credential cannot be checked now" : "a MUNGE credential is expected");
}

void talk_checked(struct hub *hub, const struct notary_answer *answer)
{
	for (size_t i = 0; i < hub->members.n; i++) {
		struct member *member = hub->members.by_key[i];
		char tag[NOTARY_TAG], text[200];
		json_t *hello;

		if (!member->checking)
			continue;
		notary_tag(tag, member->key.name, member->pending.peer);
		if (strcmp(tag, answer->tag) != 0)
			continue;
		member->checking = false;
		if (answer->good) {
			welcome(hub, member);
			return;
		}
		snprintf(text, sizeof(text), "its MUNGE credential is refused: %s", answer->text);
		hello = json_pack("{s:s}", "from", member->pending.peer);
		refuse(hub, member, &member->pending_route, hello, text);
		json_decref(hello);
		member->pending = (struct session){ 0 };
		return;
	}
}

/*
 * Handle a hello. A later hello replaces an earlier one. The active session continues until the
 * host proves that it has received the welcome.
 */
static void hello_take(struct hub *hub, struct member *member, const struct route *route, const json_t *message)
{
	struct session pending;

	if (session_begin(&pending) || session_meet(&pending, message) != SESSION_TAKEN) {
		hub->counts.malformed++;
		return;
	}
	if (json_integer_value(json_object_get(message, "hello")) != SESSION_VERSION) {
		hub->counts.malformed++;
		peer_answer(hub, route, message, "refused", "the scheduler speaks version 1 of this protocol");
		return;
	}
	member->pending = pending;
	member->pending_route = *route;
	member->checking = false;
	if (hub->notary)
		credential_check(hub, member, route, message);
	else
		welcome(hub, member);
}

static void session_enter(struct hub *hub, struct member *member)
{
	member->current = member->pending;
	member->route = member->pending_route;
	member->pending = (struct session){ 0 };
	member->in_flight = member->said = 0;
	member->dirty = member->has_tasks;
	member->up = true;
	hub->calls.up(hub->calls.context, member->key.name);
}

/* Established session */

static bool route_is(const struct route *a, const struct route *b)
{
	return a->length == b->length && memcmp(a->id, b->id, a->length) == 0;
}

/*
 * Check a message in the active session or in the pending one. A valid message of the pending
 * session activates it.
 */
static enum session_verdict session_of(struct hub *hub, struct member *member, const struct route *route,
				       const json_t *message)
{
	enum session_verdict verdict = SESSION_FOREIGN;

	if (member->up && route_is(route, &member->route))
		verdict = session_take(&member->current, message);
	if (verdict != SESSION_FOREIGN || !*member->pending.own || member->checking ||
	    !route_is(route, &member->pending_route))
		return verdict;
	verdict = session_take(&member->pending, message);
	if (verdict == SESSION_TAKEN)
		session_enter(hub, member);
	return verdict;
}

static void report_take(struct hub *hub, struct member *member, const json_t *message)
{
	struct wire_report report;
	struct error error;
	char text[300];

	if (!json_object_get(message, "usage") && !json_object_get(message, "load") &&
	    !json_object_get(message, "lever"))
		return;
	if (wire_report_unpack(message, &report, &error) == 0) {
		hub->calls.report(hub->calls.context, member->key.name, &report);
		wire_report_free(&report);
		return;
	}
	hub->counts.malformed++;
	snprintf(text, sizeof(text), "a report is dropped: %s", error.text);
	hub->calls.odd(hub->calls.context, member->key.name, text);
}

void talk_take(struct hub *hub, struct member *member, const struct route *route, json_t *message)
{
	if (json_object_get(message, "hello")) {
		hello_take(hub, member, route, message);
		return;
	}
	switch (session_of(hub, member, route, message)) {
	case SESSION_TAKEN:
		hub->counts.taken++;
		member->heard_ns = clock_monotonic_ns();
		report_take(hub, member, message);
		talk_flush(hub, member);
		break;
	case SESSION_REPLAYED:
		hub->counts.replayed++;
		break;
	case SESSION_FOREIGN:
		hub->counts.foreign++;
		peer_answer(hub, route, message, "again", "there is no such session");
		break;
	case SESSION_MALFORMED:
		hub->counts.malformed++;
		break;
	}
}

void talk_tick(struct hub *hub)
{
	uint64_t now = clock_monotonic_ns();

	for (size_t i = 0; i < hub->members.n; i++) {
		struct member *member = hub->members.by_key[i];

		if (!member->up)
			continue;
		if (now - member->heard_ns > hub->away_s * SECOND_NS) {
			member->up = false;
			hub->calls.down(hub->calls.context, member->key.name);
			continue;
		}
		talk_flush(hub, member);
		if (member->said < member->current.received)
			(void)member_send(hub, member, false);
	}
}
