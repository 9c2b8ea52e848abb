/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's priorities when kept values meet changes: started jobs, snapshots, modified jobs,
 * reloads, ties by name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/multifactor/cell.h"

static void test_a_job_that_was_on_hold_has_a_priority_once_it_runs(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PriorityWeightFairshare=1000\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys','hold':{'u':'1'}}");
	run(fixture, NOW);
	assert_int_equal(factors(fixture, 1).priority, 0);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':1}", NOW + 1);
	run(fixture, NOW + 2);
	assert_int_equal(factors(fixture, 1).priority, 1000);
}

static void test_with_incr_only_a_snapshot_lowers_no_priority_even_with_new_accrue_times(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PriorityWeightFairshare=1000\nPriorityFlags=NO_FAIR_TREE,INCR_ONLY\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys','accrue_time':%d}", SUBMITTED);
	run(fixture, NOW);
	SNAPSHOT(fixture);
	TELL(fixture, ADD "1,'owner':'ann','account':'phys','accrue_time':%d}", SUBMITTED);
	TELL(fixture, "{'event':'association_usage','account':'phys','user':'ann','usage_raw':1000}");
	SNAPSHOT_END(fixture);
	run(fixture, NOW + 300);
	assert_true(factors(fixture, 1).sum < 500);
	assert_int_equal(factors(fixture, 1).priority, 1000);
}

static void test_with_incr_only_a_modification_may_lower_a_priority(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PriorityWeightFairshare=1000\nPriorityFlags=NO_FAIR_TREE,INCR_ONLY\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	run(fixture, NOW);
	TELL(fixture, MODIFY "1,'nice':300}");
	run(fixture, NOW + 1);
	assert_int_equal(factors(fixture, 1).priority, 700);
}

static void test_a_held_job_is_eligible_once_it_has_no_dependency(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PriorityWeightAge=86400\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys','hold_jid':[1],'hold':{'u':'1'}}");
	run(fixture, NOW);
	TELL(fixture, DELETE "1}");
	run(fixture, NOW + 100);
	TELL(fixture, MODIFY "2,'hold':{}}");
	run(fixture, NOW + 700);
	assert_int_equal(factors(fixture, 2).eligible_time, NOW + 100);
	assert_int_equal(factors(fixture, 2).accrue_time, NOW + 100);
	SNAPSHOT(fixture);
	TELL(fixture, ADD "2,'owner':'ann','account':'phys','hold_jid':[1]}");
	SNAPSHOT_END(fixture);
	run(fixture, NOW + 800);
	assert_int_equal(factors(fixture, 2).eligible_time, NOW + 100);
}

static void test_a_job_is_eligible_from_the_removal_of_its_dependency_on(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PriorityWeightAge=86400\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys','hold_jid':[1]}");
	run(fixture, NOW);
	TELL(fixture, MODIFY "2,'hold_jid':[],'hold':{'u':'1'}}");
	run(fixture, NOW + 100);
	assert_int_equal(factors(fixture, 2).eligible_time, NOW + 100);
	for (int k = 0; k < 2; k++) {
		SNAPSHOT(fixture);
		TELL(fixture, ADD "2,'owner':'ann','account':'phys'}");
		SNAPSHOT_END(fixture);
		run(fixture, NOW + 400 + k);
		assert_int_equal(factors(fixture, 2).eligible_time, NOW + 100);
		assert_int_equal(factors(fixture, 2).accrue_time, NOW + 100);
	}
	assert_int_equal(factors(fixture, 2).priority, 300);
}

static void test_a_modified_job_keeps_an_eligible_time_that_was_reported(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PriorityWeightAge=86400\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys','eligible_time':%d}", SUBMITTED);
	TELL(fixture, MODIFY "2,'hold_jid':[1],'execution_time':%d}", NOW + 500);
	run(fixture, NOW);
	assert_int_equal(factors(fixture, 2).eligible_time, SUBMITTED);
	assert_int_equal(factors(fixture, 2).accrue_time, SUBMITTED);
	TELL(fixture, MODIFY "2,'submission_time':%d}", SUBMITTED + 10);
	run(fixture, NOW + 1);
	assert_int_equal(factors(fixture, 2).eligible_time, SUBMITTED);
	TELL(fixture, MODIFY "2,'eligible_time':0}");
	run(fixture, NOW + 2);
	assert_int_equal(factors(fixture, 2).eligible_time, NOW + 500);
}

