/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of any association tree, and agreement of two implementations: random trees, small and
 * with many ties.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "tests/tickets/association_tree.h"
#include "tests/naive/cells.h"
#include "tests/naive/fairshare.h"

enum { TREES = 1000, SIZE = 60 };

struct recipe {				/* recipe of a random tree */
	const uint32_t *shares;		/* allowed values; NULL: any up to a million */
	size_t nshares;
	const double *usage;		/* the same */
	size_t nusage;
};

static const uint32_t few_shares[] = { 0, 1, 1, 1, 2, 3, SHARES_OF_PARENT };
static const double few_usages[] = { 0, 1, 1, 2, 3, 4 };
static const struct recipe tied = { few_shares, 7, few_usages, 6 };

static const uint32_t odd_shares[] = { 0, 1, 1000, SHARES_OF_PARENT - 1, SHARES_OF_PARENT };
static const double odd_usages[] = { 0, 5e-324, DBL_MIN, 1, 1e300, DBL_MAX };
static const struct recipe extreme = { odd_shares, 5, odd_usages, 6 };

static const struct recipe distinct = { 0 };

static uint32_t random_shares(const struct recipe *recipe, uint64_t *r)
{
	return recipe->shares ? recipe->shares[random_below(r, recipe->nshares)]
			      : 1 + (uint32_t)random_below(r, 1000000);
}

static double random_usage(const struct recipe *recipe, uint64_t *r)
{
	return recipe->usage ? recipe->usage[random_below(r, recipe->nusage)] : 1 + (double)random_below(r, 1000000);
}

/* Make a tree in pre-order: each item is a child of the last account or of one above it. */
static void tree_random(struct planted *planted, const struct recipe *recipe, uint64_t *r)
{
	size_t n = 1 + random_below(r, SIZE);
	uint32_t at = plant_root(planted);

	while (planted->tree.n < n) {
		while (at > 0 && random_below(r, 2) == 0)
			at = planted->items[at].parent;
		if (random_below(r, 2) == 0)
			at = plant_account(planted, at, random_shares(recipe, r));
		else
			plant_user(planted, at, random_shares(recipe, r), random_usage(recipe, r));
	}
	planted_link(planted);
}

#define HOLDS(condition) \
	do { \
		if (!(condition)) \
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ", item %zu: %s", seed, (size_t)i, #condition); \
	} while (0)

typedef void tree_check(struct planted *planted, uint64_t seed, uint64_t *r);

static void trees_each(const char *what, const struct recipe *recipe, tree_check *check)
{
	static struct planted planted;
	uint64_t seed = seed_get(what);

	for (size_t k = 0; k < cells_wanted(TREES); k++, seed++) {
		uint64_t r = seed;
		tree_random(&planted, recipe, &r);
		check(&planted, seed, &r);
	}
}

static bool close_to(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-11 * fmax(fabs(a), fabs(b));
}

/* Two implementations */

static void fair_trees_agree(struct planted *planted, uint64_t seed, uint64_t *r)
{
	uint32_t ranks[PLANTED_MOST];
	(void)r;
	for (int options = 0; options < 4; options++) {
		planted_fair_tree(planted, options & 1, options & 2);
		naive_fair_tree(&planted->tree, options & 1, options & 2, ranks);
		for (size_t i = 0; i < planted->tree.n; i++)
			HOLDS(!planted->items[i].is_user || planted->items[i].rank == ranks[i]);
	}
}

static void test_fair_tree_ranks_as_the_naive_one_does(void **state)
{
	(void)state;
	trees_each("ties", &tied, fair_trees_agree);
	trees_each("no ties", &distinct, fair_trees_agree);
	trees_each("extremes", &extreme, fair_trees_agree);
}

static void classics_agree(struct planted *planted, uint64_t seed, uint64_t *r)
{
	uint32_t damping = 1 + (uint32_t)random_below(r, 3);
	for (int oblivious = 0; oblivious < 2; oblivious++) {
		planted_classic(planted, oblivious, damping);
		for (uint32_t i = 0; i < planted->tree.n; i++) {
			HOLDS(close_to(planted->items[i].norm_shares, naive_norm_shares(&planted->tree, i)));
			HOLDS(i == 0 || close_to(planted->items[i].effective_usage,
						 naive_effective_usage(&planted->tree, i, oblivious)));
			HOLDS(close_to(planted->items[i].factor, naive_factor(&planted->tree, i, oblivious, damping)));
		}
	}
}

