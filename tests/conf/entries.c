/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conf/entries.h"

#define SEPARATORS ", "

static void test_an_entry_may_have_any_characters(void **state)
{
	static const struct { const char *text, *written;
	} cases[] = {
		{ "abc", "abc" },   { "a,b", "a\\,b" }, { "a b", "a\\ b" },	  { "x\\y", "x\\y" },
		{ "x\\*", "x\\*" }, { "c\\", "c\\\\" }, { "a\\,b", "a\\\\\\,b" }, { "\\\\", "\\\\\\\\" },
		{ ",", "\\," },	    { "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char written[40], list[80];
		size_t n;

		*entry_write(written, cases[i].text, SEPARATORS) = '\0';
		assert_string_equal(written, cases[i].written);
		strcat(strcpy(list, written), ",next");
		n = entry_length(list, SEPARATORS);
		assert_int_equal(n, strlen(written));
		entry_read(list, n, SEPARATORS);
		assert_string_equal(list, cases[i].text);
		entry_read(written, strlen(written), SEPARATORS);
		assert_string_equal(written, cases[i].text);
	}
}

/* Texts written by hand, for example by qsub. */
static void test_meaningless_backslashes_are_kept(void **state)
{
	char text[20] = "lx\\-64,b", last[20] = "b\\";

	(void)state;
	assert_int_equal(entry_length(text, ","), 6);
	entry_read(text, 6, ",");
	assert_string_equal(text, "lx\\-64");
	entry_read(last, 2, ",");
	assert_string_equal(last, "b\\");
}

static void test_random_entries_are_restored(void **state)
{
	static const char letters[] = "\\\\\\,, ab";
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : 4711;

	(void)state;
	for (int k = 0; k < 100000; k++) {
		char texts[3][9], list[64], *at = list;

		for (int i = 0; i < 3; i++) {
			size_t n = 1 + (unsigned)rand_r(&seed) % 8;

			for (size_t j = 0; j < n; j++)
				texts[i][j] = letters[(unsigned)rand_r(&seed) % (sizeof(letters) - 1)];
			texts[i][n] = '\0';
			if (i > 0)
				*at++ = ',';
			at = entry_write(at, texts[i], SEPARATORS);
		}
		*at = '\0';
		at = list;
		for (int i = 0; i < 3; i++) {
			size_t n = entry_length(at, SEPARATORS);

			assert_true(at[n] == (i < 2 ? ',' : '\0'));
			entry_read(at, n, SEPARATORS);
			assert_string_equal(at, texts[i]);
			at += n + 1;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_entry_may_have_any_characters),
		cmocka_unit_test(test_meaningless_backslashes_are_kept),
		cmocka_unit_test(test_random_entries_are_restored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