static void test_a_running_job_is_charged_for_its_allocation(void **state)
{
	static const char weights[] =
		"PriorityWeightPartition=100\nPriorityWeightTRES=cpu=400\nPriorityWeightJobSize=1000\n";
	struct fixture *fixture = *state;
	char lines[400];

	for (int calculated = 0; calculated < 2; calculated++) {
		snprintf(lines, sizeof(lines), FROZEN "%s%s", weights,
			 calculated ? "PriorityFlags=NO_FAIR_TREE,CALCULATE_RUNNING\n" : "");
		put_slurm(fixture, lines);
		TELL(fixture, ADD "1,'owner':'ann','account':'phys','partition':'batch','tres':'cpu=2','cpus':2}");
		run(fixture, NOW);
		assert_int_equal(factors(fixture, 1).priority, 50 + 20 + (100 + 50) / 2);
		TELL(fixture, SLURM_START "'start_time':%d,'job_number':1,'partition':'fast','tres':'cpu=8,node=2'}",
		     NOW);
		run(fixture, NOW + 1);
		assert_int_equal(factors(fixture, 1).priority, calculated ? 100 + 80 + (100 + 200) / 2 : 145);
		assert_string_equal(factors(fixture, 1).partition, calculated ? "fast" : "batch");
		CHECK(factors(fixture, 1).sum, calculated ? 330.0 : 145.0);
		TELL(fixture, MODIFY "1,'nice':5,'qos':'high','partition':'batch'}");
		run(fixture, NOW + 2);
		assert_int_equal(factors(fixture, 1).priority, calculated ? 325 : 145);
		SNAPSHOT(fixture);
		TELL(fixture, ADD "1,'owner':'ann','account':'phys','partition':'batch','tres':'cpu=2','cpus':2}");
		TELL(fixture, SLURM_START "'start_time':%d,'job_number':1,'partition':'fast','tres':'cpu=8,node=2'}",
		     NOW);
		SNAPSHOT_END(fixture);
		run(fixture, NOW + 3);
		assert_int_equal(factors(fixture, 1).priority, calculated ? 330 : 145);
		TELL(fixture, "{'event':'task_requeue','job_number':1}");
		run(fixture, NOW + 4);
		assert_int_equal(factors(fixture, 1).priority, 145);
		TELL(fixture, SLURM_START "'start_time':%d,'job_number':1}", NOW + 5);
		run(fixture, NOW + 6);
		assert_int_equal(factors(fixture, 1).priority, 145);
		TELL(fixture, DELETE "1}");
	}
}

static void test_a_job_without_resources_is_charged_for_its_nodes(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PartitionName=dear Nodes=ALL TRESBillingWeights=CPU=1,Node=100\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys','partition':'dear','nodes':3}");
	TELL(fixture, ADD "2,'owner':'bob','account':'phys','partition':'dear'}");
	run(fixture, NOW);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':1}", NOW);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':2}", NOW);
	run(fixture, NOW + 300);
	CHECK(share(fixture, "ann").raw_usage, 300.0 * (4 + 300));
	CHECK(share(fixture, "bob").raw_usage, 300.0 * (4 + 100));
}

static void test_usage_is_reset_in_a_pass_and_not_at_a_reload(void **state)
{
	static const char daily[] = "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=DAILY\nPriorityCalcPeriod=5\n";
	struct fixture *fixture = *state;

	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	put_slurm(fixture, daily);
	TELL(fixture, "{'event':'association_usage','account':'phys','user':'ann','usage_raw':1000}");
	run(fixture, 1700006300);				/* 23:58:20 */
	reload(fixture);
	run(fixture, 1700006500);
	CHECK(share(fixture, "ann").raw_usage, 1000.0);
	run(fixture, 1700006600);
	CHECK(share(fixture, "ann").raw_usage, 0.0);
}

static void test_with_siblings_by_name_the_order_of_the_file_decides_no_tie(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, "PriorityCalcPeriod=5\nFairTreeSiblings=name\nPriorityUsageResetPeriod=NONE\n");
	put(fixture, "associations",
	    "Cluster - 'ref':Fairshare=1\nParent - 'root'\nAccount - 'b':Fairshare=1\nAccount - 'c':Fairshare=1\n"
	    "Account - 'a':Fairshare=1\n"
	    "Parent - 'b'\nUser - 'bob':Fairshare=1\nUser - 'idle':Fairshare=0\nParent - 'c'\nUser - 'cal':Fairshare=0\nUser - 'eve':Fairshare=0\n"
	    "Parent - 'a'\nUser - 'ann':Fairshare=1\nUser - 'none':Fairshare=0\n");
	reload(fixture);
	run(fixture, NOW);
	assert_int_equal(share(fixture, "ann").rank, 6);
	assert_int_equal(share(fixture, "none").rank, 5);
	/* The first user of a tied account has the rank of the previous last one. */
	assert_int_equal(share(fixture, "bob").rank, 5);
	assert_int_equal(share(fixture, "idle").rank, 3);
	assert_int_equal(share(fixture, "cal").rank, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_job_that_was_on_hold_has_a_priority_once_it_runs),
		TEST(test_with_incr_only_a_snapshot_lowers_no_priority_even_with_new_accrue_times),
		TEST(test_with_incr_only_a_modification_may_lower_a_priority),
		TEST(test_a_held_job_is_eligible_once_it_has_no_dependency),
		TEST(test_a_job_is_eligible_from_the_removal_of_its_dependency_on),
		TEST(test_a_modified_job_keeps_an_eligible_time_that_was_reported),
		TEST(test_a_running_job_is_charged_for_its_allocation),
		TEST(test_a_job_without_resources_is_charged_for_its_nodes),
		TEST(test_usage_is_reset_in_a_pass_and_not_at_a_reload),
		TEST(test_with_siblings_by_name_the_order_of_the_file_decides_no_tie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
