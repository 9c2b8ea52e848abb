/* SPDX-License-Identifier: Apache-2.0 */
/* Customers, leases and claims that survive a scheduler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/userprio/accounts.h"

static void check_same(const char *before)
{
	char *after = all_of_it();

	assert_string_equal(before, after);
	free(after);
}

static void test_the_state_is_restored_bit_exactly(void **state)
{
	(void)state;
	customers_of()->six_decimals = false;
	for (unsigned seed = 1; seed <= 20; seed++) {
		int64_t now = BEGIN_TIME + 100000 * (int64_t)seed;
		char name[32], slot[32], *before;

		srand(seed);
		for (int i = 0; i < 200; i++) {
			uint32_t job = (uint32_t)(rand() % 3);

			snprintf(name, sizeof(name), "u%d@pool", rand() % 50);
			snprintf(slot, sizeof(slot), "slot%d-%u@node", i, seed);
			now += rand() % 100;
			switch (rand() % 4) {
			case 0:
				cycle(now);
				break;
			case 1:
				edit(name, (enum customer_edit_kind)(rand() % (EDIT_DELETE + 1)), 1.0 + rand() % 100,
				     rand() % 3 * 500, now);
				break;
			default:
				claim_begin(slot, job, name, (1 + rand() % 1000) / 7.0, now);
				if (rand() % 2)
					claim_end(slot, job, now + rand() % 50);
			}
			if (rand() % 10 == 0)
				accounts_save();
		}
		accounts_save();
		before = all_of_it();
		accounts_restart();
		customers_of()->six_decimals = false;
		check_same(before);
		free(before);
	}
}

/* Negative control of the previous test, which would detect it. */
static void test_unstored_changes_are_not_restored(void **state)
{
	char *before, *after;

	(void)state;
	claim_begin("slot1@node", 0, "ann@pool", 2.0, BEGIN_TIME);
	cycle(BEGIN_TIME + 100);
	accounts_save();
	cycle(BEGIN_TIME + 200);
	before = all_of_it();
	accounts_restart();
	after = all_of_it();
	assert_string_not_equal(before, after);
	free(before);
	free(after);
}

static void test_time_without_a_scheduler_is_charged_once(void **state)
{
	(void)state;
	claim_begin("slot1@node", 1, "ann@pool", 2.0, BEGIN_TIME);
	cycle(BEGIN_TIME + 100);
	accounts_save();
	claim_begin("slot2@node", 2, "ann@pool", 5.0, BEGIN_TIME + 150);	/* is forgotten */
	accounts_restart();
	claim_end("slot1@node", 1, BEGIN_TIME + 700);
	cycle(BEGIN_TIME + 1000);
	assert_true(find("ann@pool")->weight_accumulated == 1400.0);
	accounts_save();
	accounts_restart();
	cycle(BEGIN_TIME + 2000);
	assert_true(find("ann@pool")->weight_accumulated == 1400.0);
}

static int changes(void)
{
	static int before;
	int all = sqlite3_total_changes(file.store->db), n = all - before;

	before = all;
	return n;
}

static void test_only_changes_are_written(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++) {
		char name[32];

		snprintf(name, sizeof(name), "u%d@pool", i);
		customer_of(name);
	}
	claim_begin("slot1@node", 0, "u7@pool", 1.0, BEGIN_TIME);
	accounts_save();
	changes();
	cycle(BEGIN_TIME + 60);
	accounts_save();
	assert_true(changes() <= 8);	/* u7, the root, times, the number of commits */
	accounts_save();
	assert_int_equal(changes(), 0);
}

static void test_a_deleted_submitter_returns_with_its_next_use(void **state)
{
	(void)state;
	assert_int_equal(edit("ann@pool", EDIT_FACTOR, 4.0, 0, BEGIN_TIME), 0);
	accounts_save();
	assert_string_equal(ask("SELECT factor FROM customer WHERE name = 'ann@pool'"), "4.0");
	assert_int_equal(edit("ann@pool", EDIT_DELETE, 0.0, 0, BEGIN_TIME), 0);
	accounts_save();
	assert_string_equal(ask("SELECT count(*) FROM customer WHERE name = 'ann@pool'"), "0");
	assert_null(find("ann@pool"));
	accounts_restart();
	assert_null(find("ann@pool"));
	claim_begin("slot1@node", 0, "ann@pool", 1.0, BEGIN_TIME);
	accounts_save();
	assert_true(find("ann@pool")->factor == 1000.0);
	assert_string_equal(ask("SELECT factor FROM customer WHERE name = 'ann@pool'"), "1000.0");
}

static void test_a_deleted_submitter_that_returned_is_stored(void **state)
{
	(void)state;
	assert_int_equal(edit("ann@pool", EDIT_FACTOR, 4.0, 0, BEGIN_TIME), 0);
	accounts_save();
	assert_int_equal(edit("ann@pool", EDIT_DELETE, 0.0, 0, BEGIN_TIME), 0);
	assert_int_equal(edit("ann@pool", EDIT_CEILING, 3.0, 0, BEGIN_TIME), 0);
	accounts_save();
	assert_string_equal(ask("SELECT ceiling || ' ' || factor FROM customer WHERE name = 'ann@pool'"), "3 1000.0");
}

