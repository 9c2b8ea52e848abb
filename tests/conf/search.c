/* SPDX-License-Identifier: Apache-2.0 */
/* Binary search, compared with a linear search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "conf/base/search.h"

#define MOST 70

static size_t first_not_below(const int *items, size_t n, int key)
{
	size_t i = 0;

	while (i < n && items[i] < key)
		i++;
	return i;
}

static void test_a_search_ends_at_the_first_of_equals(void **state)
{
	int items[MOST];
	size_t at;

	(void)state;
	for (int step = 1; step <= 3; step++) {
		for (size_t n = 0; n <= MOST; n++) {
			for (size_t i = 0; i < n; i++)
				items[i] = 2 * (int)(i / (size_t)step);
			for (int key = -1; key <= 2 * MOST; key++) {
				lower_bound(at, n, items[at] < key);
				assert_int_equal(at, first_not_below(items, n, key));
			}
		}
	}
}

static void test_a_search_makes_few_comparisons(void **state)
{
	size_t at, looks = 0;

	(void)state;
	lower_bound(at, (size_t)1 << 40, (looks++, at < 123456789));
	assert_int_equal(at, 123456789);
	assert_in_range(looks, 40, 41);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_search_ends_at_the_first_of_equals),
		cmocka_unit_test(test_a_search_makes_few_comparisons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
