/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/associations.h"

#include <math.h>

void classic_shares(struct association_tree *tree)
{
	struct association *items = tree->items;

	if (tree->n > 0)
		items[0].norm_shares = 1.0;
	for (size_t i = 1; i < tree->n; i++) {
		struct association *item = &items[i];
		double above = items[item->fairshare_parent].norm_shares;

		if (item->shares == SHARES_OF_PARENT)
			item->norm_shares = above;
		else
			item->norm_shares =
				item->level_shares > 0.0 ? above * (item->shares / item->level_shares) : 0.0;
	}
}

static void norm_usage_set(struct association_tree *tree, struct association *item)
{
	long double all = tree->items[0].usage;
	long double part = all > 0.0L ? item->usage / all : 0.0L;

	item->norm_usage = part < 1.0L ? part : 1.0L;
}

long double classic_effective_usage(const struct association_tree *tree, uint32_t i)
{
	const struct association *item = &tree->items[i];
	long double above, own = item->norm_usage;

	if (i == 0)
		return 1.0L;
	if (item->fairshare_parent == 0)
		return own;
	above = tree->items[item->fairshare_parent].effective_usage;
	if (item->shares == SHARES_OF_PARENT || !(item->level_shares > 0.0))
		return above;
	return own + (above - own) * item->shares / item->level_shares;
}

/* Depth-oblivious */

static void child_usage_sum(struct association_tree *tree)
{
	struct association *items = tree->items;

	for (size_t i = 0; i < tree->n; i++)
		items[i].child_usage = 0.0L;
	for (size_t i = 1; i < tree->n; i++)
		if (items[i].shares != SHARES_OF_PARENT)
			items[items[i].fairshare_parent].child_usage += items[i].norm_usage;
}

/*
 * Return how far an item's use of its shares moves it from its parent's ratio. In the direction of
 * the parent's deviation the item's ratio counts in full. In the other direction it counts less,
 * the more so the larger the parent's deviation is. Only the power is computed in double, which
 * gives Slurm's digits.
 */
static long double item_pull(long double parent_ratio, long double item_ratio)
{
	long double distance = logl(parent_ratio);

	if (distance * logl(item_ratio) >= 0.0L)
		return item_ratio;
	return pow((double)item_ratio, (double)(1.0L / (1.0L + 5.0L * distance * 5.0L * distance)));
}

static long double oblivious_effective_usage(const struct association_tree *tree, uint32_t i)
{
	const struct association *item = &tree->items[i], *above;
	long double parent_ratio, level_ratio, item_ratio, usage;

	if (i == 0 || item->fairshare_parent == 0 || item->shares == SHARES_OF_PARENT)
		return classic_effective_usage(tree, i);
	above = &tree->items[item->fairshare_parent];
	if (item->norm_shares == 0.0 || above->norm_shares == 0.0 || above->effective_usage == 0.0L ||
	    item->norm_usage == 0.0L)
		return item->norm_usage;
	parent_ratio = above->effective_usage / above->norm_shares;
	level_ratio = above->child_usage / above->norm_shares;
	item_ratio = item->norm_usage / item->norm_shares / level_ratio;
	usage = parent_ratio * item_pull(parent_ratio, item_ratio) * item->norm_shares;
	return usage < 1.0L ? usage : 1.0L;
}

/* A pass */

static void effective_usage_set(struct association_tree *tree, bool of_users, bool depth_oblivious)
{
	struct association *items = tree->items;

	if (depth_oblivious)
		child_usage_sum(tree);
	for (uint32_t i = 0; i < tree->n; i++)
		if (items[i].is_user == of_users)
			items[i].effective_usage =
				depth_oblivious ? oblivious_effective_usage(tree, i) : classic_effective_usage(tree, i);
}

void classic_account_usage(struct association_tree *tree, bool depth_oblivious)
{
	for (size_t i = 0; i < tree->n; i++)
		if (depth_oblivious || !tree->items[i].is_user)
			norm_usage_set(tree, &tree->items[i]);
	effective_usage_set(tree, false, depth_oblivious);
}

void classic_user_usage(struct association_tree *tree, bool depth_oblivious)
{
	for (size_t i = 0; i < tree->n; i++)
		if (tree->items[i].is_user)
			norm_usage_set(tree, &tree->items[i]);
	effective_usage_set(tree, true, depth_oblivious);
}

const struct association *classic_factor_source(const struct association_tree *tree, uint32_t i)
{
	const struct association *item = &tree->items[i];

	return item->is_user && item->shares == SHARES_OF_PARENT ? &tree->items[item->fairshare_parent] : item;
}

/*
 * Return F. The exponent is rounded to double before damping, as in Slurm: digits of priorities
 * depend on it.
 */
static double classic_factor(const struct association *source, uint32_t damping)
{
	double overuse;

	if (!(source->norm_shares > 0.0))
		return 0.0;
	overuse = (double)(source->effective_usage / source->norm_shares);
	/* division by 0 gives infinity */
	return overuse > 0.0 ? pow(2.0, -overuse / damping) : 1.0;
}

void classic_factors(struct association_tree *tree, uint32_t damping)
{
	for (uint32_t i = 0; i < tree->n; i++) {
		tree->items[i].factor = classic_factor(classic_factor_source(tree, i), damping);
		tree->items[i].level_fs = 0.0;
		tree->items[i].rank = 0;
	}
}
