/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was told once is booked once: over snapshots without usage, restarts, reports that go back
 * or leave something out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/store/cell.h"

#define ANN_LONG(f) used(f, FL_USER, "ann").ltcpu

/* The same job with the same tasks, and nothing of what they have used. */
static void tell_without_usage(struct fixture *f, unsigned tasks)
{
	SNAPSHOT(f);
	TELL(f, ADD "1,'owner':'ann','tasks':'1-9'}");
	for (unsigned t = 1; t <= tasks; t++)
		TELL(f, START "1,'task':%u}", t);
	SNAPSHOT_END(f);
}

static void test_a_snapshot_without_usage_costs_nothing(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	report_cpu(f, 1, 1, 10);
	run_and_save(f, NOW);
	for (int i = 1; i <= 3; i++) {
		tell_without_usage(f, 1);
		run_and_save(f, NOW + i);
		report_cpu(f, 1, 1, 10);
		run_and_save(f, NOW + i);
	}
	CHECK(ANN_LONG(f), 10);
	assert_true(row(f, 1, 0).cpu == 10);
	report_cpu(f, 1, 1, 12);
	tell_without_usage(f, 1);		/* nobody has seen the 12 yet */
	TELL(f, FINISH "1,'task':1}");
	run_and_save(f, NOW + 9);
	CHECK(ANN_LONG(f), 12);
	assert_string_equal(ask("SELECT cpu FROM history"), "12.0");
}

static void test_a_run_between_a_restart_and_the_first_report_costs_nothing(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	TELL(f, START "1,'task':2}");
	for (int i = 1; i <= 4; i++) {
		report_cpu(f, 1, 1, 10 * i);
		report_cpu(f, 1, 2, 100 * i);
		run_and_save(f, NOW + i);
		kill_and_restart(f);
		tell_without_usage(f, 2);
		run_and_save(f, NOW + i);
		report_cpu(f, 1, 1, 10 * i + 1);	/* the other one has a slower host */
		run_and_save(f, NOW + i);
		CHECK(ANN_LONG(f), 110 * i + 1);
	}
	TELL(f, FINISH "1,'task':2}");
	run_and_save(f, NOW + 5);
	report_cpu(f, 1, 1, 50);
	run_and_save(f, NOW + 6);
	CHECK(ANN_LONG(f), 450);
	assert_string_equal(ask("SELECT cpu || ' ' || tasks FROM history"), "450.0 1");
}

static void test_what_was_booked_for_a_task_ends_with_it(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	TELL(f, START "1,'task':2}");
	report_cpu(f, 1, 1, 10);
	report_cpu(f, 1, 2, 100);
	run_and_save(f, NOW);
	kill_and_restart(f);
	tell_without_usage(f, 2);
	/* its host has forgotten most of it */
	TELL(f, FINISH "1,'task':2,'scaled_usage':{'cpu':3}}");
	run_and_save(f, NOW + 1);
	CHECK(ANN_LONG(f), 110);
	report_cpu(f, 1, 1, 15);
	run_and_save(f, NOW + 2);
	CHECK(ANN_LONG(f), 115);
	assert_string_equal(ask("SELECT group_concat(task_id) FROM debited_task"), "1");
	TELL(f, START "1,'task':3}");
	report_cpu(f, 1, 3, 7);
	run_and_save(f, NOW + 3);
	CHECK(ANN_LONG(f), 122);
}

static void test_a_task_whose_end_was_never_told_costs_the_others_nothing(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	TELL(f, START "1,'task':2}");
	report_cpu(f, 1, 1, 10);
	report_cpu(f, 1, 2, 100);
	run_and_save(f, NOW);
	tell_without_usage(f, 1);
	report_cpu(f, 1, 1, 15);
	run_and_save(f, NOW + 1);
	CHECK(ANN_LONG(f), 115);
	kill_and_restart(f);
	tell_without_usage(f, 1);
	report_cpu(f, 1, 1, 16);
	run_and_save(f, NOW + 2);
	CHECK(ANN_LONG(f), 116);
	TELL(f, START "1,'task':2}");		/* it was there all the time */
	run_and_save(f, NOW + 3);
	report_cpu(f, 1, 2, 101);
	run_and_save(f, NOW + 4);
	CHECK(ANN_LONG(f), 117);
}

