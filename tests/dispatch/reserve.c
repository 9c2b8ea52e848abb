/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time at which pending jobs get their reservations, as decided by a real Grid Engine 8.1.9 in
 * the same cells.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

static void put_queue_of_pe(const struct fixture *fixture, const char *name, const char *pe)
{
	char file[100];

	snprintf(file, sizeof(file), "queue/%s", name);
	put_text(
		fixture, file,
		"qname %s\nhostlist ada\nseq_no 0\nslots 4\nqtype BATCH INTERACTIVE\npe_list %s\nh_rt INFINITY\ns_rt INFINITY\n",
		name, pe);
}

/*
 * Create a host, ada, with a.q and b.q of four slots each. Parallel jobs of PE a run in a.q, jobs
 * of PE b in b.q.
 */
static int reserve_setup(void **state)
{
	struct fixture *fixture;

	if (dispatch_setup(state))
		return -1;
	fixture = *state;
	set_sched_conf(fixture, "max_reservation", "5");
	set_sched_conf(fixture, "default_duration", "0:20:0");
	set_sched_conf(fixture, "params", "DURATION_OFFSET=0");
	put_queue_of_pe(fixture, "a.q", "a");
	put_queue_of_pe(fixture, "b.q", "b");
	put_pe(fixture, "a", 99, "$fill_up");
	put_pe(fixture, "b", 99, "$fill_up");
	reload(fixture);
	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@ada'}");
	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@bly'}");
	report_instance(fixture, "a.q@ada", 4);
	report_instance(fixture, "b.q@ada", 4);
	return 0;
}

#define RESERVE_TEST(name) cmocka_unit_test_setup_teardown(name, reserve_setup, teardown)

/* Otherwise no instance would be left in the list for job 6, and the run would end. */
static void test_reservations_that_begin_now_fill_no_instance(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "job_load_adjustments", "np_load_avg=0.01");
	put_queue(fixture, "a.q", "ada", "4", "load_thresholds slots=2\n");
	put_queue(fixture, "b.q", "ada", "1", "");
	reload(fixture);
	report_instance(fixture, "b.q@ada", 1);
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=500'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=500'}");
	TELL(fixture, ADD "3,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=60'}");
	TELL(fixture, ADD "4,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=60','reserve':true}");
	TELL(fixture, ADD "5,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=60','reserve':true}");
	TELL(fixture, ADD "6,'owner':'ann','hard_queue_list':'b.q'}");
	TELL(fixture, ADD "7,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=70','reserve':true}");
	run(fixture, NOW);
	assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 1 && started(fixture, 6) == 1);
	assert_int_equal(reserved(fixture, 4), NOW);
	assert_int_equal(reserved(fixture, 5), NOW);
	assert_int_equal(reserved(fixture, 7), NOW + 60);
}

/* The check is visible because a.q, overloaded since job 2, returns for job 4 and takes job 5. */
static void test_a_category_refused_without_a_reservation_is_checked_with_one(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "job_load_adjustments", "np_load_avg=0.01");
	put_queue(fixture, "a.q", "ada", "4", "load_thresholds slots=2\n");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'a.q'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_queue_list':'a.q'}");
	TELL(fixture, ADD "3,'owner':'ann','pe':'x*','pe_range':'2'}");
	TELL(fixture, ADD "4,'owner':'ann','pe':'x*','pe_range':'2','reserve':true}");
	TELL(fixture, ADD "5,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=60'}");
	run(fixture, NOW);
	assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 1);
	assert_int_equal(started(fixture, 5), 1);
	WAITS(fixture, 4, "x*");
}

/*
 * The smallest number of slots decides the time, with one slot from each host if the rule does not
 * divide it. Two slots need both hosts, although one host has three free slots then. If the rule
 * can divide no available number, no reservation is made.
 */
