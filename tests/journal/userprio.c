/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Journals of algorithm userprio: cycles with their visits and matches, user priorities, operators'
 * edits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/journal/cells.h"
#include "tests/userprio/story.h"

static const struct kind_of_cell kind = { make_pool, go_on, pool_setup, true };

static void test_cycles_of_random_pools_are_made_again(void **state)
{
	runs_are_made_again(state, &kind);
}

static void test_each_part_alone_leads_to_the_same_runs(void **state)
{
	parts_alone_lead_to_the_same(state, &kind);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		POOL_TEST(test_cycles_of_random_pools_are_made_again),
		POOL_TEST(test_each_part_alone_leads_to_the_same_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
