/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/naive/fairshare.h"

#include <math.h>
#include <stdlib.h>

static bool says_parent(const struct association_tree *tree, uint32_t i)
{
	return i > 0 && tree->items[i].shares == SHARES_OF_PARENT;
}

static uint32_t ancestor(const struct association_tree *tree, uint32_t i)
{
	uint32_t parent = tree->items[i].parent;

	return says_parent(tree, parent) ? ancestor(tree, parent) : parent;
}

static double level_sum(const struct association_tree *tree, uint32_t account)
{
	double sum = 0;

	for (uint32_t i = account + 1; i < tree->n; i++)
		if (tree->items[i].parent == account)
			sum += says_parent(tree, i) ? level_sum(tree, i) : tree->items[i].shares;
	return sum;
}

static double part_of_level(const struct association_tree *tree, uint32_t i)
{
	double sum = level_sum(tree, ancestor(tree, i));

	return sum > 0 ? tree->items[i].shares / sum : 0;
}

double naive_norm_shares(const struct association_tree *tree, uint32_t i)
{
	if (i == 0)
		return 1;
	return (says_parent(tree, i) ? 1 : part_of_level(tree, i)) * naive_norm_shares(tree, ancestor(tree, i));
}

/* Classic */

static double norm_usage(const struct association_tree *tree, uint32_t i)
{
	return tree->items[0].usage > 0 ? (double)(tree->items[i].usage / tree->items[0].usage) : 0;
}

static double siblings_usage(const struct association_tree *tree, uint32_t i)
{
	double sum = 0;

	for (uint32_t k = 1; k < tree->n; k++)
		if (!says_parent(tree, k) && ancestor(tree, k) == ancestor(tree, i))
			sum += norm_usage(tree, k);
	return sum;
}

static double oblivious(const struct association_tree *tree, uint32_t i)
{
	uint32_t above = ancestor(tree, i);
	double S = naive_norm_shares(tree, i), SP = naive_norm_shares(tree, above),
	       UP = naive_effective_usage(tree, above, true);
	double U = norm_usage(tree, i), RP, RL, k = 1;

	if (S == 0 || SP == 0 || UP == 0 || U == 0)
		return U;
	RP = UP / SP;
	RL = (U / S) / (siblings_usage(tree, i) / SP);
	if (log(RP) * log(RL) < 0)
		k = 1 / (1 + pow(5 * log(RP), 2));
	return RP * pow(RL, k) * S;
}

double naive_effective_usage(const struct association_tree *tree, uint32_t i, bool depth_oblivious)
{
	double above, sum, U;

	if (i == 0)
		return 1;
	U = norm_usage(tree, i);
	if (ancestor(tree, i) == 0)
		return U;
	above = naive_effective_usage(tree, ancestor(tree, i), depth_oblivious);
	sum = level_sum(tree, ancestor(tree, i));
	if (says_parent(tree, i))
		return above;
	if (depth_oblivious)
		return oblivious(tree, i);
	return sum > 0 ? U + (above - U) * (tree->items[i].shares / sum) : above;
}

double naive_factor(const struct association_tree *tree, uint32_t i, bool depth_oblivious, uint32_t damping)
{
	uint32_t from = tree->items[i].is_user && says_parent(tree, i) ? ancestor(tree, i) : i;
	double S = naive_norm_shares(tree, from);

	return S > 0 ? pow(2, -(naive_effective_usage(tree, from, depth_oblivious) / S) / damping) : 0;
}

/* Fair Tree */

struct list {
	uint32_t *items;
	size_t n;
};

struct ranking {
	const struct association_tree *tree;
	bool merge_ties, newest_first;
	uint32_t rank, next;
	uint32_t *ranks;
};

static bool transparent(const struct association_tree *tree, uint32_t i)
{
	return says_parent(tree, i) && !tree->items[i].is_user;
}

static long double level_fs(const struct association_tree *tree, uint32_t i)
{
	long double all = tree->items[ancestor(tree, i)].usage, usage = all > 0 ? tree->items[i].usage / all : 0;

	if (says_parent(tree, i))
		return transparent(tree, i) ? 4294967294.0L : (long double)INFINITY;
	if (part_of_level(tree, i) == 0)
		return 0;
	return usage > 0 ? part_of_level(tree, i) / usage : (long double)INFINITY;
}

static void list_add(const struct ranking *ranking, struct list *list, uint32_t account)
{
	for (uint32_t i = account + 1; i < ranking->tree->n; i++) {
		if (ranking->tree->items[i].parent != account)
			continue;
		if (!transparent(ranking->tree, i) || !ranking->merge_ties)
			list->items[list->n++] = i;
		if (transparent(ranking->tree, i))
			list_add(ranking, list, i);
	}
}

static bool goes_before(const struct ranking *ranking, uint32_t a, uint32_t b)
{
	long double x = level_fs(ranking->tree, a), y = level_fs(ranking->tree, b);

	if (x != y)
		return x > y;
	if (ranking->tree->items[a].is_user != ranking->tree->items[b].is_user)
		return ranking->tree->items[a].is_user;
	return ranking->newest_first ? a > b : a < b;
}

static void list_sort(const struct ranking *ranking, struct list *list)
{
	for (size_t i = 0; i < list->n; i++)
		for (size_t k = i + 1; k < list->n; k++)
			if (goes_before(ranking, list->items[k], list->items[i])) {
				uint32_t other = list->items[i];
				list->items[i] = list->items[k];
				list->items[k] = other;
			}
}

static bool same_fs(const struct ranking *ranking, uint32_t a, uint32_t b)
{
	return level_fs(ranking->tree, a) == level_fs(ranking->tree, b);
}

static void rank_list(struct ranking *ranking, struct list *list, bool tied)
{
	list_sort(ranking, list);
	for (size_t i = 0; i < list->n; i++) {
		uint32_t item = list->items[i];
		struct list children = { malloc(ranking->tree->n * sizeof(uint32_t)), 0 };

		if (i > 0)
			tied = same_fs(ranking, item, list->items[i - 1]);
		if (ranking->tree->items[item].is_user) {
			ranking->rank = tied ? ranking->rank : ranking->next;
			ranking->ranks[item] = ranking->rank;
			ranking->next--;
		} else if (!transparent(ranking->tree, item)) {
			list_add(ranking, &children, item);
			while (ranking->merge_ties && i + 1 < list->n && same_fs(ranking, list->items[i + 1], item))
				list_add(ranking, &children, list->items[++i]);
			rank_list(ranking, &children, tied);
		}
		free(children.items);
	}
}

void naive_fair_tree(const struct association_tree *tree, bool merge_ties, bool newest_first, uint32_t *ranks)
{
	struct ranking ranking = {
		.tree = tree, .merge_ties = merge_ties, .newest_first = newest_first, .ranks = ranks
	};
	struct list top = { malloc(tree->n * sizeof(uint32_t)), 0 };

	for (size_t i = 0; i < tree->n; i++)
		ranking.next += tree->items[i].is_user;
	ranking.rank = ranking.next;
	list_add(&ranking, &top, 0);
	rank_list(&ranking, &top, false);
	free(top.items);
}
