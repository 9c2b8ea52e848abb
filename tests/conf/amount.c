/* SPDX-License-Identifier: Apache-2.0 */
/* Durations and sizes as users write them. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "conf/amount.h"

static void assert_seconds(const char *text, uint32_t wanted)
{
	uint32_t seconds = 0;

	if (amount_time(text, &seconds) || seconds != wanted)
		fail_msg("%s is %u seconds, not %u", text, seconds, wanted);
}

static void test_durations_have_units_or_colons(void **unused)
{
	(void)unused;
	assert_seconds("5400", 5400);
	assert_seconds("90m", 5400);
	assert_seconds("8h", 28800);
	assert_seconds("1h30m", 5400);
	assert_seconds("1w2d3h4m5s", 788645);
	assert_seconds("30s", 30);
	assert_seconds("10:00", 600);
	assert_seconds("90:30", 5430);
	assert_seconds("1:30:00", 5400);
	assert_seconds("::5", 5);
	assert_seconds("INFINITY", UINT32_MAX);
}

static void test_other_texts_are_no_durations(void **unused)
{
	static const char *const wrong[] = { "",      "h",   "8 h", "1h30",    "30m1h",	 "1h1h", "-1h",
					     "10:60", ":10", "10:", "1:2:3:4", "8hours", "soon", "99999999999h" };
	uint32_t seconds;

	(void)unused;
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++)
		if (amount_time(wrong[k], &seconds) == 0)
			fail_msg("\"%s\" is %u seconds", wrong[k], seconds);
	assert_int_not_equal(amount_time("9999999w", &seconds), 0);
}

static void test_only_texts_that_grid_engine_reads_differently_are_rewritten(void **unused)
{
	(void)unused;
	assert_true(amount_is_lenient("90m"));
	assert_true(amount_is_lenient("10:00"));
	assert_false(amount_is_lenient("1:0:0"));
	assert_false(amount_is_lenient("90"));
	assert_false(amount_is_lenient("1K"));
}

static void assert_bytes(const char *text, double wanted, size_t length)
{
	double bytes = 0;

	if (amount_size(text, &bytes) || bytes != wanted || amount_size_length(text) != length)
		fail_msg("%s is %g bytes, not %g, in %zu characters", text, bytes, wanted, amount_size_length(text));
}

static void test_a_b_may_follow_a_size(void **unused)
{
	static const char *const wrong[] = { "", "B", "iB", "GB", "1iB", "1GBB", "1Gi", "1XB", "-1G", "1 GB" };
	double bytes;

	(void)unused;
	assert_bytes("1G", 0x1p30, 2);
	assert_bytes("1GB", 0x1p30, 2);
	assert_bytes("1GiB", 0x1p30, 2);
	assert_bytes("2kB", 2000, 2);
	assert_bytes("0.5Kb", 512, 4);
	assert_bytes("100B", 100, 3);
	assert_bytes("infinity", DBL_MAX, 8);
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++)
		if (amount_size(wrong[k], &bytes) == 0)
			fail_msg("\"%s\" is %g bytes", wrong[k], bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations_have_units_or_colons),
		cmocka_unit_test(test_other_texts_are_no_durations),
		cmocka_unit_test(test_only_texts_that_grid_engine_reads_differently_are_rewritten),
		cmocka_unit_test(test_a_b_may_follow_a_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
