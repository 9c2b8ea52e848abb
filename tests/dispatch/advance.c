/* SPDX-License-Identifier: Apache-2.0 */
/* Resources reserved by qrsub(1) are kept free for the jobs that request the reservation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

#define ADVANCE "{'event':'advance_reservation','owner':'ann','number':"

/* An advance reservation of a queue with four slots on ada, from now on for an hour. */
#define BEGUN(slots) "'state':'r','start_time':1699999990,'end_time':1700003590,'granted':[{'queue':'all.q@ada','slots':" #slots "}]"
#define LATER(slots) "'start_time':1700001000,'end_time':1700004600,'granted':[{'queue':'all.q@ada','slots':" #slots "}]"

static int advance_setup(void **state)
{
	struct fixture *fixture;

	if (dispatch_setup(state))
		return -1;
	fixture = *state;
	set_sched_conf(fixture, "params", "DURATION_OFFSET=0,MONITOR=1");
	reload(fixture);
	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@bly'}");
	return 0;
}

#define ADVANCE_TEST(name) cmocka_unit_test_setup_teardown(name, advance_setup, teardown)

static void add_plain(struct fixture *fixture, uint32_t first, uint32_t last)
{
	for (uint32_t number = first; number <= last; number++)
		TELL(fixture, ADD "%u,'owner':'bob'}", number);
}

static unsigned started_of(const struct fixture *fixture, uint32_t first, uint32_t last)
{
	unsigned n = 0;

	for (uint32_t number = first; number <= last; number++)
		n += started(fixture, number);
	return n;
}

static void test_reserved_resources_are_not_granted_to_other_jobs(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADVANCE "7," BEGUN(3) "}");
	add_plain(fixture, 1, 4);
	run(fixture, NOW);
	assert_int_equal(started_of(fixture, 1, 4), 1);
	TELL(fixture, "{'event':'advance_reservation_delete','number':7}");
	run(fixture, NOW);
	assert_int_equal(started_of(fixture, 1, 4), 4);
}

static void test_a_job_of_a_reservation_starts_only_in_it(void **state)
{
	struct fixture *fixture = *state;

	report_instance(fixture, "all.q@bly", 4);
	TELL(fixture, ADVANCE "7," BEGUN(2) "}");
	for (unsigned number = 1; number <= 3; number++)
		TELL(fixture, ADD "%u,'owner':'bob','ar':7}", number);
	add_plain(fixture, 11, 16);
	run(fixture, NOW);
	assert_int_equal(started_of(fixture, 1, 3), 2);
	WAITS(fixture, 3, "is not part of advance reservation 7: all.q@bly");
	assert_int_equal(started_of(fixture, 11, 16), 6);
}

/* A job of a thousand seconds ends before the reservation begins. */
static void test_other_jobs_may_use_reserved_slots_until_the_reservation_begins(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADVANCE "7," LATER(4) "}");
	TELL(fixture, ADD "1,'owner':'bob','hard_resource_list':'h_rt=1000'}");
	TELL(fixture, ADD "2,'owner':'bob','hard_resource_list':'h_rt=1001'}");
	TELL(fixture, ADD "3,'owner':'bob'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	WAITS(fixture, 2, "slots are free, but kept for advance reservation 7 from ");
	WAITS(fixture, 3, "this one has no time limit");
	run(fixture, NOW + 4600);
	assert_int_equal(started_of(fixture, 2, 3), 2);
}

static void test_jobs_of_an_advance_reservation_wait_until_it_begins(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'bob','ar':7}");
	run(fixture, NOW);
	WAITS(fixture, 1, "there is no advance reservation 7");
	TELL(fixture, ADVANCE "7," LATER(4) "}");
	run(fixture, NOW + 2000);
	WAITS(fixture, 1, "advance reservation 7 does not begin before");
	TELL(fixture, ADVANCE "7,'state':'W'," LATER(4) "}");
	run(fixture, NOW + 2000);
	WAITS(fixture, 1, "advance reservation 7 does not begin before");
	TELL(fixture, ADVANCE "7,'state':'r'," LATER(4) "}");
	run(fixture, NOW + 2000);
	assert_int_equal(started(fixture, 1), 1);
}

