/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reload of a pool's files: they are read as a whole or not at all, and the accountant's state
 * counts once.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/mirror/cell.h"

#define CONFIG "UID_DOMAIN = pool\nGROUP_NAMES = a\nGROUP_QUOTA_a = 2\n"

static void put_pool(struct fixture *fixture, const char *config)
{
	put(fixture, "condor_config", config);
	put_away(fixture, "sched_conf");
	reload(fixture);
}

static struct fl_customer customer(const struct fixture *fixture, const char *name)
{
	struct fl_customer c;

	for (size_t k = 0; fl_customer(fixture->view, k, &c) == 0; k++)
		if (strcmp(c.name, name) == 0)
			return c;
	fail_msg("there is no customer %s", name);
	return c;
}

static double halflife(const struct fixture *fixture)
{
	struct fl_negotiation negotiation;

	assert_int_equal(fl_negotiation(fixture->view, &negotiation), 0);
	return negotiation.halflife;
}

static void test_a_bad_condor_config_leaves_the_old_one_active(void **state)
{
	struct fixture *fixture = *state;
	struct report report = { 0 };

	put_pool(fixture, CONFIG "PRIORITY_HALFLIFE = 100\n");
	run(fixture, NOW);
	assert_true(halflife(fixture) == 100);
	put(fixture, "condor_config", CONFIG "PRIORITY_HALFLIFE = 0\n");
	assert_int_equal(sched_reload(fixture->sched, &report, &fixture->error), -EINVAL);
	assert_int_equal(report.faults, 1);
	report_free(&report);
	run(fixture, NOW + 100);
	assert_true(halflife(fixture) == 100);
	put(fixture, "condor_config", CONFIG "PRIORITY_HALFLIFE = 300\n");
	reload(fixture);
	run(fixture, NOW + 200);
	assert_true(halflife(fixture) == 300);
}

static void test_an_included_file_is_read_again(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "more.conf", "PRIORITY_HALFLIFE = 100\n");
	put_pool(fixture, CONFIG "include : more.conf\n");
	run(fixture, NOW);
	assert_true(halflife(fixture) == 100);
	put(fixture, "more.conf", "PRIORITY_HALFLIFE = 200\n");
	reload(fixture);
	run(fixture, NOW + 100);
	assert_true(halflife(fixture) == 200);
}

static void test_the_pool_continues_from_the_accountants_state(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "userprio",
	    "103 Accountant. LastUpdateTime 1700000000\n103 Customer.ann@pool Priority 8.000000\n"
	    "103 Customer.ann@pool PriorityFactor 10.000000\n103 Customer.ann@pool WeightedAccumulatedUsage 7200.000000\n");
	put_pool(fixture, CONFIG "PRIORITY_HALFLIFE = 100\n");
	run(fixture, NOW);
	assert_true(customer(fixture, "ann@pool").factor == 10);
	assert_true(customer(fixture, "ann@pool").weight_accumulated == 7200);
	assert_true(customer(fixture, "ann@pool").rup == 8);
}

static void test_records_unknown_to_the_accountant_are_not_undone(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "userprio", "103 Customer.ann@pool PriorityFactor 10.000000\n");
	put_pool(fixture, CONFIG);
	run(fixture, NOW);
	put(fixture, "userprio", "103 Customer.ann@pool PriorityFactor 99.000000\n");
	reload(fixture);
	run(fixture, NOW + 100);
	assert_true(customer(fixture, "ann@pool").factor == 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_bad_condor_config_leaves_the_old_one_active),
		TEST(test_an_included_file_is_read_again),
		TEST(test_the_pool_continues_from_the_accountants_state),
		TEST(test_records_unknown_to_the_accountant_are_not_undone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
