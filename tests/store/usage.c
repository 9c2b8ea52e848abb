/* SPDX-License-Identifier: Apache-2.0 */
/* Usage over restarts: exact to the bit, without loss and without double booking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/store/cell.h"

#define ANN_LONG(f) used(f, FL_USER, "ann").ltcpu

/* Unchanged state */

static void test_usage_is_restored_bit_exactly(void **state)
{
	struct fixture *fixture = *state;
	char *before, *after;

	TELL(fixture, ADD "1,'owner':'ann','project':'red'}");
	TELL(fixture, ADD "2,'owner':'bob'}");
	TELL(fixture, ADD "3,'owner':'cal','project':'red'}");
	TELL(fixture, "{'event':'user_usage','user':'gone','time_stamp':%d,'usage':{'io':1e-300,'a \\\"b\\\\':1e30},"
	     "'long_term_usage':{'mem':0.1}}", NOW);
	for (uint32_t number = 1; number <= 3; number++)
		TELL(fixture, START "%u}", number);
	for (int i = 1; i <= 20; i++) {
		TELL(fixture, USAGE "1,'scaled_usage':{'cpu':%.17g,'mem':%.17g,'ru_wallclock':%d}}", i * 0.1, i / 3.0,
		     i);
		TELL(fixture, USAGE "2,'scaled_usage':{'io':%.17g,'cpu':%.17g}}", i * 1e-5, i * 1.7e9);
		if (i % 7 == 0)
			TELL(fixture, USAGE "3,'scaled_usage':{'acct_x':%.17g}}", i * 0.7);
		run_and_save(fixture, NOW + 17 * i);
	}
	OK(&file, store_usage_save_all(file.store, NOW + 340, &file.error));
	OK(&file, store_commit(file.store, &file.error));
	before = all_usage(fixture->sched);
	kill_and_restart(fixture);
	after = all_usage(fixture->sched);
	assert_string_equal(before, after);
	assert_non_null(strstr(before, "gone"));
	assert_non_null(strstr(before, " in red usage cpu="));
	free(before);
	free(after);
}

static void test_readers_see_the_usage_of_users_without_jobs_after_a_restart(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "global_conf", "enforce_user auto\nauto_user_fshare 7\n");
	reload(fixture);
	start_job(fixture, 1, "automatic");
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	assert_true(used(fixture, FL_USER, "automatic").combined == 10);
	kill_and_restart(fixture);
	run(fixture, NOW);
	assert_true(used(fixture, FL_USER, "automatic").combined == 10);
	assert_true(used(fixture, FL_USER, "automatic").time_stamp == NOW);
}

static void test_the_last_booking_survives_an_unclean_end(void **state)
{
	struct fixture *fixture = *state;
	char *before, *after;

	start_job(fixture, 1, "ann");
	for (int i = 1; i <= 20; i++) {
		report_cpu(fixture, 1, 1, i * 0.7);
		run_and_save(fixture, NOW + 17 * i);
	}
	before = all_usage(fixture->sched);
	kill_and_restart(fixture);
	after = all_usage(fixture->sched);
	*strchr(before, '\n') = *strchr(after, '\n') = '\0';
	assert_string_equal(before, after);
	assert_non_null(strstr(before, "0 ann"));
	free(before);
	free(after);
}

static void test_a_half_life_that_changed_meanwhile_holds_from_the_restart_on(void **state)
{
	struct fixture *fixture = *state;

	put_sched_conf(fixture, 1, "cpu=1", "none");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture,
	     "{'event':'user_usage','user':'ann','time_stamp':%d,'usage':{'cpu':1000,'mem':1000},'long_term_usage':{'cpu':1000}}",
	     NOW);
	run_and_save(fixture, NOW);
	put_sched_conf(fixture, 168, "cpu=1", "none");
	kill_and_restart(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	run(fixture, NOW + 3600);
	CHECK(ANN_CPU(fixture), 497.98662439872004);
}

/* Once */

static void test_a_restart_books_the_usage_of_a_running_job_since_the_last_booking(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	kill_and_restart(fixture);
	run_and_save(fixture, NOW);
	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run(fixture, NOW);
	CHECK(ANN_LONG(fixture), 10);
	report_cpu(fixture, 1, 1, 15);
	run(fixture, NOW);
	CHECK(ANN_LONG(fixture), 15);
}

static void test_unsaved_usage_is_booked_after_the_restart(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	report_cpu(fixture, 1, 1, 15);
	run(fixture, NOW);
	CHECK(ANN_LONG(fixture), 15);
	kill_and_restart(fixture);
	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 15);
	run(fixture, NOW);
	CHECK(ANN_LONG(fixture), 15);
}

