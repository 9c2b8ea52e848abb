/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random cells, computed by tickets/ and urgency/ and by the naive implementation: equal to the last bit. FAIRLEAD_SEED=n
 * starts from another seed, FAIRLEAD_CELLS=n makes more of them.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/naive/cells.h"

static void cells_agree(const char *what, size_t cells, size_t size)
{
	uint64_t seed = seed_get(what);
	for (size_t i = 0; i < cells_wanted(cells); i++, seed++) {
		struct naive_cell *real = cell_random(seed, size), *naive = cell_random(seed, size);
		char text[200];
		naive_run(naive);
		real_run(real);
		if (cells_differ(real, naive, text, sizeof(text)))
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ": real and naive differ: %s", seed, text);
		naive_cell_free(real);
		naive_cell_free(naive);
	}
}

static void test_tiny_cells_agree_with_the_naive_implementation(void **state)
{
	(void)state;
	cells_agree("tiny cells", 3000, 6);
}

static void test_small_cells_agree_with_the_naive_implementation(void **state)
{
	(void)state;
	cells_agree("small cells", 1500, 25);
}

static void test_cells_of_some_hundred_tasks_agree_with_the_naive_implementation(void **state)
{
	(void)state;
	cells_agree("larger cells", 60, 250);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tiny_cells_agree_with_the_naive_implementation),
		cmocka_unit_test(test_small_cells_agree_with_the_naive_implementation),
		cmocka_unit_test(test_cells_of_some_hundred_tasks_agree_with_the_naive_implementation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
