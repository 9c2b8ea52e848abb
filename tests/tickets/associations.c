/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <float.h>

#include "tests/tickets/association_tree.h"

static struct planted p;

static void test_children_are_below_their_parent_in_array_order(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, 1), b = plant_account(&p, root, 1),
		 u = plant_user(&p, a, 1, 0);
	(void)state;
	planted_link(&p);
	assert_int_equal(p.items[root].first_child, a);
	assert_int_equal(p.items[a].next_sibling, b);
	assert_int_equal(p.items[b].next_sibling, ASSOCIATION_NONE);
	assert_int_equal(p.items[a].first_child, u);
	assert_int_equal(p.items[b].first_child, ASSOCIATION_NONE);
	assert_int_equal(p.tree.users, 1);
}

static void test_shares_of_a_level_are_those_of_all_siblings(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, 3), b = plant_account(&p, root, 4),
		 u = plant_user(&p, b, 9, 0);
	(void)state;
	planted_link(&p);
	assert_true(p.items[a].level_shares == 7);
	assert_true(p.items[b].level_shares == 7);
	assert_true(p.items[u].level_shares == 9);
	assert_true(p.items[root].level_shares == 0);
}

/*
 * Two accounts, one below the other, have "parent" shares: their users compete with the third one.
 */
static void test_users_below_accounts_with_parent_compete_above_them(void **state)
{
	uint32_t root = plant_root(&p), c, d;
	(void)state;
	plant_account(&p, root, 3);
	c = plant_account(&p, root, SHARES_OF_PARENT);
	d = plant_account(&p, c, SHARES_OF_PARENT);
	plant_user(&p, d, 4, 0);
	plant_user(&p, c, 5, 0);
	planted_link(&p);
	for (size_t i = 1; i < p.tree.n; i++) {
		assert_int_equal(p.items[i].fairshare_parent, root);
		assert_true(p.items[i].level_shares == 12);
	}
}

static void test_users_with_parent_add_no_shares_to_their_level(void **state)
{
	uint32_t root = plant_root(&p), u = plant_user(&p, root, 3, 0), v = plant_user(&p, root, SHARES_OF_PARENT, 0);
	(void)state;
	planted_link(&p);
	assert_true(p.items[u].level_shares == 3);
	assert_true(p.items[v].level_shares == 3);
}

static void test_a_root_with_parent_shares_is_the_root(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, 3);
	(void)state;
	p.items[root].shares = SHARES_OF_PARENT;
	planted_link(&p);
	assert_int_equal(p.items[a].fairshare_parent, root);
	assert_int_equal(p.items[root].fairshare_parent, ASSOCIATION_NONE);
}

static void test_invalid_trees_are_refused(void **state)
{
	(void)state;
	plant_root(&p);
	plant_account(&p, 1, 1);
	assert_int_equal(associations_link(&p.tree), -EINVAL);
	p.items[1].parent = ASSOCIATION_NONE;
	assert_int_equal(associations_link(&p.tree), -EINVAL);
	p.items[1].parent = 0;
	assert_int_equal(associations_link(&p.tree), 0);
	p.items[0].parent = 0;
	assert_int_equal(associations_link(&p.tree), -EINVAL);
	p.items[0] = (struct association){ .parent = ASSOCIATION_NONE, .is_user = true };
	assert_int_equal(associations_link(&p.tree), -EINVAL);
	plant_root(&p);
	p.tree.n = (size_t)INT32_MAX + 1;	/* checked before any item is read */
	assert_int_equal(associations_link(&p.tree), -EINVAL);
}

static void test_users_have_no_children(void **state)
{
	uint32_t u = plant_user(&p, plant_root(&p), 1, 0);
	(void)state;
	plant_user(&p, u, 1, 0);
	assert_int_equal(associations_link(&p.tree), -EINVAL);
}

