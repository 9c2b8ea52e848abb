/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of CSV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "sched/process/csv.h"

static void assert_field(const char *text, size_t n, const char *expected)
{
	struct out out;
	char *is;

	assert_int_equal(out_open_memory(&out, 1000), 0);
	csv_text(&out, text, n);
	is = out_detach(&out);
	assert_string_equal(is, expected);
	free(is);
}

static void test_only_texts_with_special_characters_are_quoted(void **state)
{
	(void)state;
	assert_field("", 0, ",");
	assert_field("ann", 3, "ann,");
	assert_field("a b'\xc3\xa9", 6, "a b'\xc3\xa9,");
	assert_field("a,b", 3, "\"a,b\",");
	assert_field("a,b", 1, "a,");
	assert_field("\"", 1, "\"\"\"\",");
	assert_field("x\"y", 3, "\"x\"\"y\",");
}

static void test_control_characters_are_replaced(void **state)
{
	(void)state;
	assert_field("a\tb\x7f", 4, "a?b?,");
	assert_field("a\nb\r", 4, "\"a?b?\",");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_texts_with_special_characters_are_quoted),
		cmocka_unit_test(test_control_characters_are_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
