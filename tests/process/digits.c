/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers compared with those of printf(3). */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "sched/process/digits.h"

#define ROUNDS 200000

static const double power10[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };

static uint64_t state;

static uint64_t next_random(void)		/* splitmix64 */
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void check_fixed(double value, unsigned decimals)
{
	char expected[400], found[DIGITS_BYTES];

	snprintf(expected, sizeof(expected), "%.*f", (int)decimals, value);
	*digits_fixed(found, value, decimals) = '\0';
	assert_string_equal(found, expected);
}

static void check_exact(double value)
{
	char expected[40], found[DIGITS_BYTES];

	snprintf(expected, sizeof(expected), "%.17g", value);
	*digits_exact(found, value) = '\0';
	assert_string_equal(found, expected);
}

/* Return a double of random bits, or in the range of priorities, tickets and usage. */
static double random_double(void)
{
	uint64_t bits = next_random();
	double value;

	memcpy(&value, &bits, sizeof(value));
	switch (next_random() % 4) {
	case 0: return isfinite(value) ? value : 0;
	case 1: return (double)(int64_t)bits * 0x1p-63;
	case 2: return ldexp((double)(int64_t)bits, -(int)(next_random() % 120));
	}
	return (double)((int64_t)bits >> next_random() % 60) / power10[next_random() % 7];
}

static void test_fixed_decimals_equal_those_of_printf(void **unused)
{
	(void)unused;
	for (int k = 0; k < ROUNDS; k++)
		check_fixed(random_double(), (unsigned)(next_random() % 8));
}

static void check_fraction(double value)
{
	char expected[DIGITS_BYTES], found[DIGITS_BYTES];

	snprintf(expected, sizeof(expected), "%.14f", value);
	*digits_fixed14(found, value) = '\0';
	assert_string_equal(found, expected);
}

static void test_fractions_equal_those_of_printf(void **unused)
{
	static const double values[] = { 0,
					 -0.0,
					 1,
					 0.5,
					 0x1p-15,
					 3 * 0x1p-15,
					 99999.99999999999,
					 99999.999999999999999,
					 100000,
					 4294967295.0,
					 -1,
					 -0.25,
					 DBL_MAX,
					 DBL_TRUE_MIN,
					 5e-15,
					 0.99999999999999994,
					 9.999999999999998 };

	(void)unused;
	for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++)
		check_fraction(values[k]);
	for (int k = 0; k < ROUNDS; k++) {
		check_fraction(random_double());
		check_fraction((double)(next_random() >> 20) / 4294967295.0);
	}
}

static void test_exact_halves_round_to_even_as_printf_does(void **unused)
{
	(void)unused;
	for (int k = -4000; k < 4000; k++)
		for (unsigned decimals = 0; decimals < 8; decimals++) {
			double half = k / 16.0, tie = (k + 0.5) / power10[decimals];

			check_fixed(half, decimals);
			check_fixed(tie, decimals);
			check_fixed(nextafter(tie, 1e9), decimals);
			check_fixed(nextafter(tie, -1e9), decimals);
		}
}

static void test_extreme_numbers_equal_those_of_printf(void **unused)
{
	static const double values[] = { 0,
					 -0.0,
					 DBL_MIN,
					 DBL_TRUE_MIN,
					 DBL_MAX,
					 -DBL_MAX,
					 999999999999.9999,
					 1e12,
					 1e15,
					 1e16,
					 1e17,
					 9007199254740993.0,
					 1e-15,
					 1e-16,
					 9.9999999999999991e-16,
					 0.99999999999999989,
					 1e-5,
					 1e-4,
					 0.1,
					 5e-324,
					 123456789012345680,
					 9999999999999998 };
	(void)unused;
	for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
		check_exact(values[k]);
		check_exact(-values[k]);
		for (unsigned decimals = 0; decimals < 8; decimals++)
			check_fixed(values[k], decimals);
	}
}

static void test_exact_doubles_equal_those_of_printf(void **unused)
{
	(void)unused;
	for (int k = 0; k < ROUNDS; k++)
		check_exact(random_double());
	for (int power = -320; power < 308; power++) {
		double value = pow(10, power);

		check_exact(value);
		check_exact(nextafter(value, 0));
		check_exact(nextafter(value, INFINITY));
	}
}

static uint64_t integer_power(int power)
{
	uint64_t value = 1;

	while (power-- > 0)
		value *= 10;
	return value;
}

static void test_integers_equal_those_of_printf(void **unused)
{
	char expected[40], found[DIGITS_BYTES];

	(void)unused;
	for (int k = 0; k < ROUNDS; k++) {
		uint64_t value =
			k < 40 ? integer_power(k / 2) - (uint64_t)(k & 1) : next_random() >> next_random() % 64;
		int width = (int)(next_random() % 20);

		snprintf(expected, sizeof(expected), "%lu", value);
		*digits_u64(found, value) = '\0';
		assert_string_equal(found, expected);
		snprintf(expected, sizeof(expected), "%*lu", width, value);
		*digits_right(found, value, (size_t)width) = '\0';
		assert_string_equal(found, expected);
		snprintf(expected, sizeof(expected), "%ld", (int64_t)value);
		*digits_i64(found, (int64_t)value) = '\0';
		assert_string_equal(found, expected);
	}
}

static void test_nan_and_infinity_are_never_shown(void **unused)
{
	char found[DIGITS_BYTES];

	(void)unused;
	for (int k = 0; k < 3; k++) {
		double value = k == 0 ? NAN : k == 1 ? INFINITY : -INFINITY;

		*digits_fixed(found, value, 5) = '\0';
		assert_string_equal(found, "NA");
		*digits_exact(found, value) = '\0';
		assert_string_equal(found, "null");
	}
}

static void check_truncated(double value, const char *expected)
{
	char found[DIGITS_BYTES];

	*digits_truncated(found, value) = '\0';
	assert_string_equal(found, expected);
}

static void test_tickets_are_cut_not_rounded(void **unused)
{
	(void)unused;
	check_truncated(782079.999, "782079");
	check_truncated(-1.5, "-1");
	check_truncated(0.99999999999, "0");
	check_truncated(NAN, "0");
	check_truncated(1e300, "9223372036854775807");
	check_truncated(-INFINITY, "-9223372036854775808");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixed_decimals_equal_those_of_printf),
		cmocka_unit_test(test_fractions_equal_those_of_printf),
		cmocka_unit_test(test_exact_halves_round_to_even_as_printf_does),
		cmocka_unit_test(test_extreme_numbers_equal_those_of_printf),
		cmocka_unit_test(test_exact_doubles_equal_those_of_printf),
		cmocka_unit_test(test_integers_equal_those_of_printf),
		cmocka_unit_test(test_nan_and_infinity_are_never_shown),
		cmocka_unit_test(test_tickets_are_cut_not_rounded),
	};
	const char *seed = getenv("SEED");

	state = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
	printf("SEED=%lu\n", state);
	fflush(stdout);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
