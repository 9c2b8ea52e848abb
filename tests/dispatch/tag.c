/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instances that 8.1.9 loses for the rest of a run, because the search for a parallel job found
 * that its master could start there only later. A job runs on ada. Other jobs show the lost
 * instances.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

#define ONCE "jmem jm MEMORY <= YES JOB 0 0\n"
#define OTHERS "excl ex BOOL EXCL YES YES 0 0\naaa aa INT <= YES YES 0 0\nzed z INT <= YES YES 0 0\n"

static void put_timed(struct fixture *fixture, bool timed)
{
	set_sched_conf(fixture, "max_reservation", timed ? "5" : "0");
	set_sched_conf(fixture, "default_duration", "0:20:0");
	reload(fixture);
}

static int tag_setup(void **state)
{
	struct fixture *fixture;

	if (dispatch_setup(state))
		return -1;
	fixture = *state;
	put_text(fixture, "complex", COMPLEXES LICENCE ONCE OTHERS);
	put_host(fixture, "ada", "excl=true,jmem=100M,aaa=9,zed=9", "np_load_avg=0.1,num_proc=4");
	put_host(fixture, "bly", "excl=true,jmem=100M,aaa=9,zed=9", "np_load_avg=0.2,num_proc=4");
	put_pe(fixture, "mpi", 100, "1");
	set_sched_conf(fixture, "job_load_adjustments", "np_load_avg=0.01");
	set_sched_conf(fixture, "weight_ticket", "0");
	set_sched_conf(fixture, "weight_urgency", "0");
	put_timed(fixture, false);
	return 0;
}

#define TAG_TEST(name) cmocka_unit_test_setup_teardown(name, tag_setup, teardown)

/* Start job 1 on ada in an earlier run. `more`: members of it. */
static void run_first(struct fixture *fixture, const char *more)
{
	TELL(fixture, ADD "1,'owner':'ann','hard_queue_list':'all.q@ada'%s}", more);
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
}

/* Return whether job 3 finds no slot on ada after job 2, a parallel job with these members. */
static bool is_lost(struct fixture *fixture, const char *more, const char *queues)
{
	static int64_t now = NOW;
	bool is;

	TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'1',%s}", more);
	TELL(fixture, ADD "3,'owner':'bob','hard_queue_list':'%s'}", queues);
	run(fixture, ++now);
	assert_int_equal(started(fixture, 2), 1);
	is = !started(fixture, 3);
	TELL(fixture, DELETE "2}");
	TELL(fixture, DELETE "3}");
	return is;
}

static bool loses(struct fixture *fixture, const char *requests)
{
	char more[200];

	snprintf(more, sizeof(more), "'hard_resource_list':'%s'", requests);
	return is_lost(fixture, more, "all.q@ada");
}

static void test_a_host_not_available_exclusively_now_is_tagged(void **state)
{
	struct fixture *fixture = *state;

	run_first(fixture, "");
	assert_true(loses(fixture, "excl=true"));
	put_timed(fixture, true);
	assert_true(loses(fixture, "excl=true"));
}

static void test_without_load_adjustments_no_instance_is_lost(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "job_load_adjustments", "NONE");
	put_timed(fixture, false);
	run_first(fixture, "");
	assert_false(loses(fixture, "excl=true"));
}

static void test_only_the_instances_of_masterq_are_lost(void **state)
{
	struct fixture *fixture = *state;

	put_queue(fixture, "b.q", "ada", "4", "");
	reload(fixture);
	report_instance(fixture, "b.q@ada", 4);
	run_first(fixture, "");
	assert_false(is_lost(fixture, "'hard_resource_list':'excl=true','master_queue_list':'*@bly'", "*@ada"));
	assert_false(is_lost(fixture, "'hard_resource_list':'excl=true','master_queue_list':'all.q'", "b.q"));
	assert_true(is_lost(fixture, "'hard_resource_list':'excl=true','master_queue_list':'all.q'", "all.q@ada"));
	assert_true(is_lost(fixture, "'hard_resource_list':'excl=true','hard_queue_list':'*@bly,all.q@ada'", "b.q"));
}

static void test_the_last_request_by_name_that_the_host_knows_decides(void **state)
{
	struct fixture *fixture = *state;

	put_queue(fixture, "all.q", "ada bly", "4", "complex_values lic=3\n");
	reload(fixture);
	run_first(fixture, "");
	assert_true(loses(fixture, "excl=true,aaa=1"));
	assert_false(loses(fixture, "zed=1,excl=true"));
	assert_true(loses(fixture, "excl=true,lic=1"));
}