static void test_a_hard_error_of_a_reservation_keeps_its_jobs_from_starting(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADVANCE "7,'state':'E','hard_error':true," LATER(4) "}");
	TELL(fixture, ADD "1,'owner':'bob','ar':7}");
	run(fixture, NOW);
	WAITS(fixture, 1, "advance reservation 7 is in error");
	TELL(fixture, ADVANCE "7,'state':'E'," LATER(4) "}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
}

/* The category does not matter: bob's job has the same requests. */
static void test_access_lists_decide_which_jobs_may_use_a_reservation(void **state)
{
	struct fixture *fixture = *state;
	char file[100];

	snprintf(file, sizeof(file), "usersets/dev");
	put(fixture, file, "name dev\ntype ACL\nfshare 0\noticket 0\nentries cal,@staff\n");
	reload(fixture);
	TELL(fixture, ADVANCE "7,'access_list':'ann,@dev','xaccess_list':'eve'," BEGUN(4) "}");
	TELL(fixture, ADD "1,'owner':'bob','ar':7}");
	TELL(fixture, ADD "2,'owner':'ann','ar':7}");
	TELL(fixture, ADD "3,'owner':'cal','ar':7}");
	TELL(fixture, ADD "4,'owner':'dot','group':'staff','ar':7}");
	TELL(fixture, ADD "5,'owner':'eve','group':'staff','ar':7}");
	run(fixture, NOW);
	WAITS(fixture, 1, "advance reservation 7 does not admit the owner");
	assert_int_equal(started_of(fixture, 2, 4), 3);
	WAITS(fixture, 5, "advance reservation 7 does not admit the owner");
}

/*
 * The reservation keeps two of five licences for each of its two slots. Other jobs find one
 * licence, its own jobs four.
 */
static void test_consumables_of_the_reservation_and_of_its_jobs_are_kept_free(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADVANCE "7,'hard_resource_list':'lic=2','granted_pe':'mpi'," BEGUN(2) "}");
	TELL(fixture, ADD "1,'owner':'bob','hard_resource_list':'lic=2'}");
	TELL(fixture, ADD "2,'owner':'bob','hard_resource_list':'lic=1'}");
	TELL(fixture, ADD "3,'owner':'ann','ar':7,'hard_resource_list':'lic=3'}");
	TELL(fixture, ADD "4,'owner':'ann','ar':7,'hard_resource_list':'lic=2'}");
	TELL(fixture, ADD "5,'owner':'ann','ar':7,'hard_resource_list':'mem=1G'}");
	run(fixture, NOW);
	WAITS(fixture, 1, "lic is free, but kept for advance reservation 7: global");
	assert_int_equal(started(fixture, 2), 1);
	assert_int_equal(started(fixture, 3), 1);
	WAITS(fixture, 4, "not enough lic is left: 1, and 2 is needed: all.q@ada");
	WAITS(fixture, 5, "does not have the requested mem");
}

/* Job 1 has requested another PE, which has no free slot. */
static void test_parallel_jobs_run_in_the_parallel_environment_of_their_reservation(void **state)
{
	struct fixture *fixture = *state;

	put_pe(fixture, "mpi", 3, "$fill_up");
	put_pe(fixture, "other", 1, "$fill_up");
	reload(fixture);
	TELL(fixture, ADVANCE "7,'granted_pe':'mpi'," BEGUN(2) "}");
	TELL(fixture, ADD "1,'owner':'ann','ar':7,'pe':'other','pe_range':'2'}");
	TELL(fixture, ADD "2,'owner':'bob','pe':'mpi','pe_range':'2'}");
	TELL(fixture, ADD "3,'owner':'bob','pe':'mpi','pe_range':'1'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	WAITS(fixture, 2, "mpi has too few slots left: 1, and 2 are needed");
	assert_int_equal(started(fixture, 3), 1);
}

static void test_quotas_do_not_count_for_jobs_of_a_reservation(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "rqs", "{\nname one\nenabled TRUE\nlimit users {*} to slots=1\n}\n");
	reload(fixture);
	TELL(fixture, ADVANCE "7," BEGUN(2) "}");
	TELL(fixture, ADD "1,'owner':'bob','ar':7}");
	TELL(fixture, ADD "2,'owner':'bob','ar':7}");
	TELL(fixture, ADD "3,'owner':'bob'}");
	TELL(fixture, ADD "4,'owner':'bob'}");
	run(fixture, NOW);
	assert_int_equal(started_of(fixture, 1, 2), 2);
	assert_int_equal(started(fixture, 3), 1);
	WAITS(fixture, 4, "resource quota one/1");
}