static void test_edits_that_could_not_be_stored_are_undone(void **state)
{
	char *before;

	(void)state;
	claim_begin("slot1@node", 0, "ann@pool", 3.0, BEGIN_TIME);
	assert_int_equal(edit("bob@pool", EDIT_CEILING, 3.0, 600, BEGIN_TIME), 0);
	assert_int_equal(edit("cat@pool", EDIT_FACTOR, 3.0, 0, BEGIN_TIME), 0);
	accounts_save();
	before = all_of_it();
	assert_int_equal(edit("ann@pool", EDIT_DELETE, 0.0, 0, BEGIN_TIME + 10), 0);
	assert_int_equal(edit("bob@pool", EDIT_CEILING, 9.0, 0, BEGIN_TIME + 10), 0);
	assert_int_equal(edit("bob@pool", EDIT_FACTOR, 9.0, 0, BEGIN_TIME + 10), 0);
	assert_int_equal(edit("bob@pool", EDIT_CANCEL_CEILING_LEASE, 9.0, 0, BEGIN_TIME + 10), -ENOENT);
	assert_int_equal(edit("cat@pool", EDIT_DELETE, 0.0, 0, BEGIN_TIME + 10), 0);
	assert_int_equal(edit("dan@pool", EDIT_FACTOR, 2.0, 0, BEGIN_TIME + 10), 0);
	assert_int_equal(edit("dan@pool", EDIT_FACTOR, 3.0, 0, BEGIN_TIME + 10), 0);
	assert_int_equal(edit("", EDIT_RESET_ALL, 0.0, 0, BEGIN_TIME + 10), 0);
	OK(&file, store_rows_save(file.store, &file.error));
	store_rollback(file.store);
	userprio_unedit(&it.policy.policy, run_of());
	check_same(before);
	accounts_save();
	accounts_restart();
	check_same(before);
	free(before);
}

static void test_changes_of_a_failed_commit_are_stored_with_the_next(void **state)
{
	char *before;

	(void)state;
	claim_begin("slot1@node", 0, "ann@pool", 3.0, BEGIN_TIME);
	accounts_save();
	claim_end("slot1@node", 0, BEGIN_TIME + 50);
	assert_int_equal(edit("bob@pool", EDIT_DELETE, 0.0, 0, BEGIN_TIME), 0);
	cycle(BEGIN_TIME + 60);
	OK(&file, store_rows_save(file.store, &file.error));
	store_rollback(file.store);
	accounts_save();
	before = all_of_it();
	accounts_restart();
	check_same(before);
	free(before);
}

static void test_leases_end_after_a_restart(void **state)
{
	(void)state;
	assert_int_equal(edit("ann@pool", EDIT_FLOOR, 2.0, 0, BEGIN_TIME), 0);
	assert_int_equal(edit("ann@pool", EDIT_FLOOR, 7.0, 90, BEGIN_TIME), 0);
	accounts_save();
	accounts_restart();
	cycle(BEGIN_TIME + 89);
	assert_int_equal(find("ann@pool")->floor, 7);
	accounts_save();
	accounts_restart();
	cycle(BEGIN_TIME + 90);
	assert_int_equal(find("ann@pool")->floor, 2);
}

/* A restarted scheduler begins with the current date. */
static void test_a_clock_that_was_set_back_charges_no_time_twice(void **state)
{
	(void)state;
	claim_begin("slot1@node", 1, "ann@pool", 2.0, BEGIN_TIME);
	cycle(BEGIN_TIME + 1000);
	accounts_save();
	accounts_restart();
	run_of()->now = BEGIN_TIME + 400;
	assert_int_equal(userprio_take_over(&it.policy, run_of()), 0);
	cycle(BEGIN_TIME + 400);
	assert_true(find("ann@pool")->weight_accumulated == 2000.0);
	claim_begin("slot2@node", 2, "ann@pool", 1.0, BEGIN_TIME + 400);
	claim_end("slot1@node", 1, BEGIN_TIME + 500);
	cycle(BEGIN_TIME + 600);
	assert_true(find("ann@pool")->weight_accumulated == 2400.0);
}

static void test_a_clock_that_was_set_forward_charges_the_time_between(void **state)
{
	(void)state;
	claim_begin("slot1@node", 1, "ann@pool", 2.0, BEGIN_TIME);
	cycle(BEGIN_TIME + 1000);
	accounts_save();
	accounts_restart();
	run_of()->now = BEGIN_TIME + 1000000;
	assert_int_equal(userprio_take_over(&it.policy, run_of()), 0);
	cycle(BEGIN_TIME + 1000000);
	assert_true(find("ann@pool")->weight_accumulated == 2000000.0);
	claim_end("slot1@node", 1, BEGIN_TIME + 2000);		/* after its actual end */
	cycle(BEGIN_TIME + 1000001);
	assert_true(find("ann@pool")->weight_accumulated == 4000.0);
}

