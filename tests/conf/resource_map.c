/* SPDX-License-Identifier: Apache-2.0 */
/* Resource maps of Open Cluster Scheduler: amounts, ids, ranges, properties, and refused values. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "conf/lists.h"
#include "conf/resource_map.h"
#include "tests/conf/cell_dir.h"

static struct cell_dir dir;

static int setup(void **state)
{
	(void)state;
	cell_dir_create(&dir, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cell_dir_destroy(&dir);
	return 0;
}

static void check_map(const char *text, uint32_t n, const char *expected)
{
	struct resource_map map = { 0 };
	struct error error = { "" };
	char found[400] = "";

	if (resource_map_parse(&map, text, &error))
		fail_msg("%s: %s", text, error.text);
	assert_int_equal(map.n, n);
	for (size_t i = 0; i < map.ids.n; i++)
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s*%u%s%s ", map.ids.texts[i],
			 map.units[i].n, map.units[i].properties ? ":" : "",
			 map.units[i].properties ? map.units[i].properties : "");
	assert_string_equal(found, expected);
	resource_map_free(&map);
}

static void test_ids_keep_their_order_and_count_their_units(void **state)
{
	(void)state;
	check_map("4(GPU0 GPU1 GPU2 GPU3)", 4, "GPU0*1 GPU1*1 GPU2*1 GPU3*1 ");
	check_map("5(d a c b e)", 5, "d*1 a*1 c*1 b*1 e*1 ");
	check_map("6(g1 g0 g1 g0 g1  g2)", 6, "g1*3 g0*2 g2*1 ");
	check_map("6(65008-65010 65000-65002)", 6, "65008*1 65009*1 65010*1 65000*1 65001*1 65002*1 ");
	check_map("2(7-7 gpu-0)", 2, "7*1 gpu-0*1 ");
	check_map("NONE", 0, "");
	check_map("0", 0, "");
	check_map("3", 0, "");
	check_map("0()", 0, "");
}

static void test_properties_belong_to_their_id(void **state)
{
	(void)state;
	check_map("2(gpu0[device=/dev/nvidia0,memory=80G] gpu1)", 2, "gpu0*1:device=/dev/nvidia0,memory=80G gpu1*1 ");
	check_map("2(g[a=1, b=2] g[c=3])", 2, "g*2:a=1, b=2 ");
}

static void check_refused(const char *text, const char *why)
{
	struct resource_map map = { 0 };
	struct error error = { "" };

	if (resource_map_parse(&map, text, &error) != -EINVAL || !strstr(error.text, why))
		fail_msg("%s: \"%s\", expected \"%s\"", text, error.text, why);
	assert_null(map.units);
	assert_int_equal(map.ids.n, 0);
}

static void test_refused_values_name_the_fault(void **state)
{
	(void)state;
	check_refused("2(g0)", "the amount is 2, but 1 ids are listed");
	check_refused("1(g0 g0)", "the amount is 1, but 2 ids are listed");
	check_refused("(g0)", "a whole amount from 0 to 65536 and a list of ids is allowed");
	check_refused("2.5", "a whole amount from 0 to 65536");
	check_refused("-1", "a whole amount from 0 to 65536");
	check_refused("70000(1-70000)", "a whole amount from 0 to 65536");
	check_refused("many(g0)", "a whole amount from 0 to 65536");
	check_refused("infinity", "a whole amount from 0 to 65536");
	check_refused("2(g0 g1", "does not end with \")\"");
	check_refused("2(g0 g1)x", "does not end with \")\"");
	check_refused("2(9-8)", "the range \"9-8\" ends before it begins");
	check_refused("2(0-4000000000)", "at most 65536 units are allowed");
	check_refused("1(a=b)", "an id without = and , is allowed");
	check_refused("1([memory=1])", "an id without = and , is allowed");
	check_refused("1(g[memory=1)", "id[name=value,...] is allowed");
	check_refused("1(g[memory=1]x)", "id[name=value,...] is allowed");
}

#define COMPLEX "slots s INT <= YES YES 1 1000\ngpu gpu RSMAP <= YES YES NONE 0\nnode n INT <= YES HOST 0 0\n" \
		"arch a RESTRING == YES NO NONE 0\nnp_load_avg nla DOUBLE >= NO NO 0 0\n"
#define HOST "hostname %s\nload_scaling NONE\ncomplex_values %s\nuser_lists NONE\nxuser_lists NONE\nprojects NONE\n" \
	     "xprojects NONE\nusage_scaling NONE\n"

static const struct host_conf *host(const char *values)
{
	char text[400];

	snprintf(text, sizeof(text), HOST, "ada", values);
	cell_dir_write(&dir, "complex", COMPLEX);
	cell_dir_write(&dir, "hosts/ada", text);
	return cell_host(cell_dir_load(&dir), "ada");
}

static void test_a_host_has_the_map_beside_other_values(void **state)
{
	const struct host_conf *conf = host("node=2,gpu=3(g0 g0 \\\n                g1),slots=20");

	(void)state;
	cell_dir_check_clean(&dir);
	assert_int_equal(conf->complex_values.n, 3);
	check_map(pairs_find(&conf->complex_values, "gpu")->text, 3, "g0*2 g1*1 ");
	assert_string_equal(pairs_find(&conf->complex_values, "slots")->text, "20");
	assert_int_equal(cell_complex(&dir.cell, "node")->consumable, CONSUMABLE_HOST);
	assert_int_equal(cell_complex(&dir.cell, "gpu")->type, TYPE_RSMAP);
}

static void test_a_host_with_a_wrong_map_is_refused(void **state)
{
	(void)state;
	host("gpu=3(g0 g1)");
	assert_true(cell_dir_found(&dir, FAULT, "hosts/ada", 0, "complex_values: gpu: \"3(g0 g1)\" found: the amount is 3, but 2 ids are listed"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids_keep_their_order_and_count_their_units),
		cmocka_unit_test(test_properties_belong_to_their_id),
		cmocka_unit_test(test_refused_values_name_the_fault),
		cmocka_unit_test_setup_teardown(test_a_host_has_the_map_beside_other_values, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_host_with_a_wrong_map_is_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
