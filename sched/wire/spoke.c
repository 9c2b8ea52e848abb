/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/spoke.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "sched/wire/approach.h"
#include "sched/wire/keys.h"
#include "sched/wire/notary.h"
#include "sched/wire/session.h"
#include "sched/wire/watch.h"

#define MESSAGES_A_TURN 64
#define QUEUE_MESSAGES 4
#define PART_BYTES (WIRE_BYTES + 4096)
#define RECONNECT_MS 200
#define RECONNECT_MAX_MS 5000
#define HELLO_S 3u			/* from one to the next, while no welcome comes */
#define AWAY_S 10u			/* without a session: then it is said why */
#define REFUSED_S 15u			/* after the scheduler has refused us */

struct spoke {
	struct spoke_calls calls;
	struct spoke_counts counts;
	struct watch watch;
	struct session session;
	struct approach approach;
	struct key server, public, secret;
	void *zmq, *dealer;
	char *scheduler, *name, *munge_socket;
	char *buffer;			/* a message on its way out: WIRE_BYTES */
	unsigned report_s;		/* we say something at least as often */
	unsigned quiet_s;		/* a scheduler that says nothing for so long is away */
	bool munge, up;
	time_t heard, said;		/* the last message; monotonic seconds */
	time_t hello;			/* when the next one is due */
	time_t away;			/* since when there is no session */
	time_t tried;			/* when the socket was made */
	int told;			/* enum approach_outcome, why; -1: not yet */
};

static time_t now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* The connection */

static int dealer_set(void *dealer, int option, int value)
{
	return zmq_setsockopt(dealer, option, &value, sizeof(value)) ? -errno : 0;
}

static int dealer_options(void *dealer, const struct spoke *s)
{
	const int64_t longest = PART_BYTES;
	const int quiet_ms = (int)s->quiet_s * 1000;
	int rc = dealer_set(dealer, ZMQ_LINGER, 0);

	/* nothing is queued for a connection that is not there */
	rc = rc ? rc : dealer_set(dealer, ZMQ_IMMEDIATE, 1);
	rc = rc ? rc : dealer_set(dealer, ZMQ_SNDHWM, QUEUE_MESSAGES);
	rc = rc ? rc : dealer_set(dealer, ZMQ_RCVHWM, QUEUE_MESSAGES);
	rc = rc ? rc : dealer_set(dealer, ZMQ_RECONNECT_IVL, RECONNECT_MS);
	rc = rc ? rc : dealer_set(dealer, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MAX_MS);
	rc = rc ? rc : dealer_set(dealer, ZMQ_CONNECT_TIMEOUT, quiet_ms);
	rc = rc ? rc : dealer_set(dealer, ZMQ_HEARTBEAT_IVL, quiet_ms / 3);
	rc = rc ? rc : dealer_set(dealer, ZMQ_HEARTBEAT_TIMEOUT, quiet_ms);
	rc = rc ? rc : dealer_set(dealer, ZMQ_IPV6, access("/proc/net/if_inet6", R_OK) == 0);
	if (rc == 0 && (zmq_setsockopt(dealer, ZMQ_MAXMSGSIZE, &longest, sizeof(longest)) ||
			zmq_setsockopt(dealer, ZMQ_CURVE_SERVERKEY, s->server.text, KEY_CHARS + 1) ||
			zmq_setsockopt(dealer, ZMQ_CURVE_PUBLICKEY, s->public.text, KEY_CHARS + 1) ||
			zmq_setsockopt(dealer, ZMQ_CURVE_SECRETKEY, s->secret.text, KEY_CHARS + 1)))
		rc = -errno;
	return rc;
}

static void disconnect(struct spoke *s)
{
	if (!s->dealer)
		return;
	watch_remove(&s->watch, s->dealer);
	approach_close(&s->approach);
	zmq_close(s->dealer);
	s->dealer = NULL;
}

/* A fresh socket: what was under way in the old one is gone. */
static int reconnect(struct spoke *s)
{
	int rc;

	disconnect(s);
	s->hello = s->tried = now_s();
	s->dealer = zmq_socket(s->zmq, ZMQ_DEALER);
	if (!s->dealer)
		return -errno;
	rc = dealer_options(s->dealer, s);
	rc = rc ? rc : approach_open(&s->approach, s->zmq, s->dealer);
	rc = rc ? rc : session_begin(&s->session);
	if (rc == 0 && zmq_connect(s->dealer, s->scheduler))
		rc = -errno;
	return rc ? rc : watch_add(&s->watch, s->dealer);
}