static void test_classic_and_depth_oblivious_compute_as_the_naive_one_does(void **state)
{
	(void)state;
	trees_each("few shares", &tied, classics_agree);
	trees_each("any shares", &distinct, classics_agree);
}

/* Sums of shares and usage */

/* Return the sum for all competitors below `account`, or -1 if none has shares of its own. */
static double level_sum(const struct planted *planted, uint32_t account)
{
	double sum = 0;
	for (size_t i = 1; i < planted->tree.n; i++)
		if (planted->items[i].fairshare_parent == account && planted->items[i].shares != SHARES_OF_PARENT)
			sum += planted->items[i].norm_shares;
	return planted->items[account].child_shares > 0 ? sum : -1;
}

static bool is_competing(const struct planted *planted, uint32_t i)
{
	return !planted->items[i].is_user && (i == 0 || planted->items[i].shares != SHARES_OF_PARENT);
}

static void levels_add_up(struct planted *planted, uint64_t seed, uint64_t *r)
{
	(void)r;
	planted_classic(planted, false, 1);
	for (uint32_t i = 0; i < planted->tree.n; i++)
		HOLDS(!is_competing(planted, i) || level_sum(planted, i) < 0 ||
		      close_to(level_sum(planted, i), planted->items[i].norm_shares));
	planted_fair_tree(planted, false, true);
	for (uint32_t i = 0; i < planted->tree.n; i++)
		HOLDS(!is_competing(planted, i) || level_sum(planted, i) < 0 || close_to(level_sum(planted, i), 1));
}

static void test_shares_of_a_level_add_up_to_one_or_to_the_level_above(void **state)
{
	(void)state;
	trees_each("sums of shares", &tied, levels_add_up);
}

static void usage_adds_up(struct planted *planted, uint64_t seed, uint64_t *r)
{
	double classic = 0, fair = 0;
	size_t i = 0;
	(void)r;
	planted_classic(planted, false, 1);
	for (uint32_t k = planted->items[0].first_child; k != ASSOCIATION_NONE; k = planted->items[k].next_sibling)
		classic += planted->items[k].norm_usage;
	planted_fair_tree(planted, false, true);
	for (uint32_t k = planted->items[0].first_child; k != ASSOCIATION_NONE; k = planted->items[k].next_sibling)
		fair += planted->items[k].norm_usage;
	HOLDS(close_to(classic, planted->items[0].usage > 0));
	HOLDS(fair == classic);
}

static void test_usage_of_the_top_adds_up_to_one(void **state)
{
	(void)state;
	trees_each("sums of usage", &tied, usage_adds_up);
}

/* Ranges */

static bool within(double value)
{
	return value >= 0 && value <= 1;
}

static bool item_is_within(const struct association *item)
{
	return within(item->norm_shares) && within(item->norm_usage) && within(item->effective_usage) &&
	       within(item->factor) && item->level_fs >= 0;
}

static void all_is_within(struct planted *planted, uint64_t seed, uint64_t *r)
{
	static const uint32_t damping[] = { 0, 1, 65535 };
	for (size_t i = 0; i < planted->tree.n; i++)
		planted->items[i].norm_usage = planted->items[i].effective_usage = planted->items[i].factor = NAN;
	for (int way = 0; way < 5; way++) {
		if (way < 2) {
			planted_classic(planted, way, damping[random_below(r, 3)]);
		} else if (way < 4) {
			planted_fair_tree(planted, way - 2, true);
		} else {
			classic_shares(&planted->tree);
			usage_2009(&planted->tree, odd_usages[random_below(r, 6)]);
			factors_2009(&planted->tree);
		}
		for (size_t i = 0; i < planted->tree.n; i++)
			HOLDS(item_is_within(&planted->items[i]));
	}
}

static void test_values_stay_in_range_for_any_numbers(void **state)
{
	(void)state;
	trees_each("ranges", &extreme, all_is_within);
	trees_each("ranges of few", &tied, all_is_within);
}

