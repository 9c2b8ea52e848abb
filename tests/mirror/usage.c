/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage: what is booked when, to whom, how it decays, and what becomes of it when jobs come and go.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/mirror/cell.h"

/* Booking */

static void test_each_report_is_booked_once_by_what_it_adds(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	TELL(f, USAGE "1,'scaled_usage':{'cpu':10,'mem':2,'io':1,'maxvmem':7}}");
	run(f, NOW);
	run(f, NOW);
	TELL(f, USAGE "1,'scaled_usage':{'cpu':10,'mem':2,'io':1,'maxvmem':7}}");
	run(f, NOW);
	CHECK(ANN_CPU(f), 10);
	CHECK(used(f, FL_USER, "ann").mem, 2);
	CHECK(used(f, FL_USER, "ann").ltio, 1);
	report_cpu(f, 1, 1, 15);
	report_cpu(f, 1, 1, 25);
	run(f, NOW);
	CHECK(ANN_CPU(f), 25);
	CHECK(used(f, FL_USER, "ann").ltcpu, 25);
	CHECK(used(f, FL_USER, "bob").cpu, 0);
	assert_true(row(f, 1, 0).has_usage && row(f, 1, 0).cpu == 25);
}

static void test_usage_of_a_task_does_not_go_back(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	report_cpu(f, 1, 1, 10);
	run(f, NOW);
	report_cpu(f, 1, 1, 4);
	run(f, NOW);
	CHECK(ANN_CPU(f), 10);
	assert_true(row(f, 1, 0).cpu == 10);
	report_cpu(f, 1, 1, 5);
	run(f, NOW);
	CHECK(ANN_CPU(f), 10);
	TELL(f, USAGE "1,'scaled_usage':{}}");
	run(f, NOW);
	report_cpu(f, 1, 1, 13);
	report_cpu(f, 1, 1, 3);
	run(f, NOW);
	CHECK(ANN_CPU(f), 13);
	assert_true(row(f, 1, 0).cpu == 13);
}

static void test_usage_in_a_project_counts_for_both_and_not_for_the_user_alone(void **state)
{
	struct fixture *f = *state;

	TELL(f, ADD "1,'owner':'ann','project':'red'}");
	TELL(f, ADD "2,'owner':'zoe','project':'red'}");
	TELL(f, ADD "3,'owner':'zoe','project':'none'}");
	for (uint32_t number = 1; number <= 3; number++) {
		TELL(f, START "%u}", number);
		report_cpu(f, number, 1, 10 * number);
	}
	run(f, NOW);
	run(f, NOW);
	CHECK(ANN_CPU(f), 0);
	CHECK(used_in(f, "ann", "red").cpu, 10);
	CHECK(used_in(f, "ann", "red").ltcpu, 10);
	CHECK(used(f, FL_PROJECT, "red").cpu, 30);
}

