/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second, plain implementation of Slurm's fair shares: recursion, lists, sorting by selection.
 * For small trees in pre-order. It reads parent, shares, is_user and usage of the items, computes
 * everything else again for each call, and shares no code with tickets/.
 */
#ifndef TESTS_NAIVE_FAIRSHARE_H
#define TESTS_NAIVE_FAIRSHARE_H

#include "tickets/associations.h"

/* Classic */
double naive_norm_shares(const struct association_tree *tree, uint32_t i);
double naive_effective_usage(const struct association_tree *tree, uint32_t i, bool depth_oblivious);
double naive_factor(const struct association_tree *tree, uint32_t i, bool depth_oblivious, uint32_t damping);

/* Compute Fair Tree: ranks[i] of each user. */
void naive_fair_tree(const struct association_tree *tree, bool merge_ties, bool newest_first, uint32_t *ranks);

#endif