static void test_a_time_is_searched_for_the_fewest_slots_even_if_the_rule_does_not_divide_them(void **state)
{
	static const struct {
		const char *range;
		int64_t wait;
	} cases[] = { { "2-4", 500 }, { "3-4", 200 }, { "4-5", 0 }, { "2,4", 0 } };
	struct fixture *fixture = *state;

	put_pe(fixture, "a", 99, "3");
	put_text(fixture, "queue/c.q",
		 "qname c.q\nhostlist bly\nseq_no 0\nslots 4\nqtype BATCH\npe_list a\nh_rt INFINITY\n");
	reload(fixture);
	report_instance(fixture, "c.q@bly", 4);
	for (unsigned job = 1; job <= 4; job++) {
		TELL(fixture, ADD "%u,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=200'}", job);
		TELL(fixture, ADD "%u,'owner':'ann','hard_queue_list':'c.q','hard_resource_list':'h_rt=500'}", job + 4);
	}
	run(fixture, NOW);
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		TELL(fixture,
		     ADD "9,'owner':'ann','pe':'a','pe_range':'%s','hard_resource_list':'h_rt=60','reserve':true}",
		     cases[i].range);
		run(fixture, NOW);
		assert_int_equal(reserved(fixture, 9), cases[i].wait ? NOW + cases[i].wait : 0);
		TELL(fixture, DELETE "9}");
	}
}

/* Candidate times of parallel jobs */

/*
 * Job 1 in b.q ends after 100 s, job 2 in a.q after 500 s. Job 3 is a parallel job that requests
 * three slots of a.q.
 */
static void begin_at(struct fixture *fixture, const char *in_b, const char *wanted)
{
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'b.q','hard_resource_list':'h_rt=100%s'}", in_b);
	TELL(fixture, ADD "2,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=500'}");
	TELL(fixture, ADD "3,'owner':'ann','pe':'a','pe_range':'3','hard_resource_list':'h_rt=60%s','reserve':true}",
	     wanted);
	run(fixture, NOW);
	assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 1);
}

static void test_a_slot_freed_under_a_quota_elsewhere_is_no_candidate_time(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "rqs", "{\n name set0\n description NONE\n enabled TRUE\n limit users * to slots=4\n}\n");
	reload(fixture);
	begin_at(fixture, "", "");
	assert_int_equal(reserved(fixture, 3), NOW + 500);
}

static void test_a_default_consumption_adds_no_candidate_time(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "complex", COMPLEXES LICENCE "mem mem MEMORY <= YES YES 100M 0\n");
	put_host(fixture, "ada", "mem=1G", "np_load_avg=0.1,num_proc=4");
	reload(fixture);
	begin_at(fixture, ",mem=800M", "");
	assert_int_equal(reserved(fixture, 3), NOW + 500);
}

static void test_a_requested_resource_adds_candidate_times(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "complex", COMPLEXES LICENCE "mem mem MEMORY <= YES YES 100M 0\n");
	put_host(fixture, "ada", "mem=1G", "np_load_avg=0.1,num_proc=4");
	reload(fixture);
	begin_at(fixture, ",mem=800M", ",mem=100M");
	assert_int_equal(reserved(fixture, 3), NOW + 100);
}

static void test_without_candidate_times_no_later_time_is_found(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "complex", COMPLEXES LICENCE "excl excl BOOL EXCL YES YES 0 0\n");
	put_host(fixture, "ada", "excl=true", "np_load_avg=0.1,num_proc=4");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'b.q','hard_resource_list':'h_rt=100'}");
	TELL(fixture,
	     ADD "2,'owner':'ann','pe':'a','pe_range':'3','hard_resource_list':'h_rt=60,excl=true','reserve':true}");
	run(fixture, NOW);
	assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 0);
	assert_int_equal(reserved(fixture, 2), 0);
}

/* Load thresholds */

