/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sched/dispatch/search/amounts.h"

static const struct pe any = { .rule = RULE_FILL_UP }, by_four = { .rule = RULE_FIXED, .slots_per_host = 4 };

/* Check all amounts, and the count of amounts up to each number. `expected` ends with 0. */
static void check(const struct slot_range *ranges, size_t n, const struct pe *pe, uint32_t least, uint32_t most,
		  const uint32_t *expected)
{
	struct slot_range items[3];
	struct amounts amounts;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		items[i] = ranges[i];
	assert_int_equal(amounts_create(&amounts, &(struct slot_ranges){ items, n }, pe, least, most), 0);
	for (uint32_t number = 0; number <= 40; number++) {
		count += expected[count] != 0 && expected[count] == number;
		assert_int_equal(amounts_to(&amounts, number), count);
	}
	assert_int_equal(expected[count], 0);
	assert_int_equal(amounts.n, count);
	assert_int_equal(amounts_to(&amounts, UINT64_MAX), count);
	for (size_t i = 0; i <= count; i++)
		assert_int_equal(amounts_at(&amounts, i), expected[i]);
	amounts_free(&amounts);
}

static void test_amounts_are_the_numbers_of_a_range(void **state)
{
	(void)state;
	check((struct slot_range[]){ { 3, 7, 1 } }, 1, &any, 1, 40, (uint32_t[]){ 3, 4, 5, 6, 7, 0 });
	check((struct slot_range[]){ { 5, 5, 1 } }, 1, &any, 1, 40, (uint32_t[]){ 5, 0 });
	check((struct slot_range[]){ { 10, 30, 10 } }, 1, &any, 1, 40, (uint32_t[]){ 10, 20, 30, 0 });
	check((struct slot_range[]){ { 1, 8, 7 } }, 1, &any, 1, 40, (uint32_t[]){ 1, 8, 0 });
	check((struct slot_range[]){ { 1, 7, 7 } }, 1, &any, 1, 40, (uint32_t[]){ 1, 0 });
}

static void test_amounts_are_between_the_least_and_the_most(void **state)
{
	const struct slot_range open = { 2, SLOTS_OPEN, 1 }, stepped = { 2, 22, 5 };
	(void)state;
	check(&open, 1, &any, 1, 4, (uint32_t[]){ 2, 3, 4, 0 });
	check(&open, 1, &any, 3, 4, (uint32_t[]){ 3, 4, 0 });
	check(&open, 1, &any, 1, 2, (uint32_t[]){ 2, 0 });
	check(&open, 1, &any, 1, 1, (uint32_t[]){ 0 });
	check(&stepped, 1, &any, 7, 17, (uint32_t[]){ 7, 12, 17, 0 });
	check(&stepped, 1, &any, 8, 16, (uint32_t[]){ 12, 0 });
	check(&stepped, 1, &any, 3, 21, (uint32_t[]){ 7, 12, 17, 0 });
}

static void test_a_fixed_rule_allows_only_its_multiples(void **state)
{
	(void)state;
	check((struct slot_range[]){ { 1, 16, 1 } }, 1, &by_four, 1, 40, (uint32_t[]){ 4, 8, 12, 16, 0 });
	check((struct slot_range[]){ { 4, 15, 1 } }, 1, &by_four, 1, 40, (uint32_t[]){ 4, 8, 12, 0 });
	check((struct slot_range[]){ { 5, 7, 1 } }, 1, &by_four, 1, 40, (uint32_t[]){ 0 });
	check((struct slot_range[]){ { 2, 40, 6 } }, 1, &by_four, 1, 40, (uint32_t[]){ 8, 20, 32, 0 });
	check((struct slot_range[]){ { 1, 9, 5 } }, 1, &by_four, 1, 40, (uint32_t[]){ 0 });
	check((struct slot_range[]){ { 1, 39, 2 } }, 1, &by_four, 1, 40, (uint32_t[]){ 0 });
}

/* With a step of 3 the remainders by 4 are 1, 0, 3 and 2. The last of four numbers tried is a multiple. */
static void test_the_last_possible_remainder_is_tried(void **state)
{
	(void)state;
	check((struct slot_range[]){ { 1, 4, 3 } }, 1, &by_four, 1, 40, (uint32_t[]){ 4, 0 });
	check((struct slot_range[]){ { 7, 16, 3 } }, 1, &by_four, 1, 40, (uint32_t[]){ 16, 0 });
	check((struct slot_range[]){ { 7, 15, 3 } }, 1, &by_four, 1, 40, (uint32_t[]){ 0 });
}

static void test_an_amount_of_several_ranges_is_counted_once(void **state)
{
	const struct slot_range overlapping[] = { { 2, 5, 1 }, { 4, 8, 1 }, { 8, 9, 1 } },
				apart[] = { { 1, 2, 1 }, { 5, 6, 1 }, { 8, 12, 4 } },
				within[] = { { 2, 8, 1 }, { 3, 8, 1 }, { 4, 7, 1 } };
	(void)state;
	check(overlapping, 3, &any, 1, 40, (uint32_t[]){ 2, 3, 4, 5, 6, 7, 8, 9, 0 });
	check(overlapping, 3, &by_four, 1, 40, (uint32_t[]){ 4, 8, 0 });
	check(apart, 3, &any, 1, 40, (uint32_t[]){ 1, 2, 5, 6, 8, 12, 0 });
	check(within, 3, &any, 1, 40, (uint32_t[]){ 2, 3, 4, 5, 6, 7, 8, 0 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_amounts_are_the_numbers_of_a_range),
		cmocka_unit_test(test_amounts_are_between_the_least_and_the_most),
		cmocka_unit_test(test_a_fixed_rule_allows_only_its_multiples),
		cmocka_unit_test(test_the_last_possible_remainder_is_tried),
		cmocka_unit_test(test_an_amount_of_several_ranges_is_counted_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
