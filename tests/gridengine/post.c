/* SPDX-License-Identifier: Apache-2.0 */
/* The connection to a qmaster, tested against a scripted one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sched/process/log.h"
#include "sched/qmaster/gridengine/post.h"
#include "tests/gridengine/replay.h"

static struct post *post;
static struct post_record *record;
static struct error why;

static void record_free(void)
{
	if (record)
		post_record_free(post, record);
	record = NULL;
}

/* Return the next record, which must be of this kind. The previous one is freed. */
static const struct post_record *next_is(enum post_kind kind)
{
	record_free();
	while (!(record = post_take(post))) {
		struct pollfd ready = { post_fd(post), POLLIN, 0 };

		if (poll(&ready, 1, REPLAY_WAIT_S * 1000) == 0)
			fail_msg("no record of kind %d", kind);
	}
	if (record->kind != kind)
		fail_msg("found a record of kind %d ('%s'), expected kind %d", record->kind, record->text, kind);
	return record;
}

static void nothing_comes(int ms)
{
	struct pollfd ready = { post_fd(post), POLLIN, 0 };

	record_free();
	while (!(record = post_take(post)) && poll(&ready, 1, ms) > 0)
		;
	assert_null(record);
}

static const struct post_subscription often = { .d_time = 1, .flush_submit = 0, .flush_finish = UINT32_MAX };

static void begin(enum post_role role, size_t most_bytes)
{
	const struct post_options options = {
		.directory = replay.directory, .role = role, .most_bytes = most_bytes, .subscription = often
	};

	assert_int_equal(post_open(&post, &options, &why), 0);
}

/* Register as event client `number`, with a first report of n events. */
static void registered(enum post_role role, uint32_t number, uint32_t n, size_t most_bytes)
{
	begin(role, most_bytes);
	next_is(POST_CONNECTED);
	replay_answer(replay_nth(0, "bin", GDI_TAG_REQUEST).id, number, GDI_OK, "ok");
	assert_int_equal(next_is(POST_REGISTERED)->number, number);
	if (n == 0)
		return;
	replay_report(1, n, 0);
	assert_int_equal(next_is(POST_DELIVERY)->number, 1);
	replay_nth(0, "bin", GDI_TAG_ACKNOWLEDGE);
}

/*
 * Wait until all earlier messages have been read, that is until a later status message is answered.
 */
static void all_is_read(void)
{
	size_t n = replay_count("sirm", 0);
	const char *asked = "<sim version=\"0.1\"></sim>";

	replay_send("sim", 0, 0, asked, strlen(asked));
	replay_nth(n, "sirm", 0);
}

static int setup(void **state)
{
	(void)state;
	replay_open();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	record_free();
	post_close(post, 1000);
	post = NULL;
	replay_close();
	return 0;
}

static void assert_acknowledged(size_t n, uint32_t event, uint32_t client)
{
	struct replay_message message = replay_nth(n, "bin", GDI_TAG_ACKNOWLEDGE);
	struct gdi_writer writer = { .rc = 0 };

	gdi_write_acknowledgement(&writer, event, client);
	assert_int_equal(message.n, writer.n);
	assert_memory_equal(message.data, writer.bytes, writer.n);
	gdi_writer_free(&writer);
}

/*
 * Check a request about an event client: its id, its interval, and delivery after each
 * acknowledgement.
 */
static void assert_client(const struct replay_message *message, uint32_t command, uint32_t id, uint32_t d_time)
{
	struct gdi_buffer buffer = { message->data, message->data + message->n };
	struct gdi_answer task;
	struct gdi_element client;

	assert_int_equal(gdi_take_header(&buffer, &why), 0);
	assert_int_equal(gdi_take_answer(&buffer, &task, &why), 0);
	assert_int_equal(task.command, command);
	assert_int_equal(task.target, GDI_EVENT_CLIENTS);
	assert_true(gdi_next(&task.data, &client));
	assert_int_equal(gdi_u32(&client, EV_id), id);
	assert_int_equal(gdi_u32(&client, EV_d_time), d_time);
	assert_int_equal(gdi_u32(&client, EV_changed), 1);
	assert_int_equal(gdi_u32(&client, EV_busy_handling), 1);
	assert_int_equal(gdi_u32(&client, EV_busy), 0);
	assert_true(gdi_list(&client, EV_subscribed).left > 50);
}

