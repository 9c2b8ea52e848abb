/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tickets/billable.h"

enum { KINDS = 5 };

static const char *const names[KINDS] = { "cpu", "mem", "gres/gpu", "license/matlab", "node" };
static const double weights[KINDS] = { 1.0, 0.5, 10.0, 3.0, 2.0 };

/* Return the cost of 4 CPUs, 16 MiB, 2 GPUs, a licence and a node: 4, 8, 20, 3 and 2. */
static double cost(bool max, bool max_with_gres_added)
{
	static const double counts[KINDS] = { 4, 16, 2, 1, 1 };
	const struct billable_rule rule = { KINDS, names, weights, max, max_with_gres_added };

	return billable(&rule, counts);
}

static void test_all_kinds_are_added(void **state)
{
	(void)state;
	assert_true(cost(false, false) == 37.0);
}

static void test_only_the_most_expensive_kind_of_a_node_counts(void **state)
{
	(void)state;
	assert_true(cost(true, false) == 20.0 + 3.0);
}

static void test_each_gres_is_added_to_the_most_expensive_other_kind(void **state)
{
	(void)state;
	assert_true(cost(false, true) == 8.0 + 20.0 + 3.0);
}

static void test_nothing_costs_nothing(void **state)
{
	const struct billable_rule none = { .n = 0, .max = true };

	(void)state;
	assert_true(billable(&none, NULL) == 0.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_kinds_are_added),
		cmocka_unit_test(test_only_the_most_expensive_kind_of_a_node_counts),
		cmocka_unit_test(test_each_gres_is_added_to_the_most_expensive_other_kind),
		cmocka_unit_test(test_nothing_costs_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
