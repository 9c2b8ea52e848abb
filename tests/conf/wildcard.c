/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns match like fnmatch(3), at the costs promised by wildcard.h. */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "conf/base/wildcard.h"

static void test_patterns_match_the_expected_texts(void **state)
{
	static const struct { const char *pattern, *text; bool matches;
	} cases[] = {
		{ "", "", true },	   { "", "a", false },		 { "*", "", true },
		{ "**", "abc", true },	   { "?", "", false },		 { "a*", "abc", true },
		{ "*c", "abc", true },	   { "a*c*e", "abcde", true },	 { "a*c*e", "abcd", false },
		{ "[abc]x", "bx", true },  { "[!abc]", "b", false },	 { "[^abc]", "d", true },
		{ "[a-cx-z]", "y", true }, { "[a-]", "-", true },	 { "[]a]", "]", true },
		{ "[!]a]", "]", false },   { "[[:digit:]]", "7", true }, { "[[:digit:]-]", "-", true },
		{ "\\*", "*", true },	   { "\\*", "a", false },	 { "[\\]]", "]", true },
		{ "[\\]a", "[]a", true },  { "\\", "\\", false },	 { "[", "[", true },
		{ "a[b", "a[b", true },	   { "[[:alpha:]", "[h", true }, { "[[:nothing:]]", "n", false },
		{ "*[x", "ab[x", true },   { "[a-\\c]", "b", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (wildcard_match(cases[i].pattern, cases[i].text, 0) != cases[i].matches)
			fail_msg("\"%s\" and \"%s\"", cases[i].pattern, cases[i].text);
	assert_true(wildcard_match("[a-c]X*", "BxZ", WILDCARD_IGNORE_CASE));
	assert_true(wildcard_match("\\*", "\\b", WILDCARD_NO_ESCAPE));
	assert_false(wildcard_match("[a-c]X*", "BxZ", 0));
}

/* Against fnmatch(3) */

static void random_text(char *text, size_t most, const char *of, unsigned *seed)
{
	size_t n = (size_t)rand_r(seed) % most;

	for (size_t i = 0; i < n; i++)
		text[i] = of[(size_t)rand_r(seed) % strlen(of)];
	text[n] = '\0';
}

static void random_pattern(char *pattern, unsigned *seed)
{
	static const char *const parts[] = { "*",   "?",    "a",    "b",      "c",    "-",	     "[",
					     "]",   "[ab]", "[!a]", "[^b-c]", "[]a]", "[[:alpha:]]", "[![:digit:]]",
					     "\\a", "\\*",  "\\[",  "[a\\]]", "[[]",  "!",	     "^",
					     "[b-", "\\" };
	int n = rand_r(seed) % 9;

	*pattern = '\0';
	while (n-- > 0)
		strcat(pattern, parts[(size_t)rand_r(seed) % (sizeof(parts) / sizeof(*parts))]);
}

/*
 * Return whether systems agree on a pattern. They differ on a range from a letter to another
 * character without regard to case, and on a range cut off by the end of the pattern.
 */
static bool is_sane(const char *pattern, int flags)
{
	size_t n = strlen(pattern);

	if (n > 0 && (pattern[n - 1] == '-' || (n > 1 && pattern[n - 2] == '-')))
		return false;
	for (const char *p = pattern; flags & WILDCARD_IGNORE_CASE && (p = strchr(p, '-')) != NULL; p++)
		if (p == pattern || p[-1] != 'b' || p[1] != 'c')
			return false;
	return true;
}

static void test_random_patterns_match_like_fnmatch(void **state)
{
	static const struct {
		int ours, theirs;
	} flags[] = { { 0, 0 }, { WILDCARD_IGNORE_CASE, FNM_CASEFOLD }, { WILDCARD_NO_ESCAPE, FNM_NOESCAPE } };
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL), matches = 0,
		 controls = 0;
	char pattern[200], text[40];

	(void)state;
	print_message("seed %u\n", seed);
	for (int i = 0; i < 300000; i++) {
		int k = rand_r(&seed) % 3;
		bool expected;

		random_pattern(pattern, &seed);
		random_text(text, 7, k == 1 ? "aAbBc[" : "aabbc-[]\\*!1", &seed);
		if (!is_sane(pattern, flags[k].ours))
			continue;
		expected = fnmatch(pattern, text, flags[k].theirs) == 0;
		if (wildcard_match(pattern, text, flags[k].ours) != expected)
			fail_msg("\"%s\" and \"%s\", flags %d: fnmatch says %d", pattern, text, flags[k].ours,
				 expected);
		matches += expected;
		controls += expected != wildcard_match(pattern, text, flags[(k + 2) % 3].ours);
	}
	print_message("%u match, %u differ\n", matches, controls);
	assert_true(matches > 5000 && controls > 400);	/* otherwise the comparison would have no power */
}

/* Cost of a match */

static uint64_t cost(const char *pattern, const char *text)
{
	uint64_t before = wildcard_steps;

	wildcard_match(pattern, text, 0);
	return wildcard_steps - before;
}

static char *repeated(const char *part, size_t bytes, const char *end)
{
	char *text = calloc(1, bytes + strlen(part) + strlen(end) + 1);

	while (strlen(text) + strlen(part) + strlen(end) <= bytes)
		strcat(text, part);
	return strcat(text, end);
}

static void test_no_pattern_costs_more_than_pattern_times_text(void **state)
{
	static const char *const parts[] = { "*[",  "[",  "*a",	 "?*", "*?",   "a",   "[[:alpha:]", "[!b",
					     "[a-", "\\", "*[[", "[]", "*[a]", "**a", "*[!b]a",	    "[[:a:][" };
	static const char *const ends[] = { "", "b", "]", "*", "*b", "[" };
	char *text = repeated("a", 254, "");
	uint64_t most = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		for (size_t k = 0; k < 2 * sizeof(ends) / sizeof(*ends); k++) {
			char *tail = repeated(parts[i], WILDCARD_BYTES - 3, ends[k / 2]),
			     *pattern = calloc(1, WILDCARD_BYTES + 1);
			uint64_t steps;

			strcat(strcpy(pattern, k % 2 ? "*" : ""), tail);
			steps = cost(pattern, text);
			if (steps > strlen(pattern) * (strlen(text) + 1))
				fail_msg("\"%.20s...\" takes %llu steps", pattern, (unsigned long long)steps);
			most = steps > most ? steps : most;
			free(pattern);
			free(tail);
		}
	assert_true(most > 20000);		/* the worst pattern is among them */
	free(text);
}

static void test_a_too_long_pattern_matches_no_text_at_no_cost(void **state)
{
	char *pattern = repeated("*", WILDCARD_BYTES, "");

	(void)state;
	assert_int_equal(cost(pattern, "aaaa"), 0);
	assert_false(wildcard_match(pattern, "a", 0));
	assert_true(wildcard_match(pattern + 1, "a", 0));
	free(pattern);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns_match_the_expected_texts),
		cmocka_unit_test(test_random_patterns_match_like_fnmatch),
		cmocka_unit_test(test_no_pattern_costs_more_than_pattern_times_text),
		cmocka_unit_test(test_a_too_long_pattern_matches_no_text_at_no_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
