/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's usage from events to readers: passes, charges, reported usage, decay and resets, reloads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "sched/parts.h"
#include "tests/multifactor/cell.h"

static void test_running_tasks_are_charged_at_a_pass(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN);
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys','qos':'high','tres':'cpu=3'}");
	TELL(fixture, ADD "3,'owner':'cal','account':'chem','qos':'free'}");
	run(fixture, NOW);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':1}", NOW + 100);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':2}", NOW - 100);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':3}", NOW);
	run(fixture, NOW + 299);
	CHECK(share(fixture, "ann").raw_usage, 0.0);
	run(fixture, NOW + 300);
	CHECK(share(fixture, "ann").raw_usage, 200.0 * 4 + 300 * 3 * 2);
	CHECK(share(fixture, "cal").raw_usage, 0.0);
	assert_int_equal(share(fixture, "ann").running_tasks, 2);
	run(fixture, NOW + 600);
	CHECK(share(fixture, "ann").raw_usage, 500.0 * 4 + 600 * 3 * 2);
}

static void test_weights_of_the_partition_are_charged(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "PartitionName=gpu Nodes=ALL TRESBillingWeights=CPU=1.0,Mem=0.25G,Node=2\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys','partition':'gpu','tres':'cpu=2,mem=4G,node=1'}");
	TELL(fixture, ADD "2,'owner':'bob','account':'phys'}");
	run(fixture, NOW);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':1}", NOW);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':2,'partition':'gpu','tres':'cpu=1,mem=8G,node=1'}",
	     NOW);
	run(fixture, NOW + 300);
	CHECK(share(fixture, "ann").raw_usage, 300.0 * (2 + 1 + 2));
	CHECK(share(fixture, "bob").raw_usage, 300.0 * (1 + 2 + 2));
}

static void test_an_ended_task_is_charged_once_up_to_its_end(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN);
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	run(fixture, NOW);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':1}", NOW + 10);
	TELL(fixture, FINISH "1,'end_time':%d}", NOW + 50);
	run(fixture, NOW + 60);
	CHECK(share(fixture, "ann").raw_usage, 40.0 * 4);
	CHECK(share(fixture, "root").raw_usage, 0.0);
	run(fixture, NOW + 300);
	CHECK(share(fixture, "ann").raw_usage, 40.0 * 4);
}

static void test_a_charge_beyond_an_end_reported_late_is_refunded(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "ChargeJobEnd=limits\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys'}");
	run(fixture, NOW);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':1}", NOW);
	run(fixture, NOW + 300);
	CHECK(share(fixture, "ann").raw_usage, 300.0 * 4);
	SNAPSHOT(fixture);
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys'}");
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':1}", NOW);
	SNAPSHOT_END(fixture);
	TELL(fixture, FINISH "1,'end_time':%d}", NOW + 200);
	run(fixture, NOW + 310);
	CHECK(share(fixture, "ann").raw_usage, 200.0 * 4);
	CHECK(share(fixture, "").raw_usage, 200.0 * 4);
	/* The pass did not know this task. */
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':2}", NOW + 100);
	TELL(fixture, FINISH "2,'end_time':%d}", NOW + 150);
	run(fixture, NOW + 320);
	CHECK(share(fixture, "ann").raw_usage, 200.0 * 4);
}

static void test_the_rest_of_a_job_may_stay_uncharged_like_in_slurm(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN "ChargeJobEnd=limits\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys'}");
	run(fixture, NOW);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':1}", NOW);
	run(fixture, NOW + 300);
	TELL(fixture, FINISH "1,'end_time':%d}", NOW + 350);
	run(fixture, NOW + 600);
	CHECK(share(fixture, "ann").raw_usage, 300.0 * 4);
	put_slurm(fixture, FROZEN "ChargeJobEnd=limits\nAccountingStorageEnforce=safe\n");
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':2}", NOW + 600);
	TELL(fixture, FINISH "2,'end_time':%d}", NOW + 650);
	run(fixture, NOW + 700);
	CHECK(share(fixture, "ann").raw_usage, 350.0 * 4);
}

