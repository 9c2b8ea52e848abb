/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's priorities from events to readers: the sum, order, ages, holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "tests/multifactor/cell.h"

/* The sum */

static void test_a_priority_is_the_sum_of_the_weighted_factors(void **state)
{
	struct fixture *fixture = *state;
	struct fl_factors of;

	put_slurm(
		fixture, FROZEN
		"PriorityWeightAge=1000\nPriorityWeightFairshare=10000\nPriorityWeightJobSize=1000\nPriorityWeightPartition=100\n"
		"PriorityWeightQOS=50\nPriorityWeightTRES=cpu=400\n");
	TELL(fixture, ADD
	     "1,'owner':'ann','account':'PHYS','partition':'batch','qos':'high','nodes':2,'cpus':4,'tres':'cpu=4,node=2','nice':7,'site_factor':20}");
	run(fixture, SUBMITTED + 8640);
	of = factors(fixture, 1);
	CHECK(of.age, 0.1);
	CHECK(of.fairshare, 1.0);
	CHECK(of.job_size, (2.0 / 10 + 4.0 / 40) / 2);
	CHECK(of.partition_factor, 0.5);
	CHECK(of.job_qos, 1.0);
	CHECK(of.weighted_tres, 400 * 0.1);
	assert_int_equal(of.ntres, 1);
	CHECK(of.tres[0], 0.1);
	CHECK(of.sum, 100.0 + 10000 + 150 + 50 + 50 + 40 + 20 - 7);
	assert_int_equal(of.priority, 10403);
	CHECK(row(fixture, 1, 0).prio, 10403.0);
	assert_string_equal(of.account, "phys");
}

static void test_without_a_time_limit_a_size_is_relative_to_the_partition_s(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(
		fixture, FROZEN
		"PriorityWeightJobSize=1000\nPriorityFlags=NO_FAIR_TREE,SMALL_RELATIVE_TO_TIME\nPartitionName=short Nodes=ALL MaxTime=20\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys','partition':'batch','cpus':10}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys','partition':'short','cpus':10}");
	TELL(fixture, ADD "3,'owner':'ann','account':'phys','partition':'batch','cpus':10,'time_limit':5}");
	run(fixture, NOW);
	CHECK(factors(fixture, 1).job_size, 10.0 / UINT32_MAX / 40);	/* MaxTime=UNLIMITED */
	CHECK(factors(fixture, 2).job_size, 10.0 / 20 / 40);
	CHECK(factors(fixture, 3).job_size, 10.0 / 5 / 40);
}

static void test_a_sum_is_limited_to_1_and_to_32_bits(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PriorityWeightPartition=4294967295\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys','nice':2147483645}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys','partition':'fast','nice':-2147483645}");
	TELL(fixture, ADD "3,'owner':'ann','account':'phys','direct_priority':4000000000,'nice':5}");
	run(fixture, NOW);
	assert_int_equal(factors(fixture, 1).priority, 2147483647u - 2147483645u);
	assert_int_equal(factors(fixture, 2).priority, UINT32_MAX);
	assert_int_equal(factors(fixture, 3).priority, 4000000000u);
	assert_int_equal(factors(fixture, 3).nice, 0);
	put_slurm(fixture, FROZEN "PriorityWeightPartition=1000\n");
	run(fixture, NOW);
	assert_int_equal(factors(fixture, 1).priority, 1);
}

static void test_a_job_in_several_partitions_has_factors_in_each(void **state)
{
	struct fixture *fixture = *state;
	struct fl_factors of;

	put_slurm(fixture, FROZEN "PriorityWeightPartition=100\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys','partition':'batch,fast,nowhere,batch'}");
	run(fixture, NOW);
	assert_int_equal(fl_factors(fixture->view, 1, 0, &of), 0);
	assert_string_equal(of.partition, "fast");
	assert_int_equal(of.partitions, 2);
	CHECK(of.sum, 100.0);
	assert_int_equal(fl_factors(fixture->view, 1, 1, &of), 0);
	assert_string_equal(of.partition, "batch");
	CHECK(of.sum, 50.0);
	assert_int_equal(of.priority, 50);		/* by the partition that it names first */
	assert_int_equal(fl_factors(fixture->view, 1, 2, &of), -ENOENT);
}

