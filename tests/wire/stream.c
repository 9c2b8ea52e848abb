/* SPDX-License-Identifier: Apache-2.0 */
/* A publisher, its subscribers, and peers that send what no subscriber would send. */
#include "tests/wire/peer.h"

#include "sched/wire/publisher.h"
#include "sched/wire/subscriber.h"

static struct wire_publisher *publisher;
static struct wire_subscriber *subscriber;

static struct {
	int topics, messages, odds;
	char topic[TOPIC_BYTES], first[100], second[100], odd[300];
} seen;

static void take_topic(void *context, const char *topic)
{
	(void)context;
	seen.topics++;
	snprintf(seen.topic, sizeof(seen.topic), "%s", topic);
}

static void take_warning(void *context, const char *text)
{
	(void)context;
	seen.odds++;
	snprintf(seen.odd, sizeof(seen.odd), "%s", text);
}

static void take_message(void *context, const char *topic, const struct stream_part parts[STREAM_PARTS])
{
	(void)context;
	seen.messages++;
	snprintf(seen.topic, sizeof(seen.topic), "%s", topic);
	snprintf(seen.first, sizeof(seen.first), "%.*s", (int)parts[0].size, (const char *)parts[0].bytes);
	snprintf(seen.second, sizeof(seen.second), "%.*s", (int)parts[1].size, (const char *)parts[1].bytes);
}

static void take_tick(void *context)
{
	(void)context;
}

static int publish(const char *endpoint, struct error *error)
{
	const struct publisher_calls calls = { NULL, take_topic, take_warning };

	memset(&seen, 0, sizeof(seen));
	return publisher_open(&publisher, &(struct publisher_options){ endpoint, keys_dir }, &calls, error);
}

static int subscribe(const char *endpoint, const char *name, uint64_t most_bytes, struct error *error)
{
	const struct subscriber_calls calls = { NULL, take_message, take_tick };

	return subscriber_open(&subscriber, &(struct subscriber_options){ endpoint, keys_dir, name, most_bytes }, &calls,
			       error);
}

static void both_start(uint64_t most_bytes)
{
	struct error error = { "" };

	if (publish(LOCAL, &error) || subscribe(publisher_endpoint(publisher), "node1", most_bytes, &error))
		fail_msg("%s", error.text);
}

static void both_handle(void)
{
	struct pollfd fds[2] = { { .fd = publisher ? publisher_fd(publisher) : -1, .events = POLLIN },
				 { .fd = subscriber ? subscriber_fd(subscriber) : -1, .events = POLLIN } };

	if (poll(fds, 2, 100) <= 0)
		return;
	if (fds[0].revents)
		publisher_handle(publisher);
	if (fds[1].revents)
		subscriber_handle(subscriber);
}

#define HANDLE_UNTIL(CONDITION) do {				\
	time_t until_ = time(NULL) + PATIENCE_S;		\
	while (!(CONDITION) && time(NULL) < until_)		\
		both_handle();					\
	assert_true(CONDITION);					\
} while (0)

static void send_two(const char *topic, const char *first, const char *second)
{
	struct stream_part parts[STREAM_PARTS] = { { strdup(first), strlen(first) }, { strdup(second), strlen(second) } };

	assert_int_equal(publisher_send(publisher, topic, parts), 0);
}

static int stream_teardown(void **state)
{
	(void)state;
	subscriber_close(subscriber);
	publisher_close(publisher);
	subscriber = NULL;
	publisher = NULL;
	return 0;
}

static void test_a_message_reaches_the_subscribers_of_its_topic(void **state)
{
	(void)state;
	both_start(1000);
	assert_int_equal(subscriber_subscribe(subscriber, "run"), 0);
	HANDLE_UNTIL(seen.topics == 1);
	assert_string_equal(seen.topic, "run");
	send_two("other", "x", "y");
	send_two("run", "first", "second");
	HANDLE_UNTIL(seen.messages == 1);
	assert_string_equal(seen.topic, "run");
	assert_string_equal(seen.first, "first");
	assert_string_equal(seen.second, "second");
	assert_int_equal(subscriber_subscribe(subscriber, "more"), 0);
	assert_int_equal(subscriber_unsubscribe(subscriber, "run"), 0);
	HANDLE_UNTIL(seen.topics == 2);
	send_two("run", "x", "y");
	send_two("more", "m", "");
	HANDLE_UNTIL(seen.messages == 2);
	assert_string_equal(seen.topic, "more");
	assert_string_equal(seen.second, "");
}

