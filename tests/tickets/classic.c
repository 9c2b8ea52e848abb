/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>

#include "tests/tickets/association_tree.h"

static struct planted p;

/* The worked example of Slurm's document of June 2009 */

enum { EXAMPLE_USERS = 5 };

/* Plant the example. The machine could have done 1000000. `idle` may hold the unused part. */
static void plant_example(uint32_t users[EXAMPLE_USERS], bool with_idle)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, 40), b = plant_account(&p, a, 30), c, d, e, f, idle;

	users[0] = plant_user(&p, b, 1, 200000);
	c = plant_account(&p, a, 10);
	users[1] = plant_user(&p, c, 1, 250000);
	users[2] = plant_user(&p, c, 1, 0);
	d = plant_account(&p, root, 60);
	e = plant_account(&p, d, 25);
	users[3] = plant_user(&p, e, 1, 250000);
	f = plant_account(&p, d, 35);
	users[4] = plant_user(&p, f, 1, 0);
	if (with_idle) {
		idle = plant_account(&p, root, 0);
		plant_user(&p, idle, 1, 300000);
	}
}

static const struct {
	double norm_shares, norm_usage, effective_usage, factor_2009, factor;
} example[EXAMPLE_USERS] = {
	{ 0.3, 0.2, 0.3875, 0.45625, 0.408478863310275 },
	{ 0.05, 0.25, 0.275, 0.3875, 0.02209708691207961 },
	{ 0.05, 0, 0.15, 0.45, 0.125 },
	{ 0.25, 0.25, 0.25, 0.5, 0.5 },
	{ 0.35, 0, 0.25 / 60 * 35, 0.60208333333333333, 0.7491535384383408 },
};

static void test_the_example_of_2009_equals_its_document(void **state)
{
	uint32_t users[EXAMPLE_USERS];
	(void)state;
	plant_example(users, false);
	planted_link(&p);
	classic_shares(&p.tree);
	usage_2009(&p.tree, 1000000);
	factors_2009(&p.tree);
	for (size_t i = 0; i < EXAMPLE_USERS; i++) {
		const struct association *user = &p.items[users[i]];
		NEAR(user->norm_shares, example[i].norm_shares);
		NEAR(user->norm_usage, example[i].norm_usage);
		NEAR(user->effective_usage, example[i].effective_usage);
		NEAR(user->factor, example[i].factor_2009);
	}
}

static void test_the_example_of_2009_equals_todays_real_slurm(void **state)
{
	uint32_t users[EXAMPLE_USERS];
	(void)state;
	plant_example(users, true);
	planted_classic(&p, false, 1);
	for (size_t i = 0; i < EXAMPLE_USERS; i++) {
		const struct association *user = &p.items[users[i]];
		NEAR(user->norm_shares, example[i].norm_shares);
		NEAR(user->norm_usage, example[i].norm_usage);
		NEAR(user->effective_usage, example[i].effective_usage);
		NEAR(user->factor, example[i].factor);
	}
	/* A slightly smaller factor would give a priority of 1249. */
	assert_true(10000 * p.items[users[2]].factor == 1250);
}

static void test_usage_of_2009_is_zero_without_capacity_and_full_with_too_little(void **state)
{
	uint32_t root = plant_root(&p), u = plant_user(&p, root, 1, 300);
	(void)state;
	planted_link(&p);
	classic_shares(&p.tree);
	usage_2009(&p.tree, 0);
	NEAR(p.items[u].norm_usage, 0);
	usage_2009(&p.tree, 100);
	NEAR(p.items[u].norm_usage, 1);
	factors_2009(&p.tree);
	NEAR(p.items[u].factor, 0.5);
}

/* A tree with all special cases, as computed by a real Slurm 22.05 */