/* A task in the reservation counts inside it and takes no resources from other jobs. */
static void test_running_jobs_of_a_reservation_are_booked_inside_it(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADVANCE "7," BEGUN(2) "}");
	TELL(fixture, ADD "1,'owner':'bob','ar':7}");
	TELL(fixture,
	     "{'event':'task_start','job_number':1,'start_time':1699999995,'granted':[{'queue':'all.q@ada','slots':1}]}");
	TELL(fixture, ADD "2,'owner':'bob','ar':7}");
	TELL(fixture, ADD "3,'owner':'bob','ar':7}");
	add_plain(fixture, 11, 13);
	run(fixture, NOW);
	assert_int_equal(started(fixture, 2), 1);
	assert_int_equal(started(fixture, 3), 0);
	assert_int_equal(started_of(fixture, 11, 13), 2);
}

/*
 * Reservations of its jobs are inside it, after its running tasks. A job gets none before the
 * reservation has begun.
 */
static void test_reservations_for_jobs_of_an_advance_reservation_are_inside_it(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "max_reservation", "5");
	reload(fixture);
	TELL(fixture, ADVANCE "7,'granted_pe':'mpi'," BEGUN(2) "}");
	TELL(fixture, ADVANCE "8," LATER(1) "}");
	TELL(fixture, ADD "1,'owner':'bob','ar':7,'hard_resource_list':'h_rt=100'}");
	TELL(fixture,
	     ADD "2,'owner':'bob','ar':7,'reserve':true,'pe':'mpi','pe_range':'2','hard_resource_list':'h_rt=200'}");
	TELL(fixture, ADD "3,'owner':'bob','ar':7,'reserve':true,'hard_resource_list':'h_rt=300'}");
	TELL(fixture, ADD "4,'owner':'bob','ar':8,'reserve':true}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	assert_int_equal(reserved(fixture, 2), NOW + 100);
	assert_int_equal(reserved(fixture, 3), NOW + 300);
	assert_int_equal(reserved(fixture, 4), 0);
}

static void test_the_schedule_lists_usage_in_the_order_of_the_reservations_requests(void **state)
{
	struct fixture *fixture = *state;
	struct schedule_lines lines = { 0 };

	TELL(fixture, ADVANCE "7,'hard_resource_list':'mem=1G,lic=2','granted_pe':'mpi'," BEGUN(2) "}");
	TELL(fixture, ADD "1,'owner':'bob','ar':7,'pe':'mpi','pe_range':'2','hard_resource_list':'lic=1,mem=512'}");
	TELL(fixture,
	     "{'event':'task_start','job_number':1,'start_time':1699999995,'granted_pe':'mpi','granted':[{'queue':'all.q@ada','slots':2}]}");
	sched_schedule(fixture->sched, &lines);
	schedule_begin(&lines);
	run(fixture, NOW);
	assert_string_equal(lines.text, "::::::::\n");
	set_sched_conf(fixture, "max_reservation", "5");
	set_sched_conf(fixture, "default_duration", "0:10:0");
	reload(fixture);
	run(fixture, NOW);
	assert_string_equal(lines.text, "::::::::\n"
			    "1:1:RUNNING:1699999995:600:Q:all.q@ada:mem:1024.000000\n"
			    "1:1:RUNNING:1699999995:600:Q:all.q@ada:lic:2.000000\n"
			    "1:1:RUNNING:1699999995:600:Q:all.q@ada:slots:2.000000\n");
	schedule_free(&lines);
}

/* Only here does the usage of other jobs make a difference in time. */
/* The reservation begins later and keeps two of four slots, however many runs there have been. */
static void test_a_reservation_keeps_the_same_slots_in_each_run(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "params", "none");
	set_sched_conf(fixture, "max_reservation", "5");
	reload(fixture);
	TELL(fixture, ADVANCE "7," LATER(2) "}");
	for (int i = 0; i < 4; i++)
		run(fixture, NOW + i);
	TELL(fixture, ADD "1,'owner':'bob','pe':'mpi','pe_range':'2','hard_resource_list':'h_rt=7200'}");
	TELL(fixture, ADD "2,'owner':'bob','hard_resource_list':'h_rt=7200'}");
	run(fixture, NOW + 10);
	assert_int_equal(started(fixture, 1), 1);
	WAITS(fixture, 2, "slots are free, but kept for advance reservation 7 from ");
}

