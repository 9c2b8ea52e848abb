/* SPDX-License-Identifier: Apache-2.0 */
/* Texts cut or padded to columns of a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sched/cli/width.h"

static void check(const char *text, size_t columns, bool right, const char *mark, const char *expected)
{
	struct out out;
	const char *held;
	size_t bytes;

	assert_int_equal(out_open_memory(&out, 1 << 20), 0);
	width_put(&out, text, columns, right, mark);
	assert_int_equal(out_held(&out, &held, &bytes), 0);
	assert_int_equal(bytes, strlen(expected));
	assert_memory_equal(held, expected, bytes);
	out_close(&out);
}

static void test_a_text_is_filled_up_on_either_side(void **unused)
{
	(void)unused;
	check("ann", 5, false, "", "ann  ");
	check("ann", 5, true, "", "  ann");
	check("ann", 3, true, "", "ann");
	check("", 2, false, "", "  ");
}

static void test_a_longer_one_is_cut_and_marked(void **unused)
{
	(void)unused;
	check("simulation", 4, false, "", "simu");
	check("simulation", 4, true, "", "simu");
	check("simulation", 4, false, "+", "sim+");
	check("simulation", 1, false, "+", "s");
	check("exact", 5, false, "+", "exact");
}

static void test_characters_are_never_cut_in_the_middle(void **unused)
{
	(void)unused;
	check("\xc3\xa9t\xc3\xa9", 2, false, "", "\xc3\xa9t");
	check("\xc3\xa9t\xc3\xa9", 5, false, "", "\xc3\xa9t\xc3\xa9  ");
	/* two columns each */
	check("\xe6\x97\xa5\xe6\x9c\xac", 3, false, "", "\xe6\x97\xa5 ");
	check("\xe6\x97\xa5\xe6\x9c\xac", 3, true, "", "\xe6\x97\xa5 ");
	check("\xe6\x97\xa5\xe6\x9c\xac", 5, true, "", " \xe6\x97\xa5\xe6\x9c\xac");
	/* Zero columns: a mark stays with its letter. */
	check("e\xcc\x81z", 1, false, "", "e\xcc\x81");
}

static void test_control_characters_do_not_reach_the_terminal(void **unused)
{
	(void)unused;
	check("a\x1b[2Jb", 8, false, "", "a?[2Jb  ");
	check("\xff\xc2\x9b", 4, false, "", "??? ");
	assert_int_equal(width_of("a\x1b\xff"), 3);
	assert_int_equal(width_of("\xe6\x97\xa5"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_text_is_filled_up_on_either_side),
		cmocka_unit_test(test_a_longer_one_is_cut_and_marked),
		cmocka_unit_test(test_characters_are_never_cut_in_the_middle),
		cmocka_unit_test(test_control_characters_do_not_reach_the_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
