/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's association tree: accounts and their users, with shares and raw usage, and the values
 * computed from these: normalised shares, normalised and effective usage, and the fair-share
 * factor. Sources of the formulas: Slurm's "Multifactor Priority Plugin" of June 2009, "Classic
 * Fairshare Algorithm", "Fair Tree Fairshare Algorithm" and "Depth-Oblivious Fair-share Factor", as
 * Slurm 2.0 and 22.05 compute them.
 *
 * The tree is one array in pre-order, with the oldest siblings first. The caller owns it. Usage is
 * in TRES seconds and decayed. Usage and its parts have the precision that Slurm uses, because last
 * digits and ties depend on it. Shares are 0..2^31-1 or SHARES_OF_PARENT. An account with "parent"
 * is transparent: its children compete with its siblings, at the level of its nearest ancestor
 * without "parent". No function recurses. The time of each function is proportional to the number
 * of items, except for fair_tree(), which sorts, and associations_charge(), which depends on the
 * user's depth.
 */
#ifndef TICKETS_ASSOCIATIONS_H
#define TICKETS_ASSOCIATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARES_OF_PARENT 0x7fffffffu	/* fairshare=parent */
#define ASSOCIATION_NONE UINT32_MAX

struct association {
	/* input, set by the caller */
	/* Index of an earlier item; ASSOCIATION_NONE for item 0, the root. */
	uint32_t parent;
	uint32_t shares;
	bool is_user;			/* a user has no children */
	/* Raw usage, 0..DBL_MAX. An account has the sum of its children, see associations_sum(). */
	long double usage;
	/* set by associations_link() */
	uint32_t first_child, next_sibling;	/* in the order of the array; ASSOCIATION_NONE */
	/* Nearest ancestor without "parent", at last the root. ASSOCIATION_NONE for the root. */
	uint32_t fairshare_parent;
	/* Sum of all items that compete below it, also through accounts with "parent". */
	uint64_t child_shares;
	/* Sum of its own and its siblings' shares, by which its shares are divided. Root: 0. */
	double level_shares;
	/* results */
	double norm_shares;		/* S; with Fair Tree within its level only */
	/* U_A: part of the root's usage, or in 2009 of the capacity; 0..1. */
	long double norm_usage;
	long double effective_usage;	/* U_E */
	/* Depth-oblivious: sum of U_A of all items that compete below it. */
	long double child_usage;
	/* F. For accounts: the value that sshare shows, 0 with Fair Tree. */
	double factor;
	/*
	 * Fair Tree: S / U_E. HUGE_VAL if nothing was used, and for users with "parent". 0 for
	 * accounts with "parent", and with other algorithms.
	 */
	double level_fs;
	uint32_t rank;			/* Fair Tree, users: 1 is last; factor = rank / users */
};

struct association_tree {
	struct association *items;
	size_t n;			/* 0: no tree */
	size_t users;			/* number of users; counted by associations_link() */
};

/*
 * Set links, fair-share parents and level sums. Return 0, or -EINVAL if item 0 is not a root, or a
 * parent is not before its child or is a user. Call it again after shares have changed.
 */
int associations_link(struct association_tree *tree);

/* Compute the usage of accounts from that of their users. Saturates at DBL_MAX. */
void associations_sum(struct association_tree *tree);

/*
 * Add `amount` to the raw usage of a user and of everything above it. `amount` must be finite and
 * >= 0. Saturates at DBL_MAX.
 */
void associations_charge(struct association_tree *tree, uint32_t user, double amount);

/*
 * Subtract usage of a user that was charged by mistake, at most to 0. After that the accounts must
 * be summed again: a difference could leave rounding errors as usage.
 */
void associations_refund(struct association_tree *tree, uint32_t user, double amount);

/* Multiply all raw usage by `factor`, 0..1. */
void associations_decay(struct association_tree *tree, double factor);

/* Classic (classic.c) */

/* Compute S of all items: the product of shares over the levels; 1 for the root. */
void classic_shares(struct association_tree *tree);

/*
 * Compute U_A and U_E of accounts, and, with these, of users. Slurm computes those of accounts at
 * the beginning of a pass, before usage is decayed and charged, and those of users after it.
 * Therefore these are two calls. `depth_oblivious` selects U_E of that variant, which needs
 * classic_shares() first. In that case the call for accounts also sets U_A of users, so that sums
 * of siblings are complete from the first pass on.
 */
void classic_account_usage(struct association_tree *tree, bool depth_oblivious);
void classic_user_usage(struct association_tree *tree, bool depth_oblivious);

/*
 * Compute F = 2^(-(U_E / S) / damping) of all items; 0 if S is 0. Users with "parent" get F of
 * their fair-share ancestor. If `damping` is 0, the division by zero gives Slurm's result: F is 0
 * for items with usage, otherwise 1.
 */
void classic_factors(struct association_tree *tree, uint32_t damping);

/*
 * Return U_E = U_A + (U_E of the fair-share parent - U_A) * shares / level sum. Directly below the
 * root U_E is U_A. U_E is that of the parent if the level sum is 0, and for items with "parent".
 * U_A of the item and U_E of the items above must have been computed.
 */
long double classic_effective_usage(const struct association_tree *tree, uint32_t item);

/*
 * Return the item that determines an item's F: the fair-share ancestor of a user with "parent",
 * otherwise the item itself.
 */
const struct association *classic_factor_source(const struct association_tree *tree, uint32_t item);

/* 2009 (fairshare_2009.c) */

/*
 * Compute U_A = usage / (cpus * half-life * 2), at most 1, and U_E of all items. `capacity` is the
 * divisor in cpu seconds; if it is 0, all U_A are 0. S is computed by classic_shares().
 */
void usage_2009(struct association_tree *tree, double capacity);
/* Compute F = (S - U_E + 1) / 2 of all items. */
void factors_2009(struct association_tree *tree);

/* Fair Tree (fair_tree.c) */

struct fair_tree_options {
	/*
	 * Documented behaviour: the children of tied accounts compete together. Otherwise as Slurm
	 * does it: one account after the other.
	 */
	bool merge_ties;
	/* Among equal items the later one is first, otherwise the earlier one. */
	bool newest_first;
	/* Position of each item for that purpose, less than 2^31. NULL: position in the array. */
	const uint32_t *places;
};

/*
 * Compute S, U_A, U_E, level_fs, rank and factor of all items. Return 0 or -ENOMEM; after -ENOMEM
 * nothing has changed.
 */
int fair_tree(struct association_tree *tree, const struct fair_tree_options *options);

#endif
