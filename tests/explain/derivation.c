/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/explain/derivation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define VALUE(LINE) (double)derivation_line(&d, LINE)->value

static void test_a_sum_is_added_from_left_to_right(void **state)
{
	struct derivation d = { 0 };
	uint32_t large = derive_given(&d, "large", 1e16, ""), one = derive_given(&d, "one", 1, "");
	uint32_t first = derive(&d, "large first", OPERATION_SUM, 3, large, one, one);
	uint32_t last = derive(&d, "large last", OPERATION_SUM, 3, one, one, large);

	(void)state;
	assert_true(VALUE(first) == 1e16);
	assert_true(VALUE(last) == 1e16 + 2);
	derivation_free(&d);
}

static void test_an_operand_is_added_as_often_as_its_count(void **state)
{
	struct derivation d = { 0 };
	double sum = 0.1;
	uint32_t tenth = derive_given(&d, "a tenth", 0.1, "");
	uint32_t line =
		derive_from(&d, PRECISION_DOUBLE, "ten of them", OPERATION_SUM, &(struct line_operand){ tenth, 10 }, 1);

	(void)state;
	for (int i = 1; i < 10; i++)
		sum += 0.1;
	assert_true(VALUE(line) == sum);
	assert_true(VALUE(line) != 1.0);
	derivation_free(&d);
}

static void test_a_sum_of_no_operands_is_zero(void **state)
{
	struct derivation d = { 0 };
	uint32_t line = derive_from(&d, PRECISION_DOUBLE, "without operands", OPERATION_SUM, NULL, 0);

	(void)state;
	assert_true(VALUE(line) == 0.0);
	derivation_free(&d);
}

static void test_a_quotient_is_rounded_to_the_precision_of_its_line(void **state)
{
	struct derivation derivation = { 0 };
	uint32_t one = derive_whole(&derivation, "one", 1, ""), three = derive_whole(&derivation, "three", 3, "");
	uint32_t third = derive(&derivation, "a third", OPERATION_QUOTIENT, 2, one, three);
	uint32_t longer = derive_in(&derivation, PRECISION_EXTENDED, "a third", OPERATION_QUOTIENT, 2, one, three);

	(void)state;
	assert_int_equal(derivation_line(&derivation, third)->precision, PRECISION_DOUBLE);
	assert_true(derivation_line(&derivation, third)->value == (long double)(1.0 / 3.0));
	assert_true(derivation_line(&derivation, longer)->value == 1.0L / 3.0L);
	assert_true(derivation_line(&derivation, derive(&derivation, "as double", OPERATION_SAME, 1, longer))->value ==
		    1.0L / 3.0L);
	assert_true(derivation_line(&derivation,
				    derive_in(&derivation, PRECISION_DOUBLE, "as double", OPERATION_SAME, 1, longer))
			    ->value == (long double)(1.0 / 3.0));
	derivation_free(&derivation);
}

static void test_a_value_without_spread_is_normalised_to_a_half(void **state)
{
	struct derivation d = { 0 };
	uint32_t value = derive_given(&d, "urg", 1000, ""), least = derive_given(&d, "least", 1000, ""),
		 most = derive_given(&d, "most", 3000, "");

	(void)state;
	assert_true(VALUE(derive(&d, "nurg", OPERATION_NORMALISED, 3, value, least, least)) == 0.5);
	assert_true(VALUE(derive(&d, "nurg", OPERATION_NORMALISED, 3, most, least, most)) == 1.0);
	derivation_free(&d);
}

static void test_seconds_wrap_like_in_grid_engine(void **state)
{
	struct derivation d = { 0 };
	uint32_t now = derive_whole(&d, "now", 1700000000, ""),
		 then = derive_whole(&d, "submission_time", 1700000001, "");

	(void)state;
	assert_true(VALUE(derive(&d, "waiting", OPERATION_WRAPPED, 2, now, then)) == 4294967295.0);
	assert_true(VALUE(derive(&d, "left", OPERATION_WRAPPED_SIGNED, 2, now, then)) == -1.0);
	derivation_free(&d);
}

static void test_lines_are_never_infinite_or_nan(void **state)
{
	struct derivation d = { 0 };
	uint32_t one = derive_given(&d, "one", 1, ""), nothing = derive_given(&d, "nothing", 0, "");

	(void)state;
	assert_true(VALUE(derive(&d, "beyond", OPERATION_QUOTIENT, 2, one, nothing)) == 1e150);
	assert_true(VALUE(derive(&d, "no number", OPERATION_QUOTIENT, 2, nothing, nothing)) == 0.0);
	derivation_free(&d);
}

static void test_a_changed_line_is_detected(void **state)
{
	struct derivation derivation = { 0 };
	uint32_t a = derive_given(&derivation, "a", 0.25, ""), b = derive_given(&derivation, "b", 4, "");
	uint32_t product = derive(&derivation, "a x b", OPERATION_PRODUCT, 2, a, b),
		 same = derive(&derivation, "all", OPERATION_SAME, 1, product);

	(void)state;
	assert_int_equal(derivation_check(&derivation), DERIVED_NONE);
	derivation.lines[product].value = 1.0000000000000002L;
	assert_int_equal(derivation_check(&derivation), product);
	derivation.lines[product].value = 1.0L;
	derivation.lines[a].value = 0.26L;
	assert_int_equal(derivation_check(&derivation), product);
	derivation.lines[a].value = 0.25L;
	derivation.lines[same].value = 2;
	assert_int_equal(derivation_check(&derivation), same);
	derivation_free(&derivation);
}

static void test_a_derivation_from_a_missing_line_is_missing(void **state)
{
	struct derivation derivation = { 0 };

	(void)state;
	assert_int_equal(derive(&derivation, "of nothing", OPERATION_SAME, 1, DERIVED_NONE), DERIVED_NONE);
	assert_int_equal(derivation.rc, 0);
	derivation_free(&derivation);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_sum_is_added_from_left_to_right),
		cmocka_unit_test(test_an_operand_is_added_as_often_as_its_count),
		cmocka_unit_test(test_a_sum_of_no_operands_is_zero),
		cmocka_unit_test(test_a_quotient_is_rounded_to_the_precision_of_its_line),
		cmocka_unit_test(test_a_value_without_spread_is_normalised_to_a_half),
		cmocka_unit_test(test_seconds_wrap_like_in_grid_engine),
		cmocka_unit_test(test_lines_are_never_infinite_or_nan),
		cmocka_unit_test(test_a_changed_line_is_detected),
		cmocka_unit_test(test_a_derivation_from_a_missing_line_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
