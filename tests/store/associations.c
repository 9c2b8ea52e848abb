/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage of Slurm's associations over restarts: bit-exact values, precedence of reports, removed and
 * added users, and damaged stores.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/store/slurm_cell.h"

#define FROZEN "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\nPriorityCalcPeriod=5\n"

static const char every_usage[] =
	"SELECT group_concat(u, ', ') FROM (SELECT user || ' ' || usage_exact AS u FROM association_usage ORDER BY user)";

/* Unchanged state */

static void report_running(struct fixture *fixture)
{
	SNAPSHOT(fixture);
	for (uint32_t i = 0; i < 3; i++)
		run_job(fixture, 1 + i, i, NOW - 1000 * (int64_t)i);
	SNAPSHOT_END(fixture);
}

/* Killed before each pass; with only the digits of a double. */
enum life { WHOLE, IN_PIECES, ROUNDED };

/* Make forty passes. Return the final usage of the associations. */
static char *live(struct fixture *fixture, enum life life)
{
	begin_anew(fixture);
	report_running(fixture);
	for (int k = 0; k < 40; k++) {
		int64_t pass = NOW + k * (PERIOD + 7);

		if (life == ROUNDED)
			execute("UPDATE association_usage SET usage_exact = format('%.17g', usage_raw)");
		if (life != WHOLE) {
			kill_and_restart(fixture);
			report_running(fixture);
		}
		run_and_save(fixture, pass);
		run_job(fixture, 100 + (uint32_t)k, (size_t)k % 3, pass + 11);
		TELL(fixture, FINISH "%d,'end_time':%lld}", 100 + k, (long long)pass + 12 + k);
		run_and_save(fixture, pass + 100);
	}
	return all_shares(fixture);
}

static void check_lives(struct fixture *fixture, const char *lines)
{
	char *whole, *pieces, *rounded;

	put_slurm(fixture, lines);
	whole = live(fixture, WHOLE);
	pieces = live(fixture, IN_PIECES);
	rounded = live(fixture, ROUNDED);
	assert_string_equal(pieces, whole);
	assert_string_not_equal(rounded, whole);
	free(rounded);
	free(pieces);
	free(whole);
}

static void test_a_killed_scheduler_continues_bit_exactly(void **state)
{
	check_lives(*state, DECAYING);
}

static void test_classic_shares_continue_bit_exactly(void **state)
{
	check_lives(*state, DECAYING "PriorityFlags=NO_FAIR_TREE\n");
}

static void test_a_task_that_ran_without_a_scheduler_is_charged_in_the_first_pass(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN);
	run_job(fixture, 1, 0, NOW);
	run_and_save(fixture, NOW);
	kill_and_restart(fixture);
	/* the qmaster is still away */
	assert_int_equal(sched_run(fixture->sched, NOW + 5000, 0, &fixture->error), 0);
	save(NOW + 5000);
	run_job(fixture, 1, 0, NOW);
	run_and_save(fixture, NOW + 6000);
	CHECK(share(fixture, "ann").raw_usage, 6000.0);
}

static void test_a_task_that_ended_without_a_scheduler_is_charged_up_to_its_end(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN);
	for (int end = 50; end <= 500; end += 450) {	/* before and after the last pass */
		begin_anew(fixture);
		run_job(fixture, 1, 0, NOW);
		run_and_save(fixture, NOW);
		run_and_save(fixture, NOW + PERIOD);
		kill_and_restart(fixture);
		run_job(fixture, 1, 0, NOW);
		run_and_save(fixture, NOW + 1000);
		CHECK(share(fixture, "ann").raw_usage, 1000.0);
		TELL(fixture, FINISH "1,'end_time':%d}", NOW + end);
		run_and_save(fixture, NOW + 1001);
		CHECK(share(fixture, "ann").raw_usage, (double)end);
	}
}

