/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fair Tree ranks users by walking the tree from its root: of the children of an account, what has
 * the larger level_fs = S / U_E comes first, with all that is below it. The walk keeps the levels
 * that it is in, sorted, one after the other in an array, and where it stands in each of them on a
 * stack: an item stands there once, so that neither can outgrow the tree.
 *
 * Ties need care. A level's first item inherits whether the account was tied. As documented,
 * accounts that are tied have their children sorted together. Slurm's own code means to do so but
 * counts no such accounts; an account that says "parent" stays in the list of its ancestor, too,
 * without children: first in its level, it takes the inherited tie away from the next. Both are
 * copied without merge_ties. Long double, as there: it decides what is a tie.
 */
#include "tickets/associations.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* level_fs of accounts that say "parent"; the root's level sum, too: Slurm's NO_VAL */
#define TRANSPARENT_FS 4294967294.0L

struct tree_entry {				/* of a level */
	double level_fs;		/* rounded: walk.level_fs distinguishes equal ones */
	uint32_t item;
	uint32_t order;			/* among equals: users before accounts, then by age */
};

struct tree_level {
	uint32_t next, end;		/* of struct tree_walk.entries */
	bool tied;			/* what is next, to what came before it */
};

struct tree_walk {
	struct association *items;
	const struct fair_tree_options *options;
	long double *level_fs;		/* by item */
	/* by item: where in `children` those that compete below it begin; n + 1 of them */
	uint32_t *first;
	uint32_t *children;
	struct tree_entry *entries, *spare;
	struct tree_level *levels;
	size_t nlevels;
	size_t users, rank, next_rank;
};

static void walk_destroy(struct tree_walk *w)
{
	free(w->level_fs);
	free(w->first);
	free(w->children);
	free(w->entries);
	free(w->spare);
	free(w->levels);
}

static int walk_create(struct tree_walk *w, const struct association_tree *tree, const struct fair_tree_options *options)
{
	*w = (struct tree_walk){ .items = tree->items, .options = options, .users = tree->users, .rank = tree->users, .next_rank = tree->users };
	w->level_fs = calloc(tree->n, sizeof(*w->level_fs));
	w->first = calloc(tree->n + 2, sizeof(*w->first));
	w->children = calloc(tree->n, sizeof(*w->children));
	w->entries = calloc(tree->n, sizeof(*w->entries));
	w->spare = calloc(tree->n, sizeof(*w->spare));
	w->levels = calloc(tree->n, sizeof(*w->levels));
	if (w->level_fs && w->first && w->children && w->entries && w->spare && w->levels)
		return 0;
	walk_destroy(w);
	return -ENOMEM;
}

/* What a level is sorted by */

static double level_share(const struct tree_walk *w, const struct association *item)
{
	if (item->shares == SHARES_OF_PARENT)
		return w->items[item->fairshare_parent].norm_shares;
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

static void items_weigh(struct tree_walk *w, size_t n)
{
	struct association *root = &w->items[0];

	root->norm_shares = (double)(1.0L / TRANSPARENT_FS);
	root->norm_usage = root->usage > 0.0L;
	root->effective_usage = 1.0L;
	root->level_fs = root->factor = 0.0;
	root->rank = 0;
	for (size_t i = 1; i < n; i++) {
		struct association *item = &w->items[i];
		long double effective_usage = part_of(item->usage, w->items[item->fairshare_parent].usage);

		item->norm_shares = level_share(w, item);
		item->norm_usage = part_of(item->usage, root->usage);
		item->effective_usage = effective_usage;
		w->level_fs[i] = item_level_fs(item, effective_usage);
		item->level_fs = item->shares == SHARES_OF_PARENT && !item->is_user ? 0.0 : (double)w->level_fs[i];
		item->factor = 0.0;
		item->rank = 0;
	}
}

/* Those that compete below one account next to each other, in the order of the array. */
static void children_collect(struct tree_walk *w, size_t n)
{
	for (size_t i = 1; i < n; i++)
		w->first[w->items[i].fairshare_parent + 2]++;
	for (size_t i = 2; i <= n; i++)
		w->first[i] += w->first[i - 1];
	for (size_t i = 1; i < n; i++)
		w->children[w->first[w->items[i].fairshare_parent + 1]++] = (uint32_t)i;
}

/* Sorting */

static bool entry_before(const struct tree_walk *w, const struct tree_entry *a, const struct tree_entry *b)
{
	if (a->level_fs != b->level_fs)
		return a->level_fs > b->level_fs;
	if (w->level_fs[a->item] != w->level_fs[b->item])
		return w->level_fs[a->item] > w->level_fs[b->item];
	return a->order < b->order;
}

static void entries_insert(const struct tree_walk *w, struct tree_entry *entries, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct tree_entry entry = entries[i];
		size_t k = i;

		for (; k > 0 && entry_before(w, &entry, &entries[k - 1]); k--)
			entries[k] = entries[k - 1];
		entries[k] = entry;
	}
}

