/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reported usage is booked once, over snapshots without usage, restarts, and reports that go back
 * or leave out names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/store/cell.h"

#define ANN_LONG(f) used(f, FL_USER, "ann").ltcpu

/* Report the same job with the same tasks, without their usage. */
static void report_without_usage(struct fixture *fixture, unsigned tasks)
{
	SNAPSHOT(fixture);
	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-9'}");
	for (unsigned t = 1; t <= tasks; t++)
		TELL(fixture, START "1,'task':%u}", t);
	SNAPSHOT_END(fixture);
}

static void test_a_snapshot_without_usage_loses_no_usage(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	for (int i = 1; i <= 3; i++) {
		report_without_usage(fixture, 1);
		run_and_save(fixture, NOW + i);
		report_cpu(fixture, 1, 1, 10);
		run_and_save(fixture, NOW + i);
	}
	CHECK(ANN_LONG(fixture), 10);
	assert_true(row(fixture, 1, 0).cpu == 10);
	report_cpu(fixture, 1, 1, 12);
	report_without_usage(fixture, 1);		/* the 12 has not been seen yet */
	TELL(fixture, FINISH "1,'task':1}");
	run_and_save(fixture, NOW + 9);
	CHECK(ANN_LONG(fixture), 12);
	assert_string_equal(ask("SELECT cpu FROM history"), "12.0");
}

static void test_a_run_between_a_restart_and_the_first_report_loses_no_usage(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	for (int i = 1; i <= 4; i++) {
		report_cpu(fixture, 1, 1, 10 * i);
		report_cpu(fixture, 1, 2, 100 * i);
		run_and_save(fixture, NOW + i);
		kill_and_restart(fixture);
		report_without_usage(fixture, 2);
		run_and_save(fixture, NOW + i);
		report_cpu(fixture, 1, 1, 10 * i + 1);	/* the other one has a slower host */
		run_and_save(fixture, NOW + i);
		CHECK(ANN_LONG(fixture), 110 * i + 1);
	}
	TELL(fixture, FINISH "1,'task':2}");
	run_and_save(fixture, NOW + 5);
	report_cpu(fixture, 1, 1, 50);
	run_and_save(fixture, NOW + 6);
	CHECK(ANN_LONG(fixture), 450);
	assert_string_equal(ask("SELECT cpu || ' ' || tasks FROM history"), "450.0 1");
}

static void test_usage_booked_for_a_task_ends_with_it(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 1, 2, 100);
	run_and_save(fixture, NOW);
	kill_and_restart(fixture);
	report_without_usage(fixture, 2);
	/* The host of the task has lost most of its usage. */
	TELL(fixture, FINISH "1,'task':2,'scaled_usage':{'cpu':3}}");
	run_and_save(fixture, NOW + 1);
	CHECK(ANN_LONG(fixture), 110);
	report_cpu(fixture, 1, 1, 15);
	run_and_save(fixture, NOW + 2);
	CHECK(ANN_LONG(fixture), 115);
	assert_string_equal(ask("SELECT group_concat(task_id) FROM debited_task"), "1");
	TELL(fixture, START "1,'task':3}");
	report_cpu(fixture, 1, 3, 7);
	run_and_save(fixture, NOW + 3);
	CHECK(ANN_LONG(fixture), 122);
}

static void test_a_task_with_an_unreported_end_does_not_affect_others(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 1, 2, 100);
	run_and_save(fixture, NOW);
	report_without_usage(fixture, 1);
	report_cpu(fixture, 1, 1, 15);
	run_and_save(fixture, NOW + 1);
	CHECK(ANN_LONG(fixture), 115);
	kill_and_restart(fixture);
	report_without_usage(fixture, 1);
	report_cpu(fixture, 1, 1, 16);
	run_and_save(fixture, NOW + 2);
	CHECK(ANN_LONG(fixture), 116);
	TELL(fixture, START "1,'task':2}");		/* the task was running all the time */
	run_and_save(fixture, NOW + 3);
	report_cpu(fixture, 1, 2, 101);
	run_and_save(fixture, NOW + 4);
	CHECK(ANN_LONG(fixture), 117);
}

