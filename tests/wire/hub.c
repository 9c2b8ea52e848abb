/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ends of the wire, and anything that may interfere: unauthenticated peers, old messages,
 * nonsense, silence.
 */
#include "tests/wire/peer.h"

static const struct wire_task one_task = { .job_number = 17, .task = 1, .start_time = 1700000010, .tickets = 0.1 };

static void test_tickets_reach_a_host_that_connects_later(void **state)
{
	(void)state;
	hub_start(5);
	assert_int_equal(hub_tickets(hub, "node1", &one_task, 1), 0);
	spoke_start(0, "node1");
	PUMP_UNTIL(heard.sets == 1);
	assert_int_equal(heard.n, 1);
	assert_int_equal(heard.first.job_number, 17);
	assert_int_equal(heard.first.start_time, 1700000010);
	assert_true(heard.first.tickets == 0.1);
	assert_string_equal(reported.host, "node1");
	assert_int_equal(hub_counts(hub).up, 1);
}

static void test_a_set_may_be_empty_and_names_the_way_to_find_processes(void **state)
{
	struct wire_task task = one_task;

	(void)state;
	task.session = 4711;
	task.group = 20001;
	strcpy(task.cgroup, "/sys/fs/cgroup/fairlead/17.1");
	hub_start(5);
	spoke_start(0, "node1");
	PUMP_UNTIL(reported.ups == 1);
	assert_int_equal(hub_tickets(hub, "node1", &task, 1), 0);
	PUMP_UNTIL(heard.sets == 1);
	assert_memory_equal(&heard.first, &task, sizeof(task));
	assert_int_equal(hub_tickets(hub, "node1", NULL, 0), 0);
	PUMP_UNTIL(heard.sets == 2);
	assert_int_equal(heard.n, 0);
	assert_int_equal(hub_tickets(hub, "node3", &task, 1), -ENOENT);
}

static void test_a_set_too_large_for_a_message_is_reported_to_the_administrator(void **state)
{
	static struct wire_task many[WIRE_TASKS];

	(void)state;
	for (size_t i = 0; i < WIRE_TASKS; i++) {
		many[i] = (struct wire_task){
			.job_number = UINT32_MAX, .task = (uint32_t)i + 1, .start_time = 1ll << 52, .tickets = 1. / 3
		};
		memset(many[i].cgroup, i % 2 ? '"' : '/', WIRE_CGROUP - 1);
	}
	hub_start(5);
	spoke_start(0, "node1");
	PUMP_UNTIL(reported.ups == 1);
	assert_int_equal(hub_tickets(hub, "node1", many, WIRE_TASKS), 0);
	assert_int_equal(reported.odds, 1);
	strcpy(many[0].cgroup, "\xff");
	assert_int_equal(hub_tickets(hub, "node1", many, 1), 0);
	assert_int_equal(reported.odds, 2);
	assert_int_equal(hub_tickets(hub, "node1", many, WIRE_TASKS + 1), -E2BIG);
	for (size_t i = 0; i < WIRE_TASKS; i++)
		many[i].cgroup[0] = '\0';
	/* The maximum number of tasks, each as wide as possible. */
	assert_int_equal(hub_tickets(hub, "node1", many, WIRE_TASKS), 0);
	PUMP_UNTIL(heard.sets == 1);
	assert_int_equal(heard.n, WIRE_TASKS);
	strcpy(many[0].cgroup, "/a\"b\\c");
	assert_int_equal(hub_tickets(hub, "node1", many, 1), 0);
	PUMP_UNTIL(heard.sets == 2);
	assert_string_equal(heard.first.cgroup, many[0].cgroup);
	assert_true(heard.first.tickets == 1. / 3);
}

