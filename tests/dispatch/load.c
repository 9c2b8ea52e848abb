/* SPDX-License-Identifier: Apache-2.0 */
/* Corrections of loads, thresholds, and capacity used by other programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/cluster/load.h"
#include "tests/dispatch/cell.h"

static struct cluster *cluster_of(const struct fixture *fixture)
{
	return &fixture->sched->dispatch->supply.cluster;
}

static double value_of(const struct fixture *fixture, const char *host)
{
	return cluster_host_value(cluster_of(fixture), cluster_host(cluster_of(fixture), host));
}

static void adjust(struct fixture *fixture, const char *adjustments, const char *formula)
{
	set_sched_conf(fixture, "job_load_adjustments", adjustments);
	set_sched_conf(fixture, "load_adjustment_decay_time", "0:7:30");
	set_sched_conf(fixture, "load_formula", formula);
	reload(fixture);
	run(fixture, NOW);
}

/* Four processors, a job of two slots: 0.30 + 0.50 x 200 / 4 / 100. */
static void test_adjustments_of_np_loads_are_shared_by_the_processors(void **state)
{
	struct fixture *fixture = *state;
	uint32_t ada;

	TELL(fixture,
	     "{'event':'host_load','host':'ada','load_values':{'np_load_avg':'0.30','num_proc':4,'load_avg':'1.2'}}");
	adjust(fixture, "np_load_avg=0.50", "np_load_avg");
	ada = cluster_host(cluster_of(fixture), "ada");
	CHECK(value_of(fixture, "ada"), 0.30);
	load_correct_host(cluster_of(fixture), ada, 1.0, 2);
	CHECK(value_of(fixture, "ada"), 0.30 + 0.50 * (200.0 / 4 / 100));
	adjust(fixture, "load_avg=1", "load_avg*2-np_load_avg");
	load_correct_host(cluster_of(fixture), ada, 0.5, 1);
	CHECK(value_of(fixture, "ada"), (1.2 + 0.5) * 2 - 0.30);
}

static void test_correction_factors_are_truncated_one_by_one(void **state)
{
	struct fixture *fixture = *state;
	struct cluster *cluster;

	run(fixture, NOW);
	cluster = cluster_of(fixture);
	CHECK(load_share(225, 450), 0.5);
	CHECK(load_share(450, 450), 0.0);
	CHECK(load_share(451, 450), 0.0);
	CHECK(load_share(-7, 450), 1.0);
	for (int i = 0; i < 3; i++)
		/* 33.5...: three times 33 */
		load_correct_host(cluster, 0, load_share(299, 450), 1);
	assert_int_equal(cluster->hosts[0].correction, 99);
	load_correct_host(cluster, 0, 1e9, UINT32_MAX);
	assert_int_equal(cluster->hosts[0].correction, UINT32_MAX);
	load_correct_host(cluster, 0, 1.0, 1);
	assert_int_equal(cluster->hosts[0].correction, UINT32_MAX);
	load_correct_global(cluster, 1.999);
	assert_int_equal(cluster->correction, 199);
}

static void test_a_job_started_in_the_run_raises_the_load_of_its_host(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-4'}");
	set_sched_conf(fixture, "params", "none");
	/* 0.1, .225, ... on ada and 0.2, ... on bly */
	adjust(fixture, "np_load_avg=0.50", "np_load_avg");
	assert_string_equal(row(fixture, 1, 0).queue, "all.q@ada");
	assert_int_equal(started(fixture, 1), 4);
	CHECK(value_of(fixture, "ada"), 0.1 + 0.5 * (200.0 / 4 / 100));
	CHECK(value_of(fixture, "bly"), 0.2 + 0.5 * (200.0 / 4 / 100));
}

