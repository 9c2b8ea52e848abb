/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a qmaster about orders: taken, refused, and invalid ones. */
#include "tests/json/orders.h"

/* Order a start of job 1, which the scheduler then considers started, and its suspension. */
static void order_a_job(struct sched *sched)
{
	const struct job_spec job = { .given = JOB_OWNER | JOB_SUBMISSION_TIME, .job_number = 1, .owner = "ann", .submission_time = 1 };
	const struct granted granted = { .queue = "all.q@node", .slots = 1 };
	struct error error;

	order_start(sched_orders(sched), 1, granted.queue);
	assert_int_equal(orders_suspend(sched_orders(sched), true, 1, 1, granted.queue), 2);
	assert_int_equal(mirror_job_add(sched_mirror(sched), &job, &error), 0);
	assert_int_equal(mirror_order_start(sched_mirror(sched), 1, 1, 5, &granted, 1, NULL, 1, &error), 0);
}

#define TAKEN(seq, up_to) "{\"seq\":" #seq ",\"event\":\"orders_taken\",\"up_to\":" #up_to "}\n"
#define REFUSED(seq, order, job, task) \
	"{\"seq\":" #seq ",\"event\":\"order_refused\",\"number\":" #order ",\"job_number\":" #job ",\"task\":" #task ",\"text\":\"full\"}\n"
#define WRONG(seq, text) "{\"answer\":\"error\",\"seq\":" #seq ",\"text\":\"" text "\""

static void test_a_taken_order_is_not_repeated(void **state)
{
	struct process *process;
	struct peer *peer;

	(void)state;
	configure("schedule_interval 0:0:1\n");
	process = socket_serve(order_three);
	peer = peer_connect();
	send_text(peer->fd, TAKEN(1, 2));
	expect_answer(peer, ACKNOWLEDGED(1), true);
	for (int i = 0; i < 3; i++)
		expect_orders(peer, 3, 3);
	peer_leave(peer);
	expect(process, process->err, "connection ended");
	peer = peer_connect();
	expect_orders(peer, 3, 3);
	peer_leave(peer);
	assert_int_equal(process_stop(process), 0);
}

static void test_a_refused_start_puts_the_task_back(void **state)
{
	struct process *process = socket_serve(order_a_job);
	struct peer *peer = peer_connect();

	(void)state;
	send_text(peer->fd, JOB(1, 2));
	expect(process, process->err, "1 pending jobs, 1 pending and 1 started tasks");
	send_text(peer->fd, REFUSED(2, 1, 1, 1));
	expect(process, process->err, "order 1 for task 1 of job 1 was refused: full");
	send_text(peer->fd, REFUSED(3, 1, 1, 1) JOB(4, 3));	/* late, and repeated */
	expect(process, process->err, "3 pending jobs, 3 pending and 0 started tasks");
	expect_answer(peer, ACKNOWLEDGED(4), true);
	peer_leave(peer);
	expect(process, process->err, "connection ended");
	peer = peer_connect();
	expect_orders(peer, 2, 2);
	peer_leave(peer);
	assert_int_equal(process_stop(process), 0);
}

static void test_a_start_can_be_refused_after_it_was_taken(void **state)
{
	struct process *process = socket_serve(order_a_job);
	struct peer *peer = peer_connect();

	(void)state;
	send_text(peer->fd, TAKEN(1, 2) JOB(2, 2));
	expect(process, process->err, "1 pending jobs, 1 pending and 1 started tasks");
	send_text(peer->fd, REFUSED(3, 1, 1, 1) JOB(4, 3));
	expect(process, process->err, "order 1 for task 1 of job 1 was refused: full");
	expect(process, process->err, "3 pending jobs, 3 pending and 0 started tasks");
	peer_leave(peer);
	assert_int_equal(process_stop(process), 0);
}

static void test_other_orders_than_starts_can_be_refused(void **state)
{
	struct process *process = socket_serve(order_a_job);
	struct peer *peer = peer_connect();

	(void)state;
	send_text(peer->fd, REFUSED(1, 2, 1, 1) JOB(2, 2));
	expect(process, process->err, "order 2 for task 1 of job 1 was refused: full");
	expect(process, process->err, "1 pending jobs, 1 pending and 1 started tasks");
	peer_leave(peer);
	assert_int_equal(process_stop(process), 0);
}

static void test_answers_to_unknown_orders_have_no_effect(void **state)
{
	struct process *process = socket_serve(order_a_job);
	struct peer *peer = peer_connect();

	(void)state;
	send_text(peer->fd, TAKEN(1, 3));
	expect_answer(peer, WRONG(1, "orders_taken: order 3 was not issued; the last one is 2"), true);
	send_text(peer->fd, REFUSED(2, 3, 1, 1));
	expect_answer(peer, WRONG(2, "order_refused: order 3 was not issued; the last one is 2"), true);
	send_text(peer->fd, REFUSED(3, 1, 2, 1) REFUSED(4, 1, 1, 2));
	expect_answer(peer, WRONG(3, "order_refused: order 1 is about job 1, task 1"), true);
	expect_answer(peer, WRONG(4, "order_refused: order 1 is about job 1, task 1"), true);
	send_text(peer->fd, JOB(5, 2));
	expect(process, process->err, "1 pending jobs, 1 pending and 1 started tasks");
	peer_leave(peer);
	expect(process, process->err, "connection ended");
	peer = peer_connect();
	expect_orders(peer, 1, 2);
	peer_leave(peer);
	assert_int_equal(process_stop(process), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ORDERS_TEST(test_a_taken_order_is_not_repeated),
		ORDERS_TEST(test_a_refused_start_puts_the_task_back),
		ORDERS_TEST(test_a_start_can_be_refused_after_it_was_taken),
		ORDERS_TEST(test_other_orders_than_starts_can_be_refused),
		ORDERS_TEST(test_answers_to_unknown_orders_have_no_effect),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
