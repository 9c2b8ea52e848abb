/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to a faulty qmaster. Each test sets the time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/process/clock.h"
#include "sched/qmaster/gdi/link.h"

#define PATIENCE_NS UINT64_C(200000000)
#define TURN_MS 20
#define TURNS_MOST 6000		/* until a test gives up: two minutes */

static struct gdi_link link_;
static struct gdi_cell cell;
static struct error why;
static int listening, peer;
static uint64_t now_ns, idle_ns;	/* time; idle_ns: advance of now_ns in a turn without input */
static char host[] = "127.0.0.1", own[] = "here";

static void peer_header(const char *header)
{
	char text[1024];
	int n = snprintf(text, sizeof(text), "<gmsh><dl>%zu</dl></gmsh>%s", strlen(header), header);

	assert_int_equal(send(peer, text, (size_t)n, MSG_NOSIGNAL), n);
}

static void peer_greets(void)
{
	peer_header(
		"<crm version=\"0.3\"><cs condition=\"connected\">ok</cs><rdata host=\"h\" comp=\"fairlead\" id=\"7\"></rdata><params>x</params></crm>");
}

/* Make one turn. Return 1 for a message, 0 for none, or -errno. */
static int turn(struct gdi_frame *frame)
{
	struct pollfd ready = { link_.fd, gdi_link_events(&link_), 0 };
	int rc;

	if (poll(&ready, 1, TURN_MS) == 0)
		now_ns += idle_ns;
	rc = gdi_link_handle(&link_, now_ns, &why);
	return rc ? rc : gdi_link_next(&link_, frame, now_ns, &why);
}

/* Make turns until a message or an error comes. Return as turn() does. */
static int outcome(struct gdi_frame *frame)
{
	int rc = 0;

	for (int k = 0; k < TURNS_MOST && rc == 0; k++)
		rc = turn(frame);
	return rc;
}

static int setup(void **state)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);

	(void)state;
	listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(listening, (struct sockaddr *)&at, size) || listen(listening, 1) ||
	    getsockname(listening, (struct sockaddr *)&at, &size))
		return -1;
	now_ns = clock_monotonic_ns();
	idle_ns = 0;
	cell = (struct gdi_cell){ .port = ntohs(at.sin_port), .host = own };
	if (gdi_link_open(&link_, &cell, host, now_ns, &why))
		return -1;
	link_.patience_ns = PATIENCE_NS;
	peer = -1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	gdi_link_free(&link_);
	close(listening);
	if (peer >= 0)
		close(peer);
	return 0;
}

static void connected(void)
{
	struct gdi_frame frame;

	peer = accept(listening, NULL, NULL);
	assert_true(peer >= 0);
	peer_greets();
	while (link_.state != GDI_LINK_OPEN)
		assert_int_equal(turn(&frame), 0);
	assert_int_equal(link_.connection, 7);
}

static void assert_outcome(int rc, const char *reason)
{
	struct gdi_frame frame;

	assert_int_equal(outcome(&frame), rc);
	if (!strstr(why.text, reason))
		fail_msg("found '%s', expected '%s'", why.text, reason);
}

static void test_a_peer_that_does_not_greet_is_dropped(void **state)
{
	(void)state;
	idle_ns = PATIENCE_NS / 10;
	assert_outcome(-ETIMEDOUT, "has not accepted the connection for 0.2 s");
}

static void test_a_peer_that_sends_single_bytes_is_dropped(void **state)
{
	const char *header =
		"<mih version=\"0.1\"><mid>1</mid><dl>1000000</dl><df>bin</df><mat>nak</mat><tag>4</tag><rid>0</rid></mih>";
	struct gdi_frame frame;
	int rc = 0;

	(void)state;
	connected();
	peer_header(header);
	for (int k = 0; k < 5000 && rc == 0; k++) {
		send(peer, "x", 1, MSG_NOSIGNAL);
		now_ns += PATIENCE_NS / 200;
		rc = turn(&frame);
	}
	assert_int_equal(rc, -ETIMEDOUT);
	assert_non_null(strstr(why.text, "has sent almost nothing of a message for 0.2 s"));
	assert_true(link_.frames.capacity <= 1 << 16);
}