static void test_a_user_without_association_has_no_share_and_a_missing_account_is_the_default(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PriorityWeightFairshare=1000\n");
	TELL(fixture, ADD "1,'owner':'eve','account':'phys'}");
	TELL(fixture, ADD "2,'owner':'cal','account':'phys'}");
	TELL(fixture, ADD "3,'owner':'cal'}");
	REFUSE(fixture, "no association", "{'event':'association_usage','account':'phys','user':'eve','usage_raw':1}");
	REFUSE(fixture, "cpu\\\": allowed is KIND=count, separated by commas", ADD "3,'owner':'ann','tres':'cpu'}");
	REFUSE(fixture, "mem=-1\\\": allowed is KIND=count", MODIFY "1,'tres':'mem=-1'}");
	REFUSE(fixture, "cpu=nan\\\": allowed is KIND=count",
	       SLURM_START "'start_time':%d,'job_number':1,'tres':'cpu=nan'}", NOW);
	REFUSE(fixture, "not in", "{'event':'association_usage','account':'phys','user':'ann','usage_raw':-1}");
	run(fixture, NOW);
	CHECK(factors(fixture, 1).fairshare, 0.0);
	CHECK(factors(fixture, 2).fairshare, 0.0);
	CHECK(factors(fixture, 3).fairshare, 1.0);
	assert_string_equal(factors(fixture, 3).account, "chem");
}

static void test_a_job_without_qos_has_that_of_its_association(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PriorityWeightQOS=100\n");
	put(fixture, "qos", "Name|Priority|UsageFactor\nnormal|10|1\nhigh|100|2\nfree|50|0\n");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	put(fixture, "associations",
	    "Cluster - 'ref':Fairshare=1:QOS='normal,high,free'\nParent - 'root'\nAccount - 'phys':DefaultQOS='high'\nParent - 'phys'\n"
	    "User - 'ann':DefaultAccount='phys'\nUser - 'ann':Partition='fast':DefaultAccount='phys':DefaultQOS='free'\n");
	reload(fixture);
	TELL(fixture, ADD "2,'owner':'ann'}");
	TELL(fixture, ADD "3,'owner':'ann','qos':'normal'}");
	TELL(fixture, ADD "4,'owner':'ann','partition':'fast,batch'}");
	TELL(fixture, ADD "5,'owner':'ann','qos':'unknown'}");
	TELL(fixture, ADD "6,'owner':'eve'}");
	TELL(fixture, ADD "7,'owner':'ann','qos':'normal'}");
	TELL(fixture, MODIFY "7,'qos':''}");
	TELL(fixture, MODIFY "3,'nice':1}");
	run(fixture, NOW);
	assert_string_equal(factors(fixture, 1).qos, "normal");	/* QOS at the time of its submission */
	CHECK(factors(fixture, 1).job_qos, 0.1);
	assert_string_equal(factors(fixture, 2).qos, "high");
	CHECK(factors(fixture, 2).job_qos, 1.0);
	assert_string_equal(factors(fixture, 3).qos, "normal");
	assert_string_equal(factors(fixture, 4).qos, "free");
	CHECK(factors(fixture, 5).job_qos, 0.0);
	assert_string_equal(factors(fixture, 6).qos, "normal");
	assert_string_equal(factors(fixture, 7).qos, "high");
}

/* Order */

static void test_higher_tiers_are_first_for_any_priorities(void **state)
{
	struct fixture *fixture = *state;
	static const uint32_t order[] = { 3, 4, 2, 1, 5 };
	struct fl_job job;

	put_slurm(fixture, FROZEN);
	TELL(fixture, ADD "1,'owner':'ann','account':'phys','partition':'batch','site_factor':10}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys','partition':'batch','site_factor':4000}");
	TELL(fixture, ADD "3,'owner':'ann','account':'phys','partition':'fast','site_factor':7}");
	TELL(fixture, ADD "4,'owner':'ann','account':'phys','partition':'fast','site_factor':7}");
	TELL(fixture, ADD "5,'owner':'ann','account':'phys','partition':'fast','hold':{'u':'1'}}");
	run(fixture, NOW);
	for (size_t k = 0; k < 5; k++) {
		assert_int_equal(fl_get(fixture->view, FL_PENDING, k, &job), 0);
		assert_int_equal(job.job_number, order[k]);
	}
	CHECK(row(fixture, 3, 0).prio, 7.0);
}

