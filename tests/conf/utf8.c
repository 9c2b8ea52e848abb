/* SPDX-License-Identifier: Apache-2.0 */
/* Characters that a name may have, and the replacement of other characters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "conf/base/utf8.h"

static void test_visible_characters_are_text(void **state)
{
	static const char *const texts[] = { "a",      " ",	 "~",	   "\t",     "\u00e4",	   "\u00a0",
					     "\u05d0", "\u200d", "\u20ac", "\ufb01", "\U0001f600", "\U0010fffd" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (utf8_length(texts[i]) != strlen(texts[i]))
			fail_msg("\"%s\"", texts[i]);
}

static void test_invisible_characters_are_not_text(void **state)
{
	static const char *const texts[] = {
		"\x01",	      "\x1b",	  "\x7f",	  "\xc2\x85", "\u061c",		  "\u200b",
		"\u200e",     "\u200f",	  "\u2028",	  "\u2029",   "\u202a",		  "\u202e",
		"\u2060",     "\u2066",	  "\u2069",	  "\ufeff",   "\ufff9",		  "\U000e0001",
		"\U000e0041", "\xc0\x80", "\xed\xa0\x80", "\xff",     "\xf4\x90\x80\x80", "\xe2\x80",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (utf8_length(texts[i]) != 0)
			fail_msg("text %zu", i);
}

static void test_each_invisible_byte_is_shown_as_a_question_mark(void **state)
{
	char text[] = "a\u202eb\x1b[c\u00e4";

	(void)state;
	assert_int_equal(utf8_clean(text), 4);
	assert_string_equal(text, "a???b?[c\u00e4");
	assert_int_equal(utf8_clean(text), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_visible_characters_are_text),
		cmocka_unit_test(test_invisible_characters_are_not_text),
		cmocka_unit_test(test_each_invisible_byte_is_shown_as_a_question_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
