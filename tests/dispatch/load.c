/* SPDX-License-Identifier: Apache-2.0 */
/* Corrections of loads, thresholds, and capacity that others use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/cluster/load.h"
#include "tests/dispatch/cell.h"

static struct cluster *cluster_of(const struct fixture *f)
{
	return &f->sched->dispatch->cluster;
}

static double value_of(const struct fixture *f, const char *host)
{
	return cluster_host_value(cluster_of(f), cluster_host(cluster_of(f), host));
}

static void adjust(struct fixture *f, const char *adjustments, const char *formula)
{
	set_sched_conf(f, "job_load_adjustments", adjustments);
	set_sched_conf(f, "load_adjustment_decay_time", "0:7:30");
	set_sched_conf(f, "load_formula", formula);
	reload(f);
	run(f, NOW);
}

/* Four processors, a job of two slots: 0.30 + 0.50 x 200 / 4 / 100. */
static void test_adjustments_of_np_loads_are_shared_by_the_processors(void **state)
{
	struct fixture *f = *state;
	uint32_t ada;

	TELL(f, "{'event':'host_load','host':'ada','load_values':{'np_load_avg':'0.30','num_proc':4,'load_avg':'1.2'}}");
	adjust(f, "np_load_avg=0.50", "np_load_avg");
	ada = cluster_host(cluster_of(f), "ada");
	CHECK(value_of(f, "ada"), 0.30);
	load_correct_host(cluster_of(f), ada, 1.0, 2);
	CHECK(value_of(f, "ada"), 0.30 + 0.50 * (200.0 / 4 / 100));
	adjust(f, "load_avg=1", "load_avg*2-np_load_avg");
	load_correct_host(cluster_of(f), ada, 0.5, 1);
	CHECK(value_of(f, "ada"), (1.2 + 0.5) * 2 - 0.30);
}

static void test_correction_factors_are_truncated_one_by_one(void **state)
{
	struct fixture *f = *state;
	struct cluster *c;

	run(f, NOW);
	c = cluster_of(f);
	CHECK(load_share(225, 450), 0.5);
	CHECK(load_share(450, 450), 0.0);
	CHECK(load_share(451, 450), 0.0);
	CHECK(load_share(-7, 450), 1.0);
	for (int i = 0; i < 3; i++)
		/* 33.5...: three times 33 */
		load_correct_host(c, 0, load_share(299, 450), 1);
	assert_int_equal(c->hosts[0].correction, 99);
	load_correct_host(c, 0, 1e9, UINT32_MAX);
	assert_int_equal(c->hosts[0].correction, UINT32_MAX);
	load_correct_host(c, 0, 1.0, 1);
	assert_int_equal(c->hosts[0].correction, UINT32_MAX);
	load_correct_global(c, 1.999);
	assert_int_equal(c->correction, 199);
}

static void test_a_job_started_in_the_run_makes_its_host_worse_for_the_next(void **state)
{
	struct fixture *f = *state;

	TELL(f, ADD "1,'owner':'ann','tasks':'1-4'}");
	set_sched_conf(f, "params", "none");
	/* 0.1, .225, ... on ada and 0.2, ... on bly */
	adjust(f, "np_load_avg=0.50", "np_load_avg");
	assert_string_equal(row(f, 1, 0).queue, "all.q@ada");
	assert_int_equal(started(f, 1), 4);
	CHECK(value_of(f, "ada"), 0.1 + 0.5 * (200.0 / 4 / 100));
	CHECK(value_of(f, "bly"), 0.2 + 0.5 * (200.0 / 4 / 100));
}

static void test_thresholds_are_crossed_as_the_operator_says(void **state)
{
	static const struct { const char *relop, *threshold, *value; bool alarm; } cases[] = {
		{ ">=", "2", "2", true }, { ">=", "2", "1.9", false }, { ">", "2", "2", false }, { ">", "2", "2.1", true }, { "<=", "2", "2", true },
		{ "<=", "2", "2.1", false }, { "<", "2", "2", false }, { "<", "2", "1.9", true }, { "==", "2", "2", true }, { "==", "2", "3", false },
		{ "!=", "2", "2", false }, { "!=", "2", "3", true }, { ">=", "INFINITY", "1e300", false }, { ">=", "1k", "1000", true },
		{ ">=", "2", "x", true }, { ">=", "2", "", true },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[200];
		uint32_t number = (uint32_t)i + 1;

		put_text(f, "complex", COMPLEXES LICENCE MEMORY "heat ht DOUBLE %s YES NO 0 0\n", cases[i].relop);
		snprintf(text, sizeof(text), "load_thresholds heat=%s\n", cases[i].threshold);
		put_queue(f, "all.q", "ada bly", "4", text);
		reload(f);
		for (int h = 0; h < 2; h++)
			TELL(f, "{'event':'host_load','host':'%s','load_values':{'heat':'%s'}}", h ? "bly" : "ada", cases[i].value);
		TELL(f, ADD "%u,'owner':'ann'}", number);
		run(f, NOW + (int64_t)i);
		if (started(f, number) == cases[i].alarm)
			fail_msg("%s %s %s", cases[i].value, cases[i].relop, cases[i].threshold);
		TELL(f, DELETE "%u}", number);
	}
}

