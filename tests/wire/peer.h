/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hub in this process, and its peers: spokes, and sockets that send messages that no spoke would
 * send.
 */
#ifndef TESTS_WIRE_PEER_H
#define TESTS_WIRE_PEER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "sched/wire/hub.h"
#include "sched/wire/keys.h"
#include "sched/wire/session.h"
#include "sched/wire/spoke.h"

#define HELPER static __attribute__((unused))
#define PATIENCE_S 120
#define LOCAL "tcp://127.0.0.1:*"

static char keys_dir[64];

static struct {			/* messages from the hub */
	int ups, downs, reports, odds;
	char host[300], odd[300], lever[200];
	struct wire_usage usage;
	size_t nusage;
} reported;

static struct {			/* messages to spokes */
	int ups, downs, sets;
	size_t n;
	struct wire_task first;
	char odd[300];
} heard;

HELPER void take_up(void *context, const char *host)
{
	(void)context;
	reported.ups++;
	strcpy(reported.host, host);
}

HELPER void take_down(void *context, const char *host)
{
	(void)context;
	reported.downs++;
	strcpy(reported.host, host);
}

HELPER void take_report(void *context, const char *host, const struct wire_report *report)
{
	(void)context;
	reported.reports++;
	strcpy(reported.host, host);
	strcpy(reported.lever, report->lever);
	reported.nusage = report->nusage;
	if (report->nusage)
		reported.usage = report->usage[0];
}

HELPER void take_odd(void *context, const char *host, const char *text)
{
	(void)context;
	reported.odds++;
	strcpy(reported.host, host);
	snprintf(reported.odd, sizeof(reported.odd), "%s", text);
}

HELPER void spoke_up(void *context)
{
	(void)context;
	heard.ups++;
}

HELPER void spoke_down(void *context)
{
	(void)context;
	heard.downs++;
}

HELPER void spoke_tickets(void *context, const struct wire_task *tasks, size_t n)
{
	(void)context;
	heard.sets++;
	heard.n = n;
	if (n)
		heard.first = tasks[0];
}

HELPER void spoke_odd(void *context, const char *text)
{
	(void)context;
	snprintf(heard.odd, sizeof(heard.odd), "%s", text);
}

HELPER int keys_setup(void **state)
{
	struct error error;

	(void)state;
	strcpy(keys_dir, "/tmp/fairlead-test-XXXXXX");
	if (!mkdtemp(keys_dir))
		return -1;
	return keys_make(keys_dir, NULL, &error) || keys_make(keys_dir, "node1", &error) ||
	       keys_make(keys_dir, "node2", &error);
}

HELPER int keys_teardown(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", keys_dir);
	return system(command);
}

HELPER struct key host_key(const char *host, bool secret)
{
	struct error error = { "" };
	struct key key;
	char path[200];

	assert_int_equal(key_path(path, sizeof(path), keys_dir, host, secret), 0);
	if (key_read(path, secret, &key, &error))
		fail_msg("%s", error.text);
	return key;
}

static struct hub *hub;
static struct spoke *spokes[2];

HELPER struct hub *hub_start_with(const struct hub_options *options)
{
	const struct hub_calls calls = { NULL, take_up, take_down, take_report, take_odd };
	struct error error = { "" };

	memset(&reported, 0, sizeof(reported));
	memset(&heard, 0, sizeof(heard));
	if (hub_open(&hub, options, &calls, &error))
		fail_msg("%s", error.text);
	return hub;
}

HELPER struct hub *hub_start(unsigned away_s)
{
	return hub_start_with(&(struct hub_options){ .endpoint = LOCAL, .keys = keys_dir, .away_s = away_s });
}

HELPER struct spoke *spoke_start_with(int k, const struct spoke_options *options)
{
	const struct spoke_calls calls = { NULL, spoke_up, spoke_down, spoke_tickets, spoke_odd };
	struct error error = { "" };

	if (spoke_open(&spokes[k], options, &calls, &error))
		fail_msg("%s", error.text);
	return spokes[k];
}

HELPER struct spoke *spoke_start(int k, const char *name)
{
	return spoke_start_with(
		k, &(struct spoke_options){
			   .scheduler = hub_endpoint(hub), .keys = keys_dir, .name = name, .report_s = 1 });
}

HELPER int wire_teardown(void **state)
{
	(void)state;
	spoke_close(spokes[0]);
	spoke_close(spokes[1]);
	hub_close(hub);
	spokes[0] = spokes[1] = NULL;
	hub = NULL;
	return 0;
}

/* Process all pending work of hub and spokes, for at most this time. */
HELPER void pump(int ms)
{
	struct pollfd fds[3];

	for (int k = 0; k < 3; k++) {
		int fd = k < 2 ? (spokes[k] ? spoke_fd(spokes[k]) : -1) : hub ? hub_fd(hub) : -1;

		fds[k] = (struct pollfd){ .fd = fd, .events = POLLIN };
	}
	if (poll(fds, 3, ms) <= 0)
		return;
	for (int k = 0; k < 2; k++)
		if (fds[k].revents)
			spoke_handle(spokes[k]);
	if (fds[2].revents)
		hub_handle(hub);
}