static void test_a_delivery_is_acknowledged(void **state)
{
	struct replay_message message;
	struct post_state now;

	(void)state;
	registered(POST_SCHEDULER, 1, 14, 0);
	message = replay_nth(0, "bin", GDI_TAG_REQUEST);
	assert_client(&message, GDI_ADD | GDI_RETURN_NEW, 1, 1);
	assert_acknowledged(0, 14, 1);
	post_state(post, &now);
	assert_int_equal(now.role, POST_SCHEDULER);
	assert_int_equal(now.client, 1);
	assert_int_equal(now.connection, 1);
	assert_string_equal(now.host, "127.0.0.1");
	assert_non_null(strstr(replay.hello, "comp=\"fairlead\" id=\"0\""));
}

static void test_a_life_sign_is_acknowledged_too(void **state)
{
	(void)state;
	registered(POST_SCHEDULER, 1, 14, 0);
	replay_report(0, 0, 0);
	assert_int_equal(next_is(POST_DELIVERY)->number, 15);
	assert_acknowledged(1, 14, 1);
}

static void test_a_report_before_the_answer_waits_for_it(void **state)
{
	(void)state;
	begin(POST_OBSERVER, 0);
	next_is(POST_CONNECTED);
	replay_nth(0, "bin", GDI_TAG_REQUEST);
	replay_report(1, 3, 0);
	all_is_read();
	assert_int_equal(replay_count("bin", GDI_TAG_ACKNOWLEDGE), 0);
	replay_answer(replay_nth(0, "bin", GDI_TAG_REQUEST).id, 12, GDI_OK, "ok");
	assert_int_equal(next_is(POST_REGISTERED)->number, 12);
	assert_int_equal(next_is(POST_DELIVERY)->number, 1);
	assert_acknowledged(0, 3, 12);
}

static void test_repeated_events_are_distinguished_from_new_ones(void **state)
{
	(void)state;
	registered(POST_SCHEDULER, 1, 3, 0);
	replay_report(2, 4, 0);
	assert_int_equal(next_is(POST_DELIVERY)->number, 4);
	assert_acknowledged(1, 5, 1);
}

static void test_missing_events_lead_to_a_new_registration(void **state)
{
	(void)state;
	registered(POST_SCHEDULER, 1, 3, 0);
	replay_report(5, 1, 0);
	replay_connected(2);
	assert_int_equal(replay_count("bin", GDI_TAG_LEAVE), 0);
	replay_answer(replay_nth(1, "bin", GDI_TAG_REQUEST).id, 1, GDI_OK, "ok");
	next_is(POST_REGISTERED);
	assert_int_equal(replay_count("bin", GDI_TAG_ACKNOWLEDGE), 1);
	replay_report(1, 2, 0);
	assert_int_equal(next_is(POST_DELIVERY)->number, 1);
}

static void test_an_unusable_delivery_leads_to_a_new_registration(void **state)
{
	(void)state;
	registered(POST_SCHEDULER, 1, 3, 0);
	post_again(post, "a list that has no end");
	replay_connected(2);
	replay_answer(replay_nth(1, "bin", GDI_TAG_REQUEST).id, 1, GDI_OK, "ok");
	next_is(POST_REGISTERED);
}

static void test_a_former_scheduler_needs_a_new_request_to_register(void **state)
{
	(void)state;
	registered(POST_SCHEDULER, 1, 3, 0);
	replay_cut();
	next_is(POST_LOST);
	next_is(POST_CONNECTED);
	all_is_read();
	assert_int_equal(replay_count("bin", GDI_TAG_REQUEST), 1);
	post_role(post, POST_SCHEDULER, &often);
	replay_answer(replay_nth(1, "bin", GDI_TAG_REQUEST).id, 1, GDI_OK, "ok");
	next_is(POST_REGISTERED);
}

static void test_an_observer_registers_again_by_itself(void **state)
{
	(void)state;
	registered(POST_OBSERVER, 11, 3, 0);
	replay_raw("<gmsh><dl>9", 11);		/* cut inside a frame */
	replay_cut();
	next_is(POST_LOST);
	next_is(POST_CONNECTED);
	replay_answer(replay_nth(1, "bin", GDI_TAG_REQUEST).id, 12, GDI_OK, "ok");
	assert_int_equal(next_is(POST_REGISTERED)->number, 12);
}

static void test_an_answer_belongs_to_its_request(void **state)
{
	struct gdi_writer writer = { .rc = 0 };
	uint64_t first, second;

	(void)state;
	registered(POST_SCHEDULER, 1, 3, 0);
	gdi_write_text(&writer, "first");
	first = post_send(post, &writer);
	gdi_write_text(&writer, "second");
	second = post_send(post, &writer);
	assert_string_equal((char *)replay_nth(1, "bin", GDI_TAG_REQUEST).data, "first");
	replay_send("bin", GDI_TAG_REQUEST, replay_nth(2, "bin", GDI_TAG_REQUEST).id, "to the second", 14);
	replay_send("bin", GDI_TAG_REQUEST, 77, "to nobody", 10);
	assert_int_equal(next_is(POST_ANSWER)->number, second);
	assert_string_equal((char *)record->bytes, "to the second");
	replay_cut();
	assert_int_equal(next_is(POST_ANSWER)->number, first);
	assert_null(record->bytes);
	next_is(POST_LOST);
}