static const struct {
	double norm_shares, norm_usage, effective_usage, factor, oblivious_usage, oblivious_factor;
} odd[] = {
	{ 1, 1, 1, 0.5, 1, 0.5 },
	/* root */
	{ 0.011764705882352941, 0, 0, 1, 0, 1 },
	/* a */
	{ 0.5882352941176471, 0.27615571273758105, 0.27615571273758105, 0.722232520591841, 0.27615571273758105, 0.722232520591841 },
	/* a1 */
	{ 0.19607843137254902, 0.2010661820213773, 0.22609602559344522, 0.44966118786936277, 0.09747473721522212, 0.7085191931997525 },
	/* u1 */
	{ 0.19607843137254902, 0.18095956381923958, 0.22609602559344522, 0.44966118786936277, 0.09747473721522212, 0.7085191931997525 },
	/* u2 */
	{ 0.19607843137254902, 0.020106618202137726, 0.22609602559344522, 0.44966118786936277, 0.09747473721522212, 0.7085191931997525 },
	/* a2 */
	{ 0.5882352941176471, 0.050266545505344325, 0.27615571273758105, 0.722232520591841, 0.27615571273758105, 0.722232520591841 },
	/* u3 */
	{ 0.39215686274509803, 0.050266545505344325, 0.20085932366016881, 0.701156658435776, 0.05523114254751621, 0.9069912805887198 },
	/* u2 of a */
	{ 0.5882352941176471, 0.024822985210859433, 0.27615571273758105, 0.722232520591841, 0.27615571273758105, 0.722232520591841 },
	/* b */
	{ 0.35294117647058826, 0.5147354579601865, 0.5147354579601865, 0.36389215877064374, 0.5147354579601865, 0.36389215877064374 },
	/* b1 */
	{ 0.35294117647058826, 0.5046821488591177, 0.5147354579601865, 0.36389215877064374, 0.5125137097497148, 0.3654834090682219 },
	/* u4 */
	{ 0.04411764705882353, 0.5026654550534433, 0.5041742054167861, 0.0003629482156203496, 0.5104657212759557, 0.00032878763209748046 },
	/* u5 */
	{ 0, 0.002010661820213773, 0.002010661820213773, 0, 0.002010661820213773, 0 },
	/* u1 of b1 */
	{ 0.3088235294117647, 6.031985460641319e-06, 0.45039427971334584, 0.36389154294508713, 0.03677565907317545, 0.9207726672853864 },
	/* b2 */
	{ 0, 0.010053309101068863, 0.010053309101068863, 0, 0.010053309101068863, 0 },
	/* u6 */
	{ 0, 0.010053309101068863, 0.010053309101068863, 0, 0.010053309101068863, 0 },
	/* c */
	{ 1, 0.12063970921282638, 0.12063970921282638, 0.9197797182398189, 0.12063970921282638, 0.9197797182398189 },
	/* u7 */
	{ 0.03529411764705882, 0.12063970921282638, 0.12063970921282638, 0.09354957475099729, 0.12063970921282638, 0.09354957475099729 },
	/* u8 */
	{ 0.011764705882352941, 0, 0, 1, 0, 1 },
	/* z */
	{ 0, 0.08846912008940601, 0.08846912008940601, 0, 0.08846912008940601, 0 },
	/* u9 */
	{ 0, 0.08846912008940601, 0.08846912008940601, 0, 0.08846912008940601, 0 },
};

static void plant_odd(void)
{
	uint32_t root = plant_root(&p), a, a1, a2, b, b1, c;

	plant_user(&p, root, 1, 0);
	a = plant_account(&p, root, 50);
	a1 = plant_account(&p, a, 1);
	plant_user(&p, a1, 1, 90000);
	plant_user(&p, a1, SHARES_OF_PARENT, 10000);
	a2 = plant_account(&p, a, SHARES_OF_PARENT);
	plant_user(&p, a2, 2, 25000);
	plant_user(&p, a, SHARES_OF_PARENT, 12345.678901);
	b = plant_account(&p, root, 30);
	b1 = plant_account(&p, b, 5);
	plant_user(&p, b1, 1, 250000);
	plant_user(&p, b1, 0, 1000);
	plant_user(&p, b1, 7, 3);
	plant_user(&p, plant_account(&p, b, 0), 1, 5000);
	c = plant_account(&p, root, SHARES_OF_PARENT);
	plant_user(&p, c, 3, 60000);
	plant_user(&p, c, 1, 0);
	plant_user(&p, plant_account(&p, root, 0), 1, 44000);
}

static void test_parent_and_zero_shares_equal_the_recorded_values(void **state)
{
	(void)state;
	plant_odd();
	planted_classic(&p, false, 1);
	assert_int_equal(p.tree.n, sizeof(odd) / sizeof(*odd));
	for (size_t i = 0; i < p.tree.n; i++) {
		NEAR(p.items[i].norm_shares, odd[i].norm_shares);
		NEAR(p.items[i].norm_usage, odd[i].norm_usage);
		NEAR(p.items[i].effective_usage, odd[i].effective_usage);
		NEAR(p.items[i].factor, odd[i].factor);
	}
}

static void test_depth_oblivious_usage_equals_the_recorded_values(void **state)
{
	(void)state;
	plant_odd();
	planted_classic(&p, true, 1);
	for (size_t i = 0; i < p.tree.n; i++) {
		NEAR(p.items[i].effective_usage, odd[i].oblivious_usage);
		NEAR(p.items[i].factor, odd[i].oblivious_factor);
	}
}

static void test_damping_equals_the_recorded_values(void **state)
{
	(void)state;
	plant_odd();
	planted_classic(&p, false, 5);
	NEAR(p.items[0].factor, 0.8705505632961241);
	NEAR(p.items[4].factor, 0.8522697629135122);
	planted_classic(&p, false, 65535);
	NEAR(p.items[4].factor, 0.9999878041348623);
}

