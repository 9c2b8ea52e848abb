/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conf/base/number.h"

static void check(const char *text, double expected)
{
	double value = -12345;
	int error = number_parse(text, &value);

	if (error || value != expected)
		fail_msg("\"%s\" is %.17g (%d), not %.17g", text, value, error, expected);
}

static void check_refused(const char *text, int expected)
{
	double value;
	int error = number_parse(text, &value);

	if (error != expected)
		fail_msg("\"%s\" gives %d, not %d", text, error, expected);
}

static void test_suffixes_multiply(void **state)
{
	(void)state;
	check("1.5K", 1536);
	check("1k", 1000);
	check("2m", 2e6);
	check("2M", 2097152);
	check("1g", 1e9);
	check("1G", 1073741824);
	check("1t", 1e12);
	check("1T", 1099511627776.0);
	check("-250.5", -250.5);
	check("0.0000013", 0.0000013);
	check("3975.000000M", 3975.0 * 1048576);
}

static void test_a_leading_zero_means_octal_or_hexadecimal(void **state)
{
	(void)state;
	check("0x10", 16);
	check("0xFFk", 255000);
	check("010", 8);
	check("-010", -8);
	check("0", 0);
	check("0K", 0);
	check("0.50", 0.5);
	check("00", 0);
	check_refused("08", -EINVAL);
	check_refused("010.5", -EINVAL);
	check_refused("0x", -EINVAL);
	check_refused("0x1.8p3", -EINVAL);
	check_refused("0x11111111111111111111", -ERANGE);
}

static void test_times_need_two_colons(void **state)
{
	(void)state;
	check("1:0:0", 3600);
	check("::30", 30);
	check("0:0:60", 60);
	check("00:05:00", 300);
	check("0:7:30", 450);
	check("::", 0);
	check(":1.5:", 90);
	check_refused("1:30", -EINVAL);
	check_refused("1:2:3:4", -EINVAL);
	check_refused("1:-2:3", -EINVAL);
	check_refused("1:2:3s", -EINVAL);
	check_refused("a:b:c", -EINVAL);
}

static void test_words_are_numbers_in_any_case(void **state)
{
	(void)state;
	check("TRUE", 1);
	check("false", 0);
	check("INFINITY", DBL_MAX);
	check("infinity", DBL_MAX);
	check_refused("inf", -EINVAL);
	check_refused("nan", -EINVAL);
	check_refused("-infinity", -EINVAL);
	check_refused("truex", -EINVAL);
}

static void test_only_a_complete_number_is_accepted(void **state)
{
	(void)state;
	check_refused("", -EINVAL);
	check_refused(" 1", -EINVAL);
	check_refused("1 ", -EINVAL);
	check_refused("1KB", -EINVAL);
	check_refused("1x", -EINVAL);
	check_refused("1,", -EINVAL);
	check_refused("-", -EINVAL);
	check_refused(".", -EINVAL);
	check_refused("--1", -EINVAL);
	check_refused("1e999", -ERANGE);
	check_refused("1e300T:", -EINVAL);
	check_refused("1e305T", -ERANGE);
	check_refused("9e307:0:0", -ERANGE);
}

static void test_plain_doubles_have_no_suffix_and_are_finite(void **state)
{
	double v;

	(void)state;
	assert_int_equal(number_double("0.010000", &v), 0);
	assert_true(v == 0.01);
	assert_int_equal(number_double("010", &v), 0);
	assert_true(v == 10);
	assert_int_equal(number_double("-1.5e3", &v), 0);
	assert_true(v == -1500);
	assert_int_equal(number_double("1K", &v), -EINVAL);
	assert_int_equal(number_double("0x10", &v), -EINVAL);
	assert_int_equal(number_double("1 # x", &v), -EINVAL);
	assert_int_equal(number_double("inf", &v), -EINVAL);
	assert_int_equal(number_double("NaN", &v), -EINVAL);
	assert_int_equal(number_double("-1e400", &v), -ERANGE);
}

static void test_whole_numbers_stop_at_32_bits(void **state)
{
	uint32_t v = 7;

	(void)state;
	assert_int_equal(number_u32("", &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(number_u32("4294967295", &v), 0);
	assert_int_equal(v, UINT32_MAX);
	assert_int_equal(number_u32("1e3", &v), 0);
	assert_int_equal(v, 1000);
	assert_int_equal(number_u32("3.0000000000001", &v), 0);
	assert_int_equal(v, 3);
	assert_int_equal(number_u32("4294967296", &v), -ERANGE);
	assert_int_equal(number_u32("1e300", &v), -ERANGE);
	assert_int_equal(number_u32("-1", &v), -EINVAL);
	assert_int_equal(number_u32("1.5", &v), -EINVAL);
	assert_int_equal(number_u32("12x", &v), -EINVAL);
}

static void test_seconds_are_plain_colon_separated_or_infinite(void **state)
{
	uint32_t v = 7;

	(void)state;
	assert_int_equal(number_time("0:4:0", &v), 0);
	assert_int_equal(v, 240);
	assert_int_equal(number_time("15", &v), 0);
	assert_int_equal(v, 15);
	assert_int_equal(number_time("INFINITY", &v), 0);
	assert_int_equal(v, UINT32_MAX);
	assert_int_equal(number_time("4294967294", &v), 0);
	assert_int_equal(number_time("4294967295", &v), -ERANGE);
	assert_int_equal(number_time("9999999:0:0", &v), -ERANGE);
	assert_int_equal(number_time("-1", &v), -EINVAL);
	assert_int_equal(number_time("true", &v), -EINVAL);
	assert_int_equal(number_time("", &v), -EINVAL);
}

static void test_booleans_have_ten_words(void **state)
{
	static const char *const yes[] = { "true", "T", "1", "YES", "y" }, *const no[] = { "FALSE", "f", "0", "No",
											   "n" };
	bool v;
	size_t i;

	(void)state;
	for (i = 0; i < 5; i++) {
		assert_int_equal(number_bool(yes[i], &v), 0);
		assert_true(v);
		assert_int_equal(number_bool(no[i], &v), 0);
		assert_false(v);
	}
	assert_int_equal(number_bool("", &v), -EINVAL);
	assert_int_equal(number_bool("on", &v), -EINVAL);
}

static void test_an_urgency_that_is_no_number_counts_zero(void **state)
{
	double v = 7;

	(void)state;
	assert_int_equal(number_urgency("1K", &v), 0);
	assert_true(v == 1024);
	assert_int_equal(number_urgency("-1450.25", &v), 0);
	assert_true(v == -1450.25);
	assert_int_equal(number_urgency("high", &v), -EINVAL);
	assert_true(v == 0);
	v = 7;
	assert_int_equal(number_urgency("infinity", &v), -ERANGE);
	assert_true(v == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_suffixes_multiply),
		cmocka_unit_test(test_a_leading_zero_means_octal_or_hexadecimal),
		cmocka_unit_test(test_times_need_two_colons),
		cmocka_unit_test(test_words_are_numbers_in_any_case),
		cmocka_unit_test(test_only_a_complete_number_is_accepted),
		cmocka_unit_test(test_plain_doubles_have_no_suffix_and_are_finite),
		cmocka_unit_test(test_whole_numbers_stop_at_32_bits),
		cmocka_unit_test(test_seconds_are_plain_colon_separated_or_infinite),
		cmocka_unit_test(test_booleans_have_ten_words),
		cmocka_unit_test(test_an_urgency_that_is_no_number_counts_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
