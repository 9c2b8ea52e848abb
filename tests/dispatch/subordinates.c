/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_conf(5), subordinate_list: what a start takes out for the rest of the run, and from whom.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

/* high.q, of two slots, has this list; low.q, of four, is below it. Both on both hosts. */
static void put_queues(struct fixture *f, const char *list)
{
	char more[100];

	snprintf(more, sizeof(more), "subordinate_list %s\n", list);
	put_queue(f, "high.q", "ada bly", "2", more);
	put_queue(f, "low.q", "ada bly", "4", "");
	reload(f);
	tell_instance(f, "high.q@ada", 2);
	tell_instance(f, "low.q@ada", 4);
	tell_instance(f, "high.q@bly", 2);
	tell_instance(f, "low.q@bly", 4);
}

static void add(struct fixture *f, unsigned number, const char *queues, const char *more)
{
	TELL(f, ADD "%u,'owner':'ann','priority':%d,'hard_queue_list':'%s'%s}", number, -(int)number, queues, more);
}

#define WITH_DURATION ",'hard_resource_list':'h_rt=600'"
#define RESERVED WITH_DURATION ",'reserve':true"

static void test_a_queue_is_out_once_its_superordinate_is_full_on_that_host_and_not_before(void **state)
{
	struct fixture *f = *state;

	put_queues(f, "low.q");
	add(f, 1, "high.q@ada", "");
	add(f, 2, "low.q@ada", "");
	add(f, 3, "high.q@ada", "");
	add(f, 4, "low.q@ada", "");
	add(f, 5, "low.q", "");
	run(f, NOW);
	assert_int_equal(started(f, 1) + started(f, 2) + started(f, 3), 3);
	WAITS(f, 4, "takes no jobs in state S: low.q@ada");
	assert_string_equal(row(f, 5, 0).queue, "low.q@bly");
}

static void test_a_threshold_counts_slots_and_one_beyond_them_is_never_reached(void **state)
{
	struct fixture *f = *state;

	put_queues(f, "NONE,[ada=low.q=1],[bly=low.q=3]");
	add(f, 1, "high.q@ada", "");
	add(f, 2, "low.q@ada", "");
	add(f, 3, "high.q@bly", ",'pe':'mpi','pe_range':'2'");
	add(f, 4, "low.q@bly", "");
	run(f, NOW);
	WAITS(f, 2, "takes no jobs in state S: low.q@ada");
	assert_int_equal(started(f, 4), 1);
}

static void test_slots_of_tasks_that_run_or_are_suspended_count(void **state)
{
	struct fixture *f = *state;

	put_queues(f, "low.q=2");
	add(f, 1, "high.q@ada", "");
	run(f, NOW);
	take_orders(f);
	TELL(f, "{'event':'task_start','job_number':1,'task':1,'start_time':%lld,'granted':[{'queue':'high.q@ada','slots':1}]}", (long long)NOW);
	TELL(f, "{'event':'task_state','job_number':1,'task':1,'state':'s'}");
	add(f, 2, "high.q@ada", "");
	add(f, 3, "low.q@ada", "");
	run(f, NOW + 1);
	assert_int_equal(started(f, 2), 1);
	assert_int_equal(started(f, 3), 0);
}

static void test_slot_wise_lists_take_out_what_they_name_once_the_queue_is_full(void **state)
{
	struct fixture *f = *state;

	put_queues(f, "slots=1(low.q)");
	add(f, 1, "high.q@ada", "");
	add(f, 2, "low.q@ada", "");
	add(f, 3, "high.q@ada", "");
	add(f, 4, "low.q@ada", "");
	run(f, NOW);
	assert_int_equal(started(f, 2), 1);
	WAITS(f, 4, "takes no jobs in state S: low.q@ada");
}

static void test_a_task_that_reaches_into_both_queues_takes_out_the_lower_one(void **state)
{
	struct fixture *f = *state;

	put_queues(f, "low.q=1");
	add(f, 1, "high.q@ada,low.q@ada", ",'pe':'mpi','pe_range':'3'");
	add(f, 2, "low.q@ada", "");
	run(f, NOW);
	assert_int_equal(started(f, 1), 1);
	WAITS(f, 2, "takes no jobs in state S: low.q@ada");
}

/*
 * As a real 8.1.9 was seen to do: the job finds the queue, starts there, and is suspended at once.
 */
