/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scheduler makes of a pool's files: they are read again whole or not at all, and where the
 * accountant stood counts once.
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

static void put_pool(struct fixture *f, const char *config)
{
	put(f, "condor_config", config);
	put_away(f, "sched_conf");
	reload(f);
}

static struct fl_customer customer(const struct fixture *f, const char *name)
{
	struct fl_customer c;

	for (size_t k = 0; fl_customer(f->view, k, &c) == 0; k++)
		if (strcmp(c.name, name) == 0)
			return c;
	fail_msg("there is no customer %s", name);
	return c;
}

static double halflife(const struct fixture *f)
{
	struct fl_negotiation n;

	assert_int_equal(fl_negotiation(f->view, &n), 0);
	return n.halflife;
}

static void test_a_bad_condor_config_leaves_the_old_one_in_force(void **state)
{
	struct fixture *f = *state;
	struct report report = { 0 };

	put_pool(f, CONFIG "PRIORITY_HALFLIFE = 100\n");
	run(f, NOW);
	assert_true(halflife(f) == 100);
	put(f, "condor_config", CONFIG "PRIORITY_HALFLIFE = 0\n");
	assert_int_equal(sched_reload(f->sched, &report, &f->error), -EINVAL);
	assert_int_equal(report.faults, 1);
	report_free(&report);
	run(f, NOW + 100);
	assert_true(halflife(f) == 100);
	put(f, "condor_config", CONFIG "PRIORITY_HALFLIFE = 300\n");
	reload(f);
	run(f, NOW + 200);
	assert_true(halflife(f) == 300);
}

static void test_what_it_includes_is_read_again_with_it(void **state)
{
	struct fixture *f = *state;

	put(f, "more.conf", "PRIORITY_HALFLIFE = 100\n");
	put_pool(f, CONFIG "include : more.conf\n");
	run(f, NOW);
	assert_true(halflife(f) == 100);
	put(f, "more.conf", "PRIORITY_HALFLIFE = 200\n");
	reload(f);
	run(f, NOW + 100);
	assert_true(halflife(f) == 200);
}

static void test_where_the_accountant_stood_is_where_the_pool_goes_on(void **state)
{
	struct fixture *f = *state;

	put(f, "userprio", "103 Accountant. LastUpdateTime 1700000000\n103 Customer.ann@pool Priority 8.000000\n"
	    "103 Customer.ann@pool PriorityFactor 10.000000\n103 Customer.ann@pool WeightedAccumulatedUsage 7200.000000\n");
	put_pool(f, CONFIG "PRIORITY_HALFLIFE = 100\n");
	run(f, NOW);
	assert_true(customer(f, "ann@pool").factor == 10);
	assert_true(customer(f, "ann@pool").weight_accumulated == 7200);
	assert_true(customer(f, "ann@pool").rup == 8);
}

static void test_what_the_accountant_did_not_know_is_not_taken_back(void **state)
{
	struct fixture *f = *state;

	put(f, "userprio", "103 Customer.ann@pool PriorityFactor 10.000000\n");
	put_pool(f, CONFIG);
	run(f, NOW);
	put(f, "userprio", "103 Customer.ann@pool PriorityFactor 99.000000\n");
	reload(f);
	run(f, NOW + 100);
	assert_true(customer(f, "ann@pool").factor == 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_bad_condor_config_leaves_the_old_one_in_force),
		TEST(test_what_it_includes_is_read_again_with_it),
		TEST(test_where_the_accountant_stood_is_where_the_pool_goes_on),
		TEST(test_what_the_accountant_did_not_know_is_not_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
