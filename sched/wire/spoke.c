/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/spoke.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

#include "sched/process/clock.h"
#include "sched/wire/approach.h"
#include "sched/wire/keys.h"
#include "sched/wire/notary.h"
#include "sched/wire/session.h"
#include "sched/wire/socket.h"
#include "sched/wire/watch.h"

#define MESSAGES_A_TURN 64
#define RECONNECT_MS 200
#define RECONNECT_MAX_MS 5000
#define HELLO_S 3u			/* seconds between two hellos without a welcome */
#define AWAY_S 10u			/* seconds without a session until the reason is reported */
#define REFUSED_S 15u /* seconds to wait after the scheduler has refused the host */

struct spoke {
	struct spoke_calls calls;
	struct watch watch;
	struct session session;
	struct approach approach;
	struct connection_keys keys;
	void *zmq, *dealer;
	char *scheduler, *name, *munge_socket;
	char *buffer;			/* outgoing message; WIRE_BYTES long */
	unsigned report_s;		/* longest time without an outgoing message */
	/* time without an incoming message after which the session ends */
	unsigned quiet_s;
	bool munge, up;
	time_t heard, said;		/* times of the last messages; monotonic seconds */
	time_t hello;			/* time at which the next hello is due */
	time_t away;			/* time since which there is no session */
	time_t tried;			/* time at which the socket was made */
	int reported;			/* last reported enum approach_outcome; -1: none */
};

static time_t now_s(void)
{
	return (time_t)(clock_monotonic_ns() / 1000000000u);
}

/* Connection */

static int dealer_options(void *dealer, const struct spoke *spoke)
{
	const int quiet_ms = (int)spoke->quiet_s * 1000;
	const struct socket_option options[] = {
		{ ZMQ_IMMEDIATE, 1 },	/* queue nothing for a connection that is not established */
		{ ZMQ_RECONNECT_IVL, RECONNECT_MS },
		{ ZMQ_RECONNECT_IVL_MAX, RECONNECT_MAX_MS },
		{ ZMQ_CONNECT_TIMEOUT, quiet_ms },
		{ ZMQ_HEARTBEAT_IVL, quiet_ms / 3 },
		{ ZMQ_HEARTBEAT_TIMEOUT, quiet_ms },
	};
	int rc = socket_configure(dealer, &spoke->keys.secret, options, sizeof(options) / sizeof(*options));

	if (rc == 0 && (zmq_setsockopt(dealer, ZMQ_CURVE_SERVERKEY, spoke->keys.server.text, KEY_CHARS + 1) ||
			zmq_setsockopt(dealer, ZMQ_CURVE_PUBLICKEY, spoke->keys.public.text, KEY_CHARS + 1)))
		rc = -errno;
	return rc;
}

static void disconnect(struct spoke *spoke)
{
	if (!spoke->dealer)
		return;
	watch_remove(&spoke->watch, spoke->dealer);
	approach_close(&spoke->approach);
	zmq_close(spoke->dealer);
	spoke->dealer = NULL;
}

/* Make a new socket. Messages in the old one are lost. */
static int reconnect(struct spoke *spoke)
{
	int rc;

	disconnect(spoke);
	spoke->hello = spoke->tried = now_s();
	spoke->dealer = zmq_socket(spoke->zmq, ZMQ_DEALER);
	if (!spoke->dealer)
		return -errno;
	rc = dealer_options(spoke->dealer, spoke);
	rc = rc ? rc : approach_open(&spoke->approach, spoke->zmq, spoke->dealer);
	rc = rc ? rc : session_begin(&spoke->session);
	if (rc == 0 && zmq_connect(spoke->dealer, spoke->scheduler))
		rc = -errno;
	return rc ? rc : watch_add(&spoke->watch, spoke->dealer);
}

static int strings_copy(struct spoke *spoke, const struct spoke_options *options)
{
	spoke->scheduler = strdup(options->scheduler);
	spoke->name = strdup(options->name);
	spoke->munge_socket = options->munge_socket ? strdup(options->munge_socket) : NULL;
	spoke->buffer = malloc(WIRE_BYTES);
	return spoke->scheduler && spoke->name && spoke->buffer && (spoke->munge_socket || !options->munge_socket)
		       ? 0
		       : -ENOMEM;
}

int spoke_open(struct spoke **spoke, const struct spoke_options *options, const struct spoke_calls *calls,
	       struct error *error)
{
	struct spoke *s = calloc(1, sizeof(*s));
	int rc = s ? 0 : -ENOMEM;