static void test_the_usage_of_a_stop_decays_in_the_first_pass(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, DECAYING);
	TELL(fixture, ASSOCIATION_USAGE, "phys", "ann", "300000");
	run_and_save(fixture, NOW);
	kill_and_restart(fixture);
	run(fixture, NOW + 3601);
	CHECK(share(fixture, "ann").raw_usage, (double)(300000.0L * pow(1 - 0.693 / 604800, 3601)));
}

static void test_usage_is_forgotten_once_a_day_however_often_the_scheduler_starts(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=DAILY\nPriorityCalcPeriod=5\n");
	TELL(fixture, ASSOCIATION_USAGE, "phys", "ann", "1000");
	run_and_save(fixture, NOW);
	kill_and_restart(fixture);
	run_and_save(fixture, NOW + 2 * DAY);
	CHECK(share(fixture, "ann").raw_usage, 0.0);
	assert_string_equal(ask(every_usage), "ann 0");
	TELL(fixture, ASSOCIATION_USAGE, "phys", "ann", "2000");
	run_and_save(fixture, NOW + 2 * DAY + 1);
	kill_and_restart(fixture);
	run_and_save(fixture, NOW + 2 * DAY + 2);
	CHECK(share(fixture, "ann").raw_usage, 2000.0);
}

/* Written rows */

static void test_a_user_without_usage_has_no_row(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, DECAYING);
	run_job(fixture, 1, 2, NOW);
	run_and_save(fixture, NOW);
	run_and_save(fixture, NOW + PERIOD);
	assert_string_equal(
		ask("SELECT group_concat(account || ' ' || user || ' ' || partition || ' ' || time_stamp) FROM association_usage"),
		"chem cal  1700000300");
	assert_string_equal(ask("SELECT value FROM meta WHERE key = 'pass'"), "1700000300");
}

static void test_an_uncommitted_change_is_written_with_the_next_run(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN);
	run_job(fixture, 1, 0, NOW);
	run_and_save(fixture, NOW);
	run(fixture, NOW + PERIOD);
	OK(&file, store_usage_save(file.store, NOW + PERIOD, &file.error));
	store_rollback(file.store);
	assert_string_equal(ask("SELECT count(*) FROM association_usage"), "0");
	run_and_save(fixture, NOW + PERIOD + 1);
	assert_string_equal(ask("SELECT user || ' ' || usage_raw FROM association_usage"), "ann 300.0");
	assert_string_equal(ask("SELECT value FROM meta WHERE key = 'pass'"), "1700000300");
}

/* Precedence of reports */

static void test_usage_from_the_qmaster_replaces_stored_usage(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN);
	TELL(fixture, ASSOCIATION_USAGE, "phys", "ann", "1000");
	run_and_save(fixture, NOW);
	kill_and_restart(fixture);
	TELL(fixture, ASSOCIATION_USAGE, "phys", "ann", "5");
	run_and_save(fixture, NOW + PERIOD);
	CHECK(share(fixture, "ann").raw_usage, 5.0);
	assert_string_equal(ask(every_usage), "ann 5");
}

static void test_usage_of_the_cell_counts_when_the_store_has_none(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN);
	put(fixture, "sshare",
	    "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare|\nroot|||1.0|3000|1.0||\n phys||60|0.6|3000|1.0||\n"
	    "  phys|ann|1|0.25|1000|0.3|0.5|\n  phys|bob|3|0.75|2000|0.6|0.4|\n");
	kill_and_restart(fixture);
	TELL(fixture, ASSOCIATION_USAGE, "phys", "ann", "0");
	run_and_save(fixture, NOW);
	assert_string_equal(ask(every_usage), "ann 0, bob 2000");
	execute("DELETE FROM association_usage WHERE user = 'bob'");
	put(fixture, "sshare",
	    "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare|\nroot|||1.0|3000|1.0||\n phys||60|0.6|3000|1.0||\n"
	    "  phys|ann|1|0.25|1000|0.3|0.5|\n  phys|bob|3|0.75|2500|0.6|0.4|\n");
	kill_and_restart(fixture);
	run_and_save(fixture, NOW + 1);
	CHECK(share(fixture, "ann").raw_usage, 0.0);
	CHECK(share(fixture, "bob").raw_usage, 2500.0);
}