static void test_without_max_reservation_the_schedule_shows_other_jobs_in_reserved_resources(void **state)
{
	struct fixture *fixture = *state;
	struct schedule_lines lines = { 0 };

	set_sched_conf(fixture, "default_duration", "0:10:0");
	reload(fixture);
	report_instance(fixture, "all.q@bly", 4);
	TELL(fixture, ADVANCE "7,'hard_resource_list':'lic=1'," BEGUN(1) "}");
	TELL(fixture, ADD "1,'owner':'bob','pe':'mpi','pe_range':'2','hard_resource_list':'lic=1,mem=1'}");
	TELL(fixture,
	     "{'event':'task_start','job_number':1,'start_time':1699999995,'granted_pe':'mpi','granted':[{'queue':'all.q@ada','slots':1},"
	     "{'queue':'all.q@bly','slots':1}]}");
	TELL(fixture, ADD "2,'owner':'bob','hard_queue_list':'all.q@ada'}");
	sched_schedule(fixture->sched, &lines);
	schedule_begin(&lines);
	run(fixture, NOW);
	assert_int_equal(started(fixture, 2), 1);
	assert_string_equal(lines.text, "::::::::\n"
			    "1:1:RUNNING:1699999995:600:G:global:lic:2.000000\n"
			    "1:1:RUNNING:1699999995:600:Q:all.q@ada:slots:1.000000\n"
			    "2:1:STARTING:1700000000:600:Q:all.q@ada:slots:1.000000\n");
	schedule_free(&lines);
}

/*
 * Otherwise the second of its jobs, and not the run, would have to report that no slot is left for
 * job 3.
 */
static void test_jobs_of_an_advance_reservation_fill_a_queue_instance(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADVANCE "7," BEGUN(4) "}");
	for (unsigned number = 1; number <= 4; number++)
		TELL(fixture, ADD "%u,'owner':'bob','ar':7}", number);
	add_plain(fixture, 5, 5);
	run(fixture, NOW);
	assert_int_equal(started_of(fixture, 1, 4), 4);
	WAITS(fixture, 5, "jobs ahead of it took all free slots");
}

/* The reservation frees its resources, and its jobs become ordinary running jobs. */
static void test_a_job_that_outlives_its_reservation_is_booked_as_any_other(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADVANCE "7," BEGUN(4) "}");
	TELL(fixture, ADD "1,'owner':'bob','ar':7}");
	TELL(fixture,
	     "{'event':'task_start','job_number':1,'start_time':1699999995,'granted':[{'queue':'all.q@ada','slots':1}]}");
	TELL(fixture, "{'event':'advance_reservation_delete','number':7}");
	add_plain(fixture, 11, 14);
	run(fixture, NOW);
	assert_int_equal(started_of(fixture, 11, 14), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADVANCE_TEST(test_reserved_resources_are_not_granted_to_other_jobs),
		ADVANCE_TEST(test_a_job_of_a_reservation_starts_only_in_it),
		ADVANCE_TEST(test_other_jobs_may_use_reserved_slots_until_the_reservation_begins),
		ADVANCE_TEST(test_jobs_of_an_advance_reservation_wait_until_it_begins),
		ADVANCE_TEST(test_a_hard_error_of_a_reservation_keeps_its_jobs_from_starting),
		ADVANCE_TEST(test_access_lists_decide_which_jobs_may_use_a_reservation),
		ADVANCE_TEST(test_consumables_of_the_reservation_and_of_its_jobs_are_kept_free),
		ADVANCE_TEST(test_parallel_jobs_run_in_the_parallel_environment_of_their_reservation),
		ADVANCE_TEST(test_quotas_do_not_count_for_jobs_of_a_reservation),
		ADVANCE_TEST(test_running_jobs_of_a_reservation_are_booked_inside_it),
		ADVANCE_TEST(test_reservations_for_jobs_of_an_advance_reservation_are_inside_it),
		ADVANCE_TEST(test_the_schedule_lists_usage_in_the_order_of_the_reservations_requests),
		ADVANCE_TEST(test_a_reservation_keeps_the_same_slots_in_each_run),
		ADVANCE_TEST(test_without_max_reservation_the_schedule_shows_other_jobs_in_reserved_resources),
		ADVANCE_TEST(test_jobs_of_an_advance_reservation_fill_a_queue_instance),
		ADVANCE_TEST(test_a_job_that_outlives_its_reservation_is_booked_as_any_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
