/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells and events that contradict each other: jobs wait with a reason, or start. Running tasks
 * stay booked, and no check fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

#define GRANTED(queue, slots) "'granted':[{'queue':'" queue "','slots':" #slots "}]"

static uint64_t ordered(const struct fixture *fixture)
{
	return sched_orders(fixture->sched)->last;
}

/* Instances and hosts */

static void test_an_instance_on_an_unknown_host_accepts_jobs(void **state)
{
	struct fixture *fixture = *state;

	report_instance(fixture, "all.q@nowhere", 4);
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'all.q@nowhere'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
}

static void test_an_instance_of_an_unknown_queue_is_left_out(void **state)
{
	struct fixture *fixture = *state;

	report_instance(fixture, "lost.q@ada", 4);
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'lost.q'}");
	run(fixture, NOW);
	WAITS(fixture, 1, "not among the requested queues lost.q");
	assert_int_equal(ordered(fixture), 0);
}

static void test_a_task_in_an_unknown_queue_still_uses_its_licences(void **state)
{
	struct fixture *fixture = *state;

	report_instance(fixture, "lost.q@ada", 4);
	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'lic=5,mem=8G'}");
	TELL(fixture, "{'event':'task_start','start_time':1699999500," GRANTED("lost.q@ada", 1) ",'job_number':1}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'lic=1'}");
	TELL(fixture, ADD "3,'owner':'ann','hard_resource_list':'mem=1G','hard_queue_list':'all.q@ada'}");
	run(fixture, NOW);
	WAITS(fixture, 2, "not enough lic is left");
	WAITS(fixture, 3, "not enough mem is left");
	TELL(fixture, FINISH "1}");
	run(fixture, NOW + 1);
	assert_true(started(fixture, 2) == 1 && started(fixture, 3) == 1);
}

static void test_a_task_in_a_deleted_instance_still_uses_its_licences(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'lic=5,mem=8G'}");
	TELL(fixture, "{'event':'task_start','start_time':1699999500," GRANTED("all.q@ada", 1) ",'job_number':1}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'lic=1'}");
	run(fixture, NOW);
	WAITS(fixture, 2, "not enough lic is left");
	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@ada'}");
	run(fixture, NOW + 1);
	WAITS(fixture, 2, "not enough lic is left");
	report_instance(fixture, "all.q@ada", 4);
	TELL(fixture, ADD "3,'owner':'ann','hard_resource_list':'mem=1G','hard_queue_list':'all.q@ada'}");
	run(fixture, NOW + 2);
	WAITS(fixture, 2, "not enough lic is left");
	WAITS(fixture, 3, "not enough mem is left");
}

static void test_a_host_that_disappears_accepts_no_jobs_until_it_returns(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, "{'event':'task_start','start_time':1699999500," GRANTED("all.q@ada", 3) ",'job_number':1}");
	TELL(fixture, "{'event':'host_state','host':'ada','available':false}");
	TELL(fixture, "{'event':'host_state','host':'bly','available':false}");
	TELL(fixture, ADD "2,'owner':'ann','tasks':'1-2','hard_queue_list':'all.q@ada'}");
	run(fixture, NOW);
	WAITS(fixture, 2, "the host is not available");
	TELL(fixture, "{'event':'host_state','host':'ada','available':true}");
	run(fixture, NOW + 1);
	assert_int_equal(started(fixture, 2), 1);
	run(fixture, NOW + 2);
	assert_int_equal(free_slots(fixture), 0);
}

static void test_fewer_slots_than_running_tasks_count_as_zero(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, "{'event':'task_start','start_time':1699999500," GRANTED("all.q@ada", 4) ",'job_number':1}");
	report_instance(fixture, "all.q@ada", 2);
	report_instance(fixture, "all.q@bly", 0);
	TELL(fixture, ADD "2,'owner':'ann'}");
	TELL(fixture, ADD "3,'owner':'ann','pe':'mpi','pe_range':'1-9'}");
	run(fixture, NOW);
	WAITS(fixture, 2, "no slot is free");
	WAITS(fixture, 3, "no slot is free");
	assert_int_equal(free_slots(fixture), 0);
}

