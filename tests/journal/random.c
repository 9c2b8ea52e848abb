/* SPDX-License-Identifier: Apache-2.0 */
/* Journals of random cells that use all features: cells.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/journal/cells.h"
#include "tests/run/story.h"

static const struct kind_of_cell kind = { make_cell, go_on, dispatch_setup, false };

static void test_runs_of_random_cells_are_made_again(void **state)
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
		DISPATCH_TEST(test_runs_of_random_cells_are_made_again),
		DISPATCH_TEST(test_each_part_alone_leads_to_the_same_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