static void test_no_tree_is_no_error(void **state)
{
	struct association_tree none = { 0 };
	(void)state;
	assert_int_equal(associations_link(&none), 0);
	associations_sum(&none);
	associations_decay(&none, 0.5);
	classic_shares(&none);
	classic_account_usage(&none, true);
	classic_user_usage(&none, true);
	classic_factors(&none, 1);
	assert_int_equal(fair_tree(&none, &(struct fair_tree_options){ 0 }), 0);
	assert_int_equal(none.users, 0);
}

static void test_usage_of_accounts_is_the_sum_of_their_users(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, 1), b = plant_account(&p, a, 1);
	(void)state;
	plant_user(&p, b, 1, 10);
	plant_user(&p, a, 1, 5);
	plant_user(&p, root, 1, 1);
	p.items[b].usage = 1e6;
	planted_link(&p);
	assert_true(p.items[b].usage == 10);
	assert_true(p.items[a].usage == 15);
	assert_true(p.items[root].usage == 16);
}

static void test_a_charge_of_a_user_counts_for_all_levels_above_it_and_decays(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, 1), u = plant_user(&p, a, 1, 10),
		 v = plant_user(&p, a, 1, 20);
	(void)state;
	planted_link(&p);
	associations_charge(&p.tree, u, 2);
	assert_true(p.items[u].usage == 12 && p.items[v].usage == 20 && p.items[a].usage == 32 &&
		    p.items[root].usage == 32);
	associations_decay(&p.tree, 0.25);
	assert_true(p.items[u].usage == 3 && p.items[v].usage == 5 && p.items[a].usage == 8 &&
		    p.items[root].usage == 8);
}

static void test_a_decrease_stops_at_zero(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, 1), u = plant_user(&p, a, 1, 10),
		 v = plant_user(&p, a, 1, 20);
	(void)state;
	planted_link(&p);
	associations_refund(&p.tree, u, 4);
	assert_true(p.items[u].usage == 6 && p.items[v].usage == 20);
	associations_refund(&p.tree, u, 100);
	associations_sum(&p.tree);
	assert_true(p.items[u].usage == 0 && p.items[v].usage == 20 && p.items[a].usage == 20 &&
		    p.items[root].usage == 20);
}

static void test_usage_ends_at_the_largest_double(void **state)
{
	uint32_t root = plant_root(&p), u = plant_user(&p, root, 1, DBL_MAX), v = plant_user(&p, root, 1, DBL_MAX);
	(void)state;
	planted_link(&p);
	assert_true(p.items[root].usage == DBL_MAX);
	associations_charge(&p.tree, u, DBL_MAX);
	assert_true(p.items[u].usage == DBL_MAX && p.items[v].usage == DBL_MAX && p.items[root].usage == DBL_MAX);
}

/* The sum of the values of the largest trees is exact. */
static void test_the_largest_shares_add_up(void **state)
{
	uint32_t root = plant_root(&p), u = plant_user(&p, root, SHARES_OF_PARENT - 1, 0);
	(void)state;
	for (size_t i = 0; i < 200; i++)
		plant_user(&p, root, SHARES_OF_PARENT - 1, 0);
	planted_link(&p);
	assert_true(p.items[u].level_shares == 201.0 * (SHARES_OF_PARENT - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_children_are_below_their_parent_in_array_order),
		cmocka_unit_test(test_shares_of_a_level_are_those_of_all_siblings),
		cmocka_unit_test(test_users_below_accounts_with_parent_compete_above_them),
		cmocka_unit_test(test_users_with_parent_add_no_shares_to_their_level),
		cmocka_unit_test(test_a_root_with_parent_shares_is_the_root),
		cmocka_unit_test(test_invalid_trees_are_refused),
		cmocka_unit_test(test_users_have_no_children),
		cmocka_unit_test(test_no_tree_is_no_error),
		cmocka_unit_test(test_usage_of_accounts_is_the_sum_of_their_users),
		cmocka_unit_test(test_a_charge_of_a_user_counts_for_all_levels_above_it_and_decays),
		cmocka_unit_test(test_a_decrease_stops_at_zero),
		cmocka_unit_test(test_usage_ends_at_the_largest_double),
		cmocka_unit_test(test_the_largest_shares_add_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