static void test_a_task_that_is_told_late_after_a_restart_is_booked_by_what_it_adds(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	TELL(f, START "1,'task':2}");
	report_cpu(f, 1, 1, 10);
	report_cpu(f, 1, 2, 100);
	run_and_save(f, NOW);
	kill_and_restart(f);
	start_job(f, 1, "ann");
	run_and_save(f, NOW + 1);
	TELL(f, FINISH "1,'task':1,'scaled_usage':{'cpu':11}}");
	run_and_save(f, NOW + 2);
	TELL(f, START "1,'task':2}");
	report_cpu(f, 1, 2, 101);
	run_and_save(f, NOW + 3);
	CHECK(ANN_LONG(f), 112);
}

static void test_a_name_that_is_left_out_is_not_booked_again(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	TELL(f, USAGE "1,'scaled_usage':{'cpu':10,'mem':5}}");
	run_and_save(f, NOW);
	TELL(f, USAGE "1,'scaled_usage':{'cpu':11}}");
	run_and_save(f, NOW);
	TELL(f, USAGE "1,'scaled_usage':{'io':1}}");
	run_and_save(f, NOW);
	TELL(f, USAGE "1,'scaled_usage':{'mem':6,'cpu':11}}");
	run_and_save(f, NOW);
	CHECK(ANN_LONG(f), 11);
	CHECK(used(f, FL_USER, "ann").ltmem, 6);
	CHECK(used(f, FL_USER, "ann").ltio, 1);
}

static void test_another_start_of_a_task_begins_with_nothing(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	report_cpu(f, 1, 1, 10);
	run_and_save(f, NOW);
	SNAPSHOT(f);				/* which does not tell how the first one ended */
	TELL(f, ADD "1,'owner':'ann','tasks':'1-9'}");
	TELL(f, "{'event':'task_start','start_time':1699999600,'granted':[{'queue':'all.q@node','slots':1}],'job_number':1,'task':1}");
	SNAPSHOT_END(f);
	report_cpu(f, 1, 1, 4);
	run_and_save(f, NOW + 1);
	CHECK(ANN_LONG(f), 14);
	assert_true(row(f, 1, 0).cpu == 4);
	kill_and_restart(f);
	SNAPSHOT(f);
	TELL(f, ADD "1,'owner':'ann','tasks':'1-9'}");
	TELL(f, "{'event':'task_start','start_time':1699999600,'granted':[{'queue':'all.q@node','slots':1}],'job_number':1,'task':1}");
	SNAPSHOT_END(f);
	report_cpu(f, 1, 1, 5);
	run_and_save(f, NOW + 2);
	CHECK(ANN_LONG(f), 15);
}

static void test_a_qmaster_may_tell_more_of_a_job_than_of_its_tasks(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	TELL(f, "{'event':'user_usage','user':'ann','time_stamp':%d,'usage':{'cpu':16},'long_term_usage':{'cpu':16},"
	     "'debited_job_usage':{'1':{'cpu':16}}}", NOW);
	for (double cpu = 10; cpu <= 16; cpu += 3) {
		report_cpu(f, 1, 1, cpu);
		run_and_save(f, NOW);
		CHECK(ANN_LONG(f), 16);
	}
	report_cpu(f, 1, 1, 20);
	run_and_save(f, NOW);
	CHECK(ANN_LONG(f), 20);
}