static void test_an_unsatisfiable_request_ends_the_tag(void **state)
{
	struct fixture *fixture = *state;

	run_first(fixture, ",'hard_resource_list':'aaa=7'");
	assert_false(loses(fixture, "excl=true,aaa=5"));
	put_timed(fixture, true);
	assert_true(loses(fixture, "excl=true,aaa=5"));
	put_host(fixture, "ada", "excl=true,jmem=100M,aaa=2,zed=9", "np_load_avg=0.1,num_proc=4");
	reload(fixture);
	assert_false(loses(fixture, "excl=true,aaa=5"));
}

static void test_a_per_job_consumable_is_available_later_only_in_time(void **state)
{
	struct fixture *fixture = *state;

	run_first(fixture, ",'hard_resource_list':'jmem=80M'");
	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@bly'}");
	put_pe(fixture, "mpi", 100, "$fill_up");
	put_queue(fixture, "b.q", "bly", "1", "");
	put_queue(fixture, "c.q", "ada", "4", "");
	reload(fixture);
	report_instance(fixture, "b.q@bly", 1);
	report_instance(fixture, "c.q@ada", 4);
	assert_false(loses(fixture, "jmem=50M"));
	put_timed(fixture, true);
	assert_true(loses(fixture, "jmem=50M"));
	assert_true(is_lost(fixture, "'hard_resource_list':'jmem=50M'", "c.q"));
	put_host(fixture, "ada", "jmem=20M", "np_load_avg=0.1,num_proc=4");
	reload(fixture);
	assert_false(loses(fixture, "jmem=50M"));
}

static void test_a_per_job_consumable_of_a_queue_loses_that_instance(void **state)
{
	struct fixture *fixture = *state;

	put_host(fixture, "ada", "NONE", "np_load_avg=0.1,num_proc=4");
	put_host(fixture, "bly", "NONE", "np_load_avg=0.2,num_proc=4");
	put_queue(fixture, "all.q", "ada bly", "4", "complex_values jmem=100M\n");
	put_queue(fixture, "c.q", "ada", "4", "");
	put_timed(fixture, true);
	report_instance(fixture, "c.q@ada", 4);
	run_first(fixture, ",'hard_resource_list':'jmem=80M'");
	assert_true(loses(fixture, "jmem=50M"));
	assert_false(is_lost(fixture, "'hard_resource_list':'jmem=50M'", "c.q"));
}

static void test_a_per_job_consumable_of_a_quota_loses_instances(void **state)
{
	struct fixture *fixture = *state;

	put_text(fixture, "rqs", "{\nname s\nenabled TRUE\nlimit users ann hosts {*} to jmem=90M\n}\n");
	put_timed(fixture, true);
	run_first(fixture, ",'hard_resource_list':'jmem=50M'");
	assert_true(loses(fixture, "jmem=50M"));
	put_text(fixture, "rqs", "{\nname s\nenabled TRUE\nlimit users ann hosts ada to jmem=40M\n}\n");
	reload(fixture);
	assert_false(loses(fixture, "jmem=50M"));
}

/*
 * Job 4 fails to start and tags ada. Return whether ada stays lost, given the events `between`: job
 * 6 starts on bly and job 7 on ada.
 */
static bool stays_lost(struct fixture *fixture, const char *between)
{
	static int64_t now = NOW;
	bool is;

	TELL(fixture, ADD "4,'owner':'ann','pe':'mpi','pe_range':'9','hard_resource_list':'excl=true'}");
	if (between)
		TELL(fixture, ADD "5,'owner':'bob',%s}", between);
	TELL(fixture, ADD "6,'owner':'bob','hard_queue_list':'all.q@bly'}");
	TELL(fixture, ADD "7,'owner':'bob','hard_queue_list':'all.q@ada'}");
	run(fixture, ++now);
	assert_true(!started(fixture, 4) && started(fixture, 6) && (!between || !started(fixture, 5)));
	is = !started(fixture, 7);
	TELL(fixture, DELETE "4}");
	if (between)
		TELL(fixture, DELETE "5}");
	TELL(fixture, DELETE "6}");
	TELL(fixture, DELETE "7}");
	return is;
}

static void test_the_search_of_the_next_parallel_job_drops_the_tag(void **state)
{
	struct fixture *fixture = *state;

	put_pe(fixture, "full", 3, "1");
	reload(fixture);
	run_first(fixture, "");
	assert_true(stays_lost(fixture, NULL));
	assert_true(stays_lost(fixture, "'hard_resource_list':'lic=9'"));
	assert_false(stays_lost(fixture, "'pe':'full','pe_range':'4'"));
	assert_false(stays_lost(fixture, "'pe':'mpi','pe_range':'1','hard_resource_list':'lic=9'"));
	assert_false(stays_lost(fixture, "'pe':'mpi','pe_range':'9'"));
}

