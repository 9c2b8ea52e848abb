/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fair Tree ranks users in a walk over the tree from its root. Of the children of an account, the
 * one with the larger level_fs = S / U_E comes first, with everything below it. The walk keeps the
 * sorted levels that it is in, one after the other, in an array, and its position in each level on
 * a stack. An item is in the array only once, so neither can exceed the size of the tree.
 *
 * Ties need care. The first item of a level inherits whether its account was tied. According to the
 * documentation, the children of tied accounts are sorted together. Slurm's code is meant to do so
 * but never counts such accounts. Also, an account with "parent" stays in the list of its ancestor,
 * without children: if it is the first in its level, it takes the inherited tie from the next item.
 * Without merge_ties both are reproduced. Values are long double as in Slurm, because ties depend
 * on it.
 */
#include "tickets/associations.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* level_fs of accounts with "parent", and level sum of the root: Slurm's NO_VAL. */
#define TRANSPARENT_FS 4294967294.0L

struct tree_entry {				/* entry of a level */
	double level_fs;		/* rounded: walk.level_fs distinguishes equal values */
	uint32_t item;
	uint32_t order;			/* for equal values: users before accounts, then by age */
};

struct tree_level {
	uint32_t next, end;		/* range in struct tree_walk.entries */
	bool tied;			/* the next item is tied with the item before it */
};

struct tree_walk {
	struct association *items;
	const struct fair_tree_options *options;
	long double *level_fs;		/* by item */
	/* Per item: start in `children` of the items that compete below it; n + 1 values. */
	uint32_t *first;
	uint32_t *children;
	struct tree_entry *entries, *spare;
	struct tree_level *levels;
	size_t nlevels;
	size_t users, rank, next_rank;
};

static void walk_destroy(struct tree_walk *walk)
{
	free(walk->level_fs);
	free(walk->first);
	free(walk->children);
	free(walk->entries);
	free(walk->spare);
	free(walk->levels);
}

static int walk_create(struct tree_walk *walk, const struct association_tree *tree,
		       const struct fair_tree_options *options)
{
	*walk = (struct tree_walk){ .items = tree->items,
				    .options = options,
				    .users = tree->users,
				    .rank = tree->users,
				    .next_rank = tree->users };
	walk->level_fs = calloc(tree->n, sizeof(*walk->level_fs));
	walk->first = calloc(tree->n + 2, sizeof(*walk->first));
	walk->children = calloc(tree->n, sizeof(*walk->children));
	walk->entries = calloc(tree->n, sizeof(*walk->entries));
	walk->spare = calloc(tree->n, sizeof(*walk->spare));
	walk->levels = calloc(tree->n, sizeof(*walk->levels));
	if (walk->level_fs && walk->first && walk->children && walk->entries && walk->spare && walk->levels)
		return 0;
	walk_destroy(walk);
	return -ENOMEM;
}

/* Sort keys of a level */

static double level_share(const struct tree_walk *walk, const struct association *item)
{
	if (item->shares == SHARES_OF_PARENT)
		return walk->items[item->fairshare_parent].norm_shares;
	return item->level_shares > 0.0 ? item->shares / item->level_shares : 0.0;
}

static long double part_of(long double usage, long double all)
{
	return all > 0.0L && usage < all ? usage / all : all > 0.0L ? 1.0L : 0.0L;
}

static long double item_level_fs(const struct association *item, long double effective_usage)
{
	if (item->shares == SHARES_OF_PARENT)
		return item->is_user ? (long double)INFINITY : TRANSPARENT_FS;
	if (!(item->norm_shares > 0.0))
		return 0.0L;
	return effective_usage > 0.0L ? item->norm_shares / effective_usage : (long double)INFINITY;
}

static void items_weigh(struct tree_walk *walk, size_t n)
{
	struct association *root = &walk->items[0];

	root->norm_shares = (double)(1.0L / TRANSPARENT_FS);
	root->norm_usage = root->usage > 0.0L;
	root->effective_usage = 1.0L;
	root->level_fs = root->factor = 0.0;
	root->rank = 0;
	for (size_t i = 1; i < n; i++) {
		struct association *item = &walk->items[i];
		long double effective_usage = part_of(item->usage, walk->items[item->fairshare_parent].usage);

		item->norm_shares = level_share(walk, item);
		item->norm_usage = part_of(item->usage, root->usage);
		item->effective_usage = effective_usage;
		walk->level_fs[i] = item_level_fs(item, effective_usage);
		item->level_fs = item->shares == SHARES_OF_PARENT && !item->is_user ? 0.0 : (double)walk->level_fs[i];
		item->factor = 0.0;
		item->rank = 0;
	}
}

/* Put the items that compete below one account next to each other, in the order of the array. */
static void children_collect(struct tree_walk *walk, size_t n)
{
	for (size_t i = 1; i < n; i++)
		walk->first[walk->items[i].fairshare_parent + 2]++;
	for (size_t i = 2; i <= n; i++)
		walk->first[i] += walk->first[i - 1];
	for (size_t i = 1; i < n; i++)
		walk->children[walk->first[walk->items[i].fairshare_parent + 1]++] = (uint32_t)i;
}

/* Sorting */

static bool entry_before(const struct tree_walk *walk, const struct tree_entry *a, const struct tree_entry *b)
{
	if (a->level_fs != b->level_fs)
		return a->level_fs > b->level_fs;
	if (walk->level_fs[a->item] != walk->level_fs[b->item])
		return walk->level_fs[a->item] > walk->level_fs[b->item];
	return a->order < b->order;
}

