/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that replace matches, read texts as expressions, compare lists of words, or draw
 * numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/classad/values.h"

struct row {
	const char *expression, *value;
};

#define CHECK_ROWS(ROWS, MY, TARGET)									\
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(*(ROWS)); i++) {					\
		const char *value = value_between(MY, TARGET, (ROWS)[i].expression);			\
													\
		if (strcmp(value, (ROWS)[i].value) != 0)						\
			fail_msg("%s is %s", (ROWS)[i].expression, value);				\
	}

static void test_what_a_pattern_matches_is_replaced(void **unused)
{
	static const struct row rows[] = {
		{ "regexps(\"a(b)\", \"ab\", \"b\")", "\"b\"" },
		{ "regexps(\"q\", \"ab\", \"z\")", "\"\"" },
		{ "regexps(\"([a-z]+)@(.*)\", \"joe@x.org\", \"\\2:\\1\")", "\"x.org:joe\"" },
		{ "regexps(\"(a)|(b)\", \"b\", \"[\\1\\2]\")", "\"[b]\"" },
		{ "regexps(\"a(b?)\", \"xabya\", \"<\\1>\", \"g\")", "\"<b><>\"" },
		{ "regexps(\"a+?\", \"aaa\", \"[\\0]\", \"f\")", "\"[a]aa\"" },
		{ "regexps(\"a{1,2}?b\", \"aab\", \"[\\0]\", \"f\")", "\"[aab]\"" },
		{ "regexps(\"(x*)(x+)\", \"xxx\", \"\\1-\\2\")", "\"xx-x\"" },
		{ "regexps(\"(x*?)(x+)\", \"xxx\", \"\\1-\\2\")", "\"-xxx\"" },
		{ "regexps(\"ab|a\", \"ab\", \"[\\0]\")", "\"[ab]\"" },
		{ "regexps(\"a|ab\", \"ab\", \"[\\0]\")", "\"[a]\"" },
		{ "replace(\"a\", \"b\", \"cac\")", "\"b\"" },
		{ "replace(\"a\", \"bab\", \"X\")", "\"bXb\"" },
		{ "replace(\"A\", \"bab\", \"X\", \"i\")", "\"bXb\"" },
		{ "replaceAll(\"a\", \"banana\", \"<\\0>\")", "\"b<a>n<a>n<a>\"" },
		{ "replaceall(\"(\\w)(\\w)\", \"abcde\", \"\\2\\1\")", "\"badce\"" },
		{ "replaceall(\"x*\", \"abc\", \"-\")", "\"-a-b-c-\"" },
		{ "replaceall(\"^a\", \"aaa\", \"\")", "\"aa\"" },
		{ "replace(\"a\", \"a\", \"\\n\\z\")", "\"\\n\\z\"" },
		{ "replace(\"a\", \"a\", \"\\1\")", "error" },
		{ "replace(\"(a)|(b)\", \"a\", \"\\2\")", "error" },
		{ "replace(\"(\", \"a\", \"b\")", "error" },
		{ "replace(\"a\", 1, \"b\")", "error" },
		{ "replace(\"a\", \"a\", undefined)", "undefined" },
		{ "replace(\"a\", \"a\")", "error" },
	};

	(void)unused;
	CHECK_ROWS(rows, NULL, NULL);
}

/* A pattern that costs a backtracking matcher 2^30 steps, and texts that grow. */
static void test_the_work_for_a_replacement_is_limited(void **unused)
{
	struct classad *my = ad_of("A = \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"\n"
				   "B = replaceall(\"a\", A, A)\nC = replaceall(\"a\", B, B)\nD = replaceall(\"a\", C, C)\n");

	(void)unused;
	assert_string_equal(value_between(my, NULL, "regexps(\"^(a|a)*$\", A, \"\")"), "\"\"");
	assert_string_equal(value_between(my, NULL, "D"), "error");
	classad_free(my);
}

/* Each byte of the text leaves work for each group, and each match is searched separately. */
static void test_long_texts_are_replaced(void **unused)
{
	struct classad *my = classad_create();
	char text[4002];
	struct classad_value value = { .type = CLASSAD_STRING, .text = text, .bytes = sizeof(text) - 1 };

	(void)unused;
	memset(text, 'a', 4000);
	memcpy(text + 4000, "b", 2);
	assert_int_equal(classad_set_value(my, "A", &value), 0);
	assert_string_equal(value_between(my, NULL, "replace(\"((((((a))))))*\", A, \"x\")"), "\"xb\"");
	assert_string_equal(value_between(my, NULL, "size(replaceall(\"a\", A, \"xy\"))"), "8001");
	classad_free(my);
}