/* Removed and added users */

static void test_a_user_that_is_removed_and_added_again_keeps_its_usage(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, DECAYING);
	TELL(fixture, ASSOCIATION_USAGE, "phys", "bob", "300000");
	run_and_save(fixture, NOW);
	put_associations(fixture, "");
	reload(fixture);
	run_and_save(fixture, NOW + PERIOD);
	CHECK(share(fixture, "phys").raw_usage, 0.0);
	assert_string_equal(ask(every_usage), "bob 300000");
	for (int restarted = 0; restarted < 2; restarted++) {
		put_associations(fixture, "");
		reload(fixture);
		run_and_save(fixture, NOW + PERIOD);
		put_associations(fixture, BOB);
		if (restarted)
			kill_and_restart(fixture);
		else
			reload(fixture);
		run(fixture, NOW + PERIOD);
		CHECK(share(fixture, "bob").raw_usage, (double)(300000.0L * pow(1 - 0.693 / 604800, PERIOD)));
	}
}

static void test_usage_continues_when_the_cell_returns_to_the_algorithm(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN);
	TELL(fixture, ASSOCIATION_USAGE, "phys", "bob", "300000");
	run_and_save(fixture, NOW);
	put_sched_conf(fixture, 168, "cpu=1,mem=0,io=0", "none");
	reload(fixture);
	run_and_save(fixture, NOW + PERIOD);
	kill_and_restart(fixture);
	run_and_save(fixture, NOW + 2 * PERIOD);
	put_away(fixture, "sched_conf");
	reload(fixture);
	run_and_save(fixture, NOW + 3 * PERIOD);
	CHECK(share(fixture, "bob").raw_usage, 300000.0);
}

static void test_usage_of_removed_users_is_kept_for_400_days(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, DECAYING);
	TELL(fixture, ASSOCIATION_USAGE, "phys", "bob", "300000");
	TELL(fixture, ASSOCIATION_USAGE, "phys", "ann", "300000");
	run_and_save(fixture, NOW);
	put_associations(fixture, "");
	reload(fixture);
	run_and_save(fixture, NOW + 400 * DAY);
	assert_string_equal(ask("SELECT group_concat(user) FROM association_usage"), "ann,bob");
	run_and_save(fixture, NOW + 401 * DAY);
	assert_string_equal(ask("SELECT group_concat(user) FROM association_usage"), "ann");
}

/* Stores of other versions */

static void test_a_store_of_an_older_version_gets_the_tables(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN);
	start_job(fixture, 1, "ann");
	report_cpu(fixture, 1, 1, 10);
	run_and_save(fixture, NOW);
	execute("DROP TABLE debited_task; DROP TABLE association_usage; DROP TABLE association_decay; DELETE FROM meta WHERE key IN ('pass', 'usage_reset'); PRAGMA user_version = 1");
	kill_and_restart(fixture);
	assert_string_equal(ask("PRAGMA user_version"), TEXT(STORE_SCHEMA));
	assert_string_equal(ask("SELECT usage FROM debited"), "{\"cpu\":10}");
	TELL(fixture, ASSOCIATION_USAGE, "phys", "ann", "1");
	run_and_save(fixture, NOW + 1);
	assert_string_equal(ask(every_usage), "ann 1");
	execute("DROP TABLE debited_task; DROP TABLE association_decay; PRAGMA user_version = 2");
	kill_and_restart(fixture);
	assert_string_equal(ask("SELECT count(*) FROM association_decay"), "0");
	run_and_save(fixture, NOW + 2);
	CHECK(share(fixture, "ann").raw_usage, 1.0);
}

