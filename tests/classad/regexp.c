/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/classad/values.h"

static struct classad *ad;

/* The pattern is given once as a constant, compiled when it is read, and once as an attribute. */
static const char *matched(const char *pattern, const char *text, const char *options)
{
	static char expression[8192], ready[64];
	struct classad_value values[3] = { { .type = CLASSAD_STRING, .text = pattern, .bytes = strlen(pattern) },
					   { .type = CLASSAD_STRING, .text = text, .bytes = strlen(text) },
					   { .type = CLASSAD_STRING, .text = options, .bytes = strlen(options) } };

	assert_int_equal(classad_set_value(ad, "P", &values[0]), 0);
	assert_int_equal(classad_set_value(ad, "T", &values[1]), 0);
	assert_int_equal(classad_set_value(ad, "O", &values[2]), 0);
	snprintf(expression, sizeof(expression), "regexp(\"%s\", T, \"%s\")", pattern, options);
	snprintf(ready, sizeof(ready), "%s", value_between(ad, NULL, expression));
	assert_string_equal(value_between(ad, NULL, "regexp(P, T, O)"), ready);
	return ready;
}

static void test_patterns_are_perls(void **unused)
{
	static const struct { const char *pattern, *text, *options, *value;
	} rows[] = {
		{ "abc", "xxabcxx", "", "true" },
		{ "^abc", "xabc", "", "false" },
		{ "c$", "abc\n", "", "true" },
		{ "c\\z", "abc\n", "", "false" },
		{ "a|b|c", "xcx", "", "true" },
		{ "^(a|b|c)+$", "abcab", "", "true" },
		{ "^(a|b|c)+$", "abdab", "", "false" },
		{ "^a*$", "", "", "true" },
		{ "^a+$", "", "", "false" },
		{ "^ab?c$", "ac", "", "true" },
		{ "^a{2,3}$", "aa", "", "true" },
		{ "^a{2,3}$", "aaaa", "", "false" },
		{ "^a{2}$", "aaa", "", "false" },
		{ "^a{2,}$", "aaaaa", "", "true" },
		{ "^a{0}b$", "b", "", "true" },
		{ "^(ab){2}c$", "ababc", "", "true" },
		{ "^(ab){2}c$", "abc", "", "false" },
		{ "a{", "xa{", "", "true" },
		{ "^a{,2}$", "a{,2}", "", "true" },
		{ "^[a-c]+$", "abcabc", "", "true" },
		{ "^[^a-c]+$", "xyz", "", "true" },
		{ "^[^a-c]+$", "xbz", "", "false" },
		{ "[]a]", "]", "", "true" },
		{ "^[a\\-z]+$", "a-z", "", "true" },
		{ "^[a-]$", "-", "", "true" },
		{ "[[:digit:]]{3}", "ab123", "", "true" },
		{ "^[\\d.]+$", "1.2.3", "", "true" },
		{ "slot1_\\d+@", "slot1_12@host", "", "true" },
		{ "\\bfoo\\b", "a foo b", "", "true" },
		{ "\\bfoo\\b", "afoob", "", "false" },
		{ "\\Boo", "foo", "", "true" },
		{ "^\\w+\\s\\w+$", "a b", "", "true" },
		{ "\\x41\\x42", "AB", "", "true" },
		{ "a.c", "a\nc", "", "false" },
		{ "a.c", "a\nc", "s", "true" },
		{ "^b", "a\nb", "", "false" },
		{ "^b", "a\nb", "m", "true" },
		{ "a$", "a\nb", "m", "true" },
		{ "ABC", "abc", "i", "true" },
		{ "[A-C]+$", "abc", "I", "true" },
		{ "[^A]", "a", "i", "false" },
		{ "(?i)ABC", "abc", "", "true" },
		{ " a b # comment", "ab", "x", "true" },
		{ "a*?b", "aab", "", "true" },
		{ "(?:a|b)c", "bc", "", "true" },
		{ "(a*)*b", "aaac", "", "false" },
		{ "", "x", "", "true" },
		{ "|a", "b", "", "true" },
		{ "^(|a)$", "", "", "true" },
		{ "()", "", "", "true" },
		{ "^$", "", "", "true" },
		{ "\\.", "a", "", "false" },
		{ "^a|b$", "xb", "", "true" },
		{ "((a){0,2}b){3}", "abbaab", "", "true" },
		{ "^(a?b?){3}$", "abab", "", "true" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(matched(rows[i].pattern, rows[i].text, rows[i].options), rows[i].value) != 0)
			fail_msg("/%s/%s on \"%s\" is not %s", rows[i].pattern, rows[i].options, rows[i].text,
				 rows[i].value);
}

static void test_an_invalid_or_costly_pattern_is_an_error(void **unused)
{
	static const char *const patterns[] = { "(",	   ")",		  "a)",	     "[",
						"[a",	   "*",		  "+a",	     "a**",
						"a{3,2}",  "a{1001}",	  "(?=a)",   "(?<x>a)",
						"(a)\\1",  "[b-a]",	  "\\q",     "(((a{100}){100}){100}){100}",
						"a++",	   "[\\d-z]x\\9", "[a-\\d]", "{1}",
						"a|{1,2}", "a?{1,2}",	  "a{1}{2}", "(a{2,}*)",
						"^*a",	   "a\\b+",	  "a${2}" };

	(void)unused;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		if (strcmp(matched(patterns[i], "aaa", ""), "error") != 0)
			fail_msg("/%s/ is not refused", patterns[i]);
}

static void test_patterns_are_matched_in_bounded_time(void **unused)
{
	char text[2001], pattern[1001] = "";

	(void)unused;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_string_equal(matched("^(a*)*$", text, ""), "true");
	assert_string_equal(matched("^(a|a)*b", text, ""), "false");
	assert_string_equal(matched("((((((a*)*)*)*)*)*)*b", text, ""), "false");
	assert_string_equal(matched("(((((){1000}){1000}){1000}){1000})b", text, ""), "false");
	for (int i = 0; i < 500; i++)
		strcat(pattern, "a?");
	assert_string_equal(matched(pattern, text, ""), "true");
	strcpy(pattern + 900, "b");
	assert_string_equal(matched(pattern, text, ""), "error");	/* 900 states on 2000 bytes */
	assert_int_equal(room.steps, CLASSAD_STEPS_MOST);
}

static void test_arguments_that_are_no_texts(void **unused)
{
	(void)unused;
	assert_string_equal(value_of("regexp(\"a\", 5)"), "error");
	assert_string_equal(value_of("regexp(5, \"a\")"), "error");
	assert_string_equal(value_of("regexp(\"a\", Missing)"), "undefined");
	assert_string_equal(value_of("regexp(Missing, error)"), "error");
	assert_string_equal(value_of("regexp(\"a\", Missing ? \"a\" : \"b\")"), "undefined");
	assert_string_equal(value_of("regexp(\"a\", isUndefined(Missing) ? \"a\" : \"b\", \"i\")"), "true");
	assert_string_equal(value_of("regexp(\"A\", \"a\", isUndefined(Missing) ? \"i\" : \"m\")"), "true");
	assert_string_equal(value_of("regexp(Missing ?: \"a\", \"a\")"), "true");
}

static int made(void **unused)
{
	(void)unused;
	ad = classad_create();
	return ad ? 0 : -1;
}

static int ended(void **unused)
{
	(void)unused;
	classad_free(ad);
	classad_room_free(&room);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns_are_perls),
		cmocka_unit_test(test_an_invalid_or_costly_pattern_is_an_error),
		cmocka_unit_test(test_patterns_are_matched_in_bounded_time),
		cmocka_unit_test(test_arguments_that_are_no_texts),
	};

	return cmocka_run_group_tests(tests, made, ended);
}