static void test_invalid_names_are_refused(void **state)
{
	char name[1100];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 2] = '@';
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(edit("ann", EDIT_FACTOR, 2.0, 0, BEGIN_TIME), -EINVAL);
	assert_int_equal(edit("", EDIT_DELETE, 2.0, 0, BEGIN_TIME), -EINVAL);
	assert_int_equal(edit("<none>", EDIT_FACTOR, 2.0, 0, BEGIN_TIME), -EINVAL);
	assert_int_equal(edit("a b@pool", EDIT_FACTOR, 2.0, 0, BEGIN_TIME), -EINVAL);
	assert_int_equal(edit("a\tb@pool", EDIT_FACTOR, 2.0, 0, BEGIN_TIME), -EINVAL);
	assert_int_equal(edit(name, EDIT_FACTOR, 2.0, 0, BEGIN_TIME), -EINVAL);
	assert_int_equal(edit("ann@pool", EDIT_FACTOR, 0.5, 0, BEGIN_TIME), -EINVAL);
	assert_null(find("ann@pool"));
}

/* Damage */

static void damaged(const char *sql, const char *column)
{
	const struct store_usage_options options = { .reported_again = true };

	store_close(file.store);
	OPEN(&file);
	assert_int_equal(sqlite3_exec(file.store->db, sql, NULL, NULL, NULL), SQLITE_OK);
	policy_end();
	policy_begin();
	FAILS(&file, store_usage_attach(file.store, &it.durable, &options, &file.error), -EUCLEAN, column);
	policy_end();
	policy_begin();
}

static void test_an_impossible_customer_is_damage(void **state)
{
	static const char *const wrong[][2] = {
		{ "UPDATE customer SET priority = 0.4", "priority" },
		{ "UPDATE customer SET priority = 9e999", "priority" },
		{ "UPDATE customer SET priority = 1, factor = 0.5", "factor" },
		{ "UPDATE customer SET factor = 2, slots = -1", "slots" },
		{ "UPDATE customer SET slots = 4294967296", "slots" },
		{ "UPDATE customer SET slots = 0, weight = -1", "weight" },
		{ "UPDATE customer SET weight = 0, accumulated = -1", "accumulated" },
		{ "UPDATE customer SET accumulated = 0, ceiling = -2", "ceiling" },
		{ "UPDATE customer SET ceiling = 3, floor = -1", "floor" },
		{ "UPDATE customer SET floor = 0, factor_before = 3", "factor_before" },
		{ "UPDATE customer SET factor_until = 3, factor_before = 0.3", "factor_before" },
		{ "UPDATE customer SET factor_before = 1, ceiling_before = 1", "ceiling_before" },
		{ "UPDATE customer SET ceiling_before = 0, name = ''", "name" },
	};

	(void)state;
	claim_begin("slot1@node", 0, "ann@pool", 3.0, BEGIN_TIME);
	accounts_save();
	OK(&file, sqlite3_exec(file.store->db, "DELETE FROM customer WHERE name = '<none>'", NULL, NULL, NULL));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		damaged(wrong[i][0], wrong[i][1]);
}

static void test_a_claim_without_a_submitter_is_damage(void **state)
{
	(void)state;
	claim_begin("slot1@node", 0, "ann@pool", 3.0, BEGIN_TIME);
	accounts_save();
	damaged("UPDATE claim SET weight = -1", "weight");
	damaged("UPDATE claim SET weight = 3, customer = 'bob@pool'", "customer");
	damaged("UPDATE claim SET slot = ''", "slot");
}

#define ACCOUNTS_TEST(name) cmocka_unit_test_setup_teardown(name, accounts_setup, accounts_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ACCOUNTS_TEST(test_the_state_is_restored_bit_exactly),
		ACCOUNTS_TEST(test_unstored_changes_are_not_restored),
		ACCOUNTS_TEST(test_time_without_a_scheduler_is_charged_once),
		ACCOUNTS_TEST(test_only_changes_are_written),
		ACCOUNTS_TEST(test_a_deleted_submitter_returns_with_its_next_use),
		ACCOUNTS_TEST(test_a_deleted_submitter_that_returned_is_stored),
		ACCOUNTS_TEST(test_edits_that_could_not_be_stored_are_undone),
		ACCOUNTS_TEST(test_changes_of_a_failed_commit_are_stored_with_the_next),
		ACCOUNTS_TEST(test_leases_end_after_a_restart),
		ACCOUNTS_TEST(test_a_clock_that_was_set_back_charges_no_time_twice),
		ACCOUNTS_TEST(test_a_clock_that_was_set_forward_charges_the_time_between),
		ACCOUNTS_TEST(test_invalid_names_are_refused),
		ACCOUNTS_TEST(test_an_impossible_customer_is_damage),
		ACCOUNTS_TEST(test_a_claim_without_a_submitter_is_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
