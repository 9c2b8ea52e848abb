/* SPDX-License-Identifier: Apache-2.0 */
/* A host and a simulated scheduler, which sends messages that no scheduler would send. */
#include "tests/wire/peer.h"

static struct {
	void *zmq, *router;
	char endpoint[100];
	unsigned char id[300];		/* route to the host */
	size_t id_length;
	struct session session;
} scheduler;

static int scheduler_setup(void **state)
{
	const struct key secret = host_key(NULL, true);
	size_t size = sizeof(scheduler.endpoint);
	const int on = 1, now = 0;

	(void)state;
	memset(&heard, 0, sizeof(heard));
	scheduler.zmq = zmq_ctx_new();
	scheduler.router = zmq_socket(scheduler.zmq, ZMQ_ROUTER);
	zmq_setsockopt(scheduler.router, ZMQ_LINGER, &now, sizeof(now));
	zmq_setsockopt(scheduler.router, ZMQ_CURVE_SERVER, &on, sizeof(on));
	zmq_setsockopt(scheduler.router, ZMQ_CURVE_SECRETKEY, secret.text, KEY_CHARS + 1);
	return zmq_bind(scheduler.router, LOCAL) ||
	       zmq_getsockopt(scheduler.router, ZMQ_LAST_ENDPOINT, scheduler.endpoint, &size);
}

static int scheduler_teardown(void **state)
{
	zmq_close(scheduler.router);
	zmq_ctx_term(scheduler.zmq);
	return wire_teardown(state);
}

/* Return the next message of the host. */
static json_t *host_hear(void)
{
	static char text[2 * WIRE_BYTES];
	time_t until = time(NULL) + PATIENCE_S;
	int n = -1;

	while (n < 0 && time(NULL) < until) {
		pump(10);
		n = zmq_recv(scheduler.router, scheduler.id, sizeof(scheduler.id), ZMQ_DONTWAIT);
	}
	assert_true(n > 0);
	scheduler.id_length = (size_t)n;
	n = zmq_recv(scheduler.router, text, sizeof(text), 0);
	assert_true(n > 0);
	return json_loadb(text, (size_t)n, 0, NULL);
}

__attribute__((format(printf, 1, 2)))
static void say(const char *format, ...)
{
	char text[1000];
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	assert_true(n > 0 && n < (int)sizeof(text));
	assert_true(zmq_send(scheduler.router, scheduler.id, scheduler.id_length, ZMQ_SNDMORE) >= 0);
	assert_int_equal(zmq_send(scheduler.router, text, (size_t)n, 0), n);
}

/* Send a message of the session with these members. */
static void say_members(const char *members)
{
	say("{\"from\":\"%s\",\"to\":\"%s\",\"number\":%llu,\"taken\":%llu%s}", scheduler.session.own,
	    scheduler.session.peer, (unsigned long long)++scheduler.session.sent,
	    (unsigned long long)scheduler.session.received, members);
}

/* Wait for a hello of the host, and prepare a session with it. */
static void hello_wait(void)
{
	json_t *hello = host_hear();

	assert_int_equal(json_integer_value(json_object_get(hello, "hello")), SESSION_VERSION);
	assert_int_equal(session_begin(&scheduler.session), 0);
	assert_int_equal(session_meet(&scheduler.session, hello), SESSION_TAKEN);
	json_decref(hello);
}

static void host_start(void)
{
	spoke_start_with(0, &(struct spoke_options){
				    .scheduler = scheduler.endpoint, .keys = keys_dir, .name = "node1", .report_s = 1 });
	hello_wait();
}

static void host_welcome(void)
{
	say_members(",\"welcome\":1");
	json_decref(host_hear());
	assert_int_equal(heard.ups, 1);
	assert_true(spoke_is_up(spokes[0]));
}