static void test_a_report_of_the_maximum_size_fits(void **state)
{
	static struct wire_usage usage[WIRE_REPORT];
	static struct wire_load load[WIRE_LOADS];
	struct wire_report report = { .usage = usage, .nusage = WIRE_REPORT, .load = load, .nload = WIRE_LOADS };
	const double widest = 1.2345678901234567e-300;

	(void)state;
	for (size_t i = 0; i < WIRE_REPORT; i++)
		usage[i] = (struct wire_usage){ UINT32_MAX, UINT32_MAX, 1ll << 52, widest,
						widest,	    widest,	widest,	   widest };
	for (int i = 0; i < (int)WIRE_LOADS; i++) {
		snprintf(load[i].name, sizeof(load[i].name), "%0*d", WIRE_TEXT - 1, i);
		memset(load[i].value, '\x7f', WIRE_TEXT - 1);
	}
	hub_start(5);
	spoke_start(0, "node1");
	PUMP_UNTIL(reported.ups == 1);
	assert_true(spoke_report(spokes[0], &report) > 0);
	PUMP_UNTIL(reported.reports == 1);
	assert_int_equal(reported.odds, 0);
}

static void test_reports_of_a_host_go_by_the_name_of_its_key(void **state)
{
	struct wire_usage usage = { .job_number = 17,
				    .task = 2,
				    .start_time = 5,
				    .cpu = 12.5,
				    .mem = 0.1,
				    .io = 1e-9,
				    .vmem = 1,
				    .maxvmem = 2 };
	struct wire_report report = { .usage = &usage, .nusage = 1, .lever = "nice" };

	(void)state;
	hub_start(5);
	spoke_start(0, "node1");
	spoke_start(1, "node2");
	PUMP_UNTIL(reported.ups == 2 && heard.ups == 2);
	assert_true(spoke_report(spokes[1], &report) > 0);
	PUMP_UNTIL(reported.reports == 1);
	assert_string_equal(reported.host, "node2");
	assert_string_equal(reported.lever, "nice");
	assert_memory_equal(&reported.usage, &usage, sizeof(usage));
}

static void test_a_taken_report_is_acknowledged(void **state)
{
	struct wire_report report = { .lever = "nice" };
	uint64_t number;

	(void)state;
	hub_start(5);
	spoke_start(0, "node1");
	PUMP_UNTIL(heard.ups == 1);
	number = spoke_report(spokes[0], &report);
	assert_true(number > 0);
	PUMP_UNTIL(spoke_taken(spokes[0]) >= number);
}

static void test_an_unknown_key_is_refused(void **state)
{
	struct key server = host_key(NULL, false), public, secret;
	struct peer peer;

	(void)state;
	hub_start(5);
	assert_int_equal(zmq_curve_keypair(public.text, secret.text), 0);
	peer_connect(&peer, &server, &public, &secret);
	peer_say(&peer, "{\"hello\":1,\"from\":\"0123456789abcdef0123456789abcdef\",\"number\":1}");
	PUMP_UNTIL(hub_counts(hub).unknown_keys > 0);
	assert_null(peer_hear(&peer, 500));
	assert_int_equal(hub_counts(hub).up, 0);
	peer_close(&peer);
}

static void test_a_peer_without_curve_or_for_another_scheduler_is_refused(void **state)
{
	struct key stranger, unused, public = host_key("node1", false), secret = host_key("node1", true);
	struct peer plain, lost;

	(void)state;
	hub_start(5);
	peer_connect(&plain, NULL, NULL, NULL);
	peer_say(&plain, "{\"hello\":1,\"from\":\"0123456789abcdef0123456789abcdef\",\"number\":1}");
	PUMP_UNTIL(hub_counts(hub).no_curve > 0);
	assert_int_equal(zmq_curve_keypair(stranger.text, unused.text), 0);
	peer_connect(&lost, &stranger, &public, &secret);
	peer_say(&lost, "{\"hello\":1,\"from\":\"0123456789abcdef0123456789abcdef\",\"number\":1}");
	assert_null(peer_hear(&lost, 500));
	assert_null(peer_hear(&plain, 100));
	assert_int_equal(hub_counts(hub).up, 0);
	peer_close(&plain);
	peer_close(&lost);
	spoke_start(0, "node1");	/* known hosts still have access */
	PUMP_UNTIL(reported.ups == 1);
}

static void test_bytes_that_are_no_zeromq_do_no_harm(void **state)
{
	char command[200];

	(void)state;
	hub_start(5);
	snprintf(command, sizeof(command), "exec 3<>/dev/tcp/127.0.0.1/%s; head -c 100000 /dev/urandom >&3",
		 strrchr(hub_endpoint(hub), ':') + 1);
	setenv("WIRE_TEST_COMMAND", command, 1);
	(void)!system("bash -c \"$WIRE_TEST_COMMAND\" 2>/dev/null");
	pump_for(300);
	spoke_start(0, "node1");
	PUMP_UNTIL(reported.ups == 1);
}

