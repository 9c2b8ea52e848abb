/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Effects of quotas in Grid Engine 8.1.9 other than their limits: jobs that wait together with
 * another job, and instances that are not tried again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

#define SET(rules) "{\n   name s\n   description NONE\n   enabled TRUE\n" rules "}\n"

/* Write the quota rules. Jobs are handled in the order of their numbers. */
static void put_quotas(struct fixture *fixture, const char *rules)
{
	set_sched_conf(fixture, "weight_ticket", "0");
	set_sched_conf(fixture, "weight_urgency", "0");
	put_project(fixture, "green");
	put_project(fixture, "blue");
	put_text(fixture, "rqs", SET("%s"), rules);
	reload(fixture);
}

/* Categories */

/*
 * The projects have separate counts but are in one category. When red's second job has to wait,
 * green's job is not tried either.
 */
static void test_unnamed_projects_wait_with_each_other(void **state)
{
	struct fixture *fixture = *state;

	put_quotas(fixture, "   limit projects {!blue} to slots=1\n");
	TELL(fixture, ADD "1,'owner':'ann','project':'red'}");
	TELL(fixture, ADD "2,'owner':'ann','project':'red'}");
	TELL(fixture, ADD "3,'owner':'ann','project':'green'}");
	TELL(fixture, ADD "4,'owner':'ann'}");
	TELL(fixture, ADD "5,'owner':'ann','project':'blue'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	WAITS(fixture, 2, "s/1");
	WAITS(fixture, 3, "s/1");
	WAITS(fixture, 4, "s/1");
	assert_int_equal(started(fixture, 5), 1);
}

static void test_unnamed_projects_have_separate_counts(void **state)
{
	struct fixture *fixture = *state;

	put_quotas(fixture, "   limit projects {!blue} to slots=1\n");
	TELL(fixture, ADD "1,'owner':'ann','project':'red'}");
	TELL(fixture, ADD "2,'owner':'ann','project':'green'}");
	TELL(fixture, ADD "3,'owner':'ann'}");
	TELL(fixture, ADD "4,'owner':'ann','project':'green'}");
	run(fixture, NOW);
	assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 1 && started(fixture, 3) == 1);
	WAITS(fixture, 4, "s/1");
}

/* Instances that are not tried again */

/* Add a queue on the same hosts. ada comes before bly. */
static void put_second_queue(struct fixture *fixture)
{
	put_queue(fixture, "b.q", "ada bly", "4", "");
	reload(fixture);
	report_instance(fixture, "b.q@ada", 4);
	report_instance(fixture, "b.q@bly", 4);
}

static void test_quotas_are_checked_for_instances_that_the_job_may_not_use(void **state)
{
	struct fixture *fixture = *state;

	put_quotas(fixture, "   limit queues all.q hosts {*} to slots=1\n");
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'all.q@ada'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_queue_list':'all.q@bly'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	WAITS(fixture, 2, "s/1");
}

static void test_an_excluded_queue_is_checked_once(void **state)
{
	struct fixture *fixture = *state;

	put_second_queue(fixture);
	put_quotas(fixture, "   limit queues {*} hosts bly to slots=1\n");
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'all.q@bly'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_queue_list':'b.q@bly'}");
	run(fixture, NOW);
	assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 1);
}

static void test_an_excluded_instance_of_a_category_is_checked_once(void **state)
{
	struct fixture *fixture = *state;

	put_quotas(fixture, "   limit queues all.q hosts {*} to slots=2\n");
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'all.q@bly'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_queue_list':'all.q@ada'}");
	TELL(fixture, ADD "3,'owner':'ann','hard_queue_list':'all.q@ada'}");
	TELL(fixture, ADD "4,'owner':'ann','hard_queue_list':'all.q@bly'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 4), 1);
}

static void test_a_host_that_failed_is_not_checked_in_other_queues(void **state)
{
	struct fixture *fixture = *state;

	put_second_queue(fixture);
	put_quotas(fixture, "   limit queues b.q hosts {*} to slots=1\n");
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'b.q@ada','hard_resource_list':'mem=8G'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_queue_list':'all.q@ada,b.q','hard_resource_list':'mem=1G'}");
	TELL(fixture, ADD "3,'owner':'ann','hard_queue_list':'b.q'}");
	run(fixture, NOW);
	assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 1);
	WAITS(fixture, 3, "s/1");
}

