/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subordinate_list of queue_conf(5): instances that a start closes for the rest of the run, and the
 * jobs concerned.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

/*
 * Create high.q with two slots and this list, and low.q with four slots below it, both on both
 * hosts.
 */
static void put_queues(struct fixture *fixture, const char *list)
{
	char more[100];

	snprintf(more, sizeof(more), "subordinate_list %s\n", list);
	put_queue(fixture, "high.q", "ada bly", "2", more);
	put_queue(fixture, "low.q", "ada bly", "4", "");
	reload(fixture);
	report_instance(fixture, "high.q@ada", 2);
	report_instance(fixture, "low.q@ada", 4);
	report_instance(fixture, "high.q@bly", 2);
	report_instance(fixture, "low.q@bly", 4);
}

static void add(struct fixture *fixture, unsigned number, const char *queues, const char *more)
{
	TELL(fixture, ADD "%u,'owner':'ann','priority':%d,'hard_queue_list':'%s'%s}", number, -(int)number, queues,
	     more);
}

#define WITH_DURATION ",'hard_resource_list':'h_rt=600'"
#define RESERVED WITH_DURATION ",'reserve':true"

static void test_a_queue_closes_when_its_superordinate_is_full_on_that_host(void **state)
{
	struct fixture *fixture = *state;

	put_queues(fixture, "low.q");
	add(fixture, 1, "high.q@ada", "");
	add(fixture, 2, "low.q@ada", "");
	add(fixture, 3, "high.q@ada", "");
	add(fixture, 4, "low.q@ada", "");
	add(fixture, 5, "low.q", "");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1) + started(fixture, 2) + started(fixture, 3), 3);
	WAITS(fixture, 4, "takes no jobs in state S: low.q@ada");
	assert_string_equal(row(fixture, 5, 0).queue, "low.q@bly");
}

static void test_a_threshold_counts_slots_and_one_above_them_is_never_reached(void **state)
{
	struct fixture *fixture = *state;

	put_queues(fixture, "NONE,[ada=low.q=1],[bly=low.q=3]");
	add(fixture, 1, "high.q@ada", "");
	add(fixture, 2, "low.q@ada", "");
	add(fixture, 3, "high.q@bly", ",'pe':'mpi','pe_range':'2'");
	add(fixture, 4, "low.q@bly", "");
	run(fixture, NOW);
	WAITS(fixture, 2, "takes no jobs in state S: low.q@ada");
	assert_int_equal(started(fixture, 4), 1);
}

static void test_slots_of_tasks_that_run_or_are_suspended_count(void **state)
{
	struct fixture *fixture = *state;

	put_queues(fixture, "low.q=2");
	add(fixture, 1, "high.q@ada", "");
	run(fixture, NOW);
	take_orders(fixture);
	TELL(fixture,
	     "{'event':'task_start','job_number':1,'task':1,'start_time':%lld,'granted':[{'queue':'high.q@ada','slots':1}]}",
	     (long long)NOW);
	TELL(fixture, "{'event':'task_state','job_number':1,'task':1,'state':'s'}");
	add(fixture, 2, "high.q@ada", "");
	add(fixture, 3, "low.q@ada", "");
	run(fixture, NOW + 1);
	assert_int_equal(started(fixture, 2), 1);
	assert_int_equal(started(fixture, 3), 0);
}

static void test_slot_wise_lists_close_their_queues_when_the_queue_is_full(void **state)
{
	struct fixture *fixture = *state;

	put_queues(fixture, "slots=1(low.q)");
	add(fixture, 1, "high.q@ada", "");
	add(fixture, 2, "low.q@ada", "");
	add(fixture, 3, "high.q@ada", "");
	add(fixture, 4, "low.q@ada", "");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 2), 1);
	WAITS(fixture, 4, "takes no jobs in state S: low.q@ada");
}

static void test_a_task_in_both_queues_closes_the_lower_one(void **state)
{
	struct fixture *fixture = *state;

	put_queues(fixture, "low.q=1");
	add(fixture, 1, "high.q@ada,low.q@ada", ",'pe':'mpi','pe_range':'3'");
	add(fixture, 2, "low.q@ada", "");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	WAITS(fixture, 2, "takes no jobs in state S: low.q@ada");
}