static void test_a_snapshot_that_shows_an_ended_task_again_books_it_once(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	TELL(f, START "1,'task':2}");
	TELL(f, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	tell_without_usage(f, 2);
	report_cpu(f, 1, 1, 12);
	run_and_save(f, NOW);
	CHECK(ANN_LONG(f), 12);
	run_and_save(f, NOW + 1);
	TELL(f, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	run_and_save(f, NOW + 2);
	CHECK(ANN_LONG(f), 12);
}

static void test_a_job_of_the_same_number_in_a_snapshot_is_another(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	report_cpu(f, 1, 1, 10);
	run_and_save(f, NOW);
	SNAPSHOT(f);
	TELL(f, "{'event':'job_add','submission_time':1699999001,'job_number':1,'owner':'ann','tasks':'1-9'}");
	TELL(f, START "1,'task':1}");
	SNAPSHOT_END(f);
	report_cpu(f, 1, 1, 4);
	run_and_save(f, NOW);
	CHECK(ANN_LONG(f), 14);
	assert_string_equal(ask("SELECT usage ->> 'cpu' FROM debited_task"), "4");
}

static void test_a_deleted_job_that_is_told_again_is_booked_by_what_it_adds(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	TELL(f, START "1,'task':2}");
	report_cpu(f, 1, 1, 10);
	report_cpu(f, 1, 2, 100);
	run_and_save(f, NOW);
	kill_and_restart(f);
	start_job(f, 1, "ann");			/* the other task is not told of */
	TELL(f, FINISH "1,'task':1}");
	run_and_save(f, NOW + 1);
	TELL(f, DELETE "1}");
	run_and_save(f, NOW + 2);
	tell_without_usage(f, 2);
	report_cpu(f, 1, 1, 10);
	report_cpu(f, 1, 2, 101);
	run_and_save(f, NOW + 3);
	CHECK(ANN_LONG(f), 111);
}

static void test_a_job_rescheduled_by_its_user_stays_the_same(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	TELL(f, START "1,'task':2}");
	report_cpu(f, 1, 1, 10);
	report_cpu(f, 1, 2, 100);
	run_and_save(f, NOW);
	TELL(f, REQUEUE "1,'task':1}");
	TELL(f, MODIFY "1,'submission_time':%d}", NOW);
	report_cpu(f, 1, 2, 101);
	run_and_save(f, NOW + 1);
	CHECK(ANN_LONG(f), 111);
	report_cpu(f, 1, 2, 103);
	run_and_save(f, NOW + 2);
	CHECK(ANN_LONG(f), 113);
}

static void test_a_job_rescheduled_after_a_restart_stays_the_same(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	report_cpu(f, 1, 1, 10);
	run_and_save(f, NOW);
	kill_and_restart(f);
	TELL(f, ADD "1,'owner':'ann','tasks':'1-9'}");
	TELL(f, MODIFY "1,'submission_time':%d}", NOW);
	TELL(f, START "1,'task':1}");
	report_cpu(f, 1, 1, 11);
	run_and_save(f, NOW + 1);
	CHECK(ANN_LONG(f), 11);
}

static void test_a_store_that_knows_jobs_but_not_their_tasks_is_taken_over(void **state)
{
	struct fixture *f = *state;

	start_job(f, 1, "ann");
	TELL(f, START "1,'task':2}");
	report_cpu(f, 1, 1, 10);
	report_cpu(f, 1, 2, 100);
	run_and_save(f, NOW);
	assert_int_equal(sqlite3_exec(file.store->db, "DROP TABLE debited_task; PRAGMA user_version = 3", NULL, NULL, NULL), SQLITE_OK);
	kill_and_restart(f);
	assert_string_equal(ask("SELECT count(*) FROM debited_task"), "0");
	tell_without_usage(f, 2);
	run_and_save(f, NOW);
	report_cpu(f, 1, 1, 10);
	run_and_save(f, NOW);
	report_cpu(f, 1, 2, 103);
	run_and_save(f, NOW);
	CHECK(ANN_LONG(f), 113);
	assert_string_equal(ask("SELECT group_concat(usage ->> 'cpu') FROM debited_task"), "10,103");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CELL_TEST(test_a_snapshot_without_usage_costs_nothing),
		CELL_TEST(test_a_run_between_a_restart_and_the_first_report_costs_nothing),
		CELL_TEST(test_what_was_booked_for_a_task_ends_with_it),
		CELL_TEST(test_a_task_whose_end_was_never_told_costs_the_others_nothing),
		CELL_TEST(test_a_task_that_is_told_late_after_a_restart_is_booked_by_what_it_adds),
		CELL_TEST(test_a_name_that_is_left_out_is_not_booked_again),
		CELL_TEST(test_another_start_of_a_task_begins_with_nothing),
		CELL_TEST(test_a_qmaster_may_tell_more_of_a_job_than_of_its_tasks),
		CELL_TEST(test_a_snapshot_that_shows_an_ended_task_again_books_it_once),
		CELL_TEST(test_a_job_of_the_same_number_in_a_snapshot_is_another),
		CELL_TEST(test_a_deleted_job_that_is_told_again_is_booked_by_what_it_adds),
		CELL_TEST(test_a_job_rescheduled_by_its_user_stays_the_same),
		CELL_TEST(test_a_job_rescheduled_after_a_restart_stays_the_same),
		CELL_TEST(test_a_store_that_knows_jobs_but_not_their_tasks_is_taken_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
