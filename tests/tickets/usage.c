/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "tests/naive/both.h"
#include "tickets/usage.h"

static const struct {
	double half_life_minutes, constant;
} constants[] = {
	{ 10080, 0.999931235398754 }, { 1440, 0.9995186477912779 },  { 60, 0.9884475469906676 },
	{ 10, 0.9306852819440055 },   { 1, 0.3068528194400547 },     { 0.5, -0.3862943611198906 },
	{ 0, 1 },		      { -1, 0 },
};

static void test_half_lives_become_constants_by_a_line_and_not_by_a_power(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(constants) / sizeof(*constants); i++) {
		CHECK(naive_decay_constant(constants[i].half_life_minutes), constants[i].constant);
		CHECK(decay_constant(constants[i].half_life_minutes), constants[i].constant);
	}
}

static void test_a_value_is_only_raised_and_the_result_names_a_change(void **state)
{
	struct usage usage = { 0 };
	(void)state;
	assert_int_equal(usage_raise(&usage, 7, 0), 1);
	assert_int_equal(usage.n, 1);
	assert_int_equal(usage_raise(&usage, 7, 0), 0);
	assert_int_equal(usage_raise(&usage, 7, 5), 1);
	assert_int_equal(usage_raise(&usage, 7, 5), 0);
	assert_int_equal(usage_raise(&usage, 7, 4), 0);
	assert_int_equal(usage.n, 1);
	CHECK(usage_get(&usage, 7), 5);
	usage_free(&usage);
}

static double decayed(double value, double half_life_minutes, int64_t seconds)
{
	struct usage usage = { 0 };
	struct usage_decay decay = { .constant = decay_constant(half_life_minutes) };
	uint64_t clamped = 0;
	assert_int_equal(usage_add(&usage, 0, value), 0);
	usage_decay(&usage, &decay, 1000, 1000 + seconds, &clamped);
	double out = usage_get(&usage, 0);
	usage_free(&usage);
	return clamped ? -1 : out;
}