/* Observed with a real 8.1.9: the job finds the queue, starts there, and is suspended at once. */
static void test_a_job_that_requests_a_reservation_starts_in_a_subordinated_queue_and_later_jobs_do_not(void **state)
{
	struct fixture *fixture = *state;

	put_queues(fixture, "low.q");
	set_sched_conf(fixture, "max_reservation", "5");
	reload(fixture);
	add(fixture, 1, "high.q@ada", WITH_DURATION);
	add(fixture, 2, "high.q@ada", WITH_DURATION);
	add(fixture, 3, "low.q@ada", WITH_DURATION);
	add(fixture, 4, "low.q@ada", ",'hard_resource_list':'h_rt=500','reserve':true");
	add(fixture, 5, "low.q@ada", ",'hard_resource_list':'h_rt=400'");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 3) + started(fixture, 5), 0);
	assert_int_equal(started(fixture, 4), 1);
}

static void test_a_full_queue_that_is_suspended_is_still_reserved(void **state)
{
	struct fixture *fixture = *state;

	put_queues(fixture, "low.q");
	set_sched_conf(fixture, "max_reservation", "5");
	reload(fixture);
	add(fixture, 1, "low.q@ada", WITH_DURATION ",'pe':'mpi','pe_range':'4'");
	add(fixture, 2, "high.q@ada", WITH_DURATION ",'pe':'mpi','pe_range':'2'");
	add(fixture, 3, "low.q@ada", RESERVED);
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1) + started(fixture, 2), 2);
	assert_true(reserved(fixture, 3) > NOW);
}

static void test_each_run_begins_with_the_state_reported_by_the_qmaster(void **state)
{
	struct fixture *fixture = *state;

	put_queues(fixture, "low.q=1");
	add(fixture, 1, "high.q@ada", "");
	add(fixture, 2, "low.q@ada", "");
	run(fixture, NOW);
	take_orders(fixture);
	assert_int_equal(started(fixture, 2), 0);
	TELL(fixture, DELETE "1}");
	TELL(fixture, "{'event':'queue_instance','queue':'low.q@ada','slots':4,'state':'S'}");
	run(fixture, NOW + 1);
	WAITS(fixture, 2, "takes no jobs in state S: low.q@ada");
	report_instance(fixture, "low.q@ada", 4);
	run(fixture, NOW + 2);
	assert_int_equal(started(fixture, 2), 1);
}

static void test_a_task_in_a_suspended_queue_is_not_in_the_schedule_of_that_queue(void **state)
{
	static const struct {
		const char *letters;
		bool is_reported;
	} states[] = { { "", true }, { "S", false }, { "s", false }, { "d", true }, { "C", true } };
	struct schedule_lines lines = { 0 };
	struct fixture *fixture = *state;

	put_queues(fixture, "NONE");
	set_sched_conf(fixture, "max_reservation", "1");
	set_sched_conf(fixture, "params", "MONITOR=1");
	reload(fixture);
	sched_schedule(fixture->sched, &lines);
	add(fixture, 1, "low.q@ada", "");
	TELL(fixture,
	     "{'event':'task_start','job_number':1,'task':1,'start_time':%lld,'granted':[{'queue':'low.q@ada','slots':1}]}",
	     (long long)NOW);
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		schedule_begin(&lines);
		TELL(fixture, "{'event':'queue_instance','queue':'low.q@ada','slots':4,'state':'%s'}",
		     states[i].letters);
		run(fixture, NOW + (int64_t)i);
		assert_int_equal(lines.text && strstr(lines.text, ":Q:low.q@ada:slots:"), states[i].is_reported);
	}
	sched_schedule(fixture->sched, NULL);
	schedule_free(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_queue_closes_when_its_superordinate_is_full_on_that_host),
		DISPATCH_TEST(test_a_threshold_counts_slots_and_one_above_them_is_never_reached),
		DISPATCH_TEST(test_slots_of_tasks_that_run_or_are_suspended_count),
		DISPATCH_TEST(test_slot_wise_lists_close_their_queues_when_the_queue_is_full),
		DISPATCH_TEST(test_a_task_in_both_queues_closes_the_lower_one),
		DISPATCH_TEST(
			test_a_job_that_requests_a_reservation_starts_in_a_subordinated_queue_and_later_jobs_do_not),
		DISPATCH_TEST(test_a_full_queue_that_is_suspended_is_still_reserved),
		DISPATCH_TEST(test_each_run_begins_with_the_state_reported_by_the_qmaster),
		DISPATCH_TEST(test_a_task_in_a_suspended_queue_is_not_in_the_schedule_of_that_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
