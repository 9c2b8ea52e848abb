/* SPDX-License-Identifier: Apache-2.0 */
/* Usage: the time and the owner of bookings, its decay, and its fate when jobs come and go. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/mirror/cell.h"

/* Booking */

static void test_each_report_is_booked_once_by_its_increase(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, USAGE "1,'scaled_usage':{'cpu':10,'mem':2,'io':1,'maxvmem':7}}");
	run(fixture, NOW);
	run(fixture, NOW);
	TELL(fixture, USAGE "1,'scaled_usage':{'cpu':10,'mem':2,'io':1,'maxvmem':7}}");
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 10);
	CHECK(used(fixture, FL_USER, "ann").mem, 2);
	CHECK(used(fixture, FL_USER, "ann").ltio, 1);
	report_cpu(fixture, 1, 1, 15);
	report_cpu(fixture, 1, 1, 25);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 25);
	CHECK(used(fixture, FL_USER, "ann").ltcpu, 25);
	CHECK(used(fixture, FL_USER, "bob").cpu, 0);
	assert_true(row(fixture, 1, 0).has_usage && row(fixture, 1, 0).cpu == 25);
}

static void test_usage_of_a_task_does_not_go_back(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run(fixture, NOW);
	report_cpu(fixture, 1, 1, 4);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 10);
	assert_true(row(fixture, 1, 0).cpu == 10);
	report_cpu(fixture, 1, 1, 5);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 10);
	TELL(fixture, USAGE "1,'scaled_usage':{}}");
	run(fixture, NOW);
	report_cpu(fixture, 1, 1, 13);
	report_cpu(fixture, 1, 1, 3);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 13);
	assert_true(row(fixture, 1, 0).cpu == 13);
}

static void test_usage_in_a_project_counts_for_both_and_not_for_the_user_alone(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','project':'red'}");
	TELL(fixture, ADD "2,'owner':'zoe','project':'red'}");
	TELL(fixture, ADD "3,'owner':'zoe','project':'none'}");
	for (uint32_t number = 1; number <= 3; number++) {
		TELL(fixture, START "%u}", number);
		report_cpu(fixture, number, 1, 10 * number);
	}
	run(fixture, NOW);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 0);
	CHECK(used_in(fixture, "ann", "red").cpu, 10);
	CHECK(used_in(fixture, "ann", "red").ltcpu, 10);
	CHECK(used(fixture, FL_PROJECT, "red").cpu, 30);
}

static void test_the_usage_of_a_finished_task_is_booked_once(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 1, 2, 100);
	run(fixture, NOW);
	TELL(fixture, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	report_cpu(fixture, 1, 2, 110);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 122);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 122);
	TELL(fixture, FINISH "1,'task':2}");
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 122);
	TELL(fixture, START "1,'task':3}");
	report_cpu(fixture, 1, 3, 1);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 123);
}

static void test_finished_tasks_count_as_finished_jobs_until_the_next_decay(void **state)
{
	struct fixture *fixture = *state;

	put_sched_conf(fixture, 168, "finished_jobs=1,cpu=1", "none");
	reload(fixture);
	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	TELL(fixture, START "1,'task':3}");
	TELL(fixture, FINISH "1,'task':1}");
	TELL(fixture, FINISH "1,'task':2,'scaled_usage':{'finished_jobs':0}}");
	TELL(fixture, REQUEUE "1,'task':3}");
	run(fixture, NOW);
	CHECK(used(fixture, FL_USER, "ann").combined, 0.5);
	start_job(fixture, 2, "ann");		/* gives the user a node in the tree */
	run(fixture, NOW + 1);
	CHECK(used(fixture, FL_USER, "ann").combined, 0);
}

static void test_a_requeued_task_is_booked_and_starts_from_zero(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run(fixture, NOW);
	report_cpu(fixture, 1, 1, 12);
	TELL(fixture, REQUEUE "1,'task':1}");
	TELL(fixture, START "1,'task':1}");
	report_cpu(fixture, 1, 1, 3);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 15);
	report_cpu(fixture, 1, 1, 5);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 17);
}

static void test_a_suspended_task_is_not_booked_again_when_it_resumes(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 1, 2, 20);
	run(fixture, NOW);
	TELL(fixture, STATE "1,'task':2,'state':'s'}");
	run(fixture, NOW);
	TELL(fixture, STATE "1,'task':2,'state':'r'}");
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 30);
}

/* Deleted jobs */

static void test_a_deleted_job_is_booked_no_more(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run(fixture, NOW);
	report_cpu(fixture, 1, 1, 20);
	TELL(fixture, DELETE "1}");
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 10);
}

static void test_a_task_that_ended_just_before_its_job_was_deleted_is_booked_once(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 1, 2, 100);
	run(fixture, NOW);
	TELL(fixture, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	TELL(fixture, DELETE "1}");
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 112);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 112);
}