static void ranks_are_right(struct planted *planted, uint64_t seed, uint64_t *r)
{
	bool taken[PLANTED_MOST + 1] = { false };
	(void)r;
	planted_fair_tree(planted, false, true);
	for (size_t i = 0; i < planted->tree.n; i++) {
		const struct association *item = &planted->items[i];
		if (!item->is_user)
			continue;
		HOLDS(item->rank >= 1 && item->rank <= planted->tree.users && !taken[item->rank]);
		HOLDS(item->factor == (double)item->rank / (double)planted->tree.users);
		taken[item->rank] = true;
	}
}

static void test_without_ties_each_rank_is_taken_once(void **state)
{
	(void)state;
	trees_each("ranks", &distinct, ranks_are_right);
}

/* Changes */

static void more_usage_is_no_better(struct planted *planted, uint64_t seed, uint64_t *r)
{
	struct association *user = &planted->items[random_below(r, planted->tree.n)];
	size_t i = (size_t)(user - planted->items);
	double before = 1, before_2009 = 1;
	if (!user->is_user)
		return;
	for (int more = 0; more < 2; more++) {
		classic_shares(&planted->tree);
		usage_2009(&planted->tree, 100);
		factors_2009(&planted->tree);
		HOLDS(user->factor <= before_2009 * (1 + 1e-12));
		before_2009 = user->factor;
		planted_classic(planted, false, 1);
		HOLDS(user->factor <= before * (1 + 1e-12));
		before = user->factor;
		associations_charge(&planted->tree, (uint32_t)i, 1 + (double)random_below(r, 10));
	}
}

static void test_more_usage_never_raises_a_users_own_factor(void **state)
{
	(void)state;
	trees_each("monotony", &tied, more_usage_is_no_better);
}

/*
 * Copy a tree with all siblings in the opposite order. `places[i]` is the new position of item i.
 */
static void tree_turn(const struct planted *from, struct planted *to, uint32_t i, uint32_t parent, uint32_t *places)
{
	uint32_t children[PLANTED_MOST];
	size_t n = 0;
	struct association item = from->items[i];
	item.parent = parent;
	places[i] = plant_item(to, item);
	for (uint32_t child = item.first_child; child != ASSOCIATION_NONE; child = from->items[child].next_sibling)
		children[n++] = child;
	while (n-- > 0)
		tree_turn(from, to, children[n], places[i], places);
}

static void order_does_not_matter(struct planted *planted, uint64_t seed, uint64_t *r)
{
	static struct planted turned;
	uint32_t places[PLANTED_MOST];
	(void)r;
	turned.tree.n = 0;
	tree_turn(planted, &turned, 0, ASSOCIATION_NONE, places);
	planted_classic(planted, false, 1);
	planted_classic(&turned, false, 1);
	for (size_t i = 0; i < planted->tree.n; i++)
		HOLDS(close_to(planted->items[i].factor, turned.items[places[i]].factor));
}

static void order_does_not_matter_to_fair_tree(struct planted *planted, uint64_t seed, uint64_t *r)
{
	static struct planted turned;
	uint32_t places[PLANTED_MOST];
	turned.tree.n = 0;
	tree_turn(planted, &turned, 0, ASSOCIATION_NONE, places);
	planted_fair_tree(planted, random_below(r, 2), random_below(r, 2));
	planted_fair_tree(&turned, random_below(r, 2), random_below(r, 2));
	for (size_t i = 0; i < planted->tree.n; i++)
		HOLDS(planted->items[i].factor == turned.items[places[i]].factor &&
		      planted->items[i].level_fs == turned.items[places[i]].level_fs);
}

static void test_order_of_siblings_does_not_matter_to_classic_and_without_ties_to_fair_tree(void **state)
{
	(void)state;
	trees_each("order", &tied, order_does_not_matter);
	trees_each("order without ties", &distinct, order_does_not_matter_to_fair_tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fair_tree_ranks_as_the_naive_one_does),
		cmocka_unit_test(test_classic_and_depth_oblivious_compute_as_the_naive_one_does),
		cmocka_unit_test(test_shares_of_a_level_add_up_to_one_or_to_the_level_above),
		cmocka_unit_test(test_usage_of_the_top_adds_up_to_one),
		cmocka_unit_test(test_values_stay_in_range_for_any_numbers),
		cmocka_unit_test(test_without_ties_each_rank_is_taken_once),
		cmocka_unit_test(test_more_usage_never_raises_a_users_own_factor),
		cmocka_unit_test(test_order_of_siblings_does_not_matter_to_classic_and_without_ties_to_fair_tree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