static void test_a_replayed_message_is_dropped(void **state)
{
	char first[1000], second[1000];
	struct peer peer;

	(void)state;
	hub_start(5);
	peer_as(&peer, "node1");
	peer_begin(&peer);
	peer_report(&peer, ",\"lever\":\"first\"", first, sizeof(first));
	peer_report(&peer, ",\"lever\":\"second\"", second, sizeof(second));
	PUMP_UNTIL(reported.reports == 2);
	peer_say(&peer, second);		/* a repetition */
	peer_say(&peer, first);		/* an older one */
	PUMP_UNTIL(hub_counts(hub).replayed == 2);
	assert_int_equal(reported.reports, 2);
	assert_string_equal(reported.lever, "second");
	/* New reports are taken as before. */
	peer_report(&peer, ",\"lever\":\"third\"", second, sizeof(second));
	PUMP_UNTIL(reported.reports == 3);
	peer_close(&peer);
}

static void test_a_recording_of_one_session_is_ignored_in_the_next(void **state)
{
	char recorded[1000], own[SESSION_DIGITS + 1], text[200];
	struct peer peer, q;
	json_t *answer;

	(void)state;
	hub_start(5);
	peer_as(&peer, "node1");
	peer_begin(&peer);
	strcpy(own, peer.session.own);
	peer_report(&peer, ",\"lever\":\"old\"", recorded, sizeof(recorded));
	PUMP_UNTIL(reported.reports == 1);
	peer_as(&q, "node1");
	peer_say(&q, recorded);
	PUMP_UNTIL(hub_counts(hub).foreign == 1);
	answer = peer_hear(&q, 5000);
	assert_non_null(answer);
	assert_non_null(json_object_get(answer, "again"));
	json_decref(answer);
	/* The hello is ignored as well. */
	snprintf(text, sizeof(text), "{\"hello\":1,\"from\":\"%s\",\"number\":1}", own);
	peer_say(&q, text);
	answer = peer_hear(&q, 5000);
	assert_non_null(json_object_get(answer, "welcome"));
	json_decref(answer);
	peer_say(&q, recorded);
	PUMP_UNTIL(hub_counts(hub).foreign == 2);
	assert_int_equal(reported.reports, 1);
	assert_int_equal(reported.ups, 1);
	/* The state of the real session is unchanged. */
	peer_report(&peer, ",\"lever\":\"new\"", recorded, sizeof(recorded));
	PUMP_UNTIL(reported.reports == 2);
	peer_close(&peer);
	peer_close(&q);
}

static void test_another_host_cannot_send_in_a_foreign_session(void **state)
{
	char text[1000];
	struct peer peer, q;

	(void)state;
	hub_start(5);
	peer_as(&peer, "node1");
	peer_begin(&peer);
	PUMP_UNTIL(reported.ups == 1);
	peer_as(&q, "node2");
	q.session = peer.session;
	peer_report(&q, ",\"lever\":\"forged\"", text, sizeof(text));
	PUMP_UNTIL(hub_counts(hub).foreign == 1);
	assert_int_equal(reported.reports, 0);
	peer_close(&peer);
	peer_close(&q);
}