static void test_usage_decays_from_its_report_on(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, "PriorityDecayHalfLife=7-0\nPriorityCalcPeriod=5\n");
	TELL(fixture, "{'event':'association_usage','account':'phys','user':'ann','usage_raw':300000,'time_stamp':%d}",
	     NOW - 3601);
	TELL(fixture, "{'event':'association_usage','account':'chem','user':'cal','usage_raw':300000}");
	run(fixture, NOW);
	CHECK(share(fixture, "ann").raw_usage, 300000 * pow(1 - 0.693 / 604800, 3601));
	CHECK(share(fixture, "cal").raw_usage, 300000.0);
	run(fixture, NOW + 300);
	CHECK(share(fixture, "cal").raw_usage, 300000 * pow(1 - 0.693 / 604800, 300));
}

static void test_usage_reported_after_the_last_pass_includes_charges_up_to_then(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN);
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	TELL(fixture, ADD "2,'owner':'bob','account':'phys'}");
	run(fixture, NOW);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':1}", NOW);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':2}", NOW);
	TELL(fixture, "{'event':'association_usage','account':'phys','user':'ann','usage_raw':5000,'time_stamp':%d}",
	     NOW + 400);
	run(fixture, NOW + 1000);
	CHECK(share(fixture, "ann").raw_usage, 5000 + 600.0 * 4);
	CHECK(share(fixture, "bob").raw_usage, 1000.0 * 4);
}

static void test_a_task_that_ends_after_a_report_of_usage_is_charged_in_addition(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN);
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	TELL(fixture, ADD "2,'owner':'bob','account':'phys'}");
	run(fixture, NOW);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':1}", NOW);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':2}", NOW);
	TELL(fixture, "{'event':'association_usage','account':'phys','user':'ann','usage_raw':1000,'time_stamp':%d}",
	     NOW + 50);
	TELL(fixture, FINISH "1,'end_time':%d}", NOW + 150);
	TELL(fixture, FINISH "2,'end_time':%d}", NOW + 150);
	run(fixture, NOW + 200);
	CHECK(share(fixture, "ann").raw_usage, 1000 + 100.0 * 4);
	CHECK(share(fixture, "bob").raw_usage, 150.0 * 4);
}

static int answer;			/* answer of a ledger to the question whether an end was booked */

static int booked_before(void *context, const struct ledger_task *end)
{
	(void)context;
	(void)end;
	return answer;
}

static int nothing_debited(void *context, uint32_t number, int64_t submission_time, struct debited *debited)
{
	(void)context;
	(void)number;
	(void)submission_time;
	(void)debited;
	return 0;
}

static void test_all_time_is_charged_once_although_a_ledger_could_not_be_read(void **state)
{
	const struct ledger_calls calls = { .debited = nothing_debited, .ended = booked_before };
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN);
	fixture->sched->mirror.ledger = ledger_create(&calls, fixture->sched->strings);
	assert_non_null(fixture->sched->mirror.ledger);
	answer = 0;
	TELL(fixture, ADD "1,'owner':'bob','account':'phys'}");
	TELL(fixture, ADD "2,'owner':'ann','account':'phys'}");
	run(fixture, NOW);
	for (int number = 1; number <= 2; number++)
		TELL(fixture, SLURM_START "'start_time':%d,'job_number':%d}", NOW, number);
	TELL(fixture, "{'event':'association_usage','account':'phys','user':'ann','usage_raw':1000,'time_stamp':%d}",
	     NOW + 50);
	TELL(fixture, "{'event':'association_usage','account':'chem','user':'cal','usage_raw':7}");
	answer = -EIO;
	run(fixture, NOW + 100);
	assert_true(sched_unbooked(fixture->sched) > 0);	/* no acknowledgement yet */
	answer = 0;
	run(fixture, NOW + 400);
	CHECK(share(fixture, "bob").raw_usage, 400.0 * 4);
	CHECK(share(fixture, "ann").raw_usage, 1000 + 350.0 * 4);
	CHECK(share(fixture, "cal").raw_usage, 7.0);
}

