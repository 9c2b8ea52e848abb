/* SPDX-License-Identifier: Apache-2.0 */
/* Words of options in scripts and files, split as by qsub 8.1.9 where it does so sensibly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/client/option_lines.h"

#define LINE_BYTES 4096

/* Return "3: a|b c|; 5: d|", or "3: " and the error. The text is at the end of readable memory. */
static const char *lines_of(const char *text, const char *prefix)
{
	static char reported[LINE_BYTES];
	size_t bytes = strlen(text), used = 0;
	char *copy = malloc(bytes + 1), *words[LINE_WORDS_MOST + 1];
	struct option_lines lines = { .text = memcpy(copy, text, bytes + 1), .bytes = bytes, .prefix = prefix };
	struct error error = { "" };
	ssize_t n;

	*reported = '\0';
	while ((n = option_lines_next(&lines, words, &error)) > 0) {
		used += (size_t)snprintf(reported + used, sizeof(reported) - used, "%s%u: ", used ? "; " : "", lines.number);
		for (ssize_t k = 0; k < n; k++)
			used += (size_t)snprintf(reported + used, sizeof(reported) - used, "%s|", words[k]);
		assert_null(words[n]);
	}
	if (n < 0)
		snprintf(reported + used, sizeof(reported) - used, "%s%u: %s", used ? "; " : "", lines.number, error.text);
	free(copy);
	return reported;
}

static void test_option_lines_are_found_by_their_prefix(void **state)
{
	(void)state;
	assert_string_equal(
		lines_of("#!/bin/sh\n#$ -N a\necho\n#$-j y\n #$ -A b\n##$ -A c\n#$\n#$   \n# $ -A d\n#$\t-p\t-5\t",
			 "#$"),
		"2: -N|a|; 4: -j|y|; 10: -p|-5|");
	assert_string_equal(lines_of("%% -N x\n#$ -A y\n#$", "%%"), "1: -N|x|");
	assert_string_equal(lines_of("#$ -N a", ""), "");
	assert_string_equal(lines_of("", "#$"), "");
	assert_string_equal(lines_of("#", "#$"), "");
}

static void test_a_file_has_options_on_each_line_but_comments(void **state)
{
	(void)state;
	assert_string_equal(lines_of("# -N no\n-N a -p -7 # trailing\n\n  # indented\n-l h_rt=1\n", NULL),
			    "2: -N|a|-p|-7|; 5: -l|h_rt=1|");
}

static void test_quotes_join_words_and_are_removed(void **state)
{
	(void)state;
	assert_string_equal(lines_of("-v A=\"x y\",B='p q' -v C=\"it's\" \"\" '#' a#b", NULL),
			    "1: -v|A=x y,B=p q|-v|C=it's||#|a#b|");
	assert_string_equal(lines_of("-v A='\"$HOME\"' a\\\"b c\"\n", NULL), "1: -v|A=\"$HOME\"|a\\b c|");
}

static void test_a_quotation_ends_with_its_line(void **state)
{
	(void)state;
	assert_string_equal(lines_of("-N a\n-v \"x\ny\"\n", NULL), "1: -N|a|; 2: a quotation has no end in this line");
	assert_string_equal(lines_of("#$ '", "#$"), "1: a quotation has no end in this line");
}

static void test_lines_of_windows_are_lines(void **state)
{
	(void)state;
	assert_string_equal(lines_of("#$ -p -5\r\n#$ -N a\r\n", "#$"), "1: -p|-5|; 2: -N|a|");
}

static void test_a_line_has_a_limited_number_of_words(void **state)
{
	char text[2 * (LINE_WORDS_MOST + 1) + 1] = "";

	(void)state;
	for (int k = 0; k <= LINE_WORDS_MOST; k++)
		strcpy(text + 2 * k, "a ");
	assert_string_equal(lines_of(text, NULL), "1: more than 1024 words in a line");
	text[2 * LINE_WORDS_MOST] = '\0';
	assert_int_equal(strlen(lines_of(text, NULL)), 3 + 2 * LINE_WORDS_MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_option_lines_are_found_by_their_prefix),
		cmocka_unit_test(test_a_file_has_options_on_each_line_but_comments),
		cmocka_unit_test(test_quotes_join_words_and_are_removed),
		cmocka_unit_test(test_a_quotation_ends_with_its_line),
		cmocka_unit_test(test_lines_of_windows_are_lines),
		cmocka_unit_test(test_a_line_has_a_limited_number_of_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