static void test_a_request_without_a_connection_gets_an_empty_answer(void **state)
{
	struct gdi_writer writer = { .rc = 0 };

	(void)state;
	replay_file("act_qmaster", "no.such.host.invalid\n");
	begin(POST_NONE, 0);
	next_is(POST_LOST);
	assert_non_null(strstr(record->text, "no.such.host.invalid"));
	gdi_write_text(&writer, "x");
	post_send(post, &writer);
	assert_null(next_is(POST_ANSWER)->bytes);
	replay_file("act_qmaster", "localhost\n");	/* a shadow has taken over */
	assert_string_equal(next_is(POST_CONNECTED)->text, "localhost");
}

static void test_status_messages_are_answered_while_no_records_are_read(void **state)
{
	struct replay_message message;

	(void)state;
	registered(POST_SCHEDULER, 1, 3, 0);
	replay_report(4, 1, 0);
	all_is_read();
	message = replay_nth(0, "sirm", 0);
	assert_non_null(strstr((char *)message.data, "<sirm version=\"0.1\"><mid>4</mid><starttime>"));
	assert_non_null(strstr((char *)message.data, "<info>fairlead</info>"));
}

static void test_too_many_unread_records_are_not_acknowledged(void **state)
{
	(void)state;
	registered(POST_SCHEDULER, 1, 3, 100000);
	replay_report(4, 1, 150000);
	all_is_read();
	assert_int_equal(replay_count("bin", GDI_TAG_ACKNOWLEDGE), 1);
	next_is(POST_DELIVERY);
	record_free();
	assert_acknowledged(1, 4, 1);
}

static void test_silence_is_reported_and_stops_acknowledgements(void **state)
{
	(void)state;
	registered(POST_SCHEDULER, 1, 3, 0);
	next_is(POST_SILENCE);
	replay_report(4, 1, 0);
	all_is_read();
	assert_int_equal(replay_count("bin", GDI_TAG_ACKNOWLEDGE), 1);
	nothing_comes(0);
	post_role(post, POST_OBSERVER, &often);
	replay_connected(2);
	replay_answer(replay_nth(1, "bin", GDI_TAG_REQUEST).id, 11, GDI_OK, "ok");
	next_is(POST_REGISTERED);
	/* a message would remove the successor */
	assert_int_equal(replay_count("bin", GDI_TAG_LEAVE), 0);
}

static void test_a_disowned_role_is_neither_acknowledged_nor_unregistered(void **state)
{
	(void)state;
	registered(POST_SCHEDULER, 1, 3, 0);
	post_disown(post);
	/* processed in a turn of the thread; the next turn begins with new requests */
	all_is_read();
	replay_report(4, 1, 0);
	all_is_read();
	nothing_comes(0);
	record_free();
	post_close(post, 5000);
	post = NULL;
	replay_nth(0, "ccm", 0);
	assert_int_equal(replay_count("bin", GDI_TAG_ACKNOWLEDGE), 1);
	assert_int_equal(replay_count("bin", GDI_TAG_LEAVE), 0);
}

static void test_a_client_that_the_qmaster_does_not_know_any_more_is_silent(void **state)
{
	(void)state;
	registered(POST_SCHEDULER, 1, 3, 0);
	post_role(post, POST_SCHEDULER, &(struct post_subscription){ .d_time = 2 });
	replay_answer(replay_nth(1, "bin", GDI_TAG_REQUEST).id, 0, 4, "unknown event client \033[31m");
	assert_non_null(strstr(next_is(POST_SILENCE)->text, "unknown event client ?[31m"));
}

static void test_a_refused_role_is_reported_in_the_qmaster_s_words(void **state)
{
	(void)state;
	begin(POST_SCHEDULER, 0);
	next_is(POST_CONNECTED);
	replay_answer(replay_nth(0, "bin", GDI_TAG_REQUEST).id, 0, GDI_NOT_MANAGER, "only a manager\nmay");
	assert_non_null(strstr(next_is(POST_REFUSED)->text, "only a manager?may"));
	nothing_comes(50);
}

static void test_a_qmaster_that_refuses_registration_is_asked_again(void **state)
{
	(void)state;
	replay.condition = "access denied";
	begin(POST_NONE, 0);
	assert_non_null(strstr(next_is(POST_LOST)->text, "access denied: who \"are\" you"));
	replay.condition = NULL;
	next_is(POST_CONNECTED);
}