/* Age */

static void test_ages_count_up_to_the_last_pass(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PriorityWeightAge=86400\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	run(fixture, SUBMITTED + 1000);
	assert_int_equal(factors(fixture, 1).priority, 1000);
	TELL(fixture, "{'event':'job_add','job_number':2,'owner':'ann','account':'phys','submission_time':%d}",
	     SUBMITTED + 1100);
	run(fixture, SUBMITTED + 1299);
	assert_int_equal(factors(fixture, 1).priority, 1000);
	assert_int_equal(factors(fixture, 2).priority, 1);
	run(fixture, SUBMITTED + 1300);
	assert_int_equal(factors(fixture, 1).priority, 1300);
	assert_int_equal(factors(fixture, 2).priority, 200);
}

static void test_time_on_hold_counts_but_not_time_waiting_for_dependencies(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PriorityWeightAge=86400\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys','hold_jid':[1]}");
	TELL(fixture, ADD "3,'owner':'ann','account':'phys','hold':{'u':'1'}}");
	TELL(fixture, ADD "4,'owner':'ann','account':'phys','execution_time':%d}", SUBMITTED + 500);
	run(fixture, SUBMITTED + 300);
	assert_int_equal(factors(fixture, 1).priority, 300);
	assert_int_equal(factors(fixture, 2).priority, 1);
	assert_int_equal(factors(fixture, 2).accrue_time, 0);
	assert_int_equal(factors(fixture, 3).priority, 0);
	assert_int_equal(factors(fixture, 4).priority, 1);
	TELL(fixture, MODIFY "1,'hold':{'o':'1'}}");
	run(fixture, SUBMITTED + 600);
	assert_int_equal(factors(fixture, 1).priority, 0);
	TELL(fixture, MODIFY "1,'hold':{}}");
	run(fixture, SUBMITTED + 900);
	assert_int_equal(factors(fixture, 1).priority, 900);
	assert_int_equal(factors(fixture, 4).priority, 400);
	TELL(fixture, DELETE "1}");
	run(fixture, SUBMITTED + 1200);
	run(fixture, SUBMITTED + 1500);
	assert_int_equal(factors(fixture, 2).accrue_time, SUBMITTED + 1200);
	assert_int_equal(factors(fixture, 2).priority, 300);
}

/*
 * Slurm 22.05.8 does this whatever else the job waits for. With limits the job does not age,
 * because its accrue time is not set.
 */
static void test_a_job_with_a_begin_time_is_eligible_then_despite_dependencies(void **state)
{
	struct fixture *fixture = *state;

	for (int limits = 0; limits < 2; limits++) {
		put_slurm(fixture, limits ? FROZEN "PriorityWeightAge=86400\nAccountingStorageEnforce=limits\n"
					  : FROZEN "PriorityWeightAge=86400\n");
		TELL(fixture, ADD "%d,'owner':'ann','account':'phys'}", 1 + 2 * limits);
		TELL(fixture, ADD "%d,'owner':'ann','account':'phys','execution_time':%d,'hold_jid':[%d]}",
		     2 + 2 * limits, SUBMITTED + 100, 1 + 2 * limits);
		run(fixture, SUBMITTED + 300 * (1 + limits));
		assert_int_equal(factors(fixture, 2 + 2 * limits).eligible_time, SUBMITTED + 100);
		assert_int_equal(factors(fixture, 2 + 2 * limits).accrue_time, limits ? 0 : SUBMITTED + 100);
		assert_int_equal(factors(fixture, 2 + 2 * limits).priority, limits ? 1 : 200);
	}
	TELL(fixture, DELETE "3}");
	run(fixture, SUBMITTED + 900);
	assert_int_equal(factors(fixture, 4).eligible_time, SUBMITTED + 100);
	assert_int_equal(factors(fixture, 4).accrue_time, SUBMITTED + 900);
}

static void test_with_limits_a_job_ages_from_the_first_run_in_which_it_is_free(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PriorityWeightAge=86400\nAccountingStorageEnforce=associations,limits\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	run(fixture, SUBMITTED + 300);
	assert_int_equal(factors(fixture, 1).priority, 1);
	run(fixture, SUBMITTED + 600);
	assert_int_equal(factors(fixture, 1).priority, 300);
}