static void test_tickets_of_a_wrong_form_are_dropped_with_the_reason(void **state)
{
	json_t *taken;

	(void)state;
	host_start();
	host_welcome();
	say_members(",\"tickets\":[{\"job_number\":0}]");
	taken = host_hear();			/* the next set may be sent */
	assert_int_equal(json_integer_value(json_object_get(taken, "taken")), (json_int_t)scheduler.session.sent);
	json_decref(taken);
	assert_int_equal(heard.sets, 0);
	assert_non_null(strstr(heard.odd, "tickets are dropped: "));
	say_members(",\"tickets\":[]");
	json_decref(host_hear());
	assert_int_equal(heard.sets, 1);
}

static void test_a_refusal_is_reported_and_ends_no_other_session(void **state)
{
	(void)state;
	host_start();
	say("{\"refused\":\"for others\",\"to\":\"0123456789abcdef0123456789abcdef\"}");
	say("{\"refused\":\"for no session\"}");
	say_members(",\"refused\":\"the scheduler speaks version 9\"");
	PUMP_UNTIL(*heard.odd);
	assert_string_equal(heard.odd, "the scheduler speaks version 9");
	assert_false(spoke_is_up(spokes[0]));
	assert_int_equal(heard.downs, 0);
}

/* A scheduler that was started again does not know the session. */
static void test_a_host_that_must_begin_again_does_so(void **state)
{
	char old[SESSION_DIGITS + 1];

	(void)state;
	host_start();
	host_welcome();
	strcpy(old, scheduler.session.peer);
	say_members(",\"again\":true");
	hello_wait();
	assert_int_equal(heard.downs, 1);
	assert_string_not_equal(scheduler.session.peer, old);
	say("{\"welcome\":1,\"from\":\"%s\",\"to\":\"%s\",\"number\":1}", scheduler.session.own, old);
	say_members(",\"welcome\":1");
	PUMP_UNTIL(heard.ups == 2);
}

/* The last set proves that all messages before it were ignored. */
static void test_messages_of_no_session_are_ignored(void **state)
{
	static const char stranger[] = "0123456789abcdef0123456789abcdef";
	const struct session *session = &scheduler.session;

	(void)state;
	host_start();
	say_members(",\"tickets\":[]");			/* before the welcome */
	host_welcome();
	say("[]");
	say("{");
	say("{\"tickets\":[],\"tickets\":[]}");
	say("{\"tickets\":[]}");
	say("{\"from\":\"%s\",\"to\":\"%s\",\"number\":99,\"taken\":0,\"tickets\":[]}", stranger, session->peer);
	say("{\"from\":\"%s\",\"to\":\"%s\",\"number\":99,\"taken\":0,\"tickets\":[]}", session->own, stranger);
	say("{\"from\":\"%s\",\"to\":\"%s\",\"number\":1,\"taken\":0,\"tickets\":[]}", session->own, session->peer);
	say("{\"from\":\"%s\",\"to\":\"%s\",\"number\":9,\"taken\":999,\"tickets\":[]}", session->own, session->peer);
	say("{\"from\":\"%s\",\"to\":\"%s\",\"number\":9.5,\"taken\":0,\"tickets\":[]}", session->own, session->peer);
	say("{\"from\":\"%s\",\"to\":\"%s\",\"number\":1,\"welcome\":1}", stranger, session->peer);	/* repeated */
	say_members(",\"tickets\":[{\"job_number\":17,\"task\":1,\"start_time\":5,\"tickets\":1}]");
	PUMP_UNTIL(heard.sets == 1);
	assert_int_equal(heard.first.job_number, 17);
	assert_int_equal(heard.ups, 1);
	assert_int_equal(heard.downs, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scheduler_setup, scheduler_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_tickets_of_a_wrong_form_are_dropped_with_the_reason),
		TEST(test_a_refusal_is_reported_and_ends_no_other_session),
		TEST(test_a_host_that_must_begin_again_does_so),
		TEST(test_messages_of_no_session_are_ignored),
	};

	return cmocka_run_group_tests(tests, keys_setup, keys_teardown);
}
