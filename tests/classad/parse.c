/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/classad/values.h"

static void test_a_refusal_names_the_column_and_the_accepted_text(void **unused)
{
	(void)unused;
	assert_string_equal(refusal_of("Cpus >"), "column 7: the expression ends, a value expected");
	assert_string_equal(refusal_of("Cpus = 1"), "column 6: found =, one of == != =?= =!= expected");
	assert_string_equal(refusal_of("(1 + 2"), "column 7: the expression ends, an operator, or ) expected");
	assert_string_equal(refusal_of("1 2"), "column 3: found 2, an operator expected");
	assert_string_equal(refusal_of("  017"),
			    "column 3: a number that begins with 0: octal numbers are not allowed");
	assert_string_equal(refusal_of("5."), "column 2: a point needs a digit after it");
	assert_string_equal(refusal_of("1e+"), "column 2: an exponent needs digits");
	assert_string_equal(refusal_of("1 == \"abc"), "column 6: a string without an end: it needs a second \"");
	assert_string_equal(refusal_of("MY.true"), "column 4: found true, a name after MY. or TARGET. expected");
	assert_string_equal(refusal_of("Cpus # 3"), "column 6: a character that belongs to no expression");
	assert_string_equal(refusal_of("a ?: !b"), "column 6: found !, a value expected");
	assert_string_equal(refusal_of("a ?: -b"), "column 7: found b, a number directly after its sign expected");
	assert_string_equal(refusal_of(""), "column 1: the expression ends, a value expected");
	assert_string_equal(refusal_of("\"a\nb\""), "column 3: a control character in a string");
}

static void test_a_backslash_is_literal_unless_a_quote_follows(void **unused)
{
	(void)unused;
	assert_string_equal(value_of("size(\"a\\\"b\")"), "3");
	assert_string_equal(value_of("size(\"a\\nb\")"), "4");
	assert_string_equal(value_of("\"C:\\\""), "\"C:\\\"");	/* the last quote ends the text */
	assert_string_equal(value_of("\"C:\\\"  "), "\"C:\\\"");
	assert_string_equal(value_of("\"say \\\"no\\\" now\""), "\"say \\\"no\\\" now\"");
}

static void test_constant_expressions_are_known_without_ads(void **unused)
{
	static const struct { const char *text; bool constant;
	} rows[] = {
		{ "1 + 2 * 3", true },
		{ "false && Cpus > 1", true },
		{ "true || Cpus", true },
		{ "Cpus && false", false },
		{ "ifThenElse(true, 4, Cpus)", true },
		{ "undefined ?: 3", true },
		{ "Cpus ?: 3", false },
		{ "time()", false },
		{ "min({1, 2})", true },
		{ "min({1, Cpus})", false },
		{ "nosuch(Cpus)", true },
		{ "regexp(\"a\", \"b\")", false },
		{ "false ? Cpus : 2", true },
		{ "strcat(\"a\", 1)", true },
		{ "MY.Cpus =?= undefined", false },
		{ "PREEMPT", false },
	};
	struct classad_expression *expression;
	struct classad_value value;

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(classad_parse(&expression, rows[i].text, NULL), 0);
		if (classad_is_constant(expression, &value) != rows[i].constant)
			fail_msg("%s", rows[i].text);
		assert_string_equal(classad_expression_text(expression), rows[i].text);
		classad_expression_free(expression);
	}
}

static void test_conditions_may_follow_each_other_a_thousand_times(void **unused)
{
	char *text = malloc(65536), *at = text;

	(void)unused;
	assert_non_null(text);
	for (int i = 0; i < 999; i++)
		at += sprintf(at, "Cpus == %d ? %d : ", i, i + 1);
	strcpy(at, "0");
	struct classad *ad = ad_of("Cpus = 700");

	assert_string_equal(value_between(ad, NULL, text), "701");
	strcpy(at, "Cpus ? 1 : Cpus ? 2 : 3");
	assert_non_null(strstr(refusal_of(text), "no more than 1000 conditions"));
	classad_free(ad);
	free(text);
}

/* n of `open`, `middle`, n of `close` */
static char *nested(size_t n, const char *open, const char *middle, const char *close)
{
	char *text = malloc(n * (strlen(open) + strlen(close)) + strlen(middle) + 1), *at = text;

	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		at = stpcpy(at, open);
	at = stpcpy(at, middle);
	for (size_t i = 0; i < n; i++)
		at = stpcpy(at, close);
	return text;
}

static void test_depth_is_bounded_for_any_construct(void **unused)
{
	static const struct { const char *open, *middle, *close;
	} shapes[] = {
		{ "(", "Cpus", ")" },	{ "!", "Cpus", "" }, { "-", "1", "" },	      { "{", "Cpus", "}" },
		{ "floor(", "1", ")" }, { "a[", "0", "]" },  { "a ? ", "b", " : c" }, { "ifThenElse(a, ", "b", ", c)" },
		{ "[a = ", "b", "]" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		char *fits = nested(CLASSAD_DEPTH_MOST - 1, shapes[i].open, shapes[i].middle, shapes[i].close);
		char *deep = nested(3000, shapes[i].open, shapes[i].middle, shapes[i].close);

		value_of(fits);
		if (!strstr(refusal_of(deep), "nested more than 64 deep"))
			fail_msg("%s: %s", shapes[i].open, refusal_of(deep));
		free(fits);
		free(deep);
	}
}

static void test_chains_of_operators_may_be_as_long_as_the_text(void **unused)
{
	struct classad *ad = ad_of("Cpus = 1");
	char *text = nested(8000, "Cpus + ", "Cpus", "");

	(void)unused;
	assert_string_equal(value_between(ad, NULL, text), "8001");
	free(text);
	text = nested(8000, "Cpus ||", "Cpus", "");
	assert_string_equal(value_between(ad, NULL, text), "true");
	free(text);
	text = nested(20000, "Cpus + ", "Cpus", "");
	assert_non_null(strstr(refusal_of(text), "65536 are allowed"));
	free(text);
	classad_free(ad);
}

static void test_lists_are_as_long_as_the_stack_unless_they_are_constant(void **unused)
{
	char *constant = nested(20000, "1,", "1}", ""), *varying = nested(2000, "Cpus,", "Cpus}", ""), text[65536];

	(void)unused;
	snprintf(text, sizeof(text), "size({%s)", constant);
	assert_string_equal(value_of(text), "20001");
	snprintf(text, sizeof(text), "size({%s)", varying);
	assert_non_null(strstr(refusal_of(text), "2001 values at a time, 1000 are allowed"));
	free(constant);
	free(varying);
}

static void test_the_length_of_a_name_is_limited(void **unused)
{
	char *name = nested(300, "a", "", "");

	(void)unused;
	assert_non_null(strstr(refusal_of(name), "a name of 300 characters, 255 are allowed"));
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_refusal_names_the_column_and_the_accepted_text),
		cmocka_unit_test(test_a_backslash_is_literal_unless_a_quote_follows),
		cmocka_unit_test(test_constant_expressions_are_known_without_ads),
		cmocka_unit_test(test_conditions_may_follow_each_other_a_thousand_times),
		cmocka_unit_test(test_depth_is_bounded_for_any_construct),
		cmocka_unit_test(test_chains_of_operators_may_be_as_long_as_the_text),
		cmocka_unit_test(test_lists_are_as_long_as_the_stack_unless_they_are_constant),
		cmocka_unit_test(test_the_length_of_a_name_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