static void test_with_accrue_always_all_time_counts(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PriorityWeightAge=86400\nPriorityFlags=NO_FAIR_TREE,ACCRUE_ALWAYS\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys','hold_jid':[1]}");
	run(fixture, SUBMITTED + 300);
	assert_int_equal(factors(fixture, 2).priority, 300);
}

static void test_a_job_continues_to_age_over_a_snapshot(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PriorityWeightAge=86400\nAccountingStorageEnforce=limits\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys'}");
	run(fixture, SUBMITTED + 300);
	SNAPSHOT(fixture);
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys','accrue_time':%d}", SUBMITTED + 100);
	SNAPSHOT_END(fixture);
	run(fixture, SUBMITTED + 900);
	assert_int_equal(factors(fixture, 1).priority, 600);
	assert_int_equal(factors(fixture, 2).priority, 800);
}

static void test_with_incr_only_no_priority_decreases(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PriorityWeightFairshare=1000\nPriorityFlags=NO_FAIR_TREE,INCR_ONLY\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	run(fixture, NOW);
	assert_int_equal(factors(fixture, 1).priority, 1000);
	TELL(fixture, "{'event':'association_usage','account':'phys','user':'ann','usage_raw':1000}");
	run(fixture, NOW + 300);
	assert_int_equal(factors(fixture, 1).priority, 1000);
	assert_true(factors(fixture, 1).sum < 500);
	TELL(fixture, MODIFY "1,'site_factor':5000}");
	run(fixture, NOW + 600);
	assert_in_range(factors(fixture, 1).priority, 5000, 5500);
}

/* The whole */

static void test_version_2009_has_different_numbers(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(
		fixture,
		"PriorityVersion=2009\nPriorityDecayHalfLife=0-1\nPriorityWeightFairshare=1000\nPriorityWeightJobSize=100\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys','nodes':5,'cpus':5}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys','hold_jid':[1]}");
	TELL(fixture, ADD "3,'owner':'ann','account':'phys','nice':10000}");
	TELL(fixture, ADD "4,'owner':'ann','account':'phys','hold':{'s':'1'},'direct_priority':70}");
	TELL(fixture, ADD "5,'owner':'ann','account':'phys','hold':{'s':'1','u':'1'}}");
	TELL(fixture, ADD "6,'owner':'ann','account':'phys','tasks':'1-3','hold':{'s':'1-2','o':'3'}}");
	TELL(fixture, ADD "7,'owner':'ann','account':'phys','hold':{'s':'1'},'error':true}");
	/* 0.1 of 40 * 3600 * 2 processor seconds. */
	TELL(fixture, "{'event':'association_usage','account':'phys','user':'ann','usage_raw':28800}");
	run(fixture, NOW);
	CHECK(share(fixture, "ann").norm_usage, 0.1);
	CHECK(share(fixture, "ann").effective_usage, 0.1);
	CHECK(factors(fixture, 1).fairshare, (0.15 - 0.1 + 1) / 2);
	CHECK(factors(fixture, 1).job_size, 0.5);
	assert_int_equal(factors(fixture, 2).priority, 1);
	assert_int_equal(factors(fixture, 3).priority, 2);
	assert_int_equal(factors(fixture, 4).priority, 1);	/* only a system hold */
	assert_int_equal(factors(fixture, 5).priority, 0);
	assert_int_equal(factors(fixture, 6).priority, 1);
	assert_int_equal(factors(fixture, 7).priority, 0);
}

/*
 * SLURM's multifactor priority document of June 2009, Example. The machine can give 40 processors *
 * 6000 s * 2.
 */