static void test_an_end_that_is_replayed_is_booked_once(void **state)
{
	struct fixture *fixture = *state;

	put_sched_conf(fixture, 168, "finished_jobs=1", "cpu=0:finished_jobs=0");
	reload(fixture);
	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 1, 2, 100);
	run_and_save(fixture, NOW);
	TELL(fixture, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	run_and_save(fixture, NOW);
	CHECK(ANN_LONG(fixture), 112);
	CHECK(used(fixture, FL_USER, "ann").combined, 1);
	kill_and_restart(fixture);
	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 1, 12);
	report_cpu(fixture, 1, 2, 103);
	run_and_save(fixture, NOW);
	CHECK(ANN_LONG(fixture), 115);
	TELL(fixture, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	run_and_save(fixture, NOW);
	TELL(fixture, FINISH "1,'task':2}");
	run_and_save(fixture, NOW);
	CHECK(ANN_LONG(fixture), 115);
	CHECK(used(fixture, FL_USER, "ann").combined, 2);
	kill_and_restart(fixture);
	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	TELL(fixture, START "1,'task':3}");
	report_cpu(fixture, 1, 3, 1);
	TELL(fixture, FINISH "1,'task':2,'scaled_usage':{'cpu':103}}");
	run_and_save(fixture, NOW);
	CHECK(ANN_LONG(fixture), 116);
	CHECK(used(fixture, FL_USER, "ann").combined, 2);
}