/* The request of the queue decides, so the quota of its host is still checked. */
static void test_a_queue_that_demands_a_resource_fails_before_its_host(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "complex", COMPLEXES LICENCE MEMORY "only o BOOL == FORCED NO 0 0\n");
	put_queue(fixture, "all.q", "ada bly", "4", "complex_values only=TRUE\n");
	put_second_queue(fixture);
	put_quotas(fixture, "   limit queues b.q hosts {*} to slots=1\n");
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'b.q@ada','hard_resource_list':'mem=8G'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_queue_list':'all.q,b.q','hard_resource_list':'mem=1G'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	WAITS(fixture, 2, "s/1");
}

/*
 * Start a task that fills ada and gives it another number than `global`. ada is still before bly,
 * because the queue list is sorted.
 */
static void fill_ada(struct fixture *fixture)
{
	put_host(fixture, "ada", "mem=8G", "np_load_avg=0,num_proc=4");
	set_sched_conf(fixture, "max_reservation", "1");
	set_sched_conf(fixture, "job_load_adjustments", "np_load_avg=0.01");
	set_sched_conf(fixture, "load_adjustment_decay_time", "0:7:30");
	put_quotas(fixture, "   limit queues all.q hosts {*} to slots=1\n");
	report_instance(fixture, "all.q@ada", 1);
	TELL(fixture, ADD "1,'owner':'ann'}");
}

static void test_quotas_are_checked_for_full_instances_that_may_be_reserved(void **state)
{
	struct fixture *fixture = *state;

	fill_ada(fixture);
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'h_rt=60','reserve':true}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	WAITS(fixture, 2, "s/1");
}

static void test_quotas_are_not_checked_for_instances_that_left_the_list(void **state)
{
	struct fixture *fixture = *state;

	fill_ada(fixture);
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'h_rt=60'}");
	run(fixture, NOW);
	assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 1);
}

/* Fill one slot on each host. b.q has no slot left on ada. */
static void give_one_each(struct fixture *fixture)
{
	put_pe(fixture, "mpi", 100, "1");
	put_second_queue(fixture);
	put_quotas(fixture, "   limit queues b.q hosts {*} to slots=1\n");
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'b.q@ada'}");
}

static void test_quotas_are_checked_for_instances_that_a_parallel_job_does_not_need(void **state)
{
	struct fixture *fixture = *state;

	give_one_each(fixture);
	TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'2','hard_queue_list':'all.q@ada,b.q'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	WAITS(fixture, 2, "s/1");
}

static void test_quotas_are_not_checked_for_instances_that_a_parallel_job_may_not_use(void **state)
{
	struct fixture *fixture = *state;

	give_one_each(fixture);
	TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'2','hard_queue_list':'all.q@ada,b.q@bly'}");
	run(fixture, NOW);
	assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 1);
}

/*
 * From 1060 on b.q on ada and all.q on bly have free slots. While the rule leaves no slots to all.q
 * on ada it excludes all of all.q: at that time, but not at the time tried before.
 */