static void test_amounts_tried_later_lose_a_host_as_well(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "params", "PE_RANGE_ALG=least");
	put_host(fixture, "bly", "excl=true", "np_load_avg=0.05,num_proc=4");
	reload(fixture);
	run_first(fixture, "");
	TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'1-2','hard_resource_list':'excl=true'}");
	TELL(fixture, ADD "3,'owner':'bob','hard_queue_list':'all.q@ada'}");
	run(fixture, NOW + 1);
	assert_true(started(fixture, 2) && !started(fixture, 3));
}

/* A reservation of any kind has the same effect as a start. */
static void test_a_reservation_loses_the_tagged_instances(void **state)
{
	struct fixture *fixture = *state;

	put_timed(fixture, true);
	run_first(fixture, "");
	TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'2','hard_resource_list':'excl=true','reserve':true}");
	TELL(fixture, ADD "3,'owner':'bob','hard_queue_list':'all.q@ada','hard_resource_list':'h_rt=60'}");
	run(fixture, NOW + 1);
	assert_true(reserved(fixture, 2) > NOW && !started(fixture, 3));
	TELL(fixture, DELETE "2}");
	TELL(fixture, DELETE "3}");
	TELL(fixture, ADD "4,'owner':'ann','hard_queue_list':'all.q@bly','hard_resource_list':'lic=4'}");
	run(fixture, NOW + 2);
	TELL(fixture, ADD "5,'owner':'ann','pe':'mpi','pe_range':'9','hard_resource_list':'excl=true'}");
	TELL(fixture, ADD "6,'owner':'ann','hard_resource_list':'lic=3','reserve':true}");
	TELL(fixture, ADD "7,'owner':'bob','hard_queue_list':'all.q@ada','hard_resource_list':'h_rt=60'}");
	run(fixture, NOW + 3);
	assert_true(reserved(fixture, 6) > NOW && !started(fixture, 7));
}

/*
 * Job 2 waits for both hosts. Job 1 blocks ada until then, so bly becomes the master, unless a
 * later request finds no obstacle. -masterq is checked first.
 */
static void test_the_master_of_a_reservation_is_on_an_unobstructed_host(void **state)
{
	static const struct { const char *more, *master;
	} cases[] = {
		{ "'hard_resource_list':'excl=true'", "Q:all.q@bly" },
		{ "'hard_resource_list':'excl=true,zed=1'", "Q:all.q@ada" },
	};
	struct fixture *fixture = *state;
	struct schedule_lines lines = { 0 };

	set_sched_conf(fixture, "params", "MONITOR=1");
	put_timed(fixture, true);
	sched_schedule(fixture->sched, &lines);
	run_first(fixture, "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *line;

		schedule_begin(&lines);
		TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'2','reserve':true,%s}", cases[i].more);
		run(fixture, NOW + 1 + (int64_t)i);
		assert_true(reserved(fixture, 2) > NOW);
		line = strstr(strstr(lines.text, ":RESERVING:"), ":Q:") + 1;
		assert_memory_equal(line, cases[i].master, strlen(cases[i].master));
		TELL(fixture, DELETE "2}");
	}
	sched_schedule(fixture->sched, NULL);
	schedule_free(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TAG_TEST(test_a_host_not_available_exclusively_now_is_tagged),
		TAG_TEST(test_without_load_adjustments_no_instance_is_lost),
		TAG_TEST(test_only_the_instances_of_masterq_are_lost),
		TAG_TEST(test_the_last_request_by_name_that_the_host_knows_decides),
		TAG_TEST(test_an_unsatisfiable_request_ends_the_tag),
		TAG_TEST(test_a_per_job_consumable_is_available_later_only_in_time),
		TAG_TEST(test_a_per_job_consumable_of_a_queue_loses_that_instance),
		TAG_TEST(test_a_per_job_consumable_of_a_quota_loses_instances),
		TAG_TEST(test_the_search_of_the_next_parallel_job_drops_the_tag),
		TAG_TEST(test_amounts_tried_later_lose_a_host_as_well),
		TAG_TEST(test_a_reservation_loses_the_tagged_instances),
		TAG_TEST(test_the_master_of_a_reservation_is_on_an_unobstructed_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