static void put_threshold(struct fixture *fixture, const char *threshold)
{
	put_text(
		fixture, "queue/a.q",
		"qname a.q\nhostlist ada\nseq_no 0\nslots 5\nqtype BATCH INTERACTIVE\npe_list a\nh_rt INFINITY\ns_rt INFINITY\n"
		"load_thresholds %s\n",
		threshold);
	reload(fixture);
	TELL(fixture, "{'event':'queue_instance_delete','queue':'b.q@ada'}");
	report_instance(fixture, "a.q@ada", 5);
}

/* From a load of 1 to the threshold of 3 Grid Engine counts three slots. */
static void test_no_more_is_reserved_than_the_load_allows(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "job_load_adjustments", "load_avg=1");
	put_host(fixture, "ada", "NONE", "load_avg=1,np_load_avg=0.1,num_proc=4");
	put_threshold(fixture, "load_avg=3");
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=100'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=200'}");
	TELL(fixture, ADD "3,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=200'}");
	TELL(fixture, ADD "4,'owner':'ann','pe':'a','pe_range':'4','hard_resource_list':'h_rt=60','reserve':true}");
	TELL(fixture, ADD "5,'owner':'ann','pe':'a','pe_range':'3','hard_resource_list':'h_rt=60','reserve':true}");
	run(fixture, NOW);
	assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 1 && started(fixture, 3) == 1);
	assert_int_equal(reserved(fixture, 4), 0);
	assert_int_equal(reserved(fixture, 5), NOW + 100);
}

/* A changed limit does not affect a task that started before the change. */
static void test_a_running_task_is_expected_to_end_at_its_limit_of_the_start(void **state)
{
#define RUNNING "{'event':'task_start','start_time':1700000000,'granted':[{'queue':'a.q@ada','slots':1}],'job_number':"
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'h_rt=100'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'h_rt=900'}");
	TELL(fixture, RUNNING "1,'wallclock_limit':500}");
	TELL(fixture, RUNNING "2,'wallclock_limit':300}");
	TELL(fixture, ADD "3,'owner':'ann','pe':'a','pe_range':'3','hard_resource_list':'h_rt=60','reserve':true}");
	run(fixture, NOW);
	assert_int_equal(reserved(fixture, 3), NOW + 300);
	TELL(fixture, "{'event':'task_finish','job_number':2}");
	TELL(fixture, ADD "4,'owner':'ann','hard_resource_list':'h_rt=900'}");
	TELL(fixture, RUNNING "4,'wallclock_limit':4294967295}");
	run(fixture, NOW);
	assert_int_equal(reserved(fixture, 3), NOW + 500);
	TELL(fixture, "{'event':'task_finish','job_number':1}");
	TELL(fixture, ADD "5,'owner':'ann','pe':'a','pe_range':'4','hard_resource_list':'h_rt=60','reserve':true}");
	run(fixture, NOW);
	assert_int_equal(reserved(fixture, 5), NOW + 1200);
}

/* The remaining amount of that time counts: four slots are free now, but one must stay free. */
static void test_a_threshold_on_a_consumable_counts_at_the_moment_reserved_for(void **state)
{
	struct fixture *fixture = *state;

	put_threshold(fixture, "slots=1");
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=100'}");
	TELL(fixture, ADD "2,'owner':'ann','pe':'a','pe_range':'4-5','hard_resource_list':'h_rt=60','reserve':true}");
	TELL(fixture, ADD "3,'owner':'ann','pe':'a','pe_range':'5','hard_resource_list':'h_rt=60','reserve':true}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	assert_int_equal(reserved(fixture, 2), NOW + 100);
	assert_int_equal(reserved(fixture, 3), 0);
}

static void test_a_load_without_capacity_cannot_be_booked_in_time(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "complex", COMPLEXES LICENCE MEMORY);
	put_host(fixture, "ada", "NONE", "mem=8G,np_load_avg=0.1,num_proc=4");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'mem=1G'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'mem=1G','pe':'a','pe_range':'1'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 0);
	WAITS(fixture, 1, "mem");
	assert_int_equal(started(fixture, 2), 1);
	set_sched_conf(fixture, "max_reservation", "0");
	reload(fixture);
	TELL(fixture,
	     "{'event':'advance_reservation','number':1,'owner':'ann','start_time':1700009000,'end_time':1700009999,"
	     "'granted':[{'queue':'a.q@ada','slots':1}]}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
}

