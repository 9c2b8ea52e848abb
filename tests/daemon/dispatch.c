/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an event to an order and back: fairlead-schedd on a copy of conf/default, with room for
 * eight jobs.
 */
#include "tests/daemon/process.h"

#define QUEUE(seq) "{\"seq\":" #seq ",\"event\":\"queue_instance\",\"queue\":\"all.q@node1\",\"slots\":8}\n"
#define START(number, job) "{\"order\":\"start\",\"number\":" #number ",\"job_number\":" #job ",\"start_time\":"
#define ANY_START "\"order\":\"start\""
#define TAKEN(seq, up_to) "{\"seq\":" #seq ",\"event\":\"orders_taken\",\"up_to\":" #up_to "}\n"
#define REFUSED(seq, order, job) "{\"seq\":" #seq ",\"event\":\"order_refused\",\"number\":" #order ",\"job_number\":" #job "}\n"
#define STARTED(seq, job)                                                                                                                  \
	"{\"seq\":" #seq ",\"event\":\"task_start\",\"job_number\":" #job ",\"start_time\":5,\"granted\":[{\"queue\":\"all.q@node1\",\"slots\":1}]}\n"

static int cell_begin(void **state)
{
	char command[200];

	(void)state;
	snprintf(command, sizeof(command), "cp -R conf/default/. %s", scratch_path("cell"));
	if (system(command))
		return -1;
	configure("");
	return 0;
}

/* Does `text` come on standard output before the line `end`, which must come? */
static bool comes_before(struct process *p, const char *text, const char *end)
{
	char *found;

	while (!(found = strstr(p->text, end))) {
		size_t used = strlen(p->text);
		ssize_t n = read(p->out, p->text + used, sizeof(p->text) - 1 - used);

		assert_true(n > 0);
		p->text[used + (size_t)n] = '\0';
	}
	*found = '\0';
	if (strstr(p->text, text))
		return true;
	memmove(p->text, found + strlen(end), strlen(found + strlen(end)) + 1);
	return false;
}

static void test_one_run_writes_its_starts(void **state)
{
	struct process *p;

	(void)state;
	scratch_write("jobs", QUEUE(1) JOB(2, 8) JOB(3, 9));
	p = process_start((const char *const[]){ "--once", "--now", "1700000000", "--events", scratch_path("jobs"), NULL });
	expect(p, p->out, START(1, 8) "1700000000,\"granted\":[{\"queue\":\"all.q@node1\"");
	expect(p, p->out, START(2, 9) "1700000000,\"granted\":[{\"queue\":\"all.q@node1\"");
	assert_false(wait_for(p, p->out, ANY_START));
	assert_int_equal(process_end(p), 0);
}

static void test_without_dispatch_nothing_is_ordered(void **state)
{
	struct process *p;

	(void)state;
	scratch_write("jobs", QUEUE(1) JOB(2, 8) JOB(3, 9));
	p = process_start((const char *const[]){ "--once", "--no-dispatch", "-v", "--events", scratch_path("jobs"), NULL });
	expect(p, p->out, ACK(3));
	assert_false(wait_for(p, p->out, ANY_START));
	expect(p, p->err, "2 pending jobs, 2 pending and 0 started tasks");
	assert_int_equal(process_end(p), 0);
}

static void test_what_was_started_is_not_ordered_again(void **state)
{
	struct process *p = serve("-");

	(void)state;
	send_text(p->in, QUEUE(1) JOB(2, 1));
	expect(p, p->out, START(1, 1));
	send_text(p->in, JOB(3, 2));
	/* nor what was ordered */
	assert_false(comes_before(p, START(2, 1), START(2, 2)));
	send_text(p->in, TAKEN(4, 2) STARTED(5, 1) STARTED(6, 2) JOB(7, 3));
	assert_false(comes_before(p, ANY_START, START(3, 3)));
	assert_int_equal(process_stop(p), 0);
}

static void test_what_was_refused_is_ordered_again_in_the_next_run(void **state)
{
	struct process *p = serve("-");

	(void)state;
	send_text(p->in, QUEUE(1) JOB(2, 1));
	expect(p, p->out, START(1, 1));
	send_text(p->in, REFUSED(3, 1, 1));
	expect(p, p->err, "was refused");
	send_text(p->in, JOB(4, 2));
	expect(p, p->out, START(2, 1));
	expect(p, p->out, START(3, 2));
	assert_int_equal(process_stop(p), 0);
}

static void test_a_snapshot_that_knows_no_start_has_it_ordered_again(void **state)
{
	struct process *p = serve("-");

	(void)state;
	send_text(p->in, QUEUE(1) JOB(2, 1) JOB(3, 2));
	expect(p, p->out, START(1, 1));
	expect(p, p->out, START(2, 2));
	send_text(p->in, EVENT(4, snapshot_begin) QUEUE(5) JOB(6, 1) JOB(7, 2) STARTED(8, 2) EVENT(9, snapshot_end));
	assert_false(comes_before(p, ANY_START, ACK(9)));
	expect(p, p->out, START(3, 1));
	send_text(p->in, JOB(10, 3));
	assert_false(comes_before(p, ANY_START, START(4, 3)));
	assert_int_equal(process_stop(p), 0);
}

#define DISPATCH_TEST(name) cmocka_unit_test_setup_teardown(name, cell_begin, process_kill_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_one_run_writes_its_starts),
		DISPATCH_TEST(test_without_dispatch_nothing_is_ordered),
		DISPATCH_TEST(test_what_was_started_is_not_ordered_again),
		DISPATCH_TEST(test_what_was_refused_is_ordered_again_in_the_next_run),
		DISPATCH_TEST(test_a_snapshot_that_knows_no_start_has_it_ordered_again),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
