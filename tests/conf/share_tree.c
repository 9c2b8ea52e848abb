/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/conf/cell_dir.h"

static struct cell_dir dir;

static int setup(void **state)
{
	(void)state;
	cell_dir_create(&dir, "conf/default");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cell_dir_destroy(&dir);
	return 0;
}

/* A single block of type 0. */
#define NODE(id, name, shares, children) "id=" #id "\nname=" name "\ntype=0\nshares=" #shares "\nchildnodes=" children "\n"

static const struct cell *with_tree(const char *text)
{
	cell_dir_write(&dir, "share_tree", text);
	return cell_dir_load(&dir);
}

static const struct tree_node *child(const struct cell *cell, size_t node, size_t i)
{
	assert_true(i < cell->tree[node].nchildren);
	return &cell->tree[cell->tree_children[cell->tree[node].first_child + i]];
}

static void test_nodes_are_in_pre_order_with_siblings_adjacent(void **state)
{
	const struct cell *cell = cell_dir_load(&dir);
	static const char *const names[] = { "Root",	"science",  "atlas",  "ann", "bob", "default", "borealis",
					     "default", "teaching", "cosmos", "cal", "dot", "default" };
	size_t i;

	(void)state;
	cell_dir_check_clean(&dir);
	assert_int_equal(cell->ntree, 13);
	for (i = 0; i < 13; i++)
		assert_string_equal(cell->tree[i].name, names[i]);
	assert_int_equal(cell->tree[0].parent, -1);
	assert_string_equal(child(cell, 0, 1)->name, "teaching");
	assert_string_equal(child(cell, 0, 2)->name, "default");
	assert_string_equal(child(cell, 2, 1)->name, "bob");
	assert_int_equal(child(cell, 2, 1)->shares, 30);
	assert_int_equal(child(cell, 2, 1)->parent, 2);
	assert_true(cell->tree[2].project_tree);
	assert_int_equal(cell->tree[12].nchildren, 0);
}

static void test_ids_may_have_any_order_and_gaps(void **state)
{
	const struct cell *cell = with_tree("version=7\n" NODE(4000000000, "ann", 5, "none")
						    NODE(9, "Root", 1, "17, 4000000000") NODE(17, "bob", 6, "NONE"));

	(void)state;
	cell_dir_check_clean(&dir);
	assert_int_equal(cell->ntree, 3);
	assert_string_equal(cell->tree[0].name, "Root");
	assert_string_equal(child(cell, 0, 0)->name, "bob");
	assert_string_equal(child(cell, 0, 1)->name, "ann");
	assert_int_equal(child(cell, 0, 1)->line, 2);
}

static void test_a_user_may_be_in_two_projects_and_outside(void **state)
{
	(void)state;
	with_tree(NODE(0, "Root", 1, "1,2,3") NODE(1, "atlas", 1, "4") NODE(2, "cosmos", 1, "5")
			  NODE(3, "ann", 1, "NONE") NODE(4, "ann", 1, "NONE") NODE(5, "ann", 1, "NONE"));
	cell_dir_check_clean(&dir);
}

static void test_inner_nodes_between_a_project_and_its_users_are_accepted(void **state)
{
	(void)state;
	with_tree(NODE(0, "Root", 1, "1") NODE(1, "atlas", 1, "2") NODE(2, "group", 1, "3,4") NODE(3, "ann", 1, "NONE")
		  NODE(4, "default", 1, "NONE"));
	cell_dir_check_clean(&dir);
}

static void test_access_lists_of_a_project_decide_which_users_may_be_below_it(void **state)
{
	static const char tree[] = NODE(0, "Root", 1, "1") NODE(1, "open", 1, "2") NODE(2, "eve", 1, "NONE");

	(void)state;
	cell_dir_write(&dir, "projects/open", "name open\noticket 0\nfshare 0\nacl biology\nxacl NONE\n");
	with_tree(tree);
	cell_dir_check_clean(&dir);
	cell_dir_write(&dir, "projects/open",
		       "name open\noticket 0\nfshare 0\nacl biology\nxacl deadlineusers,biology\n");
	with_tree(tree);
	assert_true(cell_dir_found(&dir, FAULT, "share_tree", 11,
				   "found user \"eve\" with no access to project \"open\" sub-tree"));
	cell_dir_write(&dir, "usersets/staff", "name staff\ntype ACL\nfshare 0\noticket 0\nentries @staff\n");
	cell_dir_write(&dir, "projects/open", "name open\noticket 0\nfshare 0\nacl staff\nxacl NONE\n");
	with_tree(tree);
	cell_dir_check_clean(&dir);
}

static void test_trees_without_effect_are_warnings(void **state)
{
	(void)state;
	with_tree(NODE(0, "default", 1, "NONE"));
	assert_int_equal(dir.report.faults, 0);
	assert_true(cell_dir_found(&dir, WARNING, "share_tree", 1, "the root is called \"default\""));
	with_tree(NODE(0, "Root", 1, "NONE"));
	assert_int_equal(dir.report.faults, 0);
	assert_true(cell_dir_found(&dir, WARNING, "share_tree", 1, "no node but its root"));
}

static void test_no_file_is_no_tree(void **state)
{
	(void)state;
	shell("rm '%s/share_tree'%s", dir.path, "");
	assert_int_equal(cell_dir_load(&dir)->ntree, 0);
	assert_int_equal(dir.report.faults, 0);
}

/* The parent's block follows its child's block, which is the harder direction. */
static void test_a_million_levels_cause_no_overflow(void **state)
{
	enum { LEVELS = 1000000 };
	size_t size = 0, room = (size_t)LEVELS * 64;
	char *text = malloc(room);
	int i;

	(void)state;
	assert_non_null(text);
	size += (size_t)snprintf(text, room, NODE(0, "ann", 1, "NONE"));
	for (i = 1; i < LEVELS; i++)
		size += (size_t)snprintf(text + size, room - size, "id=%d\nname=n\ntype=0\nshares=1\nchildnodes=%d\n",
					 i, i - 1);
	cell_dir_put(&dir, "share_tree", text, size);
	free(text);
	cell_dir_load(&dir);
	cell_dir_check_clean(&dir);
	assert_int_equal(dir.cell.ntree, LEVELS);
	assert_string_equal(dir.cell.tree[LEVELS - 1].name, "ann");
	assert_int_equal(dir.cell.tree[LEVELS - 1].parent, LEVELS - 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nodes_are_in_pre_order_with_siblings_adjacent),
		TEST(test_ids_may_have_any_order_and_gaps),
		TEST(test_a_user_may_be_in_two_projects_and_outside),
		TEST(test_inner_nodes_between_a_project_and_its_users_are_accepted),
		TEST(test_access_lists_of_a_project_decide_which_users_may_be_below_it),
		TEST(test_trees_without_effect_are_warnings),
		TEST(test_no_file_is_no_tree),
		TEST(test_a_million_levels_cause_no_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