static void test_a_host_without_a_known_key_hears_nothing_and_is_named(void **state)
{
	struct key server = host_key(NULL, false), public, secret;
	struct peer stranger;

	(void)state;
	both_start(1000);
	assert_int_equal(zmq_curve_keypair(public.text, secret.text), 0);
	stranger = (struct peer){ .zmq = zmq_ctx_new() };
	stranger.dealer = zmq_socket(stranger.zmq, ZMQ_SUB);
	zmq_setsockopt(stranger.dealer, ZMQ_LINGER, &(const int){ 0 }, sizeof(int));
	zmq_setsockopt(stranger.dealer, ZMQ_CURVE_SERVERKEY, server.text, KEY_CHARS + 1);
	zmq_setsockopt(stranger.dealer, ZMQ_CURVE_PUBLICKEY, public.text, KEY_CHARS + 1);
	zmq_setsockopt(stranger.dealer, ZMQ_CURVE_SECRETKEY, secret.text, KEY_CHARS + 1);
	zmq_setsockopt(stranger.dealer, ZMQ_SUBSCRIBE, "", 0);
	assert_int_equal(zmq_connect(stranger.dealer, publisher_endpoint(publisher)), 0);
	HANDLE_UNTIL(seen.odds > 0);
	assert_non_null(strstr(seen.odd, "with an unknown key were refused, the last from "));
	assert_non_null(strstr(seen.odd, public.text));
	assert_int_equal(seen.topics, 0);
	peer_close(&stranger);
}

/* Topics of another length, events that are none, and messages with more parts. */
static void test_messages_of_other_forms_are_ignored(void **state)
{
	struct key server = host_key(NULL, false), public = host_key("node2", false), secret = host_key("node2", true);
	static const char odd[][40] = { "\2run", "\1a", "\1a topic that is longer than a topic is" };
	struct peer peer = { .zmq = zmq_ctx_new() };
	int topics;

	(void)state;
	both_start(1000);
	assert_int_equal(subscriber_subscribe(subscriber, "run"), 0);
	HANDLE_UNTIL(seen.topics == 1);
	/* XSUB sends any message. */
	peer.dealer = zmq_socket(peer.zmq, ZMQ_XSUB);
	zmq_setsockopt(peer.dealer, ZMQ_LINGER, &(const int){ 0 }, sizeof(int));
	zmq_setsockopt(peer.dealer, ZMQ_CURVE_SERVERKEY, server.text, KEY_CHARS + 1);
	zmq_setsockopt(peer.dealer, ZMQ_CURVE_PUBLICKEY, public.text, KEY_CHARS + 1);
	zmq_setsockopt(peer.dealer, ZMQ_CURVE_SECRETKEY, secret.text, KEY_CHARS + 1);
	assert_int_equal(zmq_connect(peer.dealer, publisher_endpoint(publisher)), 0);
	for (size_t k = 0; k < sizeof(odd) / sizeof(*odd); k++)
		assert_true(zmq_send(peer.dealer, odd[k], k == 1 ? 4 : strlen(odd[k]), 0) > 0);	/* one has a NUL */
	topics = seen.topics;
	assert_int_equal(zmq_send(peer.dealer, "\1good", 5, 0), 5);
	HANDLE_UNTIL(strcmp(seen.topic, "good") == 0);
	assert_int_equal(seen.topics, topics + 1);
	send_two("run", "a", "b");
	HANDLE_UNTIL(seen.messages == 1);
	peer_close(&peer);
}

