/* SPDX-License-Identifier: Apache-2.0 */
/* Orders to qmasters that are slow, stop reading, leave, die or restart. */
#include "tests/json/orders.h"

#define MANY 30000		/* orders, of 10 MB together */
#define LARGE 15000		/* instances; the order is nearly as long as a line may be */

static void order_many(struct sched *sched)
{
	struct orders *o = sched_orders(sched);

	for (int i = 1; i <= MANY; i++)
		order_start(o, i == LARGE ? 5000 : 2, "all.q@node000000000000");
}

/* Flow control */

static void test_a_slow_peer_gets_all_orders_once_and_in_order(void **state)
{
	struct process *process = socket_serve(order_many);
	struct peer *peer = peer_connect();
	uint64_t due = 1;

	(void)state;
	peer->bytes_each = 3000;
	send_text(peer->fd, JOB(1, 1));
	for (int lines = 0; due <= MANY; lines++) {
		uint64_t number = order_number(peer_line(peer));

		if (number)
			assert_int_equal(number, due++);
		if (lines % 100 == 0)
			usleep(1000);
	}
	send_text(peer->fd, JOB(2, 2));
	expect_answer(peer, ACKNOWLEDGED(2), false);	/* no repetition within the hour */
	peer_leave(peer);
	assert_int_equal(process_stop(process), 0);
}

static void test_answers_are_sent_between_orders(void **state)
{
	struct process *process = socket_serve(order_many);
	struct peer *peer = peer_connect();
	bool between;

	(void)state;
	expect_orders(peer, 1, 10);
	send_text(peer->fd, JOB(1, 1));
	do
		between = order_number(peer_line(peer)) == 0;
	while (!between);
	peer_leave(peer);
	assert_int_equal(process_stop(process), 0);
}

static void test_a_peer_that_sends_and_does_not_read_is_dropped(void **state)
{
	struct process *process = socket_serve(order_many);
	struct peer *peer = peer_connect();

	(void)state;
	for (int i = 0; i < 1 << 20; i++)	/* the answers are much longer than the requests */
		if (send(peer->fd, "x\nx\nx\nx\n", 8, MSG_NOSIGNAL) < 0)
			break;
	expect(process, process->err, "the peer is dropped: it does not read its answers");
	peer_leave(peer);
	peer = peer_connect();
	expect_orders(peer, 1, MANY);
	peer_leave(peer);
	assert_int_equal(process_stop(process), 0);
}

static void test_an_idle_peer_is_dropped(void **state)
{
	struct process *process;
	struct peer *peer;

	(void)state;
	configure("schedule_interval 0:0:1\n");
	process = socket_serve(order_many);
	peer = peer_connect();
	expect(process, process->err, "the peer is dropped: it has read nothing for ten intervals");
	expect(process, process->err, "connection ended");
	peer_leave(peer);
	peer = peer_connect();
	expect_orders(peer, 1, MANY);
	peer_leave(peer);
	assert_int_equal(process_stop(process), 0);
}

/* Repetition */

static void test_the_next_connection_gets_all_orders(void **state)
{
	struct process *process = socket_serve(order_many);
	struct peer *peer = peer_connect();

	(void)state;
	expect_orders(peer, 1, 10000);
	peer_leave(peer);
	expect(process, process->err, "connection ended");
	peer = peer_connect();
	expect_orders(peer, 1, MANY);
	peer_leave(peer);
	assert_int_equal(process_stop(process), 0);
}

static void test_orders_survive_a_qmaster_that_is_killed(void **state)
{
	struct process *process = socket_serve(order_many);
	struct peer *peer;
	int status, reported[2];
	pid_t qmaster;
	char byte;

	(void)state;
	assert_int_equal(pipe(reported), 0);
	qmaster = fork();
	if (qmaster == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		peer = peer_connect();
		expect_orders(peer, 1, 5000);
		(void)!write(reported[1], "", 1);
		expect_orders(peer, 5001, MANY);
		pause();
	}
	assert_int_equal(read(reported[0], &byte, 1), 1);
	kill(qmaster, SIGKILL);
	waitpid(qmaster, &status, 0);
	expect(process, process->err, "connection ended");
	peer = peer_connect();
	expect_orders(peer, 1, MANY);
	peer_leave(peer);
	close(reported[0]);
	close(reported[1]);
	assert_int_equal(process_stop(process), 0);
}