static void test_associations_that_the_cell_does_not_know_stay_in_the_store(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, FROZEN);
	execute("INSERT INTO association_usage (account, user, partition, usage_exact, time_stamp) VALUES ('phys', 'eve', '', '5', 1700000000), "
		"('phys', 'ann', 'nowhere', '6', 1700000000), ('phys', 'ann', '', '1.25', 1700000000)");
	kill_and_restart(fixture);
	run_and_save(fixture, NOW);
	CHECK(share(fixture, "phys").raw_usage, 1.25);
	assert_string_equal(
		ask("SELECT group_concat(u) FROM (SELECT user || partition || usage_raw AS u FROM association_usage ORDER BY u)"),
		"ann1.25,annnowhere6.0,eve5.0");
}

static void test_values_that_can_not_be_usage_are_refused(void **state)
{
	struct fixture *fixture = *state;
	static const char *const bad[] = { "",	   "-1",  "nan",  "inf", "infinity", "1e309", "1e5000",
					   "0x10", "1,5", "1.5 ", " 1",	 "5x",	     "1e",    "--1" };
	char sql[200];

	put_slurm(fixture, FROZEN);
	TELL(fixture, ASSOCIATION_USAGE, "phys", "ann", "1000");
	run_and_save(fixture, NOW);
	store_close(file.store);
	OPEN(&file);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(sql, sizeof(sql), "UPDATE association_usage SET usage_exact = '%s'", bad[i]);
		check_damage(fixture, sql, "damaged: usage_exact");
	}
	check_damage(fixture, "UPDATE association_usage SET time_stamp = -1", "damaged: time_stamp");
	check_damage(fixture, "UPDATE association_usage SET time_stamp = 9223372036854775807", "damaged: time_stamp");
	check_damage(fixture, "UPDATE association_usage SET user = ''", "damaged: user");
	check_damage(fixture, "UPDATE association_usage SET account = ''", "damaged: account");
	check_damage(fixture, "UPDATE association_usage SET account = CAST (x'ff' AS TEXT)", "damaged: account");
	check_damage(fixture, "UPDATE meta SET value = 'yesterday' WHERE key = 'pass'", "damaged: pass");
	check_damage(fixture, "UPDATE meta SET value = '-5' WHERE key = 'usage_reset'", "damaged: usage_reset");
	check_damage(fixture, "DROP TABLE association_usage", "association_usage");
	kill_and_restart(fixture);
	run(fixture, NOW + 1);
	CHECK(share(fixture, "ann").raw_usage, 1000.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CELL_TEST(test_a_killed_scheduler_continues_bit_exactly),
		CELL_TEST(test_classic_shares_continue_bit_exactly),
		CELL_TEST(test_a_task_that_ran_without_a_scheduler_is_charged_in_the_first_pass),
		CELL_TEST(test_a_task_that_ended_without_a_scheduler_is_charged_up_to_its_end),
		CELL_TEST(test_the_usage_of_a_stop_decays_in_the_first_pass),
		CELL_TEST(test_usage_is_forgotten_once_a_day_however_often_the_scheduler_starts),
		CELL_TEST(test_a_user_without_usage_has_no_row),
		CELL_TEST(test_an_uncommitted_change_is_written_with_the_next_run),
		CELL_TEST(test_usage_from_the_qmaster_replaces_stored_usage),
		CELL_TEST(test_usage_of_the_cell_counts_when_the_store_has_none),
		CELL_TEST(test_a_user_that_is_removed_and_added_again_keeps_its_usage),
		CELL_TEST(test_usage_continues_when_the_cell_returns_to_the_algorithm),
		CELL_TEST(test_usage_of_removed_users_is_kept_for_400_days),
		CELL_TEST(test_a_store_of_an_older_version_gets_the_tables),
		CELL_TEST(test_associations_that_the_cell_does_not_know_stay_in_the_store),
		CELL_TEST(test_values_that_can_not_be_usage_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