static void test_a_job_that_wants_a_reservation_finds_it_open_and_those_behind_it_do_not(void **state)
{
	struct fixture *f = *state;

	put_queues(f, "low.q");
	set_sched_conf(f, "max_reservation", "5");
	reload(f);
	add(f, 1, "high.q@ada", WITH_DURATION);
	add(f, 2, "high.q@ada", WITH_DURATION);
	add(f, 3, "low.q@ada", WITH_DURATION);
	add(f, 4, "low.q@ada", ",'hard_resource_list':'h_rt=500','reserve':true");
	add(f, 5, "low.q@ada", ",'hard_resource_list':'h_rt=400'");
	run(f, NOW);
	assert_int_equal(started(f, 3) + started(f, 5), 0);
	assert_int_equal(started(f, 4), 1);
}

static void test_a_full_queue_that_is_suspended_is_still_reserved(void **state)
{
	struct fixture *f = *state;

	put_queues(f, "low.q");
	set_sched_conf(f, "max_reservation", "5");
	reload(f);
	add(f, 1, "low.q@ada", WITH_DURATION ",'pe':'mpi','pe_range':'4'");
	add(f, 2, "high.q@ada", WITH_DURATION ",'pe':'mpi','pe_range':'2'");
	add(f, 3, "low.q@ada", RESERVED);
	run(f, NOW);
	assert_int_equal(started(f, 1) + started(f, 2), 2);
	assert_true(reserved(f, 3) > NOW);
}

static void test_each_run_begins_with_what_the_qmaster_has_told(void **state)
{
	struct fixture *f = *state;

	put_queues(f, "low.q=1");
	add(f, 1, "high.q@ada", "");
	add(f, 2, "low.q@ada", "");
	run(f, NOW);
	take_orders(f);
	assert_int_equal(started(f, 2), 0);
	TELL(f, DELETE "1}");
	TELL(f, "{'event':'queue_instance','queue':'low.q@ada','slots':4,'state':'S'}");
	run(f, NOW + 1);
	WAITS(f, 2, "takes no jobs in state S: low.q@ada");
	tell_instance(f, "low.q@ada", 4);
	run(f, NOW + 2);
	assert_int_equal(started(f, 2), 1);
}

static void test_what_runs_in_a_suspended_queue_is_not_in_the_schedule_of_that_queue(void **state)
{
	static const struct { const char *letters; bool is_told; } states[] = { { "", true }, { "S", false }, { "s", false }, { "d", true }, { "C", true } };
	struct schedule_lines lines = { 0 };
	struct fixture *f = *state;

	put_queues(f, "NONE");
	set_sched_conf(f, "max_reservation", "1");
	set_sched_conf(f, "params", "MONITOR=1");
	reload(f);
	sched_schedule(f->sched, &lines);
	add(f, 1, "low.q@ada", "");
	TELL(f, "{'event':'task_start','job_number':1,'task':1,'start_time':%lld,'granted':[{'queue':'low.q@ada','slots':1}]}", (long long)NOW);
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		schedule_begin(&lines);
		TELL(f, "{'event':'queue_instance','queue':'low.q@ada','slots':4,'state':'%s'}", states[i].letters);
		run(f, NOW + (int64_t)i);
		assert_int_equal(lines.text && strstr(lines.text, ":Q:low.q@ada:slots:"), states[i].is_told);
	}
	sched_schedule(f->sched, NULL);
	schedule_free(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_queue_is_out_once_its_superordinate_is_full_on_that_host_and_not_before),
		DISPATCH_TEST(test_a_threshold_counts_slots_and_one_beyond_them_is_never_reached),
		DISPATCH_TEST(test_slots_of_tasks_that_run_or_are_suspended_count),
		DISPATCH_TEST(test_slot_wise_lists_take_out_what_they_name_once_the_queue_is_full),
		DISPATCH_TEST(test_a_task_that_reaches_into_both_queues_takes_out_the_lower_one),
		DISPATCH_TEST(test_a_job_that_wants_a_reservation_finds_it_open_and_those_behind_it_do_not),
		DISPATCH_TEST(test_a_full_queue_that_is_suspended_is_still_reserved),
		DISPATCH_TEST(test_each_run_begins_with_what_the_qmaster_has_told),
		DISPATCH_TEST(test_what_runs_in_a_suspended_queue_is_not_in_the_schedule_of_that_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