static void test_an_unacknowledged_order_is_repeated_after_an_interval(void **state)
{
	struct process *process;
	struct peer *peer;

	(void)state;
	configure("schedule_interval 0:0:1\n");
	process = socket_serve(order_three);
	peer = peer_connect();
	for (int i = 0; i < 3; i++)
		expect_orders(peer, 1, 3);
	peer_leave(peer);
	assert_int_equal(process_stop(process), 0);
}

/* Snapshots */

static void test_no_order_is_sent_during_a_snapshot(void **state)
{
	struct process *process = socket_serve(order_many);
	struct peer *peer = peer_connect();

	(void)state;
	send_text(peer->fd, EVENT(1, snapshot_begin) "x\n");
	expect_answer(peer, NO_JSON, true);
	for (int i = 0; i < 10; i++) {
		send_text(peer->fd, "x\n");
		expect_answer(peer, NO_JSON, false);
	}
	peer_leave(peer);
	expect(process, process->err, "connection ended");
	peer = peer_connect();		/* the snapshot is dropped, the orders are kept */
	expect_orders(peer, 1, MANY);
	peer_leave(peer);
	assert_int_equal(process_stop(process), 0);
}

static void test_the_end_of_a_snapshot_voids_all_orders(void **state)
{
	struct process *process = socket_serve(order_many);
	struct peer *peer = peer_connect();

	(void)state;
	expect_orders(peer, 1, 10);
	send_text(peer->fd, EVENT(1, snapshot_begin) EVENT(2, snapshot_end));
	expect_answer(peer, ACKNOWLEDGED(2), true);
	send_text(peer->fd, JOB(3, 1));
	expect_answer(peer, ACKNOWLEDGED(3), false);
	peer_leave(peer);
	expect(process, process->err, "connection ended");
	peer = peer_connect();
	send_text(peer->fd, JOB(4, 2));
	expect_answer(peer, ACKNOWLEDGED(4), false);
	peer_leave(peer);
	assert_int_equal(process_stop(process), 0);
}

/* Streams */

static void test_a_stream_gets_orders_on_standard_output(void **state)
{
	struct process *process = scheduler_start("-", order_many, false);
	struct peer *peer = peer_on(process->out);

	(void)state;
	expect_orders(peer, 1, 10000);
	close(process->in);		/* the end of events is no reason to start again */
	process->in = -1;
	expect_orders(peer, 10001, MANY);
	free(peer);
	assert_int_equal(process_stop(process), 0);
}

static void test_a_single_run_ends_when_all_orders_are_sent(void **state)
{
	struct process *process;
	struct peer *peer;

	(void)state;
	scratch_write("jobs", JOB(1, 1));
	process = scheduler_start(scratch_path("jobs"), order_many, true);
	peer = peer_on(process->out);
	expect_answer(peer, ACKNOWLEDGED(1), false);
	expect_orders(peer, 1, MANY);
	assert_null(peer_line(peer));
	free(peer);
	assert_int_equal(process_end(process), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ORDERS_TEST(test_a_slow_peer_gets_all_orders_once_and_in_order),
		ORDERS_TEST(test_answers_are_sent_between_orders),
		ORDERS_TEST(test_a_peer_that_sends_and_does_not_read_is_dropped),
		ORDERS_TEST(test_an_idle_peer_is_dropped),
		ORDERS_TEST(test_the_next_connection_gets_all_orders),
		ORDERS_TEST(test_orders_survive_a_qmaster_that_is_killed),
		ORDERS_TEST(test_an_unacknowledged_order_is_repeated_after_an_interval),
		ORDERS_TEST(test_no_order_is_sent_during_a_snapshot),
		ORDERS_TEST(test_the_end_of_a_snapshot_voids_all_orders),
		ORDERS_TEST(test_a_stream_gets_orders_on_standard_output),
		ORDERS_TEST(test_a_single_run_ends_when_all_orders_are_sent),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
