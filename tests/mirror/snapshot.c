/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots and usage reported by the qmaster: the state that they replace and the state that they
 * keep.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/mirror/cell.h"

/* Corrections by the qmaster */

static void test_reported_usage_replaces_known_usage(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	start_job(fixture, 2, "ann");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 2, 1, 10);
	run(fixture, NOW);
	TELL(fixture,
	     "{'event':'user_usage','user':'ann','time_stamp':%d,'usage':{'io':1,'cpu':1000},'long_term_usage':{'cpu':2000},"
	     "'debited_job_usage':{'1':{'cpu':16}},'project':[{'project':'red','usage':{'cpu':7},'long_term_usage':{'cpu':8}}]}",
	     NOW);
	report_cpu(fixture, 1, 1, 20);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 1000 + 4 + 10);	/* without a report of the usage booked for job 2 */
	CHECK(used(fixture, FL_USER, "ann").ltcpu, 2014);
	CHECK(used(fixture, FL_USER, "ann").io, 1);
	CHECK(used_in(fixture, "ann", "red").ltcpu, 8);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 1014);
}

/* Snapshots */

static void test_a_snapshot_replaces_jobs_and_queues_and_keeps_usage(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, "{'event':'queue_instance','queue':'all.q@node'}");
	start_job(fixture, 1, "ann");
	start_job(fixture, 2, "ann");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 2, 1, 10);
	run(fixture, NOW);
	SNAPSHOT(fixture);
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@x','slots':3}");
	start_job(fixture, 2, "ann");
	report_cpu(fixture, 2, 1, 15);
	TELL(fixture, ADD "3,'owner':'bob'}");
	run(fixture, NOW);
	assert_true(rows(fixture, 1) == 2 && rows(fixture, 3) == 0 && free_slots(fixture) == 18);
	SNAPSHOT_END(fixture);
	run(fixture, NOW);
	assert_true(rows(fixture, 1) == 0 && rows(fixture, 2) == 2 && rows(fixture, 3) == 1 &&
		    free_slots(fixture) == 3);
	CHECK(ANN_CPU(fixture), 25);
}

static void test_an_interrupted_snapshot_leaves_the_state_unchanged(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run(fixture, NOW);
	for (int i = 0; i < 2; i++) {		/* another begin interrupts it as well */
		SNAPSHOT(fixture);
		start_job(fixture, 2, "bob");
		TELL(fixture, FINISH "2,'scaled_usage':{'cpu':99}}");
		TELL(fixture,
		     "{'event':'user_usage','user':'ann','time_stamp':1,'usage':{'cpu':77},'debited_job_usage':{'1':{'cpu':0}}}");
	}
	events_break(&fixture->events);
	REFUSE(fixture, "no snapshot", "{'event':'snapshot_end'}");
	run(fixture, NOW);
	assert_true(rows(fixture, 1) == 2 && rows(fixture, 2) == 0);
	CHECK(ANN_CPU(fixture), 10);
	CHECK(used(fixture, FL_USER, "bob").cpu, 0);
}

static void test_tasks_that_ended_before_a_snapshot_are_booked_once_after_it(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, MODIFY "1,'tasks':''}");
	start_job(fixture, 2, "ann");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 2, 1, 100);
	run(fixture, NOW);
	TELL(fixture, FINISH "1,'scaled_usage':{'cpu':12}}");
	TELL(fixture, FINISH "2,'scaled_usage':{'cpu':103}}");
	SNAPSHOT(fixture);
	TELL(fixture, ADD "3,'owner':'bob'}");
	SNAPSHOT_END(fixture);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 115);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 115);
}

static void test_usage_in_a_snapshot_replaces_the_usage_booked_for_its_jobs(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	start_job(fixture, 2, "bob");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 2, 1, 10);
	run(fixture, NOW);
	SNAPSHOT(fixture);
	start_job(fixture, 1, "ann");
	start_job(fixture, 2, "bob");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 2, 1, 10);
	TELL(fixture, "{'event':'user_usage','user':'ann','time_stamp':%d,'usage':{'cpu':1000}}", NOW);
	SNAPSHOT_END(fixture);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 1010);
	CHECK(used(fixture, FL_USER, "bob").cpu, 10);
}

static void test_a_suspended_task_keeps_its_values_over_a_snapshot(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job before, after;

	start_job(fixture, 1, "ann");
	run(fixture, NOW);
	before = row(fixture, 1, 0);
	TELL(fixture, STATE "1,'state':'s'}");
	run(fixture, NOW + 10);
	SNAPSHOT(fixture);
	start_job(fixture, 1, "ann");
	TELL(fixture, STATE "1,'state':'s'}");
	SNAPSHOT_END(fixture);
	run(fixture, NOW + 20);
	after = row(fixture, 1, 0);
	assert_true(before.prio > 0 && before.share == 1 && before.tckts > 0);
	CHECK(after.prio, before.prio);
	CHECK(after.wtcontr, before.wtcontr);
	CHECK(after.share, before.share);
	CHECK(after.tckts, before.tckts);
	TELL(fixture, REQUEUE "1,'task':1}");
	TELL(fixture, START "1,'task':1}");
	TELL(fixture, STATE "1,'state':'s'}");
	run(fixture, NOW + 30);
	CHECK(row(fixture, 1, 0).prio, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_reported_usage_replaces_known_usage),
		TEST(test_a_snapshot_replaces_jobs_and_queues_and_keeps_usage),
		TEST(test_an_interrupted_snapshot_leaves_the_state_unchanged),
		TEST(test_tasks_that_ended_before_a_snapshot_are_booked_once_after_it),
		TEST(test_usage_in_a_snapshot_replaces_the_usage_booked_for_its_jobs),
		TEST(test_a_suspended_task_keeps_its_values_over_a_snapshot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