static int keys_open(struct spoke *s, const struct spoke_options *o, struct error *error)
{
	char path[4096];
	int rc;

	if (!host_name_is_valid(o->name))
		return error_set(error, -EINVAL, "\"%.60s\" is no name of a host", o->name);
	if (key_path(path, sizeof(path), o->keys, o->name, true))
		return error_set(error, -ENAMETOOLONG, "%.80s: the path is too long", o->keys);
	rc = key_read(path, true, &s->secret, error);
	if (rc)
		return rc;
	if (zmq_curve_public(s->public.text, s->secret.text))
		return error_set(error, -EINVAL, "%.120s: no key", path);
	(void)key_path(path, sizeof(path), o->keys, NULL, false);
	return key_read(path, false, &s->server, error);
}

static int strings_copy(struct spoke *s, const struct spoke_options *o)
{
	s->scheduler = strdup(o->scheduler);
	s->name = strdup(o->name);
	s->munge_socket = o->munge_socket ? strdup(o->munge_socket) : NULL;
	s->buffer = malloc(WIRE_BYTES);
	return s->scheduler && s->name && s->buffer && (s->munge_socket || !o->munge_socket) ? 0 : -ENOMEM;
}

int spoke_open(struct spoke **spoke, const struct spoke_options *options, const struct spoke_calls *calls, struct error *error)
{
	struct spoke *s = calloc(1, sizeof(*s));
	int rc = s ? 0 : -ENOMEM;

	*spoke = NULL;
	if (rc)
		return error_set(error, rc, "no memory");
	s->watch = (struct watch){ .epoll = -1, .timer = -1, .again = -1 };
	s->calls = *calls;
	s->munge = options->munge;
	s->report_s = options->report_s < 1 ? 1 : options->report_s;
	s->quiet_s = s->report_s * 3;
	s->away = now_s();
	s->told = -1;
	if (!endpoint_is_valid(options->scheduler))
		rc = error_set(error, -EINVAL, "\"%.80s\": tcp://HOST:PORT is expected", options->scheduler);
	else if (strings_copy(s, options))
		rc = error_set(error, -ENOMEM, "no memory");
	else
		rc = keys_open(s, options, error);
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

void spoke_close(struct spoke *s)
{
	if (!s)
		return;
	disconnect(s);
	watch_close(&s->watch);
	if (s->zmq)
		zmq_ctx_term(s->zmq);
	explicit_bzero(&s->secret, sizeof(s->secret));
	free(s->scheduler);
	free(s->name);
	free(s->munge_socket);
	free(s->buffer);
	free(s);
}

/* Sending */

/* Takes the reference. The number; 0: it could not be sent. */
static uint64_t message_send(struct spoke *s, json_t *message)
{
	size_t length = 0;
	bool sent;

	if (message && s->dealer && session_stamp(&s->session, message) == 0)
		length = json_dumpb(message, s->buffer, WIRE_BYTES, JSON_COMPACT | JSON_REAL_PRECISION(17));
	sent = length > 0 && length <= WIRE_BYTES && zmq_send(s->dealer, s->buffer, length, ZMQ_DONTWAIT) >= 0;
	json_decref(message);
	if (sent)
		s->said = now_s();
	return sent ? s->session.sent : 0;
}

static bool connection_is_there(const struct spoke *s)
{
	size_t size = sizeof(int);
	int events = 0;

	return s->dealer && zmq_getsockopt(s->dealer, ZMQ_EVENTS, &events, &size) == 0 && events & ZMQ_POLLOUT;
}

static void hello(struct spoke *s)
{
	json_t *message = json_pack("{s:i}", "hello", SESSION_VERSION);
	struct error error;
	char tag[NOTARY_TAG], *credential;

	s->hello = now_s() + HELLO_S;
	if (s->munge && message) {
		notary_tag(tag, s->name, s->session.own);
		credential = notary_make(s->munge_socket, tag, &error);
		if (credential)
			json_object_set_new(message, "munge", json_string(credential));
		else
			s->calls.odd(s->calls.context, error.text);
		free(credential);
	}
	message_send(s, message);
}

uint64_t spoke_report(struct spoke *s, const struct wire_report *report)
{
	json_t *message = s->up ? json_object() : NULL;
	uint64_t number = 0;

	if (message && wire_report_pack(message, report) == 0)
		number = message_send(s, message);
	else
		json_decref(message);
	watch_settle(&s->watch);
	return number;
}

/* Receiving */

static void session_end(struct spoke *s)
{
	if (s->up) {
		s->up = false;
		s->away = now_s();
		s->told = -1;
		s->calls.down(s->calls.context);
	}
}

static void tickets_take(struct spoke *s, const json_t *array)
{
	struct wire_task *tasks;
	struct error error;
	char text[300];
	size_t n;

	if (wire_tickets_unpack(array, &tasks, &n, &error) == 0) {
		s->calls.tickets(s->calls.context, tasks, n);
		free(tasks);
	} else {
		s->counts.malformed++;
		snprintf(text, sizeof(text), "tickets are dropped: %s", error.text);
		s->calls.odd(s->calls.context, text);
	}
	message_send(s, json_object());		/* taken: the next set may come */
}

static void welcome_take(struct spoke *s, const json_t *message)
{
	if (s->up || session_meet(&s->session, message) != SESSION_TAKEN) {
		s->counts.malformed++;
		return;
	}
	s->up = true;
	s->heard = now_s();
	/* now the scheduler knows that this session is ours */
	message_send(s, json_object());
	s->calls.up(s->calls.context);
}

/* A message about our session as such. false: it is none. */
static bool notice_take(struct spoke *s, const json_t *message)
{
	const char *to = session_member(message, "to"), *refused = json_string_value(json_object_get(message, "refused"));
	bool again = json_object_get(message, "again") != NULL, welcomed = json_object_get(message, "welcome") != NULL;

	if (!refused && !again && !welcomed)
		return false;
	if (!to || strcmp(to, s->session.own) != 0) {
		s->counts.foreign++;
	} else if (welcomed) {
		welcome_take(s, message);
	} else {
		session_end(s);
		s->hello = now_s() + (refused ? (time_t)REFUSED_S : 1);
		if (session_begin(&s->session) || refused)
			s->calls.odd(s->calls.context, refused ? refused : "no random numbers");
	}
	return true;
}

static void message_take(struct spoke *s, const json_t *message)
{
	const json_t *tickets = json_object_get(message, "tickets");

	if (notice_take(s, message))
		return;
	switch (s->up ? session_take(&s->session, message) : SESSION_FOREIGN) {
	case SESSION_TAKEN:
		s->counts.taken++;
		s->heard = now_s();
		if (tickets)
			tickets_take(s, tickets);
		break;
	case SESSION_REPLAYED:
		s->counts.replayed++;
		break;
	case SESSION_FOREIGN:
		s->counts.foreign++;
		break;
	case SESSION_MALFORMED:
		s->counts.malformed++;
		break;
	}
}

static bool message_read(struct spoke *s)
{
	zmq_msg_t part;
	json_t *message;
	bool read;

	zmq_msg_init(&part);
	read = s->dealer && zmq_msg_recv(&part, s->dealer, ZMQ_DONTWAIT) >= 0;
	if (read) {
		message = json_loadb(zmq_msg_data(&part), zmq_msg_size(&part), JSON_REJECT_DUPLICATES, NULL);
		if (json_is_object(message) && zmq_msg_size(&part) <= WIRE_BYTES)
			message_take(s, message);
		else
			s->counts.malformed++;
		json_decref(message);
	}
	zmq_msg_close(&part);
	return read;
}

/* Once, and again when it is for another reason. */
static void away_tell(struct spoke *s)
{
	char text[300];

	approach_look(&s->approach);
	if (s->up || now_s() - s->away < (time_t)AWAY_S || s->told == (int)s->approach.outcome)
		return;
	s->told = (int)s->approach.outcome;
	snprintf(text, sizeof(text), "no scheduler at %.80s: %s; tried again and again", s->scheduler, approach_why(s->approach.outcome));
	s->calls.odd(s->calls.context, text);
}

/*
 * ZeroMQ connects again by itself, but not behind a handshake that has failed: that it takes for
 * good.
 */
static bool handshake_failed(const struct spoke *s)
{
	return (s->approach.outcome == APPROACH_REFUSED || s->approach.outcome == APPROACH_BROKEN) && now_s() - s->tried >= (time_t)REFUSED_S;
}

static void second_pass(struct spoke *s)
{
	char text[160];

	away_tell(s);
	if (s->up && now_s() - s->heard > (time_t)s->quiet_s) {
		session_end(s);
		if (reconnect(s)) {
			snprintf(text, sizeof(text), "no new connection: %s", zmq_strerror(errno));
			s->calls.odd(s->calls.context, text);
		}
	} else if (!s->up && (!s->dealer || handshake_failed(s))) {
		(void)reconnect(s);
	} else if (s->up && now_s() - s->said >= (time_t)s->report_s) {
		message_send(s, json_object());		/* the scheduler answers, or is away */
	}
}

int spoke_fd(const struct spoke *s)
{
	return s->watch.epoll;
}

void spoke_handle(struct spoke *s)
{
	bool tick = watch_tick(&s->watch);

	for (int i = 0; i < MESSAGES_A_TURN && message_read(s); i++)
		;
	if (tick)
		second_pass(s);
	if (!s->up && now_s() >= s->hello && connection_is_there(s))
		hello(s);
	watch_settle(&s->watch);
}

bool spoke_is_up(const struct spoke *s)
{
	return s->up;
}

uint64_t spoke_taken(const struct spoke *s)
{
	return s->session.acknowledged;
}

struct spoke_counts spoke_counts(const struct spoke *s)
{
	return s->counts;
}