static void test_thresholds_are_crossed_according_to_the_operator(void **state)
{
	static const struct { const char *relop, *threshold, *value; bool alarm;
	} cases[] = {
		{ ">=", "2", "2", true },
		{ ">=", "2", "1.9", false },
		{ ">", "2", "2", false },
		{ ">", "2", "2.1", true },
		{ "<=", "2", "2", true },
		{ "<=", "2", "2.1", false },
		{ "<", "2", "2", false },
		{ "<", "2", "1.9", true },
		{ "==", "2", "2", true },
		{ "==", "2", "3", false },
		{ "!=", "2", "2", false },
		{ "!=", "2", "3", true },
		{ ">=", "INFINITY", "1e300", false },
		{ ">=", "1k", "1000", true },
		{ ">=", "2", "x", true },
		{ ">=", "2", "", true },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[200];
		uint32_t number = (uint32_t)i + 1;

		put_text(fixture, "complex", COMPLEXES LICENCE MEMORY "heat ht DOUBLE %s YES NO 0 0\n", cases[i].relop);
		snprintf(text, sizeof(text), "load_thresholds heat=%s\n", cases[i].threshold);
		put_queue(fixture, "all.q", "ada bly", "4", text);
		reload(fixture);
		for (int h = 0; h < 2; h++)
			TELL(fixture, "{'event':'host_load','host':'%s','load_values':{'heat':'%s'}}",
			     h ? "bly" : "ada", cases[i].value);
		TELL(fixture, ADD "%u,'owner':'ann'}", number);
		run(fixture, NOW + (int64_t)i);
		if (started(fixture, number) == cases[i].alarm)
			fail_msg("%s %s %s", cases[i].value, cases[i].relop, cases[i].threshold);
		TELL(fixture, DELETE "%u}", number);
	}
}

/*
 * A text is reported for the host, otherwise for the cluster, otherwise configured for the queue.
 */
static void test_texts_cross_thresholds_when_they_are_equal_or_differ(void **state)
{
	static const struct { const char *relop, *of_host, *of_cluster, *of_queue; bool alarm;
	} cases[] = {
		{ "==", "lx", "", "", true },	    { "==", "sol", "", "", false },   { "!=", "lx", "", "", false },
		{ "!=", "sol", "", "", true },	    { "==", "", "lx", "", true },     { "==", "", "sol", "", false },
		{ "==", "", "", "lx", true },	    { "==", "", "", "sol", false },   { "!=", "", "", "sol", true },
		{ "==", "sol", "lx", "lx", false }, { "==", "", "sol", "lx", false }, { "==", "lx", "sol", "sol", true },
		{ "==", "", "", "", true },	    { "!=", "", "", "", true },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[200];
		uint32_t number = (uint32_t)i + 1;

		put_text(fixture, "complex", COMPLEXES LICENCE MEMORY "os os STRING %s YES NO NONE 0\n", cases[i].relop);
		snprintf(text, sizeof(text), "load_thresholds os=lx\ncomplex_values %s%s\n",
			 *cases[i].of_queue ? "os=" : "NONE", cases[i].of_queue);
		put_queue(fixture, "all.q", "ada bly", "4", text);
		reload(fixture);
		for (int h = 0; h < 3; h++) {
			const char *value = h < 2 ? cases[i].of_host : cases[i].of_cluster;

			TELL(fixture, "{'event':'host_load','host':'%s','load_values':{%s%s%s}}",
			     (const char *[]){ "ada", "bly", "global" }[h], *value ? "'os':'" : "", value,
			     *value ? "'" : "");
		}
		TELL(fixture, ADD "%u,'owner':'ann'}", number);
		run(fixture, NOW + (int64_t)i);
		if (started(fixture, number) == cases[i].alarm)
			fail_msg("case %zu: os %s lx, with \"%s\", \"%s\", \"%s\"", i, cases[i].relop, cases[i].of_host,
				 cases[i].of_cluster, cases[i].of_queue);
		TELL(fixture, DELETE "%u}", number);
	}
}

/*
 * Recorded: all.q crosses its threshold with the ninth slot from 1.0 on, wide.q with the tenth. The
 * three tasks that have just started and the decay time of adjustments have no effect.
 */