	*spoke = NULL;
	if (rc)
		return error_set(error, rc, "out of memory");
	s->watch = (struct watch){ .epoll = -1, .timer = -1, .again = -1 };
	s->calls = *calls;
	s->munge = options->munge;
	s->report_s = options->report_s < 1 ? 1 : options->report_s;
	s->quiet_s = s->report_s * 3;
	s->away = now_s();
	s->reported = -1;
	if (!endpoint_is_valid(options->scheduler))
		rc = error_set(error, -EINVAL, "\"%.80s\": tcp://HOST:PORT is expected", options->scheduler);
	else if (strings_copy(s, options))
		rc = error_set(error, -ENOMEM, "out of memory");
	else
		rc = connection_keys_read(&s->keys, options->keys, options->name, error);
	if (rc == 0) {
		s->zmq = zmq_ctx_new();
		rc = s->zmq ? watch_open(&s->watch) : -errno;
		rc = rc ? rc : reconnect(s);
		if (rc)
			error_set(error, rc, "%.80s: %s", s->scheduler, zmq_strerror(-rc));
	}
	if (rc)
		spoke_close(s);
	else
		*spoke = s;
	return rc;
}

void spoke_close(struct spoke *spoke)
{
	if (!spoke)
		return;
	disconnect(spoke);
	watch_close(&spoke->watch);
	if (spoke->zmq)
		zmq_ctx_term(spoke->zmq);
	explicit_bzero(&spoke->keys.secret, sizeof(spoke->keys.secret));
	free(spoke->scheduler);
	free(spoke->name);
	free(spoke->munge_socket);
	free(spoke->buffer);
	free(spoke);
}

/* Sending */

/*
 * Send a message and release the caller's reference to it. Returns its number, or 0 if it could not
 * be sent.
 */
static uint64_t message_send(struct spoke *spoke, json_t *message)
{
	size_t length = 0;
	bool sent;

	if (message && spoke->dealer && session_stamp(&spoke->session, message) == 0)
		length = json_dumpb(message, spoke->buffer, WIRE_BYTES, JSON_COMPACT | JSON_REAL_PRECISION(17));
	sent = length > 0 && length <= WIRE_BYTES && zmq_send(spoke->dealer, spoke->buffer, length, ZMQ_DONTWAIT) >= 0;
	json_decref(message);
	if (sent)
		spoke->said = now_s();
	return sent ? spoke->session.sent : 0;
}

static bool connection_is_there(const struct spoke *spoke)
{
	size_t size = sizeof(int);
	int events = 0;

	return spoke->dealer && zmq_getsockopt(spoke->dealer, ZMQ_EVENTS, &events, &size) == 0 && events & ZMQ_POLLOUT;
}

static void hello(struct spoke *spoke)
{
	json_t *message = json_pack("{s:i}", "hello", SESSION_VERSION);
	struct error error;
	char tag[NOTARY_TAG], *credential;

	spoke->hello = now_s() + HELLO_S;
	if (spoke->munge && message) {
		notary_tag(tag, spoke->name, spoke->session.own);
		credential = notary_make(spoke->munge_socket, tag, &error);
		if (credential)
			json_object_set_new(message, "munge", json_string(credential));
		else
			spoke->calls.odd(spoke->calls.context, error.text);
		free(credential);
	}
	message_send(spoke, message);
}

uint64_t spoke_report(struct spoke *spoke, const struct wire_report *report)
{
	json_t *message = spoke->up ? json_object() : NULL;
	uint64_t number = 0;

	if (message && wire_report_pack(message, report) == 0)
		number = message_send(spoke, message);
	else
		json_decref(message);
	watch_settle(&spoke->watch);
	return number;
}

/* Receiving */

static void session_end(struct spoke *spoke)
{
	if (spoke->up) {
		spoke->up = false;
		spoke->away = now_s();
		spoke->reported = -1;
		spoke->calls.down(spoke->calls.context);
	}
}

static void tickets_take(struct spoke *spoke, const json_t *array)
{
	struct wire_task *tasks;
	struct error error;
	char text[300];
	size_t n;

	if (wire_tickets_unpack(array, &tasks, &n, &error) == 0) {
		spoke->calls.tickets(spoke->calls.context, tasks, n);
		free(tasks);
	} else {
		snprintf(text, sizeof(text), "tickets are dropped: %s", error.text);
		spoke->calls.odd(spoke->calls.context, text);
	}
	/* acknowledge the set, so that the next one can be sent */
	message_send(spoke, json_object());
}

