/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's association tree: accounts and the users in them, with shares and raw usage, and what
 * they come to: normalised shares, normalised and effective usage, the fair-share factor. Source of
 * the formulas: Slurm's "Multifactor Priority Plugin" of June 2009, "Classic Fairshare Algorithm",
 * "Fair Tree Fairshare Algorithm" and "Depth-Oblivious Fair-share Factor", as Slurm 2.0 and 22.05
 * compute them.
 *
 * All in one array in pre-order, siblings oldest first; the caller owns it. Usage is in TRES
 * seconds, decayed, and kept in the precision in which Slurm keeps it, as are its parts: last
 * digits and ties depend on it. Shares are 0..2^31-1 or SHARES_OF_PARENT. An account that says
 * "parent" is transparent: what is below it competes with its siblings, at the level of its nearest
 * ancestor that does not say so. No function recurses; each takes time in proportion to the number
 * of items, fair_tree() that of sorting them, associations_charge() that of the user's depth.
 */
#ifndef TICKETS_ASSOCIATIONS_H
#define TICKETS_ASSOCIATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARES_OF_PARENT 0x7fffffffu	/* fairshare=parent */
#define ASSOCIATION_NONE UINT32_MAX

struct association {
	/* what the caller sets */
	/* index of an earlier one; ASSOCIATION_NONE: item 0, the root */
	uint32_t parent;
	uint32_t shares;
	bool is_user;			/* nothing is below it */
	/* raw, 0..DBL_MAX; of accounts the sum of what is below, see associations_sum() */
	long double usage;
	/* made by associations_link() */
	uint32_t first_child, next_sibling;	/* in the order of the array; ASSOCIATION_NONE */
	/*
	 * nearest ancestor that does not say "parent", the root at last; of the root
	 * ASSOCIATION_NONE
	 */
	uint32_t fairshare_parent;
	/* sum of all that compete below it, through accounts that say "parent" */
	uint64_t child_shares;
	/* of its siblings and itself: the sum that its shares are divided by; of the root 0 */
	double level_shares;
	/* results */
	double norm_shares;		/* S; with Fair Tree that of its level alone */
	/* U_A: part of the root's usage, or, 2009, of the capacity; 0..1 */
	long double norm_usage;
	long double effective_usage;	/* U_E */
	/* depth-oblivious: U_A of all that compete below it, summed up */
	long double child_usage;
	/* F; of accounts what sshare shows for them, 0 with Fair Tree */
	double factor;
	/*
	 * Fair Tree: S / U_E, HUGE_VAL if nothing was used and for users with "parent"; 0 for
	 * accounts with it, and else
	 */
	double level_fs;
	uint32_t rank;			/* Fair Tree, users: 1 is last; factor = rank / users */
};

struct association_tree {
	struct association *items;
	size_t n;			/* 0: no tree */
	size_t users;			/* of all; associations_link() counts them */
};

/*
 * Sets links, fair-share parents and level sums, and checks: -EINVAL if item 0 is no root, or a
 * parent does not stand before its child or is a user. To be called again when shares have changed.
 */
int associations_link(struct association_tree *tree);

/* Usage of accounts anew from that of the users below them. Saturates at DBL_MAX. */
void associations_sum(struct association_tree *tree);

/*
 * Raw usage of a user and of everything above it grows. `amount` >= 0, finite. Saturates at
 * DBL_MAX.
 */
void associations_charge(struct association_tree *tree, uint32_t user, double amount);

/*
 * A user's usage shrinks, as far as there is something: what was charged too much. Accounts are to
 * be summed anew: what is left of them by a difference might be nothing but rounding.
 */
void associations_refund(struct association_tree *tree, uint32_t user, double amount);

/* All raw usage times `factor`, 0..1. */
void associations_decay(struct association_tree *tree, double factor);

/* Classic (classic.c) */

/* S of all: products of shares by level; 1 for the root. */
void classic_shares(struct association_tree *tree);

/*
 * U_A and U_E of accounts, and, under these, of users. Slurm computes those of accounts at the
 * beginning of a pass, before usage is decayed and charged, and those of users behind it: so they
 * are two calls. `depth_oblivious`: that variant's U_E, which needs classic_shares() before; the
 * call for accounts sets U_A of users as well then, so that siblings' sums are whole from the first
 * pass on.
 */
void classic_account_usage(struct association_tree *tree, bool depth_oblivious);
void classic_user_usage(struct association_tree *tree, bool depth_oblivious);

/*
 * F = 2^(-(U_E / S) / damping) of all; 0 where S is 0. Users that say "parent" have that of their
 * fair-share ancestor. `damping` 0 divides by zero as Slurm does: F is 0 for all that have usage,
 * else 1.
 */
void classic_factors(struct association_tree *tree, uint32_t damping);

/*
 * U_E = U_A + (U_E of the fair-share parent - U_A) * shares / level sum; U_A directly below the
 * root, where nobody lends; the parent's where the level sum is 0, and for what says "parent". U_A
 * of the item and U_E above it must have been computed.
 */
long double classic_effective_usage(const struct association_tree *tree, uint32_t item);

/*
 * Where an item's F comes from: a user's that says "parent" from its fair-share ancestor, all
 * others' from itself.
 */
const struct association *classic_factor_source(const struct association_tree *tree, uint32_t item);

/* 2009 (fairshare_2009.c) */

/*
 * U_A = usage / (cpus * half-life * 2), at most 1, and U_E of all; `capacity` is the divisor in cpu
 * seconds, 0 makes all U_A 0. S is classic_shares()'s.
 */
void usage_2009(struct association_tree *tree, double capacity);
/* F = (S - U_E + 1) / 2 of all. */
void factors_2009(struct association_tree *tree);

/* Fair Tree (fair_tree.c) */

struct fair_tree_options {
	/*
	 * as documented: tied accounts' children compete together; else as Slurm does it: one
	 * account after the other
	 */
	bool merge_ties;
	/* among equals what stands later goes first; else what stands earlier */
	bool newest_first;
	/* where each item stands for that, less than 2^31; NULL: as in the array */
	const uint32_t *places;
};

/* S, U_A, U_E, level_fs, rank and factor of all. -ENOMEM: nothing has changed. */
int fair_tree(struct association_tree *tree, const struct fair_tree_options *options);

#endif
