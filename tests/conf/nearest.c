/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest name of a misspelt one. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "conf/base/nearest.h"

static const char *const names[] = { "sched_conf", "share_tree", "pe",	  "queue", "stat",
				     "del",	   "mod",	 "hosts", "users", "usersets" };

static const char *nearest(const char *name)
{
	return nearest_of(name, names, sizeof(names) / sizeof(*names));
}

static void test_a_letter_more_or_less_or_other_or_exchanged_is_near(void **state)
{
	(void)state;
	assert_string_equal(nearest("sched_cnf"), "sched_conf");
	assert_string_equal(nearest("sched.conf"), "sched_conf");
	assert_string_equal(nearest("shaer_tree"), "share_tree");
	assert_string_equal(nearest("Share_Trees"), "share_tree");
	assert_string_equal(nearest("stats"), "stat");
	assert_string_equal(nearest("dle"), "del");
	assert_string_equal(nearest("pes"), "pe");
	assert_string_equal(nearest("queue"), "queue");
}

static void test_a_name_far_from_all_others_has_no_nearest(void **state)
{
	char name[NEAREST_NAME_MOST + 2];

	(void)state;
	assert_null(nearest("spool"));
	assert_null(nearest("e"));
	assert_null(nearest("po"));
	assert_null(nearest("ls"));
	assert_null(nearest("sxxt"));
	assert_null(nearest(""));
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = 0;
	assert_null(nearest(name));
	assert_null(nearest_of("pe", NULL, 0));
}

static void test_the_nearest_of_several_is_found_and_of_equals_the_first(void **state)
{
	static const char *const equals[] = { "holds", "hold1", "hold" };

	(void)state;
	assert_string_equal(nearest("userset"), "usersets");
	assert_string_equal(nearest("user"), "users");
	assert_string_equal(nearest_of("holdx", equals, 2), "holds");
	assert_string_equal(nearest_of("hold", equals, 3), "hold");
}

static void test_changes_are_counted(void **state)
{
	(void)state;
	assert_int_equal(nearest_changes("", "abc"), 3);
	assert_int_equal(nearest_changes("abc", "ABC"), 0);
	assert_int_equal(nearest_changes("abcd", "badc"), 2);
	assert_int_equal(nearest_changes("kitten", "sitting"), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_letter_more_or_less_or_other_or_exchanged_is_near),
		cmocka_unit_test(test_a_name_far_from_all_others_has_no_nearest),
		cmocka_unit_test(test_the_nearest_of_several_is_found_and_of_equals_the_first),
		cmocka_unit_test(test_changes_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