static void welcome_take(struct spoke *spoke, const json_t *message)
{
	if (spoke->up || session_meet(&spoke->session, message) != SESSION_TAKEN)
		return;
	spoke->up = true;
	spoke->heard = now_s();
	/* prove to the scheduler that this session is active */
	message_send(spoke, json_object());
	spoke->calls.up(spoke->calls.context);
}

/* Handle a message about the session itself. Returns false if the message is of another kind. */
static bool notice_take(struct spoke *spoke, const json_t *message)
{
	const char *to = session_member(message, "to"),
		   *refused = json_string_value(json_object_get(message, "refused"));
	bool again = json_object_get(message, "again") != NULL, welcomed = json_object_get(message, "welcome") != NULL;

	if (!refused && !again && !welcomed)
		return false;
	if (!to || strcmp(to, spoke->session.own) != 0)
		return true;
	if (welcomed) {
		welcome_take(spoke, message);
	} else {
		session_end(spoke);
		spoke->hello = now_s() + (refused ? (time_t)REFUSED_S : 1);
		if (session_begin(&spoke->session) || refused)
			spoke->calls.odd(spoke->calls.context, refused ? refused : "no random numbers");
	}
	return true;
}

static void message_take(struct spoke *spoke, const json_t *message)
{
	const json_t *tickets = json_object_get(message, "tickets");

	if (notice_take(spoke, message))
		return;
	if (!spoke->up || session_take(&spoke->session, message) != SESSION_TAKEN)
		return;
	spoke->heard = now_s();
	if (tickets)
		tickets_take(spoke, tickets);
}

static bool message_read(struct spoke *spoke)
{
	zmq_msg_t part;
	json_t *message;
	bool read;

	zmq_msg_init(&part);
	read = spoke->dealer && zmq_msg_recv(&part, spoke->dealer, ZMQ_DONTWAIT) >= 0;
	if (read) {
		message = json_loadb(zmq_msg_data(&part), zmq_msg_size(&part), JSON_REJECT_DUPLICATES, NULL);
		if (json_is_object(message) && zmq_msg_size(&part) <= WIRE_BYTES)
			message_take(spoke, message);
		json_decref(message);
	}
	zmq_msg_close(&part);
	return read;
}

/* Report once why there is no session, and again when the reason changes. */
static void away_report(struct spoke *spoke)
{
	char text[300];

	approach_read(&spoke->approach);
	if (spoke->up || now_s() - spoke->away < (time_t)AWAY_S || spoke->reported == (int)spoke->approach.outcome)
		return;
	spoke->reported = (int)spoke->approach.outcome;
	snprintf(text, sizeof(text), "no scheduler at %.80s: %s; it is tried again", spoke->scheduler,
		 approach_why(spoke->approach.outcome));
	spoke->calls.odd(spoke->calls.context, text);
}

/*
 * Return whether the connection must be made again. ZeroMQ does not reconnect after a failed
 * handshake, because it considers the failure permanent.
 */
static bool handshake_failed(const struct spoke *spoke)
{
	return (spoke->approach.outcome == APPROACH_REFUSED || spoke->approach.outcome == APPROACH_BROKEN) &&
	       now_s() - spoke->tried >= (time_t)REFUSED_S;
}

static void second_pass(struct spoke *spoke)
{
	char text[160];
	int rc;

	away_report(spoke);
	if (spoke->up && now_s() - spoke->heard > (time_t)spoke->quiet_s) {
		session_end(spoke);
		rc = reconnect(spoke);
		if (rc) {
			snprintf(text, sizeof(text), "no new connection: %s", zmq_strerror(-rc));
			spoke->calls.odd(spoke->calls.context, text);
		}
	} else if (!spoke->up && (!spoke->dealer || handshake_failed(spoke))) {
		(void)reconnect(spoke);
	} else if (spoke->up && now_s() - spoke->said >= (time_t)spoke->report_s) {
		/* the scheduler must answer, or it is considered away */
		message_send(spoke, json_object());
	}
}

int spoke_fd(const struct spoke *spoke)
{
	return spoke->watch.epoll;
}

void spoke_handle(struct spoke *spoke)
{
	bool tick = watch_tick(&spoke->watch);

	for (int i = 0; i < MESSAGES_A_TURN && message_read(spoke); i++)
		;
	if (tick)
		second_pass(spoke);
	if (!spoke->up && now_s() >= spoke->hello && connection_is_there(spoke))
		hello(spoke);
	watch_settle(&spoke->watch);
}

bool spoke_is_up(const struct spoke *spoke)
{
	return spoke->up;
}

uint64_t spoke_taken(const struct spoke *spoke)
{
	return spoke->session.acknowledged;
}