static void test_a_peer_that_never_reads_is_dropped(void **state)
{
	const size_t n = (size_t)64 << 20;

	(void)state;
	connected();
	assert_true(gdi_link_send(&link_, GDI_TAG_REQUEST, calloc(1, n), n) > 0);
	idle_ns = PATIENCE_NS / 10;
	assert_outcome(-ETIMEDOUT, "has read nothing for 0.2 s");
}

static void test_no_more_waits_to_be_sent_than_is_allowed(void **state)
{
	const size_t n = GDI_LINK_SENDING_MOST / 2;

	(void)state;
	connected();
	assert_true(gdi_link_send(&link_, GDI_TAG_REQUEST, malloc(n), n) > 0);
	assert_int_equal(gdi_link_send(&link_, GDI_TAG_REQUEST, malloc(n), n), 0);
}

static void test_messages_before_the_greeting_are_refused(void **state)
{
	(void)state;
	peer = accept(listening, NULL, NULL);
	peer_header(
		"<mih version=\"0.1\"><mid>1</mid><dl>0</dl><df>bin</df><mat>nak</mat><tag>4</tag><rid>0</rid></mih>");
	assert_outcome(-EPROTO, "sends messages before it has accepted the connection");
}

static void test_a_second_greeting_is_refused(void **state)
{
	(void)state;
	connected();
	peer_greets();
	assert_outcome(-EPROTO, "answers a connect twice");
}

static void test_a_connection_closed_inside_a_message_is_reported(void **state)
{
	(void)state;
	connected();
	send(peer, "<gmsh>", 6, MSG_NOSIGNAL);
	shutdown(peer, SHUT_RDWR);
	assert_outcome(-ECONNRESET, "has closed the connection in the middle of a message");
}

static void test_a_requested_receipt_is_sent(void **state)
{
	struct gdi_frame frame;
	char text[1024];
	ssize_t n = 0;

	(void)state;
	connected();
	peer_header(
		"<mih version=\"0.1\"><mid>9</mid><dl>0</dl><df>bin</df><mat>ack</mat><tag>4</tag><rid>0</rid></mih>");
	assert_int_equal(outcome(&frame), 1);
	free(frame.data);
	while (!memmem(text, (size_t)n, "<am version=\"0.1\"><mid>9</mid></am>", 35)) {
		ssize_t k = recv(peer, text + n, sizeof(text) - (size_t)n, 0);

		assert_true(k > 0);
		n += k;
	}
}

/* A process of another user has the port. */
static void test_a_process_of_another_user_gets_no_message(void **state)
{
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip();
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (setuid(65534))
			_exit(1);
		peer = accept(listening, NULL, NULL);
		peer_greets();
		pause();
	}
	assert_outcome(-EPERM,
		       "belongs to user 65534, not to root or the cell's admin user; no request is sent to it");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
#define SENTENCE(TEST) cmocka_unit_test_setup_teardown(TEST, setup, teardown)
	const struct CMUnitTest tests[] = {
		SENTENCE(test_a_peer_that_does_not_greet_is_dropped),
		SENTENCE(test_a_peer_that_sends_single_bytes_is_dropped),
		SENTENCE(test_a_peer_that_never_reads_is_dropped),
		SENTENCE(test_no_more_waits_to_be_sent_than_is_allowed),
		SENTENCE(test_messages_before_the_greeting_are_refused),
		SENTENCE(test_a_second_greeting_is_refused),
		SENTENCE(test_a_connection_closed_inside_a_message_is_reported),
		SENTENCE(test_a_requested_receipt_is_sent),
		SENTENCE(test_a_process_of_another_user_gets_no_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
