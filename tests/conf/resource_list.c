/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conf/gridengine/resource_list.h"

static struct complex complexes[] = {
	{ .name = "arch", .shortcut = "a" }, { .name = "h_rt", .shortcut = "h_rt" }, { .name = "mem_free", .shortcut = "mf" },
	{ .name = "s_rt", .shortcut = "s_rt" },
};
static const struct cell cell = { .complexes = complexes, .ncomplexes = sizeof(complexes) / sizeof(*complexes) };

/* Check the remaining list: full names, with "-" before unknown names. */
static void check(const char *text, const char *expected)
{
	struct resource_list list;
	char found[256] = "";

	assert_int_equal(resource_list_read(&list, &cell, text), 0);
	for (size_t i = 0; i < list.n; i++) {
		strcat(found, i > 0 ? "," : "");
		strcat(found, list.items[i].complex ? "" : "-");
		strcat(found, list.items[i].name);
		strcat(found, list.items[i].value ? "=" : "");
		strcat(found, list.items[i].value ? list.items[i].value : "");
	}
	resource_list_free(&list);
	assert_string_equal(found, expected);
}

static void test_names_are_expanded_in_the_order_of_the_list(void **state)
{
	(void)state;
	check("mf=1G,a=lx-amd64,h_rt=60", "mem_free=1G,arch=lx-amd64,h_rt=60");
	check("h_rt", "h_rt");
	check("arch=a=b", "arch=a=b");
	check(",,h_rt=,", "h_rt=");
	check("", "");
	check(NULL, "");
}

static void test_a_comma_of_a_value_has_a_backslash(void **state)
{
	(void)state;
	check("arch=a\\,b,h_rt=5", "arch=a,b,h_rt=5");
	check("arch=x\\\\,h_rt=5", "arch=x\\,h_rt=5");
	check("arch=x\\y\\", "arch=x\\y\\");
}

/* Recorded from 8.1.9: the list that qsub(1) sent, and the list that qmaster kept. */
static void test_the_last_of_several_requests_for_a_complex_counts_at_its_position(void **state)
{
	(void)state;
	check("h_rt=100,arch=*,mem_free=1,h_rt=50", "arch=*,mem_free=1,h_rt=50");
	check("mem_free=1G,arch=*,mf=2G", "arch=*,mem_free=2G");
	check("mf=2G,arch=*,mem_free=1G,h_rt=10", "arch=*,mem_free=1G,h_rt=10");
	check("h_rt=1,h_rt=2,h_rt", "h_rt");
}

static void test_names_that_no_complex_has_all_stay(void **state)
{
	(void)state;
	check("gpu=1,h_rt=5,gpu=2,MF=1", "-gpu=1,h_rt=5,-gpu=2,-MF=1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_expanded_in_the_order_of_the_list),
		cmocka_unit_test(test_a_comma_of_a_value_has_a_backslash),
		cmocka_unit_test(test_the_last_of_several_requests_for_a_complex_counts_at_its_position),
		cmocka_unit_test(test_names_that_no_complex_has_all_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