static void entries_insert(const struct tree_walk *walk, struct tree_entry *entries, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct tree_entry entry = entries[i];
		size_t k = i;

		for (; k > 0 && entry_before(walk, &entry, &entries[k - 1]); k--)
			entries[k] = entries[k - 1];
		entries[k] = entry;
	}
}

static void entries_merge(const struct tree_walk *walk, const struct tree_entry *from, size_t middle, size_t n,
			  struct tree_entry *to)
{
	size_t a = 0, b = middle;

	while (a < middle && b < n)
		*to++ = entry_before(walk, &from[b], &from[a]) ? from[b++] : from[a++];
	memcpy(to, from + a, (middle - a) * sizeof(*to));
	memcpy(to + (middle - a), from + b, (n - b) * sizeof(*to));
}

/*
 * Sort by merging bottom-up. A level may contain all users of a cell, and qsort() takes twice as
 * long.
 */
static void entries_sort(const struct tree_walk *walk, struct tree_entry *entries, size_t n)
{
	enum { RUN = 8 };
	struct tree_entry *from = entries, *to = walk->spare, *other;

	for (size_t i = 0; i < n; i += RUN)
		entries_insert(walk, entries + i, n - i < RUN ? n - i : RUN);
	for (size_t run = RUN; run < n; run *= 2) {
		for (size_t i = 0; i < n; i += 2 * run)
			entries_merge(walk, from + i, n - i < run ? n - i : run, n - i < 2 * run ? n - i : 2 * run,
				      to + i);
		other = from;
		from = to;
		to = other;
	}
	if (from != entries)
		memcpy(entries, from, n * sizeof(*entries));
}

/* The walk */

/*
 * Return the tie-breaking number. Half of the numbers are for users, half for accounts: no tree has
 * that many items.
 */
static uint32_t entry_order(const struct tree_walk *walk, uint32_t item)
{
	uint32_t place = walk->options->places ? walk->options->places[item] : item;
	uint32_t order = walk->options->newest_first ? INT32_MAX - place : place;

	return walk->items[item].is_user ? order : order + INT32_MAX;
}

static uint32_t children_append(const struct tree_walk *walk, uint32_t account, uint32_t end)
{
	for (uint32_t k = walk->first[account]; k < walk->first[account + 1]; k++) {
		uint32_t item = walk->children[k];
		bool transparent = walk->items[item].shares == SHARES_OF_PARENT && !walk->items[item].is_user;

		if (!transparent || !walk->options->merge_ties)
			walk->entries[end++] =
				(struct tree_entry){ (double)walk->level_fs[item], item, entry_order(walk, item) };
	}
	return end;
}

/* Push the level of all items that compete below the accounts entries[from..to). */
static void level_push(struct tree_walk *walk, uint32_t from, uint32_t to, bool tied)
{
	uint32_t begin = walk->levels[walk->nlevels - 1].end, end = begin;

	for (uint32_t e = from; e < to; e++)
		end = children_append(walk, walk->entries[e].item, end);
	entries_sort(walk, walk->entries + begin, end - begin);
	walk->levels[walk->nlevels++] = (struct tree_level){ begin, end, tied };
}

static bool entries_tied(const struct tree_walk *walk, uint32_t a, uint32_t b)
{
	return walk->level_fs[walk->entries[a].item] == walk->level_fs[walk->entries[b].item];
}

/* Return the end of the accounts from entries[e] on that are tied. */
static uint32_t accounts_end(const struct tree_walk *walk, const struct tree_level *level, uint32_t e)
{
	uint32_t end = e + 1;

	while (walk->options->merge_ties && end < level->end && entries_tied(walk, end, e))
		end++;
	return end;
}

static void user_rank(struct tree_walk *walk, struct association *user, bool tied)
{
	if (!tied)
		walk->rank = walk->next_rank;
	user->rank = (uint32_t)walk->rank;
	user->factor = (double)walk->rank / (double)walk->users;
	walk->next_rank--;
}

static void level_step(struct tree_walk *walk, struct tree_level *level)
{
	uint32_t e = level->next, end = e + 1;
	struct association *item = &walk->items[walk->entries[e].item];
	bool tied = level->tied;

	if (!item->is_user)
		end = accounts_end(walk, level, e);
	level->next = end;
	level->tied = end < level->end && entries_tied(walk, end, e);
	if (item->is_user)
		user_rank(walk, item, tied);
	else if (item->shares != SHARES_OF_PARENT)
		level_push(walk, e, end, tied);
}

static void tree_walk(struct tree_walk *walk)
{
	walk->levels[0] = (struct tree_level){ 0, children_append(walk, 0, 0), false };
	entries_sort(walk, walk->entries, walk->levels[0].end);
	walk->nlevels = 1;
	while (walk->nlevels > 0) {
		struct tree_level *level = &walk->levels[walk->nlevels - 1];

		if (level->next < level->end)
			level_step(walk, level);
		else
			walk->nlevels--;
	}
}

int fair_tree(struct association_tree *tree, const struct fair_tree_options *options)
{
	struct tree_walk walk;
	int rc;

	if (tree->n == 0)
		return 0;
	rc = walk_create(&walk, tree, options);
	if (rc)
		return rc;
	items_weigh(&walk, tree->n);
	children_collect(&walk, tree->n);
	tree_walk(&walk);
	walk_destroy(&walk);
	return 0;
}
