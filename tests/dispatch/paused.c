/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs that only show what has changed: they decide, order nothing, and leave all to the next one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

/* Orders of a run, each as "KIND JOB.TASK; ". */
static const char *ordered(struct fixture *f, int64_t now, bool paused)
{
	static char text[1000];
	uint64_t after = sched_orders(f->sched)->last;

	sched_pause(f->sched, paused);
	run(f, now);
	text[0] = '\0';
	for (const struct order *o; (o = orders_after(sched_orders(f->sched), after)); after = o->number)
		sprintf(text + strlen(text), "%s %u.%u; ", o->kind == ORDER_START ? "start" : o->kind == ORDER_SUSPEND ? "suspend" :
			o->kind == ORDER_REMOVE ? "remove" : "other", o->job_number, o->task);
	return text;
}

static struct fl_job pending(const struct fixture *f, uint32_t number)
{
	struct fl_job job;

	assert_int_equal(fl_find(f->view, number, 0, &job), 0);
	assert_false(job.is_started);
	return job;
}

static void test_a_paused_run_orders_nothing_and_the_next_one_all(void **state)
{
	struct fixture *f = *state;

	TELL(f, ADD "1,'owner':'ann'}");
	TELL(f, ADD "2,'owner':'ann','tasks':'1-3'}");
	assert_string_equal(ordered(f, NOW, true), "");
	assert_string_equal(pending(f, 1).state, "qw");
	assert_int_equal(pending(f, 2).task, 1);
	assert_string_equal(ordered(f, NOW, true), "");
	assert_string_equal(ordered(f, NOW + 1, false), "start 1.1; start 2.1; start 2.2; start 2.3; ");
}

static void test_what_is_changed_is_seen_in_it(void **state)
{
	struct fixture *f = *state;

	TELL(f, ADD "1,'owner':'ann'}");
	ordered(f, NOW, true);
	TELL(f, "{'event':'job_modify','job_number':1,'hold':{'u':'1'}}");
	ordered(f, NOW, true);
	assert_string_equal(pending(f, 1).state, "hqw");
}

/* A task that would start waits for nothing; what it leaves no room for does. */
static void test_who_would_start_has_no_reason_to_wait(void **state)
{
	struct fixture *f = *state;
	struct fl_why why;

	TELL(f, ADD "1,'owner':'ann','hard_resource_list':'lic=5'}");
	TELL(f, ADD "2,'owner':'ann','hard_resource_list':'lic=4'}");
	ordered(f, NOW, true);
	assert_int_not_equal(fl_why(f->view, 1, 0, &why), 0);
	assert_int_equal(fl_why(f->view, 2, 0, &why), 0);
}

static void test_an_immediate_job_is_not_removed_by_it(void **state)
{
	struct fixture *f = *state;

	TELL(f, ADD "1,'owner':'ann','now':true,'hard_resource_list':'lic=6'}");
	assert_string_equal(ordered(f, NOW, true), "");
	assert_string_equal(ordered(f, NOW, false), "remove 1.0; ");
}

static void test_a_threshold_that_is_crossed_suspends_in_the_next_run(void **state)
{
	struct fixture *f = *state;

	put_queue(f, "all.q", "ada bly", "4", "suspend_thresholds np_load_avg=1\nnsuspend 1\nsuspend_interval 0:0:10\n");
	reload(f);
	TELL(f, ADD "1,'owner':'ann'}");
	TELL(f, "{'event':'task_start','job_number':1,'task':1,'start_time':%lld,'granted':[{'queue':'all.q@ada','slots':1}]}", (long long)NOW - 60);
	TELL(f, "{'event':'host_load','host':'ada','load_values':{'np_load_avg':'2','num_proc':'4'}}");
	assert_string_equal(ordered(f, NOW, true), "");
	assert_string_equal(ordered(f, NOW + 1, false), "suspend 1.1; ");
}

static void test_what_is_reserved_by_it_is_no_longer_there_behind_it(void **state)
{
	struct fixture *f = *state;

	set_sched_conf(f, "max_reservation", "10");
	reload(f);
	TELL(f, ADD "1,'owner':'ann','hard_resource_list':'lic=5,h_rt=100'}");
	TELL(f, ADD "2,'owner':'ann','hard_resource_list':'lic=5,h_rt=100','reserve':true}");
	for (int i = 0; i < 20; i++)
		assert_string_equal(ordered(f, NOW + i, true), "");
	assert_string_equal(ordered(f, NOW + 20, false), "start 1.1; ");
	TELL(f, DELETE "1}");
	assert_string_equal(ordered(f, NOW + 21, false), "start 2.1; ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_paused_run_orders_nothing_and_the_next_one_all),
		DISPATCH_TEST(test_what_is_changed_is_seen_in_it),
		DISPATCH_TEST(test_who_would_start_has_no_reason_to_wait),
		DISPATCH_TEST(test_an_immediate_job_is_not_removed_by_it),
		DISPATCH_TEST(test_a_threshold_that_is_crossed_suspends_in_the_next_run),
		DISPATCH_TEST(test_what_is_reserved_by_it_is_no_longer_there_behind_it),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