/* Objects that the cell no longer has */

static void test_a_complex_may_disappear_while_jobs_request_it(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'lic=3'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'lic=3'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	WAITS(fixture, 2, "not enough lic is left");
	put_host(fixture, "global", "NONE", "NONE");
	put(fixture, "complex", COMPLEXES MEMORY);
	reload(fixture);
	run(fixture, NOW + 1);
	WAITS(fixture, 2, "does not have the requested lic=3");
	put(fixture, "complex", COMPLEXES MEMORY LICENCE);
	put_host(fixture, "global", "lic=6", "NONE");
	reload(fixture);
	run(fixture, NOW + 2);
	assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 1);
}

static void test_less_capacity_than_bookings_counts_as_zero(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'lic=4'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	put_host(fixture, "global", "lic=2", "NONE");
	reload(fixture);
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'lic=1'}");
	TELL(fixture, ADD "3,'owner':'ann','pe':'mpi','pe_range':'2-4','hard_resource_list':'lic=1'}");
	TELL(fixture, ADD "4,'owner':'ann'}");
	run(fixture, NOW + 1);
	WAITS(fixture, 2, "not enough lic is left: -2, and 1 is needed");
	WAITS(fixture, 3, "not enough lic is left");
	assert_int_equal(started(fixture, 4), 1);
	assert_int_equal(sched_orders(fixture->sched)->withheld, 0);
}

static void test_a_task_in_a_deleted_pe_keeps_its_slots(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'8','hard_resource_list':'mem=2G'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	put_away(fixture, "pe/mpi");
	put_text(fixture, "queue/all.q", "qname all.q\nhostlist ada bly\nseq_no 0\nslots 4\n");
	reload(fixture);
	TELL(fixture, ADD "2,'owner':'ann'}");
	TELL(fixture, ADD "3,'owner':'ann','pe':'mpi','pe_range':'2'}");
	run(fixture, NOW + 1);
	assert_int_equal(free_slots(fixture), 0);
	WAITS(fixture, 2, "no slot is free");
	WAITS(fixture, 3, "no slot is free");
	report_instance(fixture, "all.q@ada", 7);
	run(fixture, NOW + 2);
	WAITS(fixture, 3, "there is no parallel environment mpi");
	assert_int_equal(started(fixture, 2), 1);
}

/* The job waits for one PE, and its task runs in another. */
static void test_a_task_in_another_pe_than_requested_keeps_its_slots(void **state)
{
	struct fixture *fixture = *state;

	put_pe(fixture, "smp", 100, "$pe_slots");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'4'}");
	TELL(fixture, "{'event':'task_start','start_time':1699999500," GRANTED(
			      "all.q@ada", 4) ",'granted_pe':'smp','job_number':1}");
	TELL(fixture, ADD "2,'owner':'ann'}");
	TELL(fixture, "{'event':'task_start','start_time':1699999500," GRANTED(
			      "all.q@bly", 4) ",'granted_pe':'gone','job_number':2}");
	run(fixture, NOW);
	assert_int_equal(free_slots(fixture), 0);
}

/* Loads and quotas */

static void test_loads_that_are_no_numbers_count_as_missing(void **state)
{
	struct fixture *fixture = *state;

	put_queue(fixture, "all.q", "ada bly", "4", "load_thresholds np_load_avg=1.75\n");
	reload(fixture);
	TELL(fixture, "{'event':'host_load','host':'ada','load_values':{'np_load_avg':'busy','num_proc':'many'}}");
	TELL(fixture, "{'event':'host_load','host':'bly','load_values':{'np_load_avg':'nan','num_proc':-7}}");
	TELL(fixture, ADD "1,'owner':'ann'}");
	run(fixture, NOW);
	WAITS(fixture, 1, "load is beyond the threshold np_load_avg=1.75");
	TELL(fixture, "{'event':'host_load','host':'bly','load_values':{'np_load_avg':0.5,'num_proc':0}}");
	run(fixture, NOW + 1);
	assert_int_equal(started(fixture, 1), 1);
	assert_string_equal(row(fixture, 1, 0).queue, "all.q@bly");
}