/* Several PEs */

static void test_the_first_pe_with_slots_decides_the_time(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','pe':'b','pe_range':'3','hard_resource_list':'h_rt=100'}");
	TELL(fixture, ADD "2,'owner':'ann','pe':'a','pe_range':'3','hard_resource_list':'h_rt=300'}");
	TELL(fixture, ADD "3,'owner':'ann','pe':'?','pe_range':'2','hard_resource_list':'h_rt=60','reserve':true}");
	run(fixture, NOW);
	assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 1);
	assert_int_equal(reserved(fixture, 3), NOW + 300);
}

static const char *reserved_in(const struct schedule_lines *lines, uint32_t number)
{
	static char name[20];
	char before[60];
	const char *line;

	snprintf(before, sizeof(before), "\n%u:1:RESERVING:", (unsigned)number);
	line = strstr(lines->text, before);
	return line && sscanf(line + strlen(before), "%*u:%*u:P:%19[^:]", name) == 1 ? name : "";
}

/*
 * Job 1 has all of a.q for 300 s, and job 2 requests a range of its slots. Return the begin of its
 * reservation; 0: none.
 */
static int64_t range_from(struct fixture *fixture, const char *params, const char *range)
{
	set_sched_conf(fixture, "params", params);
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','pe':'a','pe_range':'4','hard_resource_list':'h_rt=300'}");
	TELL(fixture, ADD "2,'owner':'ann','pe':'a','pe_range':'%s','hard_resource_list':'h_rt=60','reserve':true}",
	     range);
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	return reserved(fixture, 2);
}

static void test_a_range_is_reserved_if_the_least_is_tried_first(void **state)
{
	assert_int_equal(range_from(*state, "DURATION_OFFSET=0,PE_RANGE_ALG=least", "2-4"), NOW + 300);
}

static void test_a_range_with_more_than_its_minimum_available_later_is_not_reserved(void **state)
{
	assert_int_equal(range_from(*state, "DURATION_OFFSET=0,PE_RANGE_ALG=bin", "2-4"), 0);
	WAITS((struct fixture *)*state, 2, "a");
}

static void test_a_range_with_only_its_minimum_available_later_is_reserved(void **state)
{
	assert_int_equal(range_from(*state, "DURATION_OFFSET=0,PE_RANGE_ALG=highest", "4-6"), NOW + 300);
}

/* One slot becomes available first and decides the time, although the rule needs two on a host. */
static void test_the_first_number_of_a_range_decides_the_time_for_any_rule(void **state)
{
	struct fixture *fixture = *state;

	put_pe(fixture, "a", 99, "2");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=100'}");
	for (int number = 2; number <= 4; number++)
		TELL(fixture, ADD "%d,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=500'}", number);
	TELL(fixture, ADD "5,'owner':'ann','pe':'a','pe_range':'1-3','hard_resource_list':'h_rt=60','reserve':true}");
	run(fixture, NOW);
	assert_int_equal(reserved(fixture, 5), NOW + 100);
}

