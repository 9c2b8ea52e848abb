/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "tests/tickets/association_tree.h"
#include "tests/failing_memory.h"

static struct planted p;

static void check_ranks(const char *file, int line, const uint32_t *users, const uint32_t *ranks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct association *user = &p.items[users[i]];
		if (user->rank == ranks[i] && user->factor == (double)ranks[i] / (double)p.tree.users)
			continue;
		print_error("%s:%d: user %zu has rank %u, factor %.17g, not rank %u\n", file, line, i, user->rank, user->factor, ranks[i]);
		_fail(file, line);
	}
}

#define RANKS(users, ...) \
	check_ranks(__FILE__, __LINE__, users, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

/* A tree with many ties, as ranked by a real Slurm 22.05 */

enum { TIED_USERS = 19 };

static void plant_ties(uint32_t u[TIED_USERS])
{
	uint32_t root = plant_root(&p), a, b, c, c1, c2, c3, d, e, f, g;

	u[0] = plant_user(&p, root, 0, 0);
	a = plant_account(&p, root, 1);
	u[1] = plant_user(&p, a, 1, 1000);
	u[2] = plant_user(&p, a, 1, 1000);
	u[3] = plant_user(&p, a, 2, 2000);
	b = plant_account(&p, root, 1);
	u[4] = plant_user(&p, b, 1, 1000);
	u[5] = plant_user(&p, b, 3, 3000);
	c = plant_account(&p, root, 2);
	c1 = plant_account(&p, c, 1);
	u[6] = plant_user(&p, c1, 1, 500);
	u[7] = plant_user(&p, c1, 1, 1500);
	c2 = plant_account(&p, c, 1);
	u[8] = plant_user(&p, c2, 1, 1500);
	u[9] = plant_user(&p, c2, 1, 500);
	c3 = plant_account(&p, c, SHARES_OF_PARENT);
	u[10] = plant_user(&p, c3, 4, 4000);
	d = plant_account(&p, root, 2);
	u[11] = plant_user(&p, d, 1, 8000);
	u[12] = plant_user(&p, d, SHARES_OF_PARENT, 0);
	e = plant_account(&p, root, 1);
	u[13] = plant_user(&p, e, 1, 0);
	u[14] = plant_user(&p, e, 1, 0);
	f = plant_account(&p, root, 0);
	u[15] = plant_user(&p, f, 1, 77);
	g = plant_account(&p, root, 3);
	u[16] = plant_user(&p, g, 0, 12000);
	u[17] = plant_user(&p, g, 1, 0);
	u[18] = plant_user(&p, root, 1, 4000);
}

static void test_ties_equal_the_recorded_order(void **state)
{
	uint32_t u[TIED_USERS];
	(void)state;
	plant_ties(u);
	planted_fair_tree(&p, false, true);
	RANKS(u, 2, 10, 10, 10, 10, 10, 12, 10, 12, 13, 14, 15, 17, 19, 19, 2, 3, 4, 17);
	NEAR(p.items[u[1]].level_fs, 1);
	NEAR(p.items[u[18]].level_fs, 0.9108409090909091);
	NEAR(p.items[u[10]].level_fs, 1.3333333333333333);
	assert_true(p.items[u[17]].level_fs == HUGE_VAL);
	assert_true(p.items[u[0]].level_fs == 0);
}

/*
 * Documented: a, b, c and d compete as one after the user tied with them. First comes d's user with
 * "parent", tied like the first of them, then c3's, and so on. c1 and c2, tied, come last with
 * their users in common.
 */
static void test_ties_equal_the_documented_order(void **state)
{
	uint32_t u[TIED_USERS];
	(void)state;
	plant_ties(u);
	planted_fair_tree(&p, true, true);
	RANKS(u, 2, 14, 14, 14, 14, 14, 8, 6, 6, 8, 15, 14, 17, 19, 19, 2, 3, 4, 17);
}

/* Single rules */

static void test_the_user_with_less_use_of_its_shares_comes_first(void **state)
{
	uint32_t root = plant_root(&p), u[3];
	(void)state;
	u[0] = plant_user(&p, root, 10, 600);
	u[1] = plant_user(&p, root, 10, 100);
	u[2] = plant_user(&p, root, 80, 700);
	planted_fair_tree(&p, false, true);
	RANKS(u, 1, 2, 3);
	NEAR(p.items[u[1]].norm_shares, 0.1);
	NEAR(p.items[u[1]].effective_usage, 100.0 / 1400);
	NEAR(p.items[u[1]].level_fs, 0.1 / (100.0 / 1400));
}

static void test_users_of_the_better_account_are_all_before_those_of_the_other(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, 1), b, u[4];
	(void)state;
	u[0] = plant_user(&p, a, 1, 100);
	u[1] = plant_user(&p, a, 1, 300);
	b = plant_account(&p, root, 1);
	u[2] = plant_user(&p, b, 1000, 0);
	u[3] = plant_user(&p, b, 1, 500);
	planted_fair_tree(&p, false, true);
	RANKS(u, 4, 3, 2, 1);
}

