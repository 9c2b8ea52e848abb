/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of patterns, and lists of queues. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "conf/base/wildcard.h"
#include "sched/dispatch/search/pattern.h"
#include "tests/dispatch/cell.h"

static void test_expressions_match_the_expected_texts(void **state)
{
	static const struct { const char *expression, *value; bool matches;
	} cases[] = {
		{ "lx-amd64", "lx-amd64", true },
		{ "lx-amd64", "lx", false },
		{ "lx*", "lx-amd64", true },
		{ "*sparc*", "sol-sparc64", true },
		{ "lx?amd64", "lx-amd64", true },
		{ "[ls]x*", "lx-x86", true },
		{ "lx-amd64|sol-*", "sol-x", true },
		{ "!a*&!b*", "cor", true },
		{ "!a*&!b*", "bly", false },
		{ "!(a|b)", "c", true },
		{ "!(a|b)", "b", false },
		{ "(a|b)&(b|c)", "b", true },
		{ "(a|b)&(b|c)", "a", false },
		{ "a|b&c", "a", true },
		{ "a&b|c", "c", true },
		{ "!!a", "a", true },
		{ " a | b ", "b", true },
		{ "A*", "abc", false },
		{ "", "", true },
		{ "*", "", true },
		{ "", "a", false },
		/* An invalid expression matches no text. */
		{ "(a", "a", false },
		{ "a)", "a", false },
		{ "a|", "a", false },
		{ "|a", "a", false },
		{ "a&", "a", false },
		{ "()", "", false },
		{ "!", "a", false },
		{ "a b", "a", false },
		{ "!(a", "b", false },
		{ "a||b", "b", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (pattern_match(cases[i].expression, cases[i].value, false) != cases[i].matches)
			fail_msg("\"%s\" and \"%s\"", cases[i].expression, cases[i].value);
	assert_true(pattern_match("ba*", "BAZ", true));
	assert_false(pattern_match("ba*", "BAZ", false));
}

/* The work of a run for each instance is limited for any request. */
static void test_long_lists_of_patterns_cost_no_more_than_short_ones(void **state)
{
	static const char *const parts[] = { "*[[[[[[[", "*[a[b]", "*a*a*b", "?*?*?*b", "*[!x]b" };
	const struct cell cell = { .dir = NULL };
	char *list = malloc(70000), *value = malloc(70000);

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		uint64_t before = wildcard_steps;
		size_t n = 0, k = 0;

		for (int pattern = 0; pattern < 60; pattern++) {
			for (size_t end = n + 1000; n + strlen(parts[i]) < end; )
				n += (size_t)sprintf(list + n, "%s", parts[i]);
			n += (size_t)sprintf(list + n, "%s", ",");
		}
		sprintf(list + n, "%s", "all.q");
		/* A name after the patterns counts. */
		assert_true(queue_list_matches(&cell, list, "all.q", "node"));
		assert_false(queue_list_matches(&cell, list, "aaaaaaaaaaaaaaaaaaaaaaaa.q", "node"));
		assert_true(wildcard_steps - before <= 4 * PATTERN_BYTES_MOST);
		before = wildcard_steps;
		while (k < 60000)
			k += (size_t)sprintf(value + k, "%s|", parts[i]);
		assert_false(pattern_match(value, "aaaaaaaaaaaaaaaaaaaaaaaa", false));
		assert_int_equal(wildcard_steps, before);
	}
	free(list);
	free(value);
}

static void test_hostile_expressions_match_no_text_and_end(void **state)
{
	static const char *const parts[] = { "(", "!", "a|", "a&", "((a)", ")", "[", "*", "\\", " ", "a" };
	size_t size = 1 << 20;
	char *text = malloc(size + 10), value[500];

	(void)state;
	for (size_t p = 0; p < sizeof(parts) / sizeof(*parts); p++) {
		size_t length = strlen(parts[p]), n = 0;

		while (n + length <= size)
			n += (size_t)sprintf(text + n, "%s", parts[p]);
		assert_false(pattern_match(text, "b", false));
		text[n - 1] = 'b';
		pattern_match(text, "b", true);
	}
	memset(value, 'a', sizeof(value));
	value[sizeof(value) - 1] = '\0';
	text[0] = '\0';
	for (int i = 0; i < 300; i++)
		strcat(text, "*a");
	strcat(text, "b");
	assert_false(pattern_match(text, value, false));
	free(text);
}

static void test_queue_lists_name_queues_hosts_and_groups(void **state)
{
	static const struct { const char *list, *queue, *host; bool matches;
	} cases[] = {
		{ "all.q", "all.q", "ada", true },
		{ "all.q", "big.q", "ada", false },
		{ "*.q", "big.q", "ada", true },
		{ "all.q@ada", "all.q", "ada", true },
		{ "all.q@ada", "all.q", "bly", false },
		{ "*@ADA", "all.q", "ada", true },
		{ "@ada", "all.q", "ada", true },
		{ "*@@old", "all.q", "ada", true },
		{ "*@@old", "all.q", "bly", false },
		{ "*@@*", "all.q", "bly", true },
		{ "*@@none", "all.q", "ada", false },
		{ "big.q,all.q@b*", "all.q", "bly", true },
		{ "big.q,all.q@b*", "all.q", "ada", false },
		{ "!big.q", "all.q", "ada", true },
		{ "", "all.q", "ada", false },
		{ ",,", "all.q", "ada", false },
		{ "@", "all.q", "ada", false },
		{ "all.q@", "all.q", "ada", false },
		{ "@@", "all.q", "ada", false },
		/* Separators that belong to an item. */
		{ "all.q@[x\\,a]da", "all.q", "ada", true },
		{ "all.q@[x,a]da", "all.q", "ada", false },
		{ "big.q\\ all.q", "all.q", "ada", false },
		{ "x\\\\,all.q", "all.q", "ada", true },
	};
	struct fixture *fixture = *state;
	const struct cell *cell;
	char path[200];

	snprintf(path, sizeof(path), "%s/hgrp", fixture->cell.directory);
	assert_int_equal(mkdir(path, 0755), 0);
	put(fixture, "hgrp/@old", "group_name @old\nhostlist ada\n");
	put(fixture, "hgrp/@new", "group_name @new\nhostlist bly\n");
	reload(fixture);
	cell = sched_cell(fixture->sched);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (queue_list_matches(cell, cases[i].list, cases[i].queue, cases[i].host) != cases[i].matches)
			fail_msg("%s: %s@%s", cases[i].list, cases[i].queue, cases[i].host);
	assert_int_equal(queue_list_misses(cell, "all.q,big.q,*@@old", "all.q", "bly"), 2);
	assert_true(queue_list_names("big.q,all.q@nowhere", "all.q"));
	assert_false(queue_list_names("big.q", "all.q"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions_match_the_expected_texts),
		cmocka_unit_test(test_long_lists_of_patterns_cost_no_more_than_short_ones),
		cmocka_unit_test(test_hostile_expressions_match_no_text_and_end),
		DISPATCH_TEST(test_queue_lists_name_queues_hosts_and_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