static void test_soft_requests_choose_among_pes_with_slots_at_that_time(void **state)
{
	struct fixture *fixture = *state;
	struct schedule_lines lines = { 0 };

	set_sched_conf(fixture, "params", "DURATION_OFFSET=0,MONITOR=1");
	reload(fixture);
	schedule_begin(&lines);
	sched_schedule(fixture->sched, &lines);
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'a.q','hard_resource_list':'h_rt=300'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_queue_list':'b.q','hard_resource_list':'h_rt=300'}");
	TELL(fixture, ADD
	     "3,'owner':'ann','pe':'?','pe_range':'4','hard_resource_list':'h_rt=60','soft_queue_list':'b.q','reserve':true}");
	run(fixture, NOW);
	assert_int_equal(reserved(fixture, 3), NOW + 300);
	assert_string_equal(reserved_in(&lines, 3), "b");
	sched_schedule(fixture->sched, NULL);
	schedule_free(&lines);
}

static void put_exclusive_host(struct fixture *fixture)
{
	put(fixture, "complex", COMPLEXES LICENCE MEMORY "excl excl BOOL EXCL YES YES 0 0\n");
	put_host(fixture, "ada", "mem=8G,excl=true", "np_load_avg=0.1,num_proc=4");
	reload(fixture);
}

/*
 * A job that does not request exclusive use is first treated as if the other job's slot were free.
 * It then learns that the host is taken until later.
 */
static void test_one_slot_in_exclusive_use_delays_another_exclusive_job(void **state)
{
	struct fixture *fixture = *state;

	put_exclusive_host(fixture);
	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'excl=true,h_rt=300'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'h_rt=60','reserve':true}");
	TELL(fixture, ADD "3,'owner':'ann','hard_resource_list':'excl=true,h_rt=70','reserve':true}");
	TELL(fixture, ADD "4,'owner':'ann','hard_resource_list':'excl=false,h_rt=90','reserve':true}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	assert_int_equal(reserved(fixture, 2), NOW);
	assert_int_equal(reserved(fixture, 3), NOW + 300);
	assert_int_equal(reserved(fixture, 4), NOW);
}

static void test_several_slots_in_exclusive_use_delay_all_jobs(void **state)
{
	struct fixture *fixture = *state;

	put_exclusive_host(fixture);
	TELL(fixture, ADD "1,'owner':'ann','pe':'a','pe_range':'2','hard_resource_list':'excl=true,h_rt=300'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'h_rt=60','reserve':true}");
	TELL(fixture, ADD "3,'owner':'ann','hard_resource_list':'excl=false,h_rt=90','reserve':true}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	assert_int_equal(reserved(fixture, 2), NOW + 300);
	assert_int_equal(reserved(fixture, 3), NOW + 300);
}

/* b.q is full after a.q. While job 2 is checked, a.q is after it in the list, but not later. */
static void test_the_instance_that_was_full_first_is_reserved_first(void **state)
{
	struct fixture *fixture = *state;
	struct schedule_lines lines = { 0 };

	set_sched_conf(fixture, "params", "DURATION_OFFSET=0,MONITOR=1");
	set_sched_conf(fixture, "job_load_adjustments", "NONE");
	put_queue(fixture, "a.q", "ada", "1", "");
	put_queue(fixture, "b.q", "ada", "1", "");
	put_queue(fixture, "c.q", "ada", "1", "");
	reload(fixture);
	report_instance(fixture, "a.q@ada", 1);
	report_instance(fixture, "b.q@ada", 1);
	report_instance(fixture, "c.q@ada", 1);
	schedule_begin(&lines);
	sched_schedule(fixture->sched, &lines);
	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'h_rt=300','reserve':true}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'h_rt=300','reserve':true}");
	TELL(fixture, ADD "3,'owner':'ann','hard_queue_list':'a.q,b.q','hard_resource_list':'h_rt=60','reserve':true}");
	run(fixture, NOW);
	assert_int_equal(reserved(fixture, 3), NOW + 300);
	assert_non_null(strstr(lines.text, ":RESERVING:"));
	assert_non_null(strstr(strstr(lines.text, ":RESERVING:"), "a.q@ada"));
	sched_schedule(fixture->sched, NULL);
	schedule_free(&lines);
}

