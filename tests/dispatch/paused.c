/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs that only show changes: they decide, order no starts, and leave all starts to the next run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

/* Return the orders of a run, each as "KIND JOB.TASK; ". */
static const char *ordered(struct fixture *fixture, int64_t now, bool paused)
{
	static char text[1000];
	uint64_t after = sched_orders(fixture->sched)->last;

	sched_pause(fixture->sched, paused);
	run(fixture, now);
	text[0] = '\0';
	for (const struct order *order; (order = orders_after(sched_orders(fixture->sched), after));
	     after = order->number)
		sprintf(text + strlen(text), "%s %u.%u; ",
			order->kind == ORDER_START     ? "start"
			: order->kind == ORDER_SUSPEND ? "suspend"
			: order->kind == ORDER_REMOVE  ? "remove"
						       : "other",
			order->job_number, order->task);
	return text;
}

static struct fl_job pending(const struct fixture *fixture, uint32_t number)
{
	struct fl_job job;

	assert_int_equal(fl_find(fixture->view, number, 0, &job), 0);
	assert_false(job.is_started);
	return job;
}

static void test_a_paused_run_orders_no_start_and_the_next_run_orders_all(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann','tasks':'1-3'}");
	assert_string_equal(ordered(fixture, NOW, true), "");
	assert_string_equal(pending(fixture, 1).state, "qw");
	assert_int_equal(pending(fixture, 2).task, 1);
	assert_string_equal(ordered(fixture, NOW, true), "");
	assert_string_equal(ordered(fixture, NOW + 1, false), "start 1.1; start 2.1; start 2.2; start 2.3; ");
}

static void test_a_change_is_visible_in_a_paused_run(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	ordered(fixture, NOW, true);
	TELL(fixture, "{'event':'job_modify','job_number':1,'hold':{'u':'1'}}");
	ordered(fixture, NOW, true);
	assert_string_equal(pending(fixture, 1).state, "hqw");
}

/* A task that would start has no reason to wait. Tasks for which it leaves no slots have one. */
static void test_a_job_that_would_start_has_no_pending_reason(void **state)
{
	struct fixture *fixture = *state;
	struct fl_why why;

	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'lic=5'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'lic=4'}");
	ordered(fixture, NOW, true);
	assert_int_not_equal(fl_why(fixture->view, 1, 0, &why), 0);
	assert_int_equal(fl_why(fixture->view, 2, 0, &why), 0);
}

static void test_a_paused_run_does_not_remove_an_immediate_job(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','now':true,'hard_resource_list':'lic=6'}");
	assert_string_equal(ordered(fixture, NOW, true), "");
	assert_string_equal(ordered(fixture, NOW, false), "remove 1.0; ");
}

static void test_a_threshold_that_is_crossed_suspends_in_the_next_run(void **state)
{
	struct fixture *fixture = *state;

	put_queue(fixture, "all.q", "ada bly", "4",
		  "suspend_thresholds np_load_avg=1\nnsuspend 1\nsuspend_interval 0:0:10\n");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture,
	     "{'event':'task_start','job_number':1,'task':1,'start_time':%lld,'granted':[{'queue':'all.q@ada','slots':1}]}",
	     (long long)NOW - 60);
	TELL(fixture, "{'event':'host_load','host':'ada','load_values':{'np_load_avg':'2','num_proc':'4'}}");
	assert_string_equal(ordered(fixture, NOW, true), "");
	assert_string_equal(ordered(fixture, NOW + 1, false), "suspend 1.1; ");
}

static void test_reservations_of_a_paused_run_are_released_after_it(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "max_reservation", "10");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'lic=5,h_rt=100'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'lic=5,h_rt=100','reserve':true}");
	for (int i = 0; i < 20; i++)
		assert_string_equal(ordered(fixture, NOW + i, true), "");
	assert_string_equal(ordered(fixture, NOW + 20, false), "start 1.1; ");
	TELL(fixture, DELETE "1}");
	assert_string_equal(ordered(fixture, NOW + 21, false), "start 2.1; ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_paused_run_orders_no_start_and_the_next_run_orders_all),
		DISPATCH_TEST(test_a_change_is_visible_in_a_paused_run),
		DISPATCH_TEST(test_a_job_that_would_start_has_no_pending_reason),
		DISPATCH_TEST(test_a_paused_run_does_not_remove_an_immediate_job),
		DISPATCH_TEST(test_a_threshold_that_is_crossed_suspends_in_the_next_run),
		DISPATCH_TEST(test_reservations_of_a_paused_run_are_released_after_it),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