static void entries_merge(const struct tree_walk *w, const struct tree_entry *from, size_t middle, size_t n, struct tree_entry *to)
{
	size_t a = 0, b = middle;

	while (a < middle && b < n)
		*to++ = entry_before(w, &from[b], &from[a]) ? from[b++] : from[a++];
	memcpy(to, from + a, (middle - a) * sizeof(*to));
	memcpy(to + (middle - a), from + b, (n - b) * sizeof(*to));
}

/*
 * Merged from below: a level may have all users of a cell, and the C library takes twice as long.
 */
static void entries_sort(const struct tree_walk *w, struct tree_entry *entries, size_t n)
{
	enum { RUN = 8 };
	struct tree_entry *from = entries, *to = w->spare, *other;

	for (size_t i = 0; i < n; i += RUN)
		entries_insert(w, entries + i, n - i < RUN ? n - i : RUN);
	for (size_t run = RUN; run < n; run *= 2) {
		for (size_t i = 0; i < n; i += 2 * run)
			entries_merge(w, from + i, n - i < run ? n - i : run, n - i < 2 * run ? n - i : 2 * run, to + i);
		other = from;
		from = to;
		to = other;
	}
	if (from != entries)
		memcpy(entries, from, n * sizeof(*entries));
}

/* The walk */

/* Half of the numbers for users, half for accounts: no tree has as many items. */
static uint32_t entry_order(const struct tree_walk *w, uint32_t item)
{
	uint32_t place = w->options->places ? w->options->places[item] : item;
	uint32_t order = w->options->newest_first ? INT32_MAX - place : place;

	return w->items[item].is_user ? order : order + INT32_MAX;
}

static uint32_t children_append(const struct tree_walk *w, uint32_t account, uint32_t end)
{
	for (uint32_t k = w->first[account]; k < w->first[account + 1]; k++) {
		uint32_t item = w->children[k];
		bool transparent = w->items[item].shares == SHARES_OF_PARENT && !w->items[item].is_user;

		if (!transparent || !w->options->merge_ties)
			w->entries[end++] = (struct tree_entry){ (double)w->level_fs[item], item, entry_order(w, item) };
	}
	return end;
}

/* A level of all that competes below the accounts entries[from..to). */
static void level_push(struct tree_walk *w, uint32_t from, uint32_t to, bool tied)
{
	uint32_t begin = w->levels[w->nlevels - 1].end, end = begin;

	for (uint32_t e = from; e < to; e++)
		end = children_append(w, w->entries[e].item, end);
	entries_sort(w, w->entries + begin, end - begin);
	w->levels[w->nlevels++] = (struct tree_level){ begin, end, tied };
}

static bool entries_tied(const struct tree_walk *w, uint32_t a, uint32_t b)
{
	return w->level_fs[w->entries[a].item] == w->level_fs[w->entries[b].item];
}

/* As many accounts from entries[e] on as are tied. */
static uint32_t accounts_end(const struct tree_walk *w, const struct tree_level *level, uint32_t e)
{
	uint32_t end = e + 1;

	while (w->options->merge_ties && end < level->end && entries_tied(w, end, e))
		end++;
	return end;
}

static void user_rank(struct tree_walk *w, struct association *user, bool tied)
{
	if (!tied)
		w->rank = w->next_rank;
	user->rank = (uint32_t)w->rank;
	user->factor = (double)w->rank / (double)w->users;
	w->next_rank--;
}

static void level_step(struct tree_walk *w, struct tree_level *level)
{
	uint32_t e = level->next, end = e + 1;
	struct association *item = &w->items[w->entries[e].item];
	bool tied = level->tied;

	if (!item->is_user)
		end = accounts_end(w, level, e);
	level->next = end;
	level->tied = end < level->end && entries_tied(w, end, e);
	if (item->is_user)
		user_rank(w, item, tied);
	else if (item->shares != SHARES_OF_PARENT)
		level_push(w, e, end, tied);
}

static void tree_walk(struct tree_walk *w)
{
	w->levels[0] = (struct tree_level){ 0, children_append(w, 0, 0), false };
	entries_sort(w, w->entries, w->levels[0].end);
	w->nlevels = 1;
	while (w->nlevels > 0) {
		struct tree_level *level = &w->levels[w->nlevels - 1];

		if (level->next < level->end)
			level_step(w, level);
		else
			w->nlevels--;
	}
}

int fair_tree(struct association_tree *tree, const struct fair_tree_options *options)
{
	struct tree_walk w;
	int rc;

	if (tree->n == 0)
		return 0;
	rc = walk_create(&w, tree, options);
	if (rc)
		return rc;
	items_weigh(&w, tree->n);
	children_collect(&w, tree->n);
	tree_walk(&w);
	walk_destroy(&w);
	return 0;
}
