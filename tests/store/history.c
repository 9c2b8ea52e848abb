/* SPDX-License-Identifier: Apache-2.0 */
/* Written rows and their time, the history by day, expired rows, and invalid usage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/store/cell.h"

/* Costs */

static int changes(struct fixture *fixture, int64_t now)
{
	int before = sqlite3_total_changes(file.store->db);

	run_and_save(fixture, now);
	return sqlite3_total_changes(file.store->db) - before;
}

static void test_only_changes_are_written(void **state)
{
	struct fixture *fixture = *state;
	char name[16];

	for (uint32_t i = 1; i <= 1000; i++) {
		snprintf(name, sizeof(name), "u%u", i);
		put_user(fixture, name);
	}
	reload(fixture);
	for (uint32_t i = 1; i <= 1000; i++) {
		TELL(fixture, ADD "%u,'owner':'u%u'}", i, i);
		TELL(fixture, START "%u}", i);
		report_cpu(fixture, i, 1, 10);
	}
	assert_true(changes(fixture, NOW) >= 3000);
	assert_int_equal(changes(fixture, NOW + 15), 0);
	report_cpu(fixture, 500, 1, 11);
	/* The user, the debits of the job and the task, and the history, plus the commit. */
	assert_int_equal(changes(fixture, NOW + 30), 4 + 1);
	assert_int_equal(changes(fixture, NOW + 45), 0);
	TELL(fixture, FINISH "500,'scaled_usage':{'cpu':12}}");
	assert_int_equal(changes(fixture, NOW + 60), 5 + 1);	/* and the end */
}

/* History and expired rows */

#define DAY 86400

static void test_history_has_the_usage_booked_on_each_day(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','project':'red','tasks':'1-9'}");
	TELL(fixture, START "1,'task':1}");
	TELL(fixture, START "1,'task':2}");
	TELL(fixture, USAGE "1,'task':1,'scaled_usage':{'cpu':10,'mem':2,'io':0.5}}");
	run_and_save(fixture, 1699999199);
	TELL(fixture, USAGE "1,'task':1,'scaled_usage':{'cpu':11,'mem':2,'io':0.5}}");
	run_and_save(fixture, 1700006399);
	TELL(fixture, FINISH "1,'task':1,'scaled_usage':{'cpu':15,'mem':4,'io':1.5,'ru_wallclock':60}}");
	TELL(fixture, FINISH "1,'task':2,'scaled_usage':{'cpu':1}}");
	run_and_save(fixture, 1700006400);
	assert_string_equal(
		ask("SELECT group_concat(concat, ', ') FROM (SELECT day || ' ' || user || ' ' || project || ' ' || cpu || "
		    "' ' || mem || ' ' || io || ' ' || wallclock || ' ' || tasks AS concat FROM history ORDER BY day)"),
		"2023-11-14 ann red 11.0 2.0 0.5 0.0 0, 2023-11-15 ann red 5.0 2.0 1.0 60.0 2");
}

static void test_history_is_kept_for_the_configured_days(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	run_and_save(fixture, NOW + 400 * DAY);
	assert_string_equal(ask("SELECT count(*) FROM history"), "1");
	run_and_save(fixture, NOW + 401 * DAY);
	assert_string_equal(ask("SELECT count(*) FROM history"), "0");
}

static void test_usage_booked_for_deleted_jobs_is_dropped_after_a_week(void **state)
{
	struct fixture *fixture = *state;

	start_job(fixture, 1, "ann");
	start_job(fixture, 2, "bob");
	report_cpu(fixture, 1, 1, 10);
	report_cpu(fixture, 2, 1, 20);
	run_and_save(fixture, NOW);
	TELL(fixture, DELETE "1}");
	TELL(fixture, START "2,'task':2}");
	TELL(fixture, FINISH "2,'task':2}");
	run_and_save(fixture, NOW + 1);
	assert_string_equal(ask("SELECT count(*) FROM debited"), "2");
	assert_string_equal(ask("SELECT count(*) FROM ended"), "1");
	run_and_save(fixture, NOW + 7 * DAY + 1);
	assert_string_equal(ask("SELECT group_concat(job_number || ' ' || usage) FROM debited"), "2 {\"cpu\":20}");
	run_and_save(fixture, NOW + 7 * DAY + 2);
	assert_string_equal(ask("SELECT count(*) FROM ended"), "0");
}

/* Invalid usage */

static void test_values_that_can_not_be_usage_are_refused(void **state)
{
	struct fixture *fixture = *state;
	static const char *const bad[] = {
		"{\"cpu\":-1}",	 "{\"cpu\":1e400}", "{\"cpu\":\"1\"}", "[1]", "", "{\"cpu\":1,\"cpu\":2}", "{",
		"{\"cpu\":null}"
	};
	char sql[200];

	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const struct store_usage_options options = { .reported_again = true };

		snprintf(sql, sizeof(sql), "UPDATE usage SET usage = '%s'", bad[i]);
		assert_int_equal(sqlite3_exec(file.store->db, sql, NULL, NULL, NULL), SQLITE_OK);
		reopen(&file);
		FAILS(&file, store_usage_attach(file.store, sched_durable(fixture->sched), &options, &file.error),
		      -EUCLEAN, "damaged: usage");
	}
	assert_int_equal(sqlite3_exec(file.store->db, "UPDATE usage SET usage = '{\"cpu\":1}'", NULL, NULL, NULL),
			 SQLITE_OK);
	kill_and_restart(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CELL_TEST(test_only_changes_are_written),
		CELL_TEST(test_history_has_the_usage_booked_on_each_day),
		CELL_TEST(test_history_is_kept_for_the_configured_days),
		CELL_TEST(test_usage_booked_for_deleted_jobs_is_dropped_after_a_week),
		CELL_TEST(test_values_that_can_not_be_usage_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