static void test_a_queue_excluded_at_a_time_is_not_reserved_for_it(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "max_reservation", "1");
	put_queue(fixture, "all.q", "ada bly", "1", "");
	put_queue(fixture, "b.q", "ada", "1", "");
	put_queue(fixture, "free.q", "bly", "1", "");
	put_quotas(fixture, "   limit queues all.q hosts {*} to slots=1\n");
	report_instance(fixture, "free.q@bly", 1);
	report_instance(fixture, "all.q@ada", 1);
	report_instance(fixture, "all.q@bly", 1);
	report_instance(fixture, "b.q@ada", 1);
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'all.q@ada','hard_resource_list':'h_rt=2000'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_queue_list':'b.q@ada','hard_resource_list':'h_rt=1000'}");
	TELL(fixture, ADD "3,'owner':'ann','hard_queue_list':'all.q@bly','hard_resource_list':'h_rt=500'}");
	TELL(fixture, ADD "4,'owner':'ann','pe':'mpi','pe_range':'2','hard_queue_list':'all.q,b.q','reserve':true}");
	run(fixture, NOW);
	assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 1 && started(fixture, 3) == 1);
	assert_int_equal(reserved(fixture, 4), NOW + 2060);
}

/*
 * cor has free slots now. Once the rule rejects bly, all.q is excluded up to the time that was
 * found for ada.
 */
static void test_a_rule_without_an_earlier_time_excludes_a_queue(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "max_reservation", "1");
	put_host(fixture, "cor", "NONE", "np_load_avg=0.3,num_proc=4");
	put_queue(fixture, "all.q", "ada bly cor", "4", "");
	put_quotas(fixture, "   limit queues all.q hosts {*} to slots=1\n");
	report_instance(fixture, "all.q@cor", 4);
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'all.q@bly','hard_resource_list':'h_rt=800'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_queue_list':'all.q@ada','hard_resource_list':'h_rt=500'}");
	TELL(fixture, ADD "3,'owner':'ann','reserve':true}");
	run(fixture, NOW);
	assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 1);
	assert_int_equal(reserved(fixture, 3), NOW + 560);
}

/* Limits on non-consumables */

static void test_a_limit_on_a_non_consumable_bounds_each_request(void **state)
{
	struct fixture *fixture = *state;

	put_quotas(fixture, "   limit users {*} to h_rt=600\n");
	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'h_rt=500'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'h_rt=600'}");
	TELL(fixture, ADD "3,'owner':'ann','hard_resource_list':'h_rt=601'}");
	TELL(fixture, ADD "4,'owner':'ann'}");
	run(fixture, NOW);
	assert_true(started(fixture, 1) == 1 && started(fixture, 2) == 1 && started(fixture, 4) == 1);
	WAITS(fixture, 3, "s/1: h_rt");
}

static void test_a_limit_on_a_non_consumable_stops_parallel_jobs_that_request_it(void **state)
{
	struct fixture *fixture = *state;

	put_quotas(fixture, "   limit users {*} to h_rt=600\n");
	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'2','hard_resource_list':'h_rt=10'}");
	TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'2'}");
	run(fixture, NOW);
	WAITS(fixture, 1, "s/1: h_rt");
	assert_int_equal(started(fixture, 2), 1);
}

static void test_a_limit_on_a_forced_resource_refuses_jobs_without_the_request(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "complex", COMPLEXES LICENCE MEMORY "only o BOOL == FORCED NO 0 0\n");
	put_quotas(fixture, "   limit users {*} to only=1\n");
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'2'}");
	run(fixture, NOW);
	WAITS(fixture, 1, "s/1: only");
	assert_int_equal(started(fixture, 2), 1);
}

/*
 * Recorded: the request, which may be a pattern, is compared with the limit. The values of queue
 * and host have no effect.
 */