/*
 * As recorded: all.q crosses its threshold with the ninth slot from 1.0 on, wide.q with the tenth.
 * The three that have just started count for nothing, and nor does how fast adjustments decay.
 */
static void test_room_below_thresholds_is_that_of_the_reported_load(void **state)
{
	static const char *const decays[] = { "0:7:30", "0:0:0" };
	struct fixture *f = *state;

	put_text(f, "complex", COMPLEXES "heat ht DOUBLE >= YES NO 0 0\n");
	put_queue(f, "all.q", "ada bly", "40", "load_thresholds heat=1.85\n");
	put_queue(f, "wide.q", "ada", "40", "load_thresholds heat=1.95\n");
	set_sched_conf(f, "job_load_adjustments", "heat=0.1");
	set_sched_conf(f, "params", "PE_RANGE_ALG=highest");
	for (uint32_t i = 0; i < 2; i++) {
		set_sched_conf(f, "load_adjustment_decay_time", decays[i]);
		reload(f);
		tell_instance(f, "all.q@ada", 40);
		tell_instance(f, "wide.q@ada", 40);
		TELL(f, "{'event':'host_load','host':'ada','load_values':{'heat':'1.0','np_load_avg':'0.1','num_proc':4}}");
		TELL(f, ADD "%u,'owner':'ann','pe':'mpi','pe_range':'3','hard_queue_list':'all.q@ada'}", 10 * i + 1);
		TELL(f, ADD "%u,'owner':'ann','pe':'mpi','pe_range':'1-20','hard_queue_list':'all.q@ada'}", 10 * i + 2);
		run(f, NOW + i);
		assert_int_equal(row(f, 10 * i + 1, 0).slots, 3);
		assert_int_equal(row(f, 10 * i + 2, 0).slots, 10);
		TELL(f, DELETE "%u}", 10 * i + 1);
		TELL(f, DELETE "%u}", 10 * i + 2);
	}
}

/*
 * Four slots each, one of which must be left: 3 and 3 of them. That fewer were found before changes
 * nothing.
 */
static void test_room_above_thresholds_on_consumables_is_not_forgotten(void **state)
{
	struct fixture *f = *state;

	put_queue(f, "all.q", "ada bly", "4", "load_thresholds slots=1\n");
	set_sched_conf(f, "params", "PE_RANGE_ALG=least");
	reload(f);
	TELL(f, ADD "1,'owner':'ann','pe':'mpi','pe_range':'1-'}");
	run(f, NOW);
	assert_int_equal(row(f, 1, 0).slots, 6);
}

/* 8G, of which others use so much that 3G are left. */
static void test_what_others_use_is_taken_off_the_capacity(void **state)
{
	struct fixture *f = *state;

	TELL(f, "{'event':'host_load','host':'ada','load_values':{'mem':'3G'}}");
	TELL(f, "{'event':'host_load','host':'bly','load_values':{'mem':'7.5G'}}");
	TELL(f, ADD "1,'owner':'ann','hard_resource_list':'mem=4G','hard_queue_list':'all.q@ada'}");
	TELL(f, ADD "2,'owner':'ann','hard_resource_list':'mem=3G','hard_queue_list':'all.q@ada'}");
	TELL(f, ADD "3,'owner':'ann','hard_resource_list':'mem=1G','hard_queue_list':'all.q@ada'}");
	TELL(f, ADD "4,'owner':'ann','hard_resource_list':'mem=7G','hard_queue_list':'all.q@bly'}");
	run(f, NOW);
	WAITS(f, 1, "not enough mem is left: 3G, and 4G is needed");
	assert_true(started(f, 2) == 1 && started(f, 4) == 1);
	WAITS(f, 3, "not enough mem is left");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_adjustments_of_np_loads_are_shared_by_the_processors),
		DISPATCH_TEST(test_correction_factors_are_truncated_one_by_one),
		DISPATCH_TEST(test_a_job_started_in_the_run_makes_its_host_worse_for_the_next),
		DISPATCH_TEST(test_thresholds_are_crossed_as_the_operator_says),
		DISPATCH_TEST(test_room_below_thresholds_is_that_of_the_reported_load),
		DISPATCH_TEST(test_room_above_thresholds_on_consumables_is_not_forgotten),
		DISPATCH_TEST(test_what_others_use_is_taken_off_the_capacity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