static void test_another_interval_is_changed_in_place(void **state)
{
	const struct post_subscription seldom = { .d_time = 40, .flush_submit = 3, .flush_finish = 3 };
	struct replay_message message;

	(void)state;
	registered(POST_SCHEDULER, 1, 3, 0);
	post_role(post, POST_SCHEDULER, &seldom);
	message = replay_nth(1, "bin", GDI_TAG_REQUEST);
	assert_client(&message, GDI_MOD, 1, 40);
	post_role(post, POST_SCHEDULER, &seldom);
	all_is_read();
	assert_int_equal(replay_count("bin", GDI_TAG_REQUEST), 2);
	assert_int_equal(replay.connections, 1);
}

static void test_a_role_is_given_up_and_the_connection_stays(void **state)
{
	(void)state;
	registered(POST_SCHEDULER, 1, 3, 0);
	post_role(post, POST_NONE, NULL);
	replay_nth(0, "bin", GDI_TAG_LEAVE);
	replay_report(4, 1, 0);
	all_is_read();
	assert_int_equal(replay_count("bin", GDI_TAG_ACKNOWLEDGE), 1);
	nothing_comes(0);
}

static void test_closing_unregisters_before_it_disconnects(void **state)
{
	(void)state;
	registered(POST_SCHEDULER, 1, 3, 0);
	record_free();
	post_close(post, 5000);
	post = NULL;
	replay_nth(0, "ccm", 0);
	assert_int_equal(replay_count("bin", GDI_TAG_LEAVE), 1);
	assert_string_equal(replay.messages[replay.n - 1].format, "ccm");
}

static void test_a_peer_that_is_not_a_qmaster_is_reported(void **state)
{
	(void)state;
	begin(POST_NONE, 0);
	next_is(POST_CONNECTED);
	replay_raw("HTTP/1.1 400 Bad Request\r\n\r\n", 28);
	assert_non_null(strstr(next_is(POST_LOST)->text, "the peer is not a qmaster: found 'HTTP/1.1 400 Bad Request"));
	next_is(POST_CONNECTED);
}

static void test_a_report_of_another_form_ends_the_connection(void **state)
{
	struct gdi_writer writer = { .rc = 0 };

	(void)state;
	registered(POST_SCHEDULER, 1, 3, 0);
	replay_report_write(&writer, 4, 1, 0);
	writer.bytes[8 + 4 + 4 + 12 + 4 + 3] = 6;		/* six fields instead of five */
	replay_send("bin", GDI_TAG_REPORT, 0, writer.bytes, writer.n);
	gdi_writer_free(&writer);
	assert_non_null(strstr(next_is(POST_LOST)->text, "has the unknown type"));
}

int main(void)
{
#define SENTENCE(TEST) cmocka_unit_test_setup_teardown(TEST, setup, teardown)
	const struct CMUnitTest tests[] = {
		SENTENCE(test_a_delivery_is_acknowledged),
		SENTENCE(test_a_life_sign_is_acknowledged_too),
		SENTENCE(test_a_report_before_the_answer_waits_for_it),
		SENTENCE(test_repeated_events_are_distinguished_from_new_ones),
		SENTENCE(test_missing_events_lead_to_a_new_registration),
		SENTENCE(test_an_unusable_delivery_leads_to_a_new_registration),
		SENTENCE(test_a_former_scheduler_needs_a_new_request_to_register),
		SENTENCE(test_an_observer_registers_again_by_itself),
		SENTENCE(test_an_answer_belongs_to_its_request),
		SENTENCE(test_a_request_without_a_connection_gets_an_empty_answer),
		SENTENCE(test_status_messages_are_answered_while_no_records_are_read),
		SENTENCE(test_too_many_unread_records_are_not_acknowledged),
		SENTENCE(test_silence_is_reported_and_stops_acknowledgements),
		SENTENCE(test_a_disowned_role_is_neither_acknowledged_nor_unregistered),
		SENTENCE(test_a_client_that_the_qmaster_does_not_know_any_more_is_silent),
		SENTENCE(test_a_refused_role_is_reported_in_the_qmaster_s_words),
		SENTENCE(test_a_qmaster_that_refuses_registration_is_asked_again),
		SENTENCE(test_another_interval_is_changed_in_place),
		SENTENCE(test_a_role_is_given_up_and_the_connection_stays),
		SENTENCE(test_closing_unregisters_before_it_disconnects),
		SENTENCE(test_a_peer_that_is_not_a_qmaster_is_reported),
		SENTENCE(test_a_report_of_another_form_ends_the_connection),
	};

	log_open("post", false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