static void test_the_usage_of_a_finished_task_is_booked_once(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	TELL(f, START "1,'task':2}");
	report_cpu(f, 1, 1, 10);
	report_cpu(f, 1, 2, 100);
	run(f, NOW);
	TELL(f, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	report_cpu(f, 1, 2, 110);
	run(f, NOW);
	CHECK(ANN_CPU(f), 122);
	run(f, NOW);
	CHECK(ANN_CPU(f), 122);
	TELL(f, FINISH "1,'task':2}");
	run(f, NOW);
	CHECK(ANN_CPU(f), 122);
	TELL(f, START "1,'task':3}");
	report_cpu(f, 1, 3, 1);
	run(f, NOW);
	CHECK(ANN_CPU(f), 123);
}

static void test_finished_tasks_count_as_finished_jobs_until_the_next_decay(void **state)
{
	struct fixture *f = *state;

	put_sched_conf(f, 168, "finished_jobs=1,cpu=1", "none");
	reload(f);
	start_job(f, 1, "ann");
	TELL(f, START "1,'task':2}");
	TELL(f, START "1,'task':3}");
	TELL(f, FINISH "1,'task':1}");
	TELL(f, FINISH "1,'task':2,'scaled_usage':{'finished_jobs':0}}");
	TELL(f, REQUEUE "1,'task':3}");
	run(f, NOW);
	CHECK(used(f, FL_USER, "ann").combined, 0.5);
	start_job(f, 2, "ann");		/* so that the tree meets her */
	run(f, NOW + 1);
	CHECK(used(f, FL_USER, "ann").combined, 0);
}

static void test_a_requeued_task_is_booked_and_begins_anew(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	report_cpu(f, 1, 1, 10);
	run(f, NOW);
	report_cpu(f, 1, 1, 12);
	TELL(f, REQUEUE "1,'task':1}");
	TELL(f, START "1,'task':1}");
	report_cpu(f, 1, 1, 3);
	run(f, NOW);
	CHECK(ANN_CPU(f), 15);
	report_cpu(f, 1, 1, 5);
	run(f, NOW);
	CHECK(ANN_CPU(f), 17);
}

static void test_a_suspended_task_is_not_booked_again_when_it_goes_on(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	TELL(f, START "1,'task':2}");
	report_cpu(f, 1, 1, 10);
	report_cpu(f, 1, 2, 20);
	run(f, NOW);
	TELL(f, STATE "1,'task':2,'state':'s'}");
	run(f, NOW);
	TELL(f, STATE "1,'task':2,'state':'r'}");
	run(f, NOW);
	CHECK(ANN_CPU(f), 30);
}

/* Jobs that go away */

static void test_a_deleted_job_is_booked_no_more(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	report_cpu(f, 1, 1, 10);
	run(f, NOW);
	report_cpu(f, 1, 1, 20);
	TELL(f, DELETE "1}");
	run(f, NOW);
	CHECK(ANN_CPU(f), 10);
}

static void test_a_task_that_ended_just_before_its_job_was_deleted_is_booked_once(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	TELL(f, START "1,'task':2}");
	report_cpu(f, 1, 1, 10);
	report_cpu(f, 1, 2, 100);
	run(f, NOW);
	TELL(f, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	TELL(f, DELETE "1}");
	run(f, NOW);
	CHECK(ANN_CPU(f), 112);
	run(f, NOW);
	CHECK(ANN_CPU(f), 112);
}

static void test_a_job_number_may_be_used_again_at_once(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	TELL(f, MODIFY "1,'tasks':''}");
	report_cpu(f, 1, 1, 10);
	run(f, NOW);
	TELL(f, FINISH "1,'scaled_usage':{'cpu':12}}");
	start_job(f, 1, "bob");
	report_cpu(f, 1, 1, 100);
	run(f, NOW);
	CHECK(ANN_CPU(f), 12);
	CHECK(used(f, FL_USER, "bob").cpu, 100);
	TELL(f, DELETE "1}");
	start_job(f, 1, "cal");
	report_cpu(f, 1, 1, 50);
	TELL(f, FINISH "1,'scaled_usage':{'cpu':60}}");
	run(f, NOW);
	CHECK(ANN_CPU(f), 12);
	CHECK(used(f, FL_USER, "bob").cpu, 100);
	CHECK(used(f, FL_USER, "cal").cpu, 60);
}

static void test_usage_counts_again_when_its_user_comes_back(void **state)
{
	struct fixture *f = *state;
	struct fl_sharer sharer;

	start_job(f, 1, "ann");
	report_cpu(f, 1, 1, 10);
	run(f, NOW);
	put_away(f, "users/ann");
	put_away(f, "share_tree");
	reload(f);
	report_cpu(f, 1, 1, 15);
	run(f, NOW);
	assert_int_equal(fl_sharers(f->view, FL_USER), 2);
	assert_int_equal(fl_nodes(f->view), 0);
	CHECK(row(f, 1, 0).stckt, 0);
	put_user(f, "ann");
	put_tree(f);
	reload(f);
	run(f, NOW);
	CHECK(ANN_CPU(f), 15);
	assert_true(row(f, 1, 0).stckt > 0);
	sharer_find(f, FL_USER, "ann", &sharer);
	assert_int_equal(sharer.running_tasks, 1);
}

/* Decay */

/* What the tree shows decays with each run; a job makes it meet the user. */
static void tell_usage(struct fixture *f)
{
	TELL(f, ADD "1,'owner':'ann'}");
	TELL(f, "{'event':'user_usage','user':'ann','time_stamp':%d,'usage':{'cpu':1000,'mem':1000},'long_term_usage':{'cpu':1000}}", NOW);
}

static void test_usage_decays_by_its_half_life_from_run_to_run(void **state)
{
	struct fixture *f = *state;

	tell_usage(f);
	run(f, NOW);
	CHECK(ANN_CPU(f), 1000);
	run(f, NOW + 15);
	CHECK(ANN_CPU(f), 999.9828084063672);
	run(f, NOW + 3600);
	CHECK(ANN_CPU(f), 999.9828084063672 * pow(0.999931235398754, 3585.0 / 60));
	run(f, NOW + 3600);
	CHECK(ANN_CPU(f), 999.9828084063672 * pow(0.999931235398754, 3585.0 / 60));
	CHECK(used(f, FL_USER, "ann").ltcpu, 1000);
	assert_int_equal(used(f, FL_USER, "ann").time_stamp, NOW + 3600);
}

static void test_a_new_half_life_holds_from_the_run_on_that_sees_it_first(void **state)
{
	struct fixture *f = *state;

	put_sched_conf(f, 1, "cpu=1", "none");
	reload(f);
	tell_usage(f);
	run(f, NOW);
	put_sched_conf(f, 168, "cpu=1", "none");
	reload(f);
	run(f, NOW + 3600);
	CHECK(ANN_CPU(f), 497.98662439872004);
	run(f, NOW + 3615);
	CHECK(ANN_CPU(f), 497.98662439872004 * pow(0.999931235398754, 15.0 / 60));
}

static void test_a_listed_name_decays_by_a_half_life_of_its_own(void **state)
{
	struct fixture *f = *state;

	put_sched_conf(f, 168, "cpu=1", "cpu=10");
	reload(f);
	tell_usage(f);
	run(f, NOW + 600);
	CHECK(ANN_CPU(f), 487.5604390004817);
	CHECK(used(f, FL_USER, "ann").mem, 1000 * pow(0.999931235398754, 10));
}

static void test_a_user_outside_the_tree_decays_when_usage_is_booked(void **state)
{
	struct fixture *f = *state;

	put_away(f, "share_tree");
	reload(f);
	tell_usage(f);
	run(f, NOW);
	run(f, NOW + 1800);
	CHECK(ANN_CPU(f), 1000);
	TELL(f, START "1}");
	run(f, NOW + 3600);
	CHECK(ANN_CPU(f), 995.8824823787967);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_each_report_is_booked_once_by_what_it_adds),
		TEST(test_usage_of_a_task_does_not_go_back),
		TEST(test_usage_in_a_project_counts_for_both_and_not_for_the_user_alone),
		TEST(test_the_usage_of_a_finished_task_is_booked_once),
		TEST(test_finished_tasks_count_as_finished_jobs_until_the_next_decay),
		TEST(test_a_requeued_task_is_booked_and_begins_anew),
		TEST(test_a_suspended_task_is_not_booked_again_when_it_goes_on),
		TEST(test_a_deleted_job_is_booked_no_more),
		TEST(test_a_task_that_ended_just_before_its_job_was_deleted_is_booked_once),
		TEST(test_a_job_number_may_be_used_again_at_once),
		TEST(test_usage_counts_again_when_its_user_comes_back),
		TEST(test_usage_decays_by_its_half_life_from_run_to_run),
		TEST(test_a_new_half_life_holds_from_the_run_on_that_sees_it_first),
		TEST(test_a_listed_name_decays_by_a_half_life_of_its_own),
		TEST(test_a_user_outside_the_tree_decays_when_usage_is_booked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