static void test_a_task_reported_late_after_a_restart_is_booked_by_its_increase(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 1, 2, 100);
	run_and_save(fixture, NOW);
	kill_and_restart(fixture);
	start_job(fixture, 1, "ann");
	run_and_save(fixture, NOW + 1);
	TELL(fixture, FINISH "1,'task':1,'scaled_usage':{'cpu':11}}");
	run_and_save(fixture, NOW + 2);
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 2, 101);
	run_and_save(fixture, NOW + 3);
	CHECK(ANN_LONG(fixture), 112);
}

static void test_a_missing_name_is_not_booked_again(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, USAGE "1,'scaled_usage':{'cpu':10,'mem':5}}");
	run_and_save(fixture, NOW);
	TELL(fixture, USAGE "1,'scaled_usage':{'cpu':11}}");
	run_and_save(fixture, NOW);
	TELL(fixture, USAGE "1,'scaled_usage':{'io':1}}");
	run_and_save(fixture, NOW);
	TELL(fixture, USAGE "1,'scaled_usage':{'mem':6,'cpu':11}}");
	run_and_save(fixture, NOW);
	CHECK(ANN_LONG(fixture), 11);
	CHECK(used(fixture, FL_USER, "ann").ltmem, 6);
	CHECK(used(fixture, FL_USER, "ann").ltio, 1);
}

static void test_another_start_of_a_task_begins_at_zero(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	/* the snapshot has no report of the end of the first task */
	SNAPSHOT(fixture);
	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-9'}");
	TELL(fixture,
	     "{'event':'task_start','start_time':1699999600,'granted':[{'queue':'all.q@node','slots':1}],'job_number':1,'task':1}");
	SNAPSHOT_END(fixture);
	report_cpu(fixture, 1, 1, 4);
	run_and_save(fixture, NOW + 1);
	CHECK(ANN_LONG(fixture), 14);
	assert_true(row(fixture, 1, 0).cpu == 4);
	kill_and_restart(fixture);
	SNAPSHOT(fixture);
	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-9'}");
	TELL(fixture,
	     "{'event':'task_start','start_time':1699999600,'granted':[{'queue':'all.q@node','slots':1}],'job_number':1,'task':1}");
	SNAPSHOT_END(fixture);
	report_cpu(fixture, 1, 1, 5);
	run_and_save(fixture, NOW + 2);
	CHECK(ANN_LONG(fixture), 15);
}

static void test_a_qmaster_may_report_more_of_a_job_than_of_its_tasks(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture,
	     "{'event':'user_usage','user':'ann','time_stamp':%d,'usage':{'cpu':16},'long_term_usage':{'cpu':16},"
	     "'debited_job_usage':{'1':{'cpu':16}}}",
	     NOW);
	for (double cpu = 10; cpu <= 16; cpu += 3) {
		report_cpu(fixture, 1, 1, cpu);
		run_and_save(fixture, NOW);
		CHECK(ANN_LONG(fixture), 16);
	}
	report_cpu(fixture, 1, 1, 20);
	run_and_save(fixture, NOW);
	CHECK(ANN_LONG(fixture), 20);
}