static void test_siblings_with_equal_level_fs_share_the_better_rank(void **state)
{
	uint32_t root = plant_root(&p), u[4];
	(void)state;
	u[0] = plant_user(&p, root, 1, 100);
	u[1] = plant_user(&p, root, 2, 200);
	u[2] = plant_user(&p, root, 3, 300);
	u[3] = plant_user(&p, root, 1, 1000);
	planted_fair_tree(&p, false, true);
	RANKS(u, 4, 4, 4, 1);
}

static void test_a_user_tied_with_an_account_shares_the_rank_of_its_best_user(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, 1), u[3];
	(void)state;
	u[0] = plant_user(&p, a, 1, 60);
	u[1] = plant_user(&p, a, 1, 40);
	u[2] = plant_user(&p, root, 1, 100);
	for (int merge_ties = 0; merge_ties < 2; merge_ties++) {
		planted_fair_tree(&p, merge_ties, true);
		RANKS(u, 1, 3, 3);
	}
}

/*
 * Slurm intends to merge the children of tied accounts, but ranks one account after the other and
 * ties their ends.
 */
static void test_tied_accounts_compete_together_as_documented_only(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, 1), b, u[4];
	(void)state;
	u[0] = plant_user(&p, a, 1, 10);
	u[1] = plant_user(&p, a, 1, 90);
	b = plant_account(&p, root, 1);
	u[2] = plant_user(&p, b, 1, 40);
	u[3] = plant_user(&p, b, 1, 60);
	planted_fair_tree(&p, true, true);
	RANKS(u, 4, 1, 3, 2);
	planted_fair_tree(&p, false, true);
	RANKS(u, 3, 1, 4, 3);
	planted_fair_tree(&p, false, false);
	RANKS(u, 4, 3, 3, 1);
}

static void test_unused_users_are_first_and_users_without_shares_last(void **state)
{
	uint32_t root = plant_root(&p), u[4];
	(void)state;
	u[0] = plant_user(&p, root, 0, 0);
	u[1] = plant_user(&p, root, 1, 0);
	u[2] = plant_user(&p, root, 1, 1e300);
	u[3] = plant_user(&p, root, 0, 5);
	planted_fair_tree(&p, false, true);
	RANKS(u, 2, 4, 3, 2);
}

static void test_users_with_parent_are_first_for_any_usage(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, 5), u[3];
	(void)state;
	u[0] = plant_user(&p, a, SHARES_OF_PARENT, 1000);
	u[1] = plant_user(&p, a, 1, 1);
	u[2] = plant_user(&p, a, 1, 0);
	plant_account(&p, root, 15);
	planted_fair_tree(&p, false, true);
	RANKS(u, 3, 1, 3);
	NEAR(p.items[u[0]].norm_shares, 0.25);
	assert_true(p.items[u[0]].level_fs == HUGE_VAL);
}