static void test_usage_decays_as_recorded(void **state)
{
	static const struct {
		double half_life_minutes;
		int64_t seconds;
		double left;
	} expected[] = {
		{ 10080, 3600, 995.8824823787967 }, { 10080, 168 * 3600, 499.988083598211 },
		{ 60, 3600, 497.98662439872004 },   { 10, 600, 487.5604390004817 },
		{ 10080, 15, 999.9828084063672 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		double c = naive_decay_constant(expected[i].half_life_minutes);
		CHECK(naive_decayed(1000, c, (double)expected[i].seconds), expected[i].left);
		CHECK(decayed(1000, expected[i].half_life_minutes, expected[i].seconds), expected[i].left);
	}
}

static void test_usage_does_not_grow_when_the_clock_goes_back(void **state)
{
	(void)state;
	CHECK(decayed(1000, 60, -3600), 1000);
	CHECK(decayed(1000, 60, 0), 1000);
}

static void test_usage_without_a_time_stamp_does_not_decay(void **state)
{
	struct usage usage = { 0 };
	struct usage_decay decay = { .constant = 0.5 };
	uint64_t clamped = 0;
	(void)state;
	assert_int_equal(usage_add(&usage, 0, 8), 0);
	usage_decay(&usage, &decay, 0, 1000000, &clamped);
	CHECK(usage_get(&usage, 0), 8);
	usage_free(&usage);
}

static void test_negative_half_life_forgets_and_zero_keeps(void **state)
{
	(void)state;
	CHECK(decayed(1000, -1, 1), 0);
	CHECK(decayed(1000, 0, 1000000), 1000);
}

/*
 * A half-life below ln 2 minutes makes a negative constant, whose fractional power is not a number.
 */
static void test_too_short_half_life_gives_no_nan(void **state)
{
	struct usage usage = { 0 };
	struct usage_decay decay = { .constant = decay_constant(0.5) };
	uint64_t clamped = 0;
	(void)state;
	assert_int_equal(usage_add(&usage, 0, 1000), 0);
	usage_decay(&usage, &decay, 1000, 1090, &clamped);
	CHECK(usage_get(&usage, 0), 0);
	assert_int_equal(clamped, 1);
	usage_free(&usage);
}

static void test_listed_names_decay_on_their_own(void **state)
{
	const double by_name[] = { NAN, 0.5 };
	struct usage usage = { 0 };
	struct usage_decay decay = { .constant = 0.25, .by_name = by_name, .n = 2 };
	uint64_t clamped = 0;
	(void)state;
	for (uint32_t name = 0; name < 3; name++)
		assert_int_equal(usage_add(&usage, name, 64), 0);
	usage_decay(&usage, &decay, 1000, 1120, &clamped);
	CHECK(usage_get(&usage, 0), 4);
	CHECK(usage_get(&usage, 1), 16);
	CHECK(usage_get(&usage, 2), 4);
	usage_free(&usage);
}

/* Adjacent names with one constant whose factor is not a number are counted once, others again. */
static void test_a_factor_that_is_no_number_is_counted_once_for_adjacent_names(void **state)
{
	const double short_life = decay_constant(0.5), by_name[] = { short_life, short_life, 0.5, short_life };
	struct usage usage = { 0 };
	struct usage_decay decay = { .constant = 0.25, .by_name = by_name, .n = 4 };
	uint64_t clamped = 0;
	(void)state;
	for (uint32_t name = 0; name < 5; name++)
		assert_int_equal(usage_add(&usage, name, 64), 0);
	usage_decay(&usage, &decay, 1000, 1090, &clamped);
	assert_int_equal(clamped, 2);
	CHECK(usage_get(&usage, 0), 0);
	CHECK(usage_get(&usage, 1), 0);
	CHECK(usage_get(&usage, 2), 64 * pow(0.5, 1.5));
	CHECK(usage_get(&usage, 3), 0);
	CHECK(usage_get(&usage, 4), 8);
	usage_free(&usage);
}

static void test_weights_are_divided_by_their_sum_before_they_multiply(void **state)
{
	const double by_name[] = { 0.3, 0, 0.4 };
	const bool listed[] = { true, false, true };
	const struct usage_weights weights = { by_name, listed, 3, 0.7, NULL };
	struct usage usage = { 0 };
	(void)state;
	assert_int_equal(usage_add(&usage, 2, 11), 0);
	assert_int_equal(usage_add(&usage, 1, 1e9), 0);
	assert_int_equal(usage_add(&usage, 0, 13), 0);
	CHECK(usage_combine(&usage, &weights), 11 * (0.4 / 0.7) + 13 * (0.3 / 0.7));
	usage_free(&usage);
}

/* The arrays are longer than the weights, so that a read beyond the weights has a visible effect. */
static void test_names_beyond_the_weights_do_not_count(void **state)
{
	const double by_name[] = { 0.5, 0.5, 0.5 };
	const bool listed[] = { true, true, true };
	const struct usage_weights weights = { by_name, listed, 2, 1, NULL };
	struct usage usage = { 0 };
	(void)state;
	for (uint32_t name = 0; name < 3; name++)
		assert_int_equal(usage_add(&usage, name, 8), 0);
	CHECK(usage_combine(&usage, &weights), 8);
	usage_free(&usage);
}

static void test_weights_without_a_positive_sum_give_no_tickets(void **state)
{
	const double by_name[] = { 0 };
	const bool listed[] = { true };
	const struct usage_weights weights = { by_name, listed, 1, 0, NULL };
	struct usage usage = { 0 };
	(void)state;
	assert_int_equal(usage_add(&usage, 0, 13), 0);
	CHECK(usage_combine(&usage, &weights), 0);
	usage_free(&usage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_half_lives_become_constants_by_a_line_and_not_by_a_power),
		cmocka_unit_test(test_a_value_is_only_raised_and_the_result_names_a_change),
		cmocka_unit_test(test_usage_decays_as_recorded),
		cmocka_unit_test(test_usage_does_not_grow_when_the_clock_goes_back),
		cmocka_unit_test(test_usage_without_a_time_stamp_does_not_decay),
		cmocka_unit_test(test_negative_half_life_forgets_and_zero_keeps),
		cmocka_unit_test(test_too_short_half_life_gives_no_nan),
		cmocka_unit_test(test_listed_names_decay_on_their_own),
		cmocka_unit_test(test_a_factor_that_is_no_number_is_counted_once_for_adjacent_names),
		cmocka_unit_test(test_weights_are_divided_by_their_sum_before_they_multiply),
		cmocka_unit_test(test_names_beyond_the_weights_do_not_count),
		cmocka_unit_test(test_weights_without_a_positive_sum_give_no_tickets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