static void test_the_example_of_2009_equals_its_document(void **state)
{
	static const struct { const char *user, *account; double part, shares, effective, factor;
	} example[] = {
		{ "u1", "b", 0.2, 0.3, 0.3875, 0.45625 },
		{ "u2", "c", 0.25, 0.05, 0.275, 0.3875 },
		{ "u3", "c", 0.0, 0.05, 0.15, 0.45 },
		{ "u4", "e", 0.25, 0.25, 0.25, 0.5 },
		{ "u5", "f", 0.0, 0.35, 0.14583333333333334, 0.60208333333333333 },
	};
	struct fixture *fixture = *state;

	put_slurm(fixture, "PriorityVersion=2009\nPriorityDecayHalfLife=100\nPriorityWeightFairshare=1000000\n");
	put(fixture, "associations",
	    "Cluster - 'ref':Fairshare=1\nParent - 'root'\nAccount - 'A':Fairshare=40\nAccount - 'D':Fairshare=60\nParent - 'A'\n"
	    "Account - 'B':Fairshare=30\nAccount - 'C':Fairshare=10\nParent - 'D'\nAccount - 'E':Fairshare=25\nAccount - 'F':Fairshare=35\n"
	    "Parent - 'B'\nUser - 'u1':Fairshare=1\nParent - 'C'\nUser - 'u2':Fairshare=1\nUser - 'u3':Fairshare=1\n"
	    "Parent - 'E'\nUser - 'u4':Fairshare=1\nParent - 'F'\nUser - 'u5':Fairshare=1\n");
	reload(fixture);
	for (uint32_t i = 0; i < 5; i++) {
		TELL(fixture, ADD "%u,'owner':'%s','account':'%s'}", i + 1, example[i].user, example[i].account);
		TELL(fixture, "{'event':'association_usage','account':'%s','user':'%s','usage_raw':%.0f}",
		     example[i].account, example[i].user, example[i].part * 480000);
	}
	run(fixture, NOW);
	for (uint32_t i = 0; i < 5; i++) {
		const struct fl_association a = share(fixture, example[i].user);

		CHECK(a.norm_usage, example[i].part);
		assert_true(fabs(a.norm_shares - example[i].shares) < 1e-15);
		assert_true(fabs(a.effective_usage - example[i].effective) < 1e-15);
		assert_true(fabs(a.fairshare - example[i].factor) < 1e-15);
		assert_int_equal(factors(fixture, i + 1).priority, (uint32_t)(1e6 * a.fairshare));
	}
}

static void test_many_jobs_have_the_same_result_with_any_number_of_workers(void **state)
{
	struct fixture *fixture = *state;
	static uint32_t priorities[30000];

	put_slurm(fixture,
		  FROZEN "PriorityWeightAge=86400\nPriorityWeightJobSize=1000000\nPriorityWeightFairshare=100000\n");
	for (uint32_t i = 1; i <= 30000; i++)
		TELL(fixture,
		     "{'event':'job_add','job_number':%u,'owner':'%s','account':'phys','submission_time':%u,'cpus':%u,'tasks':'1-%u'}",
		     i, i % 3 ? "ann" : "bob", SUBMITTED + i * 7919 % 1000, i % 31, i % 5 + 1);
	for (unsigned workers = 1; workers <= 4; workers += 3) {
		assert_int_equal(sched_workers(fixture->sched, workers), 0);
		run(fixture, NOW);
		for (size_t k = 0; k < 30000; k++) {
			struct fl_job job;

			assert_int_equal(fl_get(fixture->view, FL_PENDING, k, &job), 0);
			if (workers == 1)
				priorities[k] = job.job_number;
			assert_int_equal(job.job_number, priorities[k]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_priority_is_the_sum_of_the_weighted_factors),
		TEST(test_without_a_time_limit_a_size_is_relative_to_the_partition_s),
		TEST(test_a_sum_is_limited_to_1_and_to_32_bits),
		TEST(test_a_job_in_several_partitions_has_factors_in_each),
		TEST(test_a_user_without_association_has_no_share_and_a_missing_account_is_the_default),
		TEST(test_a_job_without_qos_has_that_of_its_association),
		TEST(test_higher_tiers_are_first_for_any_priorities),
		TEST(test_ages_count_up_to_the_last_pass),
		TEST(test_time_on_hold_counts_but_not_time_waiting_for_dependencies),
		TEST(test_a_job_with_a_begin_time_is_eligible_then_despite_dependencies),
		TEST(test_with_limits_a_job_ages_from_the_first_run_in_which_it_is_free),
		TEST(test_with_accrue_always_all_time_counts),
		TEST(test_a_job_continues_to_age_over_a_snapshot),
		TEST(test_with_incr_only_no_priority_decreases),
		TEST(test_version_2009_has_different_numbers),
		TEST(test_the_example_of_2009_equals_its_document),
		TEST(test_many_jobs_have_the_same_result_with_any_number_of_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
