/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/classad/classad.h"

/* Return the clauses as "a | b | c". */
static const char *clauses_of(const char *text)
{
	static char shown[1024];
	struct classad_clause clauses[16];
	size_t n = classad_clauses(text, clauses, 16), at = 0;

	assert_true(n > 0 && n <= 16);
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(shown + at, sizeof(shown) - at, "%s%.*s", i > 0 ? " | " : "",
				       (int)clauses[i].bytes, clauses[i].text);
	return shown;
}

static void test_operands_of_and_are_clauses(void **unused)
{
	(void)unused;
	assert_string_equal(
		clauses_of(
			"(TARGET.Arch == \"X86_64\") && (TARGET.Memory >= RequestMemory) && (TARGET.HasFileTransfer)"),
		"TARGET.Arch == \"X86_64\" | TARGET.Memory >= RequestMemory | TARGET.HasFileTransfer");
	assert_string_equal(clauses_of("a && (b && (c)) && d"), "a | b | c | d");
	assert_string_equal(clauses_of(" ((a && b)) "), "a | b");
	assert_string_equal(clauses_of("true"), "true");
}

static void test_an_operator_that_binds_less_tightly_keeps_the_clause_whole(void **unused)
{
	(void)unused;
	assert_string_equal(clauses_of("a && b || c"), "a && b || c");
	assert_string_equal(clauses_of("a ? b && c : d"), "a ? b && c : d");
	assert_string_equal(clauses_of("(a || b) && c"), "a || b | c");
	assert_string_equal(clauses_of("(a) == (b)"), "(a) == (b)");
	assert_string_equal(clauses_of("f(a && b) && {1, c && d}[0]"), "f(a && b) | {1, c && d}[0]");
	assert_string_equal(clauses_of("\"x && y\" == Name && !(a && b)"), "\"x && y\" == Name | !(a && b)");
}

static void test_clauses_beyond_the_limit_are_counted(void **unused)
{
	struct classad_clause clauses[2];

	(void)unused;
	assert_int_equal(classad_clauses("a && b && c && d", clauses, 2), 4);
	assert_true(clauses[1].bytes == 1 && *clauses[1].text == 'b');
	assert_int_equal(classad_clauses("a && b", NULL, 0), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operands_of_and_are_clauses),
		cmocka_unit_test(test_an_operator_that_binds_less_tightly_keeps_the_clause_whole),
		cmocka_unit_test(test_clauses_beyond_the_limit_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