static void test_a_snapshot_that_shows_an_ended_task_again_books_it_once(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	TELL(fixture, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	report_without_usage(fixture, 2);
	report_cpu(fixture, 1, 1, 12);
	run_and_save(fixture, NOW);
	CHECK(ANN_LONG(fixture), 12);
	run_and_save(fixture, NOW + 1);
	TELL(fixture, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	run_and_save(fixture, NOW + 2);
	CHECK(ANN_LONG(fixture), 12);
}

static void test_a_job_of_the_same_number_in_a_snapshot_is_another(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	SNAPSHOT(fixture);
	TELL(fixture, "{'event':'job_add','submission_time':1699999001,'job_number':1,'owner':'ann','tasks':'1-9'}");
	TELL(fixture, START "1,'task':1}");
	SNAPSHOT_END(fixture);
	report_cpu(fixture, 1, 1, 4);
	run_and_save(fixture, NOW);
	CHECK(ANN_LONG(fixture), 14);
	assert_string_equal(ask("SELECT usage ->> 'cpu' FROM debited_task"), "4");
}

static void test_a_deleted_job_that_is_replayed_is_booked_by_its_increase(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 1, 2, 100);
	run_and_save(fixture, NOW);
	kill_and_restart(fixture);
	start_job(fixture, 1, "ann");			/* without a report of the other task */
	TELL(fixture, FINISH "1,'task':1}");
	run_and_save(fixture, NOW + 1);
	TELL(fixture, DELETE "1}");
	run_and_save(fixture, NOW + 2);
	report_without_usage(fixture, 2);
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 1, 2, 101);
	run_and_save(fixture, NOW + 3);
	CHECK(ANN_LONG(fixture), 111);
}

static void test_a_job_rescheduled_by_its_user_stays_the_same_job(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 1, 2, 100);
	run_and_save(fixture, NOW);
	TELL(fixture, REQUEUE "1,'task':1}");
	TELL(fixture, MODIFY "1,'submission_time':%d}", NOW);
	report_cpu(fixture, 1, 2, 101);
	run_and_save(fixture, NOW + 1);
	CHECK(ANN_LONG(fixture), 111);
	report_cpu(fixture, 1, 2, 103);
	run_and_save(fixture, NOW + 2);
	CHECK(ANN_LONG(fixture), 113);
}

static void test_a_job_rescheduled_after_a_restart_stays_the_same(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	kill_and_restart(fixture);
	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-9'}");
	TELL(fixture, MODIFY "1,'submission_time':%d}", NOW);
	TELL(fixture, START "1,'task':1}");
	report_cpu(fixture, 1, 1, 11);
	run_and_save(fixture, NOW + 1);
	CHECK(ANN_LONG(fixture), 11);
}

static void test_a_store_with_jobs_but_without_tasks_is_accepted(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 1, 2, 100);
	run_and_save(fixture, NOW);
	assert_int_equal(
		sqlite3_exec(file.store->db, "DROP TABLE debited_task; PRAGMA user_version = 3", NULL, NULL, NULL),
		SQLITE_OK);
	kill_and_restart(fixture);
	assert_string_equal(ask("SELECT count(*) FROM debited_task"), "0");
	report_without_usage(fixture, 2);
	run_and_save(fixture, NOW);
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	report_cpu(fixture, 1, 2, 103);
	run_and_save(fixture, NOW);
	CHECK(ANN_LONG(fixture), 113);
	assert_string_equal(ask("SELECT group_concat(usage ->> 'cpu') FROM debited_task"), "10,103");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CELL_TEST(test_a_snapshot_without_usage_loses_no_usage),
		CELL_TEST(test_a_run_between_a_restart_and_the_first_report_loses_no_usage),
		CELL_TEST(test_usage_booked_for_a_task_ends_with_it),
		CELL_TEST(test_a_task_with_an_unreported_end_does_not_affect_others),
		CELL_TEST(test_a_task_reported_late_after_a_restart_is_booked_by_its_increase),
		CELL_TEST(test_a_missing_name_is_not_booked_again),
		CELL_TEST(test_another_start_of_a_task_begins_at_zero),
		CELL_TEST(test_a_qmaster_may_report_more_of_a_job_than_of_its_tasks),
		CELL_TEST(test_a_snapshot_that_shows_an_ended_task_again_books_it_once),
		CELL_TEST(test_a_job_of_the_same_number_in_a_snapshot_is_another),
		CELL_TEST(test_a_deleted_job_that_is_replayed_is_booked_by_its_increase),
		CELL_TEST(test_a_job_rescheduled_by_its_user_stays_the_same_job),
		CELL_TEST(test_a_job_rescheduled_after_a_restart_stays_the_same),
		CELL_TEST(test_a_store_with_jobs_but_without_tasks_is_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