/* Each condition is false and is repeated, so that an expression has work for seconds or hours. */
static void test_work_on_long_texts_takes_steps(void **unused)
{
	static const char *const conditions[] = {
		"A != A", "A =!= A", "strcmp(A, A) != 0", "versioncmp(A, A) != 0", "member(C, {A, A, A, A})",
		"anyCompare(\"!=\", {A, A, A, A}, A)", "stringListMember(\"x\", B, A)", "stringListSum(\"1\", A) != 1",
		"size(split(\"1\", A)) != 1", "stringListsIntersect(\"1\", \"2\", A)", "random(2) > 1",
		"regexp(\"x\", B, A)", "eval(Costly)", "isError(eval(Nested))", "replaceall(\"a\", B, A) == \"x\"",
	};
	static char text[40000], expression[40000];
	struct classad *my = ad_of("B = \"a a a a a a a a a\"\n"
				   "Costly = \"regexp(\\\"(((a{1,20}){1,20}))*$b\\\",\\\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\\")\"\n"
				   "Nested = \"[a = replace(\\\"(((a{1,20}){1,20}))*b\\\",\\\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\\",\\\"\\\")]\"\n");

	(void)unused;
	text[0] = '"';
	memset(text + 1, 'a', sizeof(text) - 3);
	text[sizeof(text) - 2] = '"';
	assert_int_equal(classad_set(my, "A", text, NULL), 0);
	assert_int_equal(classad_set(my, "Name", text, NULL), 0);
	text[sizeof(text) - 3] = 'b';
	assert_int_equal(classad_set(my, "C", text, NULL), 0);
	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++) {
		strcpy(expression, conditions[i]);
		for (size_t k = 1; k < 500; k++)
			sprintf(expression + strlen(expression), " || %s", conditions[i]);
		if (strcmp(value_between(my, NULL, expression), "error") != 0 || room.steps != CLASSAD_STEPS_MOST)
			fail_msg("%s takes too few steps: %u", conditions[i], room.steps);
	}
	classad_free(my);
}

static void test_texts_are_read_as_expressions(void **unused)
{
	static const struct row rows[] = {
		{ "eval(\"1+1\")", "2" },
		{ "eval(\"X + T\")", "8" },
		{ "eval(X)", "3" },
		{ "eval(strcat(\"X\", \"+1\"))", "4" },
		{ "eval(Text)", "\"ab\"" },
		{ "eval(strcat(\"split(\", Quoted, \")\"))", "{ \"a\",\"b\" }" },
		{ "eval(\"1+\")", "error" },
		{ "eval(strcat(\"1\", \"+\"))", "error" },
		{ "eval(undefined)", "undefined" },
		{ "eval(NotThere)", "undefined" },
		{ "eval(Loop)", "undefined" },
		{ "unparse(X)", "\"1 + Y\"" },
		{ "unparse(MY.Y)", "\"2\"" },
		{ "unparse(T)", "\"5\"" },
		{ "unparse(NotThere)", "\"\"" },
		{ "unparse(1)", "error" },
		{ "debug(X)", "3" },
	};
	struct classad *my = ad_of("X = 1 + Y\nY = 2\nText = \"strcat(\\\"a\\\",Letter)\"\nLetter = \"b\"\n"
				   "Quoted = strcat(Mark, \"a b\", Mark)\nMark = substr(\"\\\"\", 0)\nLoop = eval(Loop)\n"),
		       *target = ad_of("T = 5\n");

	(void)unused;
	CHECK_ROWS(rows, my, target);
	classad_free(my);
	classad_free(target);
}

/* Each level reads a new text, so that no attribute is evaluated inside itself. */
static void test_texts_that_read_texts_end(void **unused)
{
	struct classad *my = ad_of("Again = \"eval(strcat(Again, \\\"\\\"))\"\n");

	(void)unused;
	assert_string_equal(value_between(my, NULL, "eval(strcat(Again, \"\"))"), "error");
	classad_free(my);
}

static void test_lists_of_words_are_compared(void **unused)
{
	static const struct row rows[] = {
		{ "stringListsIntersect(\"a,b\", \"c b\")", "true" },
		{ "stringListsIntersect(\"a,b\", \"B\")", "false" },
		{ "stringListsIntersect(\"a;b\", \"x;b\", \";\")", "true" },
		{ "stringListSubsetMatch(\"a\", \"b,a\")", "true" },
		{ "stringListSubsetMatch(\"a,c\", \"b,a\")", "false" },
		{ "stringListSubsetMatch(\"a\", \"A\")", "false" },
		{ "stringListISubsetMatch(\"a\", \"b,A\")", "true" },
		{ "stringListsIntersect(\"a\", 1)", "error" },
		{ "stringListsIntersect(\"a\", undefined)", "undefined" },
	};

	(void)unused;
	CHECK_ROWS(rows, NULL, NULL);
}

static void test_numbers_are_drawn_below_the_limit_and_again_the_same(void **unused)
{
	struct classad *my = ad_of("ClusterId = 7\n"), *others[2] = { ad_of("Name = \"a\"\n"), ad_of("Name = \"b\"\n") };
	char drawn[2][64];

	(void)unused;
	for (int k = 0; k < 2; k++) {
		snprintf(drawn[k], sizeof(drawn[k]), "%s", value_between(my, others[k], "random(1000000000)"));
		assert_string_equal(value_between(my, others[k], "random(1000000000)"), drawn[k]);
	}
	assert_string_not_equal(drawn[0], drawn[1]);
	assert_string_equal(value_between(my, NULL, "random(10) < 10 && random(10) >= 0"), "true");
	assert_string_equal(value_between(my, NULL, "random() < 1 && random() >= 0 && isReal(random(2.5))"), "true");
	assert_string_equal(value_between(my, NULL, "random() == random()"), "false");
	assert_string_equal(value_of("random(0)"), "error");
	assert_string_equal(value_of("random(\"a\")"), "error");
	assert_string_equal(value_of("random(undefined)"), "error");
	classad_free(my);
	classad_free(others[0]);
	classad_free(others[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_pattern_matches_is_replaced),
		cmocka_unit_test(test_the_work_for_a_replacement_is_limited),
		cmocka_unit_test(test_long_texts_are_replaced),
		cmocka_unit_test(test_work_on_long_texts_takes_steps),
		cmocka_unit_test(test_texts_are_read_as_expressions),
		cmocka_unit_test(test_texts_that_read_texts_end),
		cmocka_unit_test(test_lists_of_words_are_compared),
		cmocka_unit_test(test_numbers_are_drawn_below_the_limit_and_again_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