/* A publisher of another version sends more parts or fewer. */
static void test_messages_with_fewer_parts_and_further_parts_are_dropped(void **state)
{
	struct key secret = host_key(NULL, true);
	struct peer other = { .zmq = zmq_ctx_new() };
	struct error error = { "" };
	char endpoint[100], event[100];
	size_t size = sizeof(endpoint);
	time_t until = time(NULL) + PATIENCE_S;
	int n = -1;

	(void)state;
	memset(&seen, 0, sizeof(seen));
	other.dealer = zmq_socket(other.zmq, ZMQ_XPUB);
	zmq_setsockopt(other.dealer, ZMQ_LINGER, &(const int){ 0 }, sizeof(int));
	zmq_setsockopt(other.dealer, ZMQ_CURVE_SERVER, &(const int){ 1 }, sizeof(int));
	zmq_setsockopt(other.dealer, ZMQ_CURVE_SECRETKEY, secret.text, KEY_CHARS + 1);
	assert_int_equal(zmq_bind(other.dealer, LOCAL), 0);
	assert_int_equal(zmq_getsockopt(other.dealer, ZMQ_LAST_ENDPOINT, endpoint, &size), 0);
	assert_int_equal(subscribe(endpoint, "node1", 1000, &error), 0);
	assert_int_equal(subscriber_subscribe(subscriber, ""), 0);
	for (; n < 0 && time(NULL) < until; both_handle())
		n = zmq_recv(other.dealer, event, sizeof(event), ZMQ_DONTWAIT);
	assert_int_equal(n, 1);
	for (int parts = 0; parts < 5; parts++) {
		for (int k = 0; k < parts; k++)
			zmq_send(other.dealer, "run", 3, ZMQ_SNDMORE);
		zmq_send(other.dealer, parts == 2 ? "last" : "x", parts == 2 ? 4 : 1, 0);
	}
	memset(event, 't', sizeof(event));
	zmq_send(other.dealer, event, TOPIC_BYTES, ZMQ_SNDMORE);	/* a topic that is too long */
	zmq_send(other.dealer, "a", 1, ZMQ_SNDMORE);
	zmq_send(other.dealer, "b", 1, 0);
	zmq_send(other.dealer, "end", 3, ZMQ_SNDMORE);
	zmq_send(other.dealer, "a", 1, ZMQ_SNDMORE);
	zmq_send(other.dealer, "b", 1, 0);
	HANDLE_UNTIL(strcmp(seen.topic, "end") == 0);
	assert_int_equal(seen.messages, 3 + 1);		/* with 2, 3 and 4 parts, and the last one */
	peer_close(&other);
}

static void test_keys_that_are_read_again_admit_a_new_host(void **state)
{
	struct error error = { "" };
	char path[200], aside[200];
	FILE *out;

	(void)state;
	assert_int_equal(key_path(path, sizeof(path), keys_dir, "node1", false), 0);
	snprintf(aside, sizeof(aside), "%s/aside", keys_dir);
	assert_int_equal(rename(path, aside), 0);
	both_start(1000);
	assert_int_equal(subscriber_subscribe(subscriber, "run"), 0);
	HANDLE_UNTIL(seen.odds > 0);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs("no key\n", out);
	fclose(out);
	assert_int_equal(publisher_keys(publisher, &error), -EINVAL);
	assert_non_null(strstr(error.text, "node1.pub"));
	assert_int_equal(rename(aside, path), 0);
	assert_int_equal(publisher_keys(publisher, &error), 0);
	HANDLE_UNTIL(seen.topics == 1);		/* the subscriber has connected again by itself */
	send_two("run", "a", "b");
	HANDLE_UNTIL(seen.messages == 1);
}

static void test_what_cannot_be_opened_is_explained(void **state)
{
	const struct subscriber_calls calls = { NULL, take_message, take_tick };
	struct wire_publisher *first;
	struct error error = { "" };

	(void)state;
	assert_int_equal(publish("ipc:///tmp/x", &error), -EINVAL);
	assert_non_null(strstr(error.text, "tcp://ADDRESS:PORT is expected"));
	assert_null(publisher);
	assert_int_equal(publish(LOCAL, &error), 0);
	first = publisher;
	assert_int_equal(publish(publisher_endpoint(first), &error), -EADDRINUSE);
	assert_non_null(strstr(error.text, "in use"));
	publisher_close(first);
	assert_int_equal(subscribe("tcp://h:0", "node1", 1000, &error), -EINVAL);
	assert_int_equal(subscribe("tcp://127.0.0.1:1", "node9", 1000, &error), -ENOENT);
	assert_non_null(strstr(error.text, "node9.key"));
	assert_int_equal(subscribe("tcp://127.0.0.1:1", "../x", 1000, &error), -EINVAL);
	assert_non_null(strstr(error.text, "is not a valid host name"));
	assert_int_equal(subscriber_open(&subscriber,
					 &(struct subscriber_options){ "tcp://127.0.0.1:1", "/nowhere", "node1", 1000 },
					 &calls, &error),
			 -ENOENT);
	assert_null(subscriber);
}

#define TEST(name) cmocka_unit_test_teardown(name, stream_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_message_reaches_the_subscribers_of_its_topic),
		TEST(test_a_host_without_a_known_key_hears_nothing_and_is_named),
		TEST(test_messages_of_other_forms_are_ignored),
		TEST(test_messages_with_fewer_parts_and_further_parts_are_dropped),
		TEST(test_keys_that_are_read_again_admit_a_new_host),
		TEST(test_what_cannot_be_opened_is_explained),
	};

	return cmocka_run_group_tests(tests, keys_setup, keys_teardown);
}