static void test_nonsense_is_only_counted(void **state)
{
	static const char *const nonsense[] = {
		"",
		"{",
		"[]",
		"null",
		"\xff\xfe",
		"{\"hello\":1}",
		"{\"hello\":1,\"from\":\"xyz\",\"number\":1}",
		"{\"hello\":1,\"from\":\"0123456789abcdef0123456789abcdef\",\"number\":0}",
		"{\"hello\":1,\"hello\":1,\"from\":\"0123456789abcdef0123456789abcdef\",\"number\":1}",
		"{\"number\":1}",
		"{\"usage\":[]}",
	};
	static const char *const absurd[] = {
		",\"usage\":[{\"job_number\":0,\"task\":1}]",
		",\"usage\":[{\"job_number\":4294967296,\"task\":1}]",
		",\"usage\":[{\"job_number\":1}]",
		",\"usage\":[{\"job_number\":1,\"task\":-1}]",
		",\"usage\":[{\"job_number\":1.5,\"task\":1}]",
		",\"usage\":[{\"job_number\":1,\"task\":1,\"cpu\":-1}]",
		",\"usage\":[{\"job_number\":1,\"task\":1,\"cpu\":1e31}]",
		",\"usage\":[{\"job_number\":1,\"task\":1,\"cpu\":\"1\"}]",
		",\"usage\":[{\"job_number\":1,\"task\":1,\"start_time\":-5}]",
		",\"usage\":{}",
		",\"usage\":[[]]",
		",\"load\":[]",
		",\"load\":{\"a\":1}",
		",\"load\":{\"\":\"1\"}",
		",\"lever\":5",
	};
	char text[1000];
	struct peer peer;

	(void)state;
	hub_start(5);
	peer_as(&peer, "node1");
	for (size_t i = 0; i < sizeof(nonsense) / sizeof(*nonsense); i++) {
		peer_say(&peer, nonsense[i]);
		PUMP_UNTIL(hub_counts(hub).malformed + hub_counts(hub).foreign == i + 1);
	}
	peer_begin(&peer);
	PUMP_UNTIL(reported.ups == 1);
	for (size_t i = 0; i < sizeof(absurd) / sizeof(*absurd); i++) {
		uint64_t before = hub_counts(hub).malformed;

		peer_report(&peer, absurd[i], text, sizeof(text));
		PUMP_UNTIL(hub_counts(hub).malformed == before + 1);
	}
	assert_int_equal(reported.reports, 0);
	peer_report(&peer, ",\"usage\":[{\"job_number\":4294967295,\"task\":1,\"cpu\":1e30}]", text, sizeof(text));
	PUMP_UNTIL(reported.reports == 1);
	peer_close(&peer);
}

static void test_a_host_of_another_version_is_refused_with_the_reason(void **state)
{
	struct peer peer;
	json_t *answer;

	(void)state;
	hub_start(5);
	peer_as(&peer, "node1");
	peer_say(&peer, "{\"hello\":2,\"from\":\"0123456789abcdef0123456789abcdef\",\"number\":1}");
	answer = peer_hear(&peer, PATIENCE_S * 1000);
	assert_string_equal(json_string_value(json_object_get(answer, "refused")),
			    "the scheduler speaks version 1 of this protocol");
	assert_string_equal(json_string_value(json_object_get(answer, "to")), "0123456789abcdef0123456789abcdef");
	json_decref(answer);
	assert_int_equal(hub_counts(hub).malformed, 1);
	peer_begin(&peer);
	PUMP_UNTIL(reported.ups == 1);
	peer_close(&peer);
}

static void test_the_largest_number_does_not_lock_a_host_out(void **state)
{
	char text[300];
	struct peer peer;

	(void)state;
	hub_start(5);
	peer_as(&peer, "node1");
	peer_begin(&peer);
	PUMP_UNTIL(reported.ups == 1);
	snprintf(text, sizeof(text),
		 "{\"from\":\"%s\",\"to\":\"%s\",\"number\":9007199254740993,\"taken\":0,\"lever\":\"x\"}",
		 peer.session.own, peer.session.peer);
	peer_say(&peer, text);
	snprintf(text, sizeof(text), "{\"from\":\"%s\",\"to\":\"%s\",\"number\":50,\"taken\":99,\"lever\":\"x\"}",
		 peer.session.own, peer.session.peer);
	peer_say(&peer, text);
	PUMP_UNTIL(hub_counts(hub).malformed == 2);
	peer_report(&peer, ",\"lever\":\"good\"", text, sizeof(text));
	PUMP_UNTIL(reported.reports == 1);
	peer_close(&peer);
}