static void test_users_of_accounts_with_parent_compete_with_their_siblings(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, SHARES_OF_PARENT), u[3];
	(void)state;
	u[0] = plant_user(&p, a, 1, 100);
	u[1] = plant_user(&p, a, 1, 300);
	u[2] = plant_user(&p, root, 1, 200);
	planted_fair_tree(&p, false, true);
	RANKS(u, 3, 1, 2);
	NEAR(p.items[u[0]].norm_shares, 1.0 / 3);
	NEAR(p.items[u[0]].effective_usage, 1.0 / 6);
	assert_true(p.items[a].level_fs == 0);
}

/* Slurm keeps the account with "parent" in the list, where it removes the tie of the next one. */
static void test_account_with_parent_swallows_an_inherited_tie_but_as_documented(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, 1), b, u[3];
	(void)state;
	b = plant_account(&p, a, SHARES_OF_PARENT);
	u[0] = plant_user(&p, b, 1, 60);
	u[1] = plant_user(&p, a, 1, 40);
	u[2] = plant_user(&p, root, 1, 100);
	planted_fair_tree(&p, true, true);
	RANKS(u, 1, 3, 3);
	planted_fair_tree(&p, false, true);
	RANKS(u, 1, 2, 3);
}

static void test_the_root_has_all_usage_and_no_level(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, SHARES_OF_PARENT);
	(void)state;
	plant_user(&p, root, 1, 5);
	planted_fair_tree(&p, false, true);
	NEAR(p.items[root].norm_usage, 1);
	NEAR(p.items[root].effective_usage, 1);
	NEAR(p.items[root].norm_shares, 2.3283064376228985e-10);	/* the value in Slurm */
	NEAR(p.items[a].norm_shares, 2.3283064376228985e-10);
	assert_true(p.items[root].factor == 0 && p.items[root].rank == 0);
}

static void test_without_usage_all_users_of_an_account_are_first(void **state)
{
	uint32_t root = plant_root(&p), u[3];
	(void)state;
	u[0] = plant_user(&p, root, 1, 0);
	u[1] = plant_user(&p, root, 7, 0);
	u[2] = plant_user(&p, root, SHARES_OF_PARENT, 0);
	planted_fair_tree(&p, false, true);
	RANKS(u, 3, 3, 3);
	NEAR(p.items[0].norm_usage, 0);
}

static void test_largest_shares_and_usage_give_finite_numbers(void **state)
{
	uint32_t root = plant_root(&p), u[3];
	(void)state;
	u[0] = plant_user(&p, root, SHARES_OF_PARENT - 1, DBL_MAX);
	u[1] = plant_user(&p, root, 1, 5e-324);
	u[2] = plant_user(&p, root, 1, DBL_MAX);
	planted_fair_tree(&p, false, true);
	RANKS(u, 2, 3, 1);
	for (size_t i = 0; i < p.tree.n; i++) {
		assert_true(p.items[i].effective_usage >= 0 && p.items[i].effective_usage <= 1);
		assert_true(p.items[i].norm_usage >= 0 && p.items[i].norm_usage <= 1);
	}
}

/* Large trees */

static struct association_tree tree_alloc(size_t n)
{
	struct association_tree tree = { calloc(n, sizeof(struct association)), n, 0 };

	assert_non_null(tree.items);
	tree.items[0].parent = ASSOCIATION_NONE;
	return tree;
}

/* Every second account has "parent". At the bottom there is one user. */
static void test_trees_of_any_depth_are_walked(void **state)
{
	const uint32_t depth = 100000;
	struct association_tree tree = tree_alloc(depth);
	(void)state;
	for (uint32_t i = 1; i < depth; i++)
		tree.items[i] = (struct association){ .parent = i - 1, .shares = i % 2 ? 1 : SHARES_OF_PARENT };
	tree.items[depth - 1].is_user = true;
	tree.items[depth - 1].shares = 1;
	tree.items[depth - 1].usage = 7;
	assert_int_equal(associations_link(&tree), 0);
	associations_sum(&tree);
	assert_true(tree.items[0].usage == 7);
	associations_charge(&tree, depth - 1, 1);
	assert_true(tree.items[0].usage == 8);
	for (int merge_ties = 0; merge_ties < 2; merge_ties++) {
		assert_int_equal(fair_tree(&tree, &(struct fair_tree_options){ .merge_ties = merge_ties, .newest_first = true }), 0);
		assert_int_equal(tree.items[depth - 1].rank, 1);
	}
	classic_shares(&tree);
	classic_account_usage(&tree, true);
	classic_user_usage(&tree, true);
	classic_factors(&tree, 1);
	assert_true(tree.items[depth - 1].factor == 0.5);
	free(tree.items);
}