static void test_a_limit_on_a_text_must_match_the_request(void **state)
{
	static const struct { const char *request; bool starts;
	} jobs[] = {
		{ "text=ab?", true },	{ "text=abd", true },	     { "text=abc|abd", true }, { "text=abc", false },
		{ "text=ABD", false },	{ "caseless=X*", true },     { "caseless=y", false },  { "other=y", true },
		{ "other=b*", false },	{ "pattern=b*&!bad", true }, { "pattern=bad", false }, { "place=ADA", true },
		{ "place=bly", false }, { "flag=TRUE", false },	     { "flag=FALSE", true },   { NULL, true },
	};
	struct fixture *fixture = *state;

	put(fixture, "complex",
	    COMPLEXES LICENCE MEMORY
	    "text te STRING == YES NO NONE 0\ncaseless ca CSTRING == YES NO NONE 0\n"
	    "other ot CSTRING != YES NO NONE 0\npattern pa RESTRING == YES NO NONE 0\nplace pl HOST == YES NO NONE 0\n"
	    "flag fl BOOL == YES NO 0 0\n");
	put_queue(fixture, "all.q", "ada", "30", "complex_values text=abc,caseless=x,other=ok,pattern=b,place=ada\n");
	put_queue(fixture, "b.q", "ada", "30",
		  "complex_values text=abd,caseless=y,other=z,pattern=bad,place=bly,flag=FALSE\n");
	put_queue(fixture, "c.q", "ada", "30", "complex_values flag=TRUE,text=x\n");
	put_quotas(fixture, "   limit users {*} to text=abd,caseless=X,other=bx,pattern=ba,place=ada,flag=FALSE\n");
	for (const char **queue = (const char *[]){ "all.q@ada", "b.q@ada", "c.q@ada", NULL }; *queue; queue++)
		report_instance(fixture, *queue, 30);
	for (uint32_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
		TELL(fixture, ADD "%u,'owner':'ann'%s%s%s}", i + 1, jobs[i].request ? ",'hard_resource_list':'" : "",
		     jobs[i].request ? jobs[i].request : "", jobs[i].request ? "'" : "");
	TELL(fixture, ADD "100,'owner':'ann','pe':'mpi','pe_range':'2','hard_resource_list':'text=abd'}");
	run(fixture, NOW);
	for (uint32_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
		if ((started(fixture, i + 1) == 1) != jobs[i].starts)
			fail_msg("%s: %s", jobs[i].request, why_all(fixture, i + 1));
	WAITS(fixture, 4, "s/1: text");
	WAITS(fixture, 100, "s/1: text");
}

static void test_reservations_do_not_exceed_a_limit_on_a_non_consumable(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "max_reservation", "1");
	put_quotas(fixture, "   limit users {*} to h_rt=600\n");
	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'h_rt=601','reserve':true}");
	run(fixture, NOW);
	if (strstr(why_all(fixture, 1), "reserved"))
		fail_msg("%s", why_all(fixture, 1));
	WAITS(fixture, 1, "s/1: h_rt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_unnamed_projects_wait_with_each_other),
		DISPATCH_TEST(test_unnamed_projects_have_separate_counts),
		DISPATCH_TEST(test_quotas_are_checked_for_instances_that_the_job_may_not_use),
		DISPATCH_TEST(test_an_excluded_queue_is_checked_once),
		DISPATCH_TEST(test_an_excluded_instance_of_a_category_is_checked_once),
		DISPATCH_TEST(test_a_host_that_failed_is_not_checked_in_other_queues),
		DISPATCH_TEST(test_a_queue_that_demands_a_resource_fails_before_its_host),
		DISPATCH_TEST(test_quotas_are_checked_for_full_instances_that_may_be_reserved),
		DISPATCH_TEST(test_quotas_are_not_checked_for_instances_that_left_the_list),
		DISPATCH_TEST(test_quotas_are_checked_for_instances_that_a_parallel_job_does_not_need),
		DISPATCH_TEST(test_quotas_are_not_checked_for_instances_that_a_parallel_job_may_not_use),
		DISPATCH_TEST(test_a_queue_excluded_at_a_time_is_not_reserved_for_it),
		DISPATCH_TEST(test_a_rule_without_an_earlier_time_excludes_a_queue),
		DISPATCH_TEST(test_a_limit_on_a_non_consumable_bounds_each_request),
		DISPATCH_TEST(test_a_limit_on_a_non_consumable_stops_parallel_jobs_that_request_it),
		DISPATCH_TEST(test_a_limit_on_a_forced_resource_refuses_jobs_without_the_request),
		DISPATCH_TEST(test_a_limit_on_a_text_must_match_the_request),
		DISPATCH_TEST(test_reservations_do_not_exceed_a_limit_on_a_non_consumable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
