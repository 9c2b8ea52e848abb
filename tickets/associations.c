/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/associations.h"

#include <errno.h>
#include <float.h>

static bool tree_is_valid(const struct association_tree *tree)
{
	const struct association *items = tree->items;

	if (tree->n > INT32_MAX || items[0].parent != ASSOCIATION_NONE || items[0].is_user)
		return false;
	for (size_t i = 1; i < tree->n; i++)
		if (items[i].parent >= i || items[items[i].parent].is_user)
			return false;
	return true;
}

/* Link backwards, so that each child is put before its later siblings. */
static void children_link(struct association_tree *tree)
{
	struct association *items = tree->items;

	for (size_t i = 0; i < tree->n; i++)
		items[i].first_child = items[i].next_sibling = ASSOCIATION_NONE;
	for (uint32_t i = (uint32_t)tree->n; --i > 0;) {
		struct association *parent = &items[items[i].parent];

		items[i].next_sibling = parent->first_child;
		parent->first_child = i;
	}
}

static uint32_t fairshare_parent(const struct association *items, uint32_t i)
{
	uint32_t parent = items[i].parent;

	return parent > 0 && items[parent].shares == SHARES_OF_PARENT ? items[parent].fairshare_parent : parent;
}

static void shares_add(struct association_tree *tree)
{
	struct association *items = tree->items;

	items[0].fairshare_parent = ASSOCIATION_NONE;
	items[0].child_shares = 0;
	items[0].level_shares = 0.0;
	for (uint32_t i = 1; i < tree->n; i++) {
		items[i].fairshare_parent = fairshare_parent(items, i);
		items[i].child_shares = 0;
		if (items[i].shares != SHARES_OF_PARENT)
			/* 2^32 times 2^31 fits */
			items[items[i].fairshare_parent].child_shares += items[i].shares;
	}
	for (uint32_t i = 1; i < tree->n; i++)
		items[i].level_shares = (double)items[items[i].fairshare_parent].child_shares;
}

int associations_link(struct association_tree *tree)
{
	tree->users = 0;
	if (tree->n == 0)
		return 0;
	if (!tree_is_valid(tree))
		return -EINVAL;
	children_link(tree);
	shares_add(tree);
	for (size_t i = 0; i < tree->n; i++)
		tree->users += tree->items[i].is_user;
	return 0;
}

static void association_add(struct association *item, long double amount)
{
	item->usage += amount;
	if (item->usage > DBL_MAX)
		item->usage = DBL_MAX;
}

void associations_sum(struct association_tree *tree)
{
	struct association *items = tree->items;

	for (size_t i = 0; i < tree->n; i++)
		if (!items[i].is_user)
			items[i].usage = 0.0L;
	for (size_t i = tree->n; i-- > 1;)
		association_add(&items[items[i].parent], items[i].usage);
}

void associations_charge(struct association_tree *tree, uint32_t user, double amount)
{
	for (uint32_t i = user; i != ASSOCIATION_NONE; i = tree->items[i].parent)
		association_add(&tree->items[i], amount);
}

void associations_refund(struct association_tree *tree, uint32_t user, double amount)
{
	struct association *association = &tree->items[user];

	association->usage = amount < association->usage ? association->usage - amount : 0.0L;
}

void associations_decay(struct association_tree *tree, double factor)
{
	for (size_t i = 0; i < tree->n; i++)
		tree->items[i].usage *= factor;
}