#define PUMP_UNTIL(CONDITION) do { \
	time_t until_ = time(NULL) + PATIENCE_S; \
	while (!(CONDITION) && time(NULL) < until_) \
		pump(100); \
	assert_true(CONDITION); \
} while (0)

/* Pump messages for a time, so that all messages under way arrive. */
HELPER void pump_for(int ms)
{
	struct timespec timespec;
	int64_t now, end = 0;

	do {
		clock_gettime(CLOCK_MONOTONIC, &timespec);
		now = timespec.tv_sec * 1000 + timespec.tv_nsec / 1000000;
		end = end ? end : now + ms;
		pump(20);
	} while (now < end);
}

/* A socket with the key of a host, or with any other */

struct peer {
	void *zmq, *dealer;
	struct session session;
};

HELPER void peer_connect(struct peer *peer, const struct key *server, const struct key *public,
			 const struct key *secret)
{
	const int64_t unlimited = -1;
	const int now = 0;

	*peer = (struct peer){ .zmq = zmq_ctx_new() };
	peer->dealer = zmq_socket(peer->zmq, ZMQ_DEALER);
	zmq_setsockopt(peer->dealer, ZMQ_LINGER, &now, sizeof(now));
	zmq_setsockopt(peer->dealer, ZMQ_MAXMSGSIZE, &unlimited, sizeof(unlimited));
	if (server) {
		assert_int_equal(zmq_setsockopt(peer->dealer, ZMQ_CURVE_SERVERKEY, server->text, KEY_CHARS + 1), 0);
		assert_int_equal(zmq_setsockopt(peer->dealer, ZMQ_CURVE_PUBLICKEY, public->text, KEY_CHARS + 1), 0);
		assert_int_equal(zmq_setsockopt(peer->dealer, ZMQ_CURVE_SECRETKEY, secret->text, KEY_CHARS + 1), 0);
	}
	assert_int_equal(zmq_connect(peer->dealer, hub_endpoint(hub)), 0);
}

HELPER void peer_as(struct peer *peer, const char *host)
{
	struct key server = host_key(NULL, false), public = host_key(host, false), secret = host_key(host, true);

	peer_connect(peer, &server, &public, &secret);
}

HELPER void peer_close(struct peer *peer)
{
	zmq_close(peer->dealer);
	zmq_ctx_term(peer->zmq);
}

HELPER void peer_say_text(struct peer *peer, const char *text, size_t length)
{
	assert_int_equal(zmq_send(peer->dealer, text, length, 0), (int)length);
}

HELPER void peer_say(struct peer *peer, const char *text)
{
	peer_say_text(peer, text, strlen(text));
}

/* Return the next message while hub and spokes continue; NULL: none within this time. */
HELPER json_t *peer_hear(struct peer *peer, int ms)
{
	static char text[2 * WIRE_BYTES];
	int n = -1;

	for (int waited = 0; n < 0 && waited < ms; waited += 10) {
		pump(10);
		n = zmq_recv(peer->dealer, text, sizeof(text), ZMQ_DONTWAIT);
	}
	return n < 0 ? NULL : json_loadb(text, (size_t)n, 0, NULL);
}

/* Send a message in the session. Its text is stored in `text`, so that it can be repeated. */
HELPER void peer_report(struct peer *peer, const char *members, char *text, size_t size)
{
	int n = snprintf(text, size, "{\"from\":\"%s\",\"to\":\"%s\",\"number\":%llu,\"taken\":%llu%s}",
			 peer->session.own, peer->session.peer, (unsigned long long)++peer->session.sent,
			 (unsigned long long)peer->session.received, members);

	assert_true(n > 0 && (size_t)n < size);
	peer_say(peer, text);
}

/* Send a hello, wait for the welcome, and begin. */
HELPER void peer_begin(struct peer *peer)
{
	char text[1000];
	json_t *welcome;

	assert_int_equal(session_begin(&peer->session), 0);
	snprintf(text, sizeof(text), "{\"hello\":1,\"from\":\"%s\",\"number\":%llu}", peer->session.own,
		 (unsigned long long)++peer->session.sent);
	peer_say(peer, text);
	welcome = peer_hear(peer, PATIENCE_S * 1000);
	assert_non_null(welcome);
	assert_int_equal(json_integer_value(json_object_get(welcome, "welcome")), 1);
	assert_string_equal(json_string_value(json_object_get(welcome, "to")), peer->session.own);
	assert_int_equal(session_meet(&peer->session, welcome), SESSION_TAKEN);
	json_decref(welcome);
	peer_report(peer, "", text, sizeof(text));
}

#endif
