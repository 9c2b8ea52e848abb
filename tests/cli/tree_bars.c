/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/tree/bars.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Return the bars of `n` nodes that form a chain. */
static const char *picture(const struct share_line *lines, size_t n, bool landed, double actual, unsigned columns)
{
	static char text[8192];
	struct tree_bars bars = { 0 };
	struct out out;
	const char *held;
	size_t bytes;

	assert_int_equal(out_open_memory(&out, sizeof(text)), 0);
	bars_begin(&bars, &out, columns);
	for (size_t k = 0; k < n; k++)
		bars_row(&bars, &out, &lines[k], landed, (unsigned)k, actual);
	bars_end(&bars, &out);
	assert_int_equal(out_held(&out, &held, &bytes), 0);
	assert_true(bytes < sizeof(text));
	memcpy(text, held, bytes);
	text[bytes] = '\0';
	out_close(&out);
	return text;
}

static size_t longest_line(const char *text)
{
	size_t longest = 0;

	for (const char *end; (end = strchr(text, '\n')); text = end + 1)
		longest = (size_t)(end - text) > longest ? (size_t)(end - text) : longest;
	return longest;
}

static void test_the_bar_shows_used_share_and_marks_the_promised_share(void **state)
{
	const struct share_line half = {
		.name = "atlas", .shares = 60, .job_count = 9, .long_target_share = 0.25, .short_target_share = 0.125
	};

	(void)state;
	assert_non_null(
		strstr(picture(&half, 1, false, 0.5, 84),
		       "\natlas                #####|####                   60   50.0%    25.0%   12.5%      9\n"));
}

static void test_an_idle_user_has_no_promised_share(void **state)
{
	const struct share_line idle = { .name = "atlas", .shares = 60, .usage = 1 };
	const char *text = picture(&idle, 1, false, 1, 84);

	(void)state;
	assert_null(strchr(strchr(text, '\n'), '|'));
	assert_non_null(strstr(text, "60  100.0%        -       -      -\n"));
}

static void test_idle_users_on_a_default_node_are_counted(void **state)
{
	const struct share_line users[] = { { .name = "ann" }, { .name = "bob" }, { .name = "cal", .job_count = 1 } };
	const char *text = picture(users, 3, true, 0, 100);

	(void)state;
	assert_null(strstr(text, "ann"));
	assert_non_null(strstr(text, "    cal"));
	assert_non_null(strstr(text, "\n2 users who have neither used anything nor ask for anything\n"));
	assert_non_null(strstr(picture(users, 1, true, 0, 100),
			       "\n1 user who has neither used anything nor asks for anything\n"));
}

static void test_lines_fit_the_terminal_and_names_are_cut(void **state)
{
	struct share_line line = { .name = "a-name-that-is-much-longer-than-any-column-of-any-terminal",
				   .shares = UINT32_MAX,
				   .job_count = 1 };

	(void)state;
	for (unsigned columns = 80; columns < 300; columns++)
		assert_true(longest_line(picture(&line, 1, false, 1, columns)) <= columns);
}

static void test_values_of_a_torn_view_stay_within_the_bar(void **state)
{
	const double odd[] = { NAN, INFINITY, -INFINITY, -1, 1e300 };

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		struct share_line line = {
			.name = "x", .job_count = UINT64_MAX, .long_target_share = odd[i], .short_target_share = odd[i]
		};
		const char *text = picture(&line, 1, false, odd[i], 100);

		assert_null(strstr(text, "nan"));
		assert_null(strstr(text, "inf"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_bar_shows_used_share_and_marks_the_promised_share),
		cmocka_unit_test(test_an_idle_user_has_no_promised_share),
		cmocka_unit_test(test_idle_users_on_a_default_node_are_counted),
		cmocka_unit_test(test_lines_fit_the_terminal_and_names_are_cut),
		cmocka_unit_test(test_values_of_a_torn_view_stay_within_the_bar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