static void test_hosts_without_loads_of_the_formula_are_last(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, "{'event':'host_load','host':'ada','load_values':{}}");
	TELL(fixture, ADD "1,'owner':'ann'}");
	run(fixture, NOW);
	assert_string_equal(row(fixture, 1, 0).queue, "all.q@bly");
}

static void test_a_quota_on_a_missing_object_is_a_fault_of_the_cell(void **state)
{
	struct fixture *fixture = *state;
	struct report report = { 0 };

	put(fixture, "rqs", "{\n name q\n description NONE\n enabled TRUE\n limit users {*} to nothing=1\n}\n");
	if (sched_reload(fixture->sched, &report, &fixture->error) == 0) {
		TELL(fixture, ADD "1,'owner':'ann'}");
		run(fixture, NOW);
		assert_int_equal(started(fixture, 1), 1);
	} else {
		assert_true(report.faults > 0);
	}
	report_free(&report);
}

/* Jobs without access */

static void test_a_job_that_can_never_start_gets_no_reservation(void **state)
{
	struct fixture *fixture = *state;
	struct schedule_lines lines = { 0 };

	put_text(fixture, "usersets/wheel", "name wheel\ntype ACL\nfshare 0\noticket 0\nentries root\n");
	put(fixture, "global_conf", "enforce_user none\nmax_aj_instances 2000\nmax_aj_tasks 75000\nuser_lists wheel\n");
	set_sched_conf(fixture, "max_reservation", "5");
	set_sched_conf(fixture, "default_duration", "0:10:0");
	set_sched_conf(fixture, "params", "MONITOR=1");
	reload(fixture);
	sched_schedule(fixture->sched, &lines);
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, "{'event':'task_start','start_time':1699999500," GRANTED("all.q@ada", 4) ",'job_number':1}");
	TELL(fixture, ADD "2,'owner':'ann','reserve':true,'hard_queue_list':'all.q@ada'}");
	schedule_begin(&lines);
	run(fixture, NOW);
	WAITS(fixture, 2, "user_lists does not admit the owner");
	assert_null(strstr(lines.text, "RESERVING"));
	sched_schedule(fixture->sched, NULL);
	schedule_free(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_an_instance_on_an_unknown_host_accepts_jobs),
		DISPATCH_TEST(test_an_instance_of_an_unknown_queue_is_left_out),
		DISPATCH_TEST(test_a_task_in_an_unknown_queue_still_uses_its_licences),
		DISPATCH_TEST(test_a_task_in_a_deleted_instance_still_uses_its_licences),
		DISPATCH_TEST(test_a_host_that_disappears_accepts_no_jobs_until_it_returns),
		DISPATCH_TEST(test_fewer_slots_than_running_tasks_count_as_zero),
		DISPATCH_TEST(test_a_complex_may_disappear_while_jobs_request_it),
		DISPATCH_TEST(test_less_capacity_than_bookings_counts_as_zero),
		DISPATCH_TEST(test_a_task_in_a_deleted_pe_keeps_its_slots),
		DISPATCH_TEST(test_a_task_in_another_pe_than_requested_keeps_its_slots),
		DISPATCH_TEST(test_loads_that_are_no_numbers_count_as_missing),
		DISPATCH_TEST(test_hosts_without_loads_of_the_formula_are_last),
		DISPATCH_TEST(test_a_quota_on_a_missing_object_is_a_fault_of_the_cell),
		DISPATCH_TEST(test_a_job_that_can_never_start_gets_no_reservation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