static void test_slots_below_thresholds_follow_the_reported_load(void **state)
{
	static const char *const decays[] = { "0:7:30", "0:0:0" };
	struct fixture *fixture = *state;

	put_text(fixture, "complex", COMPLEXES "heat ht DOUBLE >= YES NO 0 0\n");
	put_queue(fixture, "all.q", "ada bly", "40", "load_thresholds heat=1.85\n");
	put_queue(fixture, "wide.q", "ada", "40", "load_thresholds heat=1.95\n");
	set_sched_conf(fixture, "job_load_adjustments", "heat=0.1");
	set_sched_conf(fixture, "params", "PE_RANGE_ALG=highest");
	for (uint32_t i = 0; i < 2; i++) {
		set_sched_conf(fixture, "load_adjustment_decay_time", decays[i]);
		reload(fixture);
		report_instance(fixture, "all.q@ada", 40);
		report_instance(fixture, "wide.q@ada", 40);
		TELL(fixture,
		     "{'event':'host_load','host':'ada','load_values':{'heat':'1.0','np_load_avg':'0.1','num_proc':4}}");
		TELL(fixture, ADD "%u,'owner':'ann','pe':'mpi','pe_range':'3','hard_queue_list':'all.q@ada'}",
		     10 * i + 1);
		TELL(fixture, ADD "%u,'owner':'ann','pe':'mpi','pe_range':'1-20','hard_queue_list':'all.q@ada'}",
		     10 * i + 2);
		run(fixture, NOW + i);
		assert_int_equal(row(fixture, 10 * i + 1, 0).slots, 3);
		assert_int_equal(row(fixture, 10 * i + 2, 0).slots, 10);
		TELL(fixture, DELETE "%u}", 10 * i + 1);
		TELL(fixture, DELETE "%u}", 10 * i + 2);
	}
}

/*
 * Four slots each, one of which must stay free: three and three are used. A smaller earlier result
 * has no effect.
 */
static void test_slots_above_thresholds_on_consumables_are_kept(void **state)
{
	struct fixture *fixture = *state;

	put_queue(fixture, "all.q", "ada bly", "4", "load_thresholds slots=1\n");
	set_sched_conf(fixture, "params", "PE_RANGE_ALG=least");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'1-'}");
	run(fixture, NOW);
	assert_int_equal(row(fixture, 1, 0).slots, 6);
}

/* 8G, of which other programs leave 3G. */
static void test_usage_of_other_programs_reduces_the_capacity(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, "{'event':'host_load','host':'ada','load_values':{'mem':'3G'}}");
	TELL(fixture, "{'event':'host_load','host':'bly','load_values':{'mem':'7.5G'}}");
	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'mem=4G','hard_queue_list':'all.q@ada'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'mem=3G','hard_queue_list':'all.q@ada'}");
	TELL(fixture, ADD "3,'owner':'ann','hard_resource_list':'mem=1G','hard_queue_list':'all.q@ada'}");
	TELL(fixture, ADD "4,'owner':'ann','hard_resource_list':'mem=7G','hard_queue_list':'all.q@bly'}");
	run(fixture, NOW);
	WAITS(fixture, 1, "not enough mem is left: 3G, and 4G is needed");
	assert_true(started(fixture, 2) == 1 && started(fixture, 4) == 1);
	WAITS(fixture, 3, "not enough mem is left");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_adjustments_of_np_loads_are_shared_by_the_processors),
		DISPATCH_TEST(test_correction_factors_are_truncated_one_by_one),
		DISPATCH_TEST(test_a_job_started_in_the_run_raises_the_load_of_its_host),
		DISPATCH_TEST(test_thresholds_are_crossed_according_to_the_operator),
		DISPATCH_TEST(test_texts_cross_thresholds_when_they_are_equal_or_differ),
		DISPATCH_TEST(test_slots_below_thresholds_follow_the_reported_load),
		DISPATCH_TEST(test_slots_above_thresholds_on_consumables_are_kept),
		DISPATCH_TEST(test_usage_of_other_programs_reduces_the_capacity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