/*
 * a.q has four slots: one is used for 100 s, job 2 gets all of them after that, and three are free
 * until then.
 */
static void test_a_job_blocked_by_a_reservation_names_the_job_with_the_reservation(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, "{'event':'queue_instance_delete','queue':'b.q@ada'}");
	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'h_rt=100'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	TELL(fixture, ADD "2,'owner':'ann','pe':'a','pe_range':'4','reserve':true,'hard_resource_list':'h_rt=500'}");
	TELL(fixture, ADD "3,'owner':'ann','priority':-100,'hard_resource_list':'h_rt=14400'}");
	TELL(fixture, ADD "4,'owner':'ann','priority':-200,'pe':'a','pe_range':'2','hard_resource_list':'h_rt=7200'}");
	TELL(fixture, ADD "5,'owner':'ann','priority':-300,'hard_resource_list':'h_rt=100'}");
	TELL(fixture, ADD "6,'owner':'ann','priority':-400,'hard_resource_list':'h_rt=INFINITY'}");
	run(fixture, NOW);
	WAITS(fixture, 2, "resources are reserved for it at ");
	WAITS(fixture, 3,
	      "slots are free, but kept for job 2 from 11/14/2023 22:15:00 on: a job that ends by then could start, but this one takes 4:00:00: a.q@ada; ");
	WAITS(fixture, 4, "this one takes 2:00:00");
	WAITS(fixture, 6, "this one has no time limit");
	WAITS(fixture, 4, "too few slots were found for parallel environment a: 0, and 2 are needed");
	assert_int_equal(started(fixture, 5), 1);
	if (strstr(why_all(fixture, 3), "not enough slots"))
		fail_msg("the instance is also reported as used up: %s", why_all(fixture, 3));
}


int main(void)
{
	const struct CMUnitTest tests[] = {
		RESERVE_TEST(test_a_time_is_searched_for_the_fewest_slots_even_if_the_rule_does_not_divide_them),
		RESERVE_TEST(test_reservations_that_begin_now_fill_no_instance),
		RESERVE_TEST(test_a_category_refused_without_a_reservation_is_checked_with_one),
		RESERVE_TEST(test_a_slot_freed_under_a_quota_elsewhere_is_no_candidate_time),
		RESERVE_TEST(test_a_default_consumption_adds_no_candidate_time),
		RESERVE_TEST(test_a_requested_resource_adds_candidate_times),
		RESERVE_TEST(test_without_candidate_times_no_later_time_is_found),
		RESERVE_TEST(test_no_more_is_reserved_than_the_load_allows),
		RESERVE_TEST(test_a_running_task_is_expected_to_end_at_its_limit_of_the_start),
		RESERVE_TEST(test_a_threshold_on_a_consumable_counts_at_the_moment_reserved_for),
		RESERVE_TEST(test_a_load_without_capacity_cannot_be_booked_in_time),
		RESERVE_TEST(test_the_first_pe_with_slots_decides_the_time),
		RESERVE_TEST(test_a_range_is_reserved_if_the_least_is_tried_first),
		RESERVE_TEST(test_a_range_with_more_than_its_minimum_available_later_is_not_reserved),
		RESERVE_TEST(test_a_range_with_only_its_minimum_available_later_is_reserved),
		RESERVE_TEST(test_the_first_number_of_a_range_decides_the_time_for_any_rule),
		RESERVE_TEST(test_soft_requests_choose_among_pes_with_slots_at_that_time),
		RESERVE_TEST(test_one_slot_in_exclusive_use_delays_another_exclusive_job),
		RESERVE_TEST(test_several_slots_in_exclusive_use_delay_all_jobs),
		RESERVE_TEST(test_the_instance_that_was_full_first_is_reserved_first),
		RESERVE_TEST(test_a_job_blocked_by_a_reservation_names_the_job_with_the_reservation),
	};

	setenv("TZ", "UTC", 1);		/* reasons contain dates */
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
