/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an event to an order and back: fairlead-schedd on a copy of conf/default, with eight free
 * slots.
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

/* Return whether `text` comes on standard output before the line `end`, which must come. */
static bool comes_before(struct process *process, const char *text, const char *end)
{
	char *found;

	while (!(found = strstr(process->text, end))) {
		size_t used = strlen(process->text);
		ssize_t n = read(process->out, process->text + used, sizeof(process->text) - 1 - used);

		assert_true(n > 0);
		process->text[used + (size_t)n] = '\0';
	}
	*found = '\0';
	if (strstr(process->text, text))
		return true;
	memmove(process->text, found + strlen(end), strlen(found + strlen(end)) + 1);
	return false;
}

static void test_a_single_run_writes_its_starts(void **state)
{
	struct process *process;

	(void)state;
	scratch_write("jobs", QUEUE(1) JOB(2, 8) JOB(3, 9));
	process = process_start((const char *const[]){ "--once", "--now", "1700000000", "--events", scratch_path("jobs"), NULL });
	expect(process, process->out, START(1, 8) "1700000000,\"granted\":[{\"queue\":\"all.q@node1\"");
	expect(process, process->out, START(2, 9) "1700000000,\"granted\":[{\"queue\":\"all.q@node1\"");
	assert_false(wait_for(process, process->out, ANY_START));
	assert_int_equal(process_end(process), 0);
}

static void test_without_dispatch_no_start_is_ordered(void **state)
{
	struct process *process;

	(void)state;
	scratch_write("jobs", QUEUE(1) JOB(2, 8) JOB(3, 9));
	process = process_start((const char *const[]){ "--once", "--no-dispatch", "-v", "--events", scratch_path("jobs"), NULL });
	expect(process, process->out, ACK(3));
	assert_false(wait_for(process, process->out, ANY_START));
	expect(process, process->err, "2 pending jobs, 2 pending and 0 started tasks");
	assert_int_equal(process_end(process), 0);
}

static void test_a_started_task_is_not_ordered_again(void **state)
{
	struct process *process = serve("-");

	(void)state;
	send_text(process->in, QUEUE(1) JOB(2, 1));
	expect(process, process->out, START(1, 1));
	send_text(process->in, JOB(3, 2));
	/* An ordered start is not ordered again either. */
	assert_false(comes_before(process, START(2, 1), START(2, 2)));
	send_text(process->in, TAKEN(4, 2) STARTED(5, 1) STARTED(6, 2) JOB(7, 3));
	assert_false(comes_before(process, ANY_START, START(3, 3)));
	assert_int_equal(process_stop(process), 0);
}

static void test_a_refused_start_is_ordered_again_in_the_next_run(void **state)
{
	struct process *process = serve("-");

	(void)state;
	send_text(process->in, QUEUE(1) JOB(2, 1));
	expect(process, process->out, START(1, 1));
	send_text(process->in, REFUSED(3, 1, 1));
	expect(process, process->err, "was refused");
	send_text(process->in, JOB(4, 2));
	expect(process, process->out, START(2, 1));
	expect(process, process->out, START(3, 2));
	assert_int_equal(process_stop(process), 0);
}

static void test_a_start_missing_in_a_snapshot_is_ordered_again(void **state)
{
	struct process *process = serve("-");

	(void)state;
	send_text(process->in, QUEUE(1) JOB(2, 1) JOB(3, 2));
	expect(process, process->out, START(1, 1));
	expect(process, process->out, START(2, 2));
	send_text(process->in, EVENT(4, snapshot_begin) QUEUE(5) JOB(6, 1) JOB(7, 2) STARTED(8, 2) EVENT(9, snapshot_end));
	assert_false(comes_before(process, ANY_START, ACK(9)));
	expect(process, process->out, START(3, 1));
	send_text(process->in, JOB(10, 3));
	assert_false(comes_before(process, ANY_START, START(4, 3)));
	assert_int_equal(process_stop(process), 0);
}

#define DISPATCH_TEST(name) cmocka_unit_test_setup_teardown(name, cell_begin, process_kill_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_single_run_writes_its_starts),
		DISPATCH_TEST(test_without_dispatch_no_start_is_ordered),
		DISPATCH_TEST(test_a_started_task_is_not_ordered_again),
		DISPATCH_TEST(test_a_refused_start_is_ordered_again_in_the_next_run),
		DISPATCH_TEST(test_a_start_missing_in_a_snapshot_is_ordered_again),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