static void test_usage_is_reset_at_the_configured_time(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	put_slurm(fixture, "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=DAILY\nPriorityCalcPeriod=5\n");
	TELL(fixture, "{'event':'association_usage','account':'phys','user':'ann','usage_raw':1000}");
	run(fixture, 1700006100);				/* 23:55 */
	run(fixture, 1700006399);
	CHECK(share(fixture, "ann").raw_usage, 1000.0);
	run(fixture, 1700006400);
	CHECK(share(fixture, "ann").raw_usage, 0.0);
}

static void test_a_reload_keeps_usage_and_another_algorithm_needs_none(void **state)
{
	struct fixture *fixture = *state;
	struct fl_multifactor multifactor;
	struct fl_factors of;

	put_slurm(fixture, FROZEN "PriorityWeightFairshare=1000\n");
	TELL(fixture, ADD "1,'owner':'ann','account':'phys'}");
	TELL(fixture, "{'event':'association_usage','account':'phys','user':'ann','usage_raw':1000}");
	run(fixture, NOW);
	put_slurm(fixture, FROZEN "PriorityWeightFairshare=2000\n");
	run(fixture, NOW + 1);
	CHECK(share(fixture, "ann").raw_usage, 1000.0);
	assert_int_equal(fl_multifactor(fixture->view, &multifactor), 0);
	assert_int_equal(multifactor.weight_fairshare, 2000);
	put_sched_conf(fixture, 168, "cpu=1,mem=0,io=0", "none");
	reload(fixture);
	run(fixture, NOW + 2);
	assert_int_equal(fl_multifactor(fixture->view, &multifactor), -ENOENT);
	assert_int_equal(fl_factors(fixture->view, 1, 0, &of), -ENOENT);
	assert_int_equal(fl_associations(fixture->view), 0);
	assert_true(row(fixture, 1, 0).prio < 1.0);
}

static void test_tasks_keep_their_association_when_the_tree_changes(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN);
	TELL(fixture, ADD "1,'owner':'cal','account':'chem'}");
	TELL(fixture, ADD "2,'owner':'bob','account':'phys'}");
	run(fixture, NOW);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':1}", NOW);
	TELL(fixture, SLURM_START "'start_time':%d,'job_number':2}", NOW);
	run(fixture, NOW + 10);
	assert_int_equal(share(fixture, "cal").running_tasks, 1);
	put(fixture, "associations",
	    "Cluster - 'ref':Fairshare=1\nParent - 'root'\nAccount - 'chem':Fairshare=40\nParent - 'chem'\nUser - 'cal':Fairshare=1\n");
	reload(fixture);
	run(fixture, NOW + 20);
	assert_int_equal(share(fixture, "cal").running_tasks, 1);
	assert_int_equal(share(fixture, "").running_tasks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_running_tasks_are_charged_at_a_pass),
		TEST(test_weights_of_the_partition_are_charged),
		TEST(test_an_ended_task_is_charged_once_up_to_its_end),
		TEST(test_a_charge_beyond_an_end_reported_late_is_refunded),
		TEST(test_the_rest_of_a_job_may_stay_uncharged_like_in_slurm),
		TEST(test_usage_decays_from_its_report_on),
		TEST(test_usage_reported_after_the_last_pass_includes_charges_up_to_then),
		TEST(test_a_task_that_ends_after_a_report_of_usage_is_charged_in_addition),
		TEST(test_all_time_is_charged_once_although_a_ledger_could_not_be_read),
		TEST(test_usage_is_reset_at_the_configured_time),
		TEST(test_a_reload_keeps_usage_and_another_algorithm_needs_none),
		TEST(test_tasks_keep_their_association_when_the_tree_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