static void test_a_job_number_may_be_used_again_at_once(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, MODIFY "1,'tasks':''}");
	report_cpu(fixture, 1, 1, 10);
	run(fixture, NOW);
	TELL(fixture, FINISH "1,'scaled_usage':{'cpu':12}}");
	start_job(fixture, 1, "bob");
	report_cpu(fixture, 1, 1, 100);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 12);
	CHECK(used(fixture, FL_USER, "bob").cpu, 100);
	TELL(fixture, DELETE "1}");
	start_job(fixture, 1, "cal");
	report_cpu(fixture, 1, 1, 50);
	TELL(fixture, FINISH "1,'scaled_usage':{'cpu':60}}");
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 12);
	CHECK(used(fixture, FL_USER, "bob").cpu, 100);
	CHECK(used(fixture, FL_USER, "cal").cpu, 60);
}

static void test_usage_counts_again_when_its_user_returns(void **state)
{
	struct fixture *fixture = *state;
	struct fl_sharer sharer;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run(fixture, NOW);
	put_away(fixture, "users/ann");
	put_away(fixture, "share_tree");
	reload(fixture);
	report_cpu(fixture, 1, 1, 15);
	run(fixture, NOW);
	assert_int_equal(fl_sharers(fixture->view, FL_USER), 2);
	assert_int_equal(fl_nodes(fixture->view), 0);
	CHECK(row(fixture, 1, 0).stckt, 0);
	put_user(fixture, "ann");
	put_tree(fixture);
	reload(fixture);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 15);
	assert_true(row(fixture, 1, 0).stckt > 0);
	sharer_find(fixture, FL_USER, "ann", &sharer);
	assert_int_equal(sharer.running_tasks, 1);
}

/* Decay */

/* Report usage. Usage shown in the tree decays with each run, and a job gives the user a node. */
static void report_usage(struct fixture *fixture)
{
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture,
	     "{'event':'user_usage','user':'ann','time_stamp':%d,'usage':{'cpu':1000,'mem':1000},'long_term_usage':{'cpu':1000}}",
	     NOW);
}

static void test_usage_decays_by_its_half_life_from_run_to_run(void **state)
{
	struct fixture *fixture = *state;

	report_usage(fixture);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 1000);
	run(fixture, NOW + 15);
	CHECK(ANN_CPU(fixture), 999.9828084063672);
	run(fixture, NOW + 3600);
	CHECK(ANN_CPU(fixture), 999.9828084063672 * pow(0.999931235398754, 3585.0 / 60));
	run(fixture, NOW + 3600);
	CHECK(ANN_CPU(fixture), 999.9828084063672 * pow(0.999931235398754, 3585.0 / 60));
	CHECK(used(fixture, FL_USER, "ann").ltcpu, 1000);
	assert_int_equal(used(fixture, FL_USER, "ann").time_stamp, NOW + 3600);
}

static void test_a_new_half_life_applies_from_the_next_run_on(void **state)
{
	struct fixture *fixture = *state;

	put_sched_conf(fixture, 1, "cpu=1", "none");
	reload(fixture);
	report_usage(fixture);
	run(fixture, NOW);
	put_sched_conf(fixture, 168, "cpu=1", "none");
	reload(fixture);
	run(fixture, NOW + 3600);
	CHECK(ANN_CPU(fixture), 497.98662439872004);
	run(fixture, NOW + 3615);
	CHECK(ANN_CPU(fixture), 497.98662439872004 * pow(0.999931235398754, 15.0 / 60));
}

static void test_a_listed_name_decays_by_a_half_life_of_its_own(void **state)
{
	struct fixture *fixture = *state;

	put_sched_conf(fixture, 168, "cpu=1", "cpu=10");
	reload(fixture);
	report_usage(fixture);
	run(fixture, NOW + 600);
	CHECK(ANN_CPU(fixture), 487.5604390004817);
	CHECK(used(fixture, FL_USER, "ann").mem, 1000 * pow(0.999931235398754, 10));
}

static void test_a_user_outside_the_tree_decays_when_usage_is_booked(void **state)
{
	struct fixture *fixture = *state;

	put_away(fixture, "share_tree");
	reload(fixture);
	report_usage(fixture);
	run(fixture, NOW);
	run(fixture, NOW + 1800);
	CHECK(ANN_CPU(fixture), 1000);
	TELL(fixture, START "1}");
	run(fixture, NOW + 3600);
	CHECK(ANN_CPU(fixture), 995.8824823787967);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_each_report_is_booked_once_by_its_increase),
		TEST(test_usage_of_a_task_does_not_go_back),
		TEST(test_usage_in_a_project_counts_for_both_and_not_for_the_user_alone),
		TEST(test_the_usage_of_a_finished_task_is_booked_once),
		TEST(test_finished_tasks_count_as_finished_jobs_until_the_next_decay),
		TEST(test_a_requeued_task_is_booked_and_starts_from_zero),
		TEST(test_a_suspended_task_is_not_booked_again_when_it_resumes),
		TEST(test_a_deleted_job_is_booked_no_more),
		TEST(test_a_task_that_ended_just_before_its_job_was_deleted_is_booked_once),
		TEST(test_a_job_number_may_be_used_again_at_once),
		TEST(test_usage_counts_again_when_its_user_returns),
		TEST(test_usage_decays_by_its_half_life_from_run_to_run),
		TEST(test_a_new_half_life_applies_from_the_next_run_on),
		TEST(test_a_listed_name_decays_by_a_half_life_of_its_own),
		TEST(test_a_user_outside_the_tree_decays_when_usage_is_booked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