static void test_without_damping_a_user_with_usage_gets_no_factor(void **state)
{
	uint32_t root = plant_root(&p), u = plant_user(&p, root, 1, 1e-9), v = plant_user(&p, root, 1, 0),
		 w = plant_user(&p, root, 0, 0);
	(void)state;
	plant_user(&p, root, 1, 1e9);
	planted_classic(&p, false, 0);
	assert_true(p.items[u].factor == 0);
	assert_true(p.items[v].factor == 1);
	assert_true(p.items[w].factor == 0);
}

/* Single rules */

static void test_a_level_without_shares_passes_on_the_usage_of_its_account(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, 1), u = plant_user(&p, a, 0, 10);
	(void)state;
	plant_user(&p, root, 3, 30);
	planted_classic(&p, false, 1);
	NEAR(p.items[u].norm_shares, 0);
	NEAR(p.items[u].effective_usage, 0.25);
	NEAR(p.items[u].factor, 0);
}

static void test_without_any_usage_all_that_have_shares_get_all(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, 1), u = plant_user(&p, a, 1, 0),
		 v = plant_user(&p, a, 0, 0);
	(void)state;
	planted_classic(&p, false, 1);
	NEAR(p.items[u].factor, 1);
	NEAR(p.items[v].factor, 0);
	planted_classic(&p, true, 1);
	NEAR(p.items[u].factor, 1);
}

static void test_user_of_the_root_with_parent_has_the_factor_of_the_root(void **state)
{
	uint32_t root = plant_root(&p), u = plant_user(&p, root, SHARES_OF_PARENT, 0);
	(void)state;
	plant_user(&p, root, 1, 5);
	planted_classic(&p, false, 1);
	NEAR(p.items[u].norm_shares, 1);
	NEAR(p.items[u].factor, 0.5);
}

/* Accounts keep their values of the beginning of a pass, users show later values. */
static void test_accounts_are_as_old_as_their_call(void **state)
{
	uint32_t root = plant_root(&p), a = plant_account(&p, root, 1), u = plant_user(&p, a, 1, 0),
		 v = plant_user(&p, root, 1, 30);
	(void)state;
	planted_link(&p);
	classic_shares(&p.tree);
	classic_account_usage(&p.tree, false);
	associations_charge(&p.tree, u, 10);
	classic_user_usage(&p.tree, false);
	NEAR(p.items[a].norm_usage, 0);
	NEAR(p.items[u].norm_usage, 0.25);
	NEAR(p.items[u].effective_usage, 0);
	NEAR(p.items[v].norm_usage, 0.75);
	classic_account_usage(&p.tree, false);
	classic_user_usage(&p.tree, false);
	NEAR(p.items[a].effective_usage, 0.25);
	NEAR(p.items[u].effective_usage, 0.25);
}

/* 2^-1024 is not a normal double, and usage divided by it overflows. */
static void test_shares_too_small_for_a_double_give_finite_numbers(void **state)
{
	uint32_t parent = plant_root(&p);
	(void)state;
	for (size_t i = 0; i < 120; i++) {
		plant_user(&p, parent, 1023, 1e300);
		parent = plant_account(&p, parent, 1);
	}
	plant_user(&p, parent, 1, DBL_MAX);
	for (int depth_oblivious = 0; depth_oblivious < 2; depth_oblivious++) {
		planted_classic(&p, depth_oblivious, 1);
		for (size_t i = 0; i < p.tree.n; i++) {
			const struct association *item = &p.items[i];
			assert_true(item->norm_shares >= 0 && item->norm_shares <= 1);
			assert_true(item->effective_usage >= 0 && item->effective_usage <= 1);
			assert_true(item->factor >= 0 && item->factor <= 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_example_of_2009_equals_its_document),
		cmocka_unit_test(test_the_example_of_2009_equals_todays_real_slurm),
		cmocka_unit_test(test_usage_of_2009_is_zero_without_capacity_and_full_with_too_little),
		cmocka_unit_test(test_parent_and_zero_shares_equal_the_recorded_values),
		cmocka_unit_test(test_depth_oblivious_usage_equals_the_recorded_values),
		cmocka_unit_test(test_damping_equals_the_recorded_values),
		cmocka_unit_test(test_without_damping_a_user_with_usage_gets_no_factor),
		cmocka_unit_test(test_a_level_without_shares_passes_on_the_usage_of_its_account),
		cmocka_unit_test(test_without_any_usage_all_that_have_shares_get_all),
		cmocka_unit_test(test_user_of_the_root_with_parent_has_the_factor_of_the_root),
		cmocka_unit_test(test_accounts_are_as_old_as_their_call),
		cmocka_unit_test(test_shares_too_small_for_a_double_give_finite_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