static void test_long_messages_are_dropped_and_longer_ones_close_the_connection(void **state)
{
	char *text = malloc(WIRE_BYTES * 3);
	uint64_t cut;
	struct peer peer;

	(void)state;
	assert_non_null(text);
	memset(text, ' ', WIRE_BYTES * 3);
	hub_start(5);
	spoke_start(1, "node2");
	peer_as(&peer, "node1");
	peer_begin(&peer);
	PUMP_UNTIL(reported.ups == 2);
	peer_say_text(&peer, text, WIRE_BYTES + 1);
	PUMP_UNTIL(hub_counts(hub).oversized == 1);
	memcpy(text, "{}", 2);
	peer_say_text(&peer, text, WIRE_BYTES);		/* exactly the longest allowed message */
	PUMP_UNTIL(hub_counts(hub).malformed + hub_counts(hub).foreign == 1);
	cut = hub_counts(hub).cut;
	peer_say_text(&peer, text, WIRE_BYTES * 3);
	PUMP_UNTIL(hub_counts(hub).cut == cut + 1);
	assert_int_equal(hub_tickets(hub, "node2", &one_task, 1), 0);	/* the other hosts are not affected */
	PUMP_UNTIL(heard.sets == 1);
	peer_close(&peer);
	free(text);
}

static void test_several_parts_are_malformed(void **state)
{
	struct peer peer;

	(void)state;
	hub_start(5);
	peer_as(&peer, "node1");
	for (int k = 0; k < 20; k++)
		assert_int_equal(zmq_send(peer.dealer, "{}", 2, k < 19 ? ZMQ_SNDMORE : 0), 2);
	PUMP_UNTIL(hub_counts(hub).malformed == 1);
	peer_begin(&peer);
	PUMP_UNTIL(reported.ups == 1);
	peer_close(&peer);
}

static void test_only_the_newest_set_waits_for_a_host_that_is_slow(void **state)
{
	struct wire_task task = one_task;
	char text[300];
	struct peer peer;
	json_t *set;

	(void)state;
	hub_start(60);
	peer_as(&peer, "node1");
	peer_begin(&peer);
	PUMP_UNTIL(reported.ups == 1);
	for (int k = 1; k <= 10000; k++) {
		task.tickets = k;
		assert_int_equal(hub_tickets(hub, "node1", &task, 1), 0);
	}
	set = peer_hear(&peer, 5000);
	assert_int_equal(session_take(&peer.session, set), SESSION_TAKEN);
	assert_true(json_number_value(json_object_get(json_array_get(json_object_get(set, "tickets"), 0), "tickets")) ==
		    1);
	json_decref(set);
	peer_report(&peer, "", text, sizeof(text));	/* the next report is taken */
	set = peer_hear(&peer, 5000);
	assert_true(json_number_value(json_object_get(json_array_get(json_object_get(set, "tickets"), 0), "tickets")) ==
		    10000);
	json_decref(set);
	peer_close(&peer);
}

static void test_a_silent_host_is_down_and_gets_the_newest_set_on_return(void **state)
{
	struct wire_task task = one_task;

	(void)state;
	hub_start(2);
	spoke_start(0, "node1");
	assert_int_equal(hub_tickets(hub, "node1", &task, 1), 0);
	PUMP_UNTIL(heard.sets == 1);
	spoke_close(spokes[0]);
	spokes[0] = NULL;
	PUMP_UNTIL(reported.downs == 1);
	assert_int_equal(hub_counts(hub).up, 0);
	task.tickets = 2;
	assert_int_equal(hub_tickets(hub, "node1", &task, 1), 0);
	spoke_start(0, "node1");
	PUMP_UNTIL(heard.sets == 2);
	assert_true(heard.first.tickets == 2);
	assert_int_equal(reported.ups, 2);
}

static void test_hosts_find_a_scheduler_that_was_started_again(void **state)
{
	struct hub_options options = { .keys = keys_dir, .away_s = 5 };
	char endpoint[200];

	(void)state;
	hub_start(5);
	strcpy(endpoint, hub_endpoint(hub));
	spoke_start(0, "node1");
	PUMP_UNTIL(heard.ups == 1);
	hub_close(hub);
	hub = NULL;
	pump_for(200);
	options.endpoint = endpoint;
	hub_start_with(&options);
	assert_int_equal(hub_tickets(hub, "node1", &one_task, 1), 0);
	PUMP_UNTIL(heard.sets == 1);
}