static void test_an_end_is_booked_once_in_one_life_too(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	TELL(fixture, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	run(fixture, NOW);		/* cannot be saved yet */
	SNAPSHOT(fixture);
	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 12);
	SNAPSHOT_END(fixture);
	run_and_save(fixture, NOW);
	TELL(fixture, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	run_and_save(fixture, NOW);
	CHECK(ANN_LONG(fixture), 12);
	assert_string_equal(ask("SELECT cpu || ' ' || tasks FROM history"), "12.0 1");
}

static void test_an_end_that_a_snapshot_replays_before_a_run_is_booked_once(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	run_and_save(fixture, NOW);
	TELL(fixture, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	SNAPSHOT(fixture);
	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	SNAPSHOT_END(fixture);
	TELL(fixture, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	TELL(fixture, FINISH "1,'task':2,'scaled_usage':{'cpu':3}}");
	run_and_save(fixture, NOW);
	CHECK(ANN_LONG(fixture), 15);
}

static void test_a_deleted_job_that_is_replayed_is_booked_by_its_increase(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	TELL(fixture, DELETE "1}");
	run_and_save(fixture, NOW);
	kill_and_restart(fixture);
	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 11);
	run(fixture, NOW);
	CHECK(ANN_LONG(fixture), 11);
}

static void test_another_job_of_the_same_number_is_another(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	kill_and_restart(fixture);
	TELL(fixture, "{'event':'job_add','submission_time':1699999001,'job_number':1,'owner':'ann'}");
	TELL(fixture, START "1}");
	report_cpu(fixture, 1, 1, 4);
	run_and_save(fixture, NOW);
	CHECK(ANN_LONG(fixture), 14);
	TELL(fixture, FINISH "1}");
	run_and_save(fixture, NOW);
	CHECK(ANN_LONG(fixture), 14);
	assert_string_equal(ask("SELECT count(*) FROM debited"), "0");
}

static void test_a_job_with_a_new_submission_time_stays_the_same_job(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	TELL(fixture, MODIFY "1,'submission_time':1699999400}");
	run_and_save(fixture, NOW);
	kill_and_restart(fixture);
	TELL(fixture, "{'event':'job_add','submission_time':1699999400,'job_number':1,'owner':'ann'}");
	TELL(fixture, START "1}");
	report_cpu(fixture, 1, 1, 11);
	run(fixture, NOW);
	CHECK(ANN_LONG(fixture), 11);
}

static void test_usage_from_the_qmaster_replaces_stored_usage(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','project':'red'}");
	TELL(fixture, START "1}");
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	SNAPSHOT(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	report_cpu(fixture, 1, 1, 10);
	TELL(fixture, "{'event':'user_usage','user':'ann','time_stamp':%d,'long_term_usage':{'cpu':100},"
	     "'debited_job_usage':{'1':{'cpu':7}}}", NOW);
	SNAPSHOT_END(fixture);
	OK(&file, store_usage_save(file.store, NOW, &file.error));
	OK(&file, store_commit(file.store, &file.error));
	kill_and_restart(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START "1}");
	report_cpu(fixture, 1, 1, 10);
	run(fixture, NOW);
	CHECK(ANN_LONG(fixture), 103);
	assert_string_equal(ask("SELECT count(*) FROM usage WHERE kind = 'user' AND project = 'red'"), "0");
}

/* Failed saves */

static void test_a_run_that_could_not_be_saved_is_saved_with_the_next(void **state)
{
	struct fixture *fixture = *state;
	sqlite3 *other;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run(fixture, NOW);
	assert_int_equal(sqlite3_open(file.path, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	FAILS(&file, store_usage_save(file.store, NOW, &file.error), -EBUSY, "another program");
	FAILS(&file, store_usage_save(file.store, NOW, &file.error), -EBUSY, "another program");
	FAILS(&file, store_commit(file.store, &file.error), -EBUSY, "another program");
	TELL(fixture, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	run(fixture, NOW);
	sqlite3_close(other);
	save(NOW);
	kill_and_restart(fixture);
	TELL(fixture, ADD "2,'owner':'ann'}");
	run(fixture, NOW);
	CHECK(ANN_LONG(fixture), 12);
	assert_string_equal(ask("SELECT cpu || ' ' || tasks FROM history"), "12.0 1");
}

/* A cell whose jobs are in the same store returns to the committed state and replays it. */
static void test_usage_replayed_after_a_failed_commit_is_booked_once(void **state)
{
	struct fixture *fixture = *state;
	sqlite3 *other;

	reported_again = false;
	kill_and_restart(fixture);
	reported_again = true;
	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 2, 5);
	TELL(fixture, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	run(fixture, NOW);
	assert_int_equal(sqlite3_open(file.path, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	FAILS(&file, store_usage_save(file.store, NOW, &file.error), -EBUSY, "another program");
	store_rollback(file.store);
	sqlite3_close(other);
	SNAPSHOT(fixture);
	start_job(fixture, 1, "ann");
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 1, 12);
	report_cpu(fixture, 1, 2, 5);
	TELL(fixture, FINISH "1,'task':1,'scaled_usage':{'cpu':12}}");
	SNAPSHOT_END(fixture);
	run_and_save(fixture, NOW);
	CHECK(ANN_LONG(fixture), 17);
	assert_string_equal(ask("SELECT cpu || ' ' || tasks FROM history"), "17.0 1");
	assert_string_equal(ask("SELECT count(*) FROM ended"), "0");
}

static void test_usage_is_not_booked_while_the_store_cannot_be_read(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	kill_and_restart(fixture);
	assert_int_equal(sqlite3_exec(file.store->db, "ALTER TABLE ended RENAME TO away", NULL, NULL, NULL), SQLITE_OK);
	start_job(fixture, 1, "ann");
	start_job(fixture, 2, "bob");
	report_cpu(fixture, 1, 1, 12);
	TELL(fixture, FINISH "2,'task':1,'scaled_usage':{'cpu':3}}");
	run(fixture, NOW);
	assert_int_equal(sched_unbooked(fixture->sched), 2);
	CHECK(ANN_LONG(fixture), 10);
	assert_int_equal(sqlite3_exec(file.store->db, "ALTER TABLE away RENAME TO ended", NULL, NULL, NULL), SQLITE_OK);
	run(fixture, NOW);
	assert_int_equal(sched_unbooked(fixture->sched), 0);
	CHECK(ANN_LONG(fixture), 12);
	CHECK(used(fixture, FL_USER, "bob").ltcpu, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CELL_TEST(test_usage_is_restored_bit_exactly),
		CELL_TEST(test_readers_see_the_usage_of_users_without_jobs_after_a_restart),
		CELL_TEST(test_the_last_booking_survives_an_unclean_end),
		CELL_TEST(test_a_half_life_that_changed_meanwhile_holds_from_the_restart_on),
		CELL_TEST(test_a_restart_books_the_usage_of_a_running_job_since_the_last_booking),
		CELL_TEST(test_unsaved_usage_is_booked_after_the_restart),
		CELL_TEST(test_an_end_that_is_replayed_is_booked_once),
		CELL_TEST(test_an_end_is_booked_once_in_one_life_too),
		CELL_TEST(test_an_end_that_a_snapshot_replays_before_a_run_is_booked_once),
		CELL_TEST(test_a_deleted_job_that_is_replayed_is_booked_by_its_increase),
		CELL_TEST(test_another_job_of_the_same_number_is_another),
		CELL_TEST(test_a_job_with_a_new_submission_time_stays_the_same_job),
		CELL_TEST(test_usage_from_the_qmaster_replaces_stored_usage),
		CELL_TEST(test_a_run_that_could_not_be_saved_is_saved_with_the_next),
		CELL_TEST(test_usage_replayed_after_a_failed_commit_is_booked_once),
		CELL_TEST(test_usage_is_not_booked_while_the_store_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