/*
 * 10,000 accounts with "parent", each below the previous one, and 100,000 users of the last one:
 * all compete at the root.
 */
static void test_wide_accounts_below_many_with_parent_are_ranked(void **state)
{
	const uint32_t accounts = 10000, users = 100000;
	struct association_tree tree = tree_alloc(1 + accounts + users);
	(void)state;
	for (uint32_t i = 1; i <= accounts; i++)
		tree.items[i] = (struct association){ .parent = i - 1, .shares = SHARES_OF_PARENT };
	for (uint32_t i = 0; i < users; i++)
		tree.items[1 + accounts + i] = (struct association){ .parent = accounts, .shares = 1, .is_user = true, .usage = i + 1 };
	assert_int_equal(associations_link(&tree), 0);
	associations_sum(&tree);
	assert_int_equal(fair_tree(&tree, &(struct fair_tree_options){ .newest_first = true }), 0);
	for (uint32_t i = 0; i < users; i++)
		assert_int_equal(tree.items[1 + accounts + i].rank, users - i);
	free(tree.items);
}

#ifdef CAN_FAIL
static void test_without_memory_the_tree_is_unchanged_and_no_memory_leaks(void **state)
{
	uint32_t u[TIED_USERS];
	long before;
	(void)state;
	plant_ties(u);
	planted_link(&p);
	before = alive;
	for (long allocations = 0; allocations < 6; allocations++) {
		p.items[u[3]].rank = 77;
		left = allocations;
		assert_int_equal(fair_tree(&p.tree, &(struct fair_tree_options){ 0 }), -ENOMEM);
		left = -1;
		assert_int_equal(p.items[u[3]].rank, 77);
		assert_int_equal(alive, before);
	}
	assert_int_equal(fair_tree(&p.tree, &(struct fair_tree_options){ 0 }), 0);
	assert_int_equal(alive, before);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ties_equal_the_recorded_order),
		cmocka_unit_test(test_ties_equal_the_documented_order),
		cmocka_unit_test(test_the_user_with_less_use_of_its_shares_comes_first),
		cmocka_unit_test(test_users_of_the_better_account_are_all_before_those_of_the_other),
		cmocka_unit_test(test_siblings_with_equal_level_fs_share_the_better_rank),
		cmocka_unit_test(test_a_user_tied_with_an_account_shares_the_rank_of_its_best_user),
		cmocka_unit_test(test_tied_accounts_compete_together_as_documented_only),
		cmocka_unit_test(test_unused_users_are_first_and_users_without_shares_last),
		cmocka_unit_test(test_users_with_parent_are_first_for_any_usage),
		cmocka_unit_test(test_users_of_accounts_with_parent_compete_with_their_siblings),
		cmocka_unit_test(test_account_with_parent_swallows_an_inherited_tie_but_as_documented),
		cmocka_unit_test(test_the_root_has_all_usage_and_no_level),
		cmocka_unit_test(test_without_usage_all_users_of_an_account_are_first),
		cmocka_unit_test(test_largest_shares_and_usage_give_finite_numbers),
		cmocka_unit_test(test_trees_of_any_depth_are_walked),
		cmocka_unit_test(test_wide_accounts_below_many_with_parent_are_ranked),
#ifdef CAN_FAIL
		cmocka_unit_test(test_without_memory_the_tree_is_unchanged_and_no_memory_leaks),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