static void test_a_host_with_a_removed_key_is_no_longer_heard(void **state)
{
	struct error error = { "" };
	char text[1000], path[200], away[210];
	struct peer peer;

	(void)state;
	hub_start(5);
	peer_as(&peer, "node1");
	peer_begin(&peer);
	PUMP_UNTIL(reported.ups == 1);
	assert_int_equal(key_path(path, sizeof(path), keys_dir, "node1", false), 0);
	snprintf(away, sizeof(away), "%s.away", path);
	assert_int_equal(rename(path, away), 0);
	assert_int_equal(hub_keys(hub, &error), 0);
	assert_int_equal(rename(away, path), 0);
	peer_report(&peer, ",\"lever\":\"x\"", text, sizeof(text));
	PUMP_UNTIL(hub_counts(hub).foreign == 1);
	assert_int_equal(reported.reports, 0);
	assert_int_equal(hub_counts(hub).hosts, 1);
	assert_int_equal(hub_keys(hub, &error), 0);
	spoke_start(0, "node1");
	PUMP_UNTIL(reported.ups == 2);
	peer_close(&peer);
}

static void test_an_invalid_endpoint_is_explained(void **state)
{
	const char *const wrong[] = { "",	    "tcp://",	  "tcp://:1",	   "tcp://h",
				      "tcp://h:",   "tcp://h:0",  "tcp://h:65536", "tcp://h:99999999999999999999",
				      "tcp://h:-1", "tcp://h:1x", "tcp://h: 1",	   "udp://h:1" };
	const struct spoke_calls none = { 0 };
	struct error error;
	struct spoke *spoke;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(
			spoke_open(&spoke,
				   &(struct spoke_options){ .scheduler = wrong[i], .keys = keys_dir, .name = "node1" },
				   &none, &error),
			-EINVAL);
		assert_non_null(strstr(error.text, "tcp://HOST:PORT is expected"));
	}
}

static void test_an_unavailable_endpoint_is_explained(void **state)
{
	const struct hub_calls calls = { NULL, take_up, take_down, take_report, take_odd };
	struct error error = { "" };
	struct hub *second;

	(void)state;
	hub_start(5);
	assert_int_equal(hub_open(&second, &(struct hub_options){ .endpoint = hub_endpoint(hub), .keys = keys_dir },
				  &calls, &error),
			 -EADDRINUSE);
	assert_non_null(strstr(error.text, "in use"));
	assert_null(second);
	assert_int_equal(hub_open(&second, &(struct hub_options){ .endpoint = "ipc:///tmp/x", .keys = keys_dir },
				  &calls, &error),
			 -EINVAL);
	assert_int_equal(
		hub_open(&second, &(struct hub_options){ .endpoint = LOCAL, .keys = "/nowhere" }, &calls, &error),
		-ENOENT);
}

#define TEST(name) cmocka_unit_test_teardown(name, wire_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_tickets_reach_a_host_that_connects_later),
		TEST(test_a_set_may_be_empty_and_names_the_way_to_find_processes),
		TEST(test_a_set_too_large_for_a_message_is_reported_to_the_administrator),
		TEST(test_a_report_of_the_maximum_size_fits),
		TEST(test_reports_of_a_host_go_by_the_name_of_its_key),
		TEST(test_a_taken_report_is_acknowledged),
		TEST(test_an_unknown_key_is_refused),
		TEST(test_a_peer_without_curve_or_for_another_scheduler_is_refused),
		TEST(test_bytes_that_are_no_zeromq_do_no_harm),
		TEST(test_a_replayed_message_is_dropped),
		TEST(test_a_recording_of_one_session_is_ignored_in_the_next),
		TEST(test_another_host_cannot_send_in_a_foreign_session),
		TEST(test_nonsense_is_only_counted),
		TEST(test_a_host_of_another_version_is_refused_with_the_reason),
		TEST(test_the_largest_number_does_not_lock_a_host_out),
		TEST(test_long_messages_are_dropped_and_longer_ones_close_the_connection),
		TEST(test_several_parts_are_malformed),
		TEST(test_only_the_newest_set_waits_for_a_host_that_is_slow),
		TEST(test_a_silent_host_is_down_and_gets_the_newest_set_on_return),
		TEST(test_hosts_find_a_scheduler_that_was_started_again),
		TEST(test_a_host_with_a_removed_key_is_no_longer_heard),
		TEST(test_an_unavailable_endpoint_is_explained),
		TEST(test_an_invalid_endpoint_is_explained),
	};

	return cmocka_run_group_tests(tests, keys_setup, keys_teardown);
}
