/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of associations' usage that are written while usage only decays, and their bit-exact
 * restoration.
 */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/store/slurm_cell.h"

/* Unchanged state */

/* Make two hundred passes in which usage only decays, with a kill at intervals. */
static char *idle(struct fixture *fixture, int passes)
{
	begin_anew(fixture);
	for (size_t i = 0; i < 3; i++)
		TELL(fixture, ASSOCIATION_USAGE, slurm_users[i][0], slurm_users[i][1], i == 1 ? "0.1" : "300000");
	for (int k = 0; k < 200; k++) {
		if (k > 0 && k % passes == 0)
			kill_and_restart(fixture);
		run_and_save(fixture, NOW + k * (PERIOD + 7));
	}
	return all_shares(fixture);
}

static void test_usage_that_only_decays_is_written_rarely_and_is_bit_exact(void **state)
{
	struct fixture *fixture = *state;
	char *whole, *pieces;

	put_slurm(fixture, DECAYING);
	whole = idle(fixture, INT_MAX);
	for (int passes = 2; passes < 40; passes += 9) {
		pieces = idle(fixture, passes);
		assert_string_equal(pieces, whole);
		free(pieces);
	}
	free(whole);
}

static void test_usage_continues_after_the_clock_was_set_back(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, DECAYING);
	TELL(fixture, ASSOCIATION_USAGE, "phys", "ann", "300000");
	for (int k = 0; k < 3; k++)
		run_and_save(fixture, NOW + k * PERIOD);
	for (int k = 0; k < 2; k++) {
		if (k > 0)
			kill_and_restart(fixture);
		run_and_save(fixture, NOW);		/* without decay; time counts again from here */
	}
	run_and_save(fixture, NOW + PERIOD);
	kill_and_restart(fixture);
	run_and_save(fixture, NOW + PERIOD);
	CHECK(share(fixture, "ann").raw_usage,
	      (double)(300000.0L * pow(1 - 0.693 / 604800, PERIOD) * pow(1 - 0.693 / 604800, PERIOD) *
		       pow(1 - 0.693 / 604800, PERIOD)));
}

/* Written rows */

static void test_a_pass_writes_charged_rows_and_the_rest_by_turns(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, DECAYING);
	for (size_t i = 0; i < 3; i++)
		TELL(fixture, ASSOCIATION_USAGE, slurm_users[i][0], slurm_users[i][1], "1000");
	run_and_save(fixture, NOW);
	execute("UPDATE association_usage SET usage_exact = '7'");
	run_and_save(fixture, NOW + 1);
	assert_string_equal(ask("SELECT count(*) FROM association_usage WHERE usage_raw = 7"), "3");
	run_job(fixture, 1, 1, NOW + 2);
	TELL(fixture, FINISH "1,'end_time':%d}", NOW + 10);
	run_and_save(fixture, NOW + 20);
	assert_string_equal(ask("SELECT group_concat(user) FROM association_usage WHERE usage_raw > 7"), "bob");
	TELL(fixture, ASSOCIATION_USAGE, "chem", "cal", "50");
	run_and_save(fixture, NOW + 21);
	assert_string_equal(ask("SELECT group_concat(user) FROM association_usage WHERE usage_raw > 7"), "cal,bob");
	run_job(fixture, 2, 0, NOW + PERIOD - 1);
	run_and_save(fixture, NOW + PERIOD);
	assert_string_equal(ask("SELECT group_concat(user) FROM association_usage WHERE time_stamp > " TEXT(NOW)),
			    "ann");
	assert_string_equal(
		ask("SELECT group_concat(since || ' ' || until || ' ' || (remains > 0.9996 AND remains < 0.9997)) FROM association_decay"),
		"1700000000 1700000300 1");
	for (int k = 2; k < 30; k++)
		run_and_save(fixture, NOW + k * PERIOD);
	assert_string_equal(ask("SELECT min(time_stamp) >= " TEXT(NOW) " + 15 * 300 FROM association_usage"), "1");
	assert_string_equal(
		ask("SELECT (SELECT min(time_stamp) FROM association_usage) >= min(since) AND count(*) < 16 FROM association_decay"),
		"1");
}

static void test_a_complete_write_leaves_no_decay_open(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, DECAYING);
	TELL(fixture, ASSOCIATION_USAGE, "phys", "ann", "1000");
	for (int k = 0; k < 4; k++)
		run_and_save(fixture, NOW + k * PERIOD);
	assert_string_equal(ask("SELECT count(*) FROM association_decay"), "3");
	reload(fixture);
	run_and_save(fixture, NOW + 4 * PERIOD);
	assert_string_equal(ask("SELECT count(*) FROM association_decay"), "0");
	for (int k = 5; k < 5 + 2 * DECAYS_MOST; k++)
		run(fixture, NOW + k * PERIOD);		/* the store is unavailable for so long */
	run_and_save(fixture, NOW + 100 * PERIOD);
	assert_string_equal(ask("SELECT count(*) FROM association_decay"), "0");
	assert_string_equal(ask("SELECT (time_stamp - " TEXT(NOW) ") / 300 FROM association_usage"), "100");
}

static void test_usage_is_kept_until_it_is_rewritten_when_passes_are_rare(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, "PriorityDecayHalfLife=1000-0\nPriorityCalcPeriod=100-0\n");
	for (size_t i = 0; i < 3; i++)
		TELL(fixture, ASSOCIATION_USAGE, slurm_users[i][0], slurm_users[i][1], "1000");
	for (int64_t k = 0; k < 20; k++) {
		run_and_save(fixture, NOW + k * 100 * DAY);
		assert_string_equal(ask("SELECT count(*) FROM association_usage"), "3");
	}
}

/* Stored decays */

static void test_decays_that_can_not_be_are_refused(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, DECAYING);
	check_damage(fixture, "INSERT INTO association_decay (since, until, remains) VALUES (5, 5, 0.5)",
		     "damaged: since");
	check_damage(fixture, "INSERT INTO association_decay (since, until, remains) VALUES (-1, 5, 0.5)",
		     "damaged: since");
	check_damage(fixture,
		     "INSERT INTO association_decay (since, until, remains) VALUES (5, 9223372036854775807, 0.5)",
		     "damaged: until");
	check_damage(fixture, "INSERT INTO association_decay (since, until, remains) VALUES (5, 6, 1.5)",
		     "damaged: remains");
	check_damage(fixture, "INSERT INTO association_decay (since, until, remains) VALUES (5, 6, -1e-9)",
		     "damaged: remains");
	check_damage(fixture, "DROP TABLE association_decay", "association_decay");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CELL_TEST(test_usage_that_only_decays_is_written_rarely_and_is_bit_exact),
		CELL_TEST(test_usage_continues_after_the_clock_was_set_back),
		CELL_TEST(test_a_pass_writes_charged_rows_and_the_rest_by_turns),
		CELL_TEST(test_a_complete_write_leaves_no_decay_open),
		CELL_TEST(test_usage_is_kept_until_it_is_rewritten_when_passes_are_rare),
		CELL_TEST(test_decays_that_can_not_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
