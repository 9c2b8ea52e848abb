/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions shared by timeline.c and timeline_query.c. A line is a treap: a search tree by time
 * and a heap by random weights. Its depth is logarithmic in its size, whatever is booked. A node is
 * a row of steps, which are times at which the amount changes. A time at which nothing changes has
 * no step. Most lines are short and fit in one node. A node stores the sum of the changes below it
 * and the highest level that they reach. The time of that level is kept in a separate array because
 * most queries need only that.
 */
#ifndef SCHED_DISPATCH_TIMELINE_TIMELINE_NODE_H
#define SCHED_DISPATCH_TIMELINE_TIMELINE_NODE_H

#include "sched/dispatch/timeline/timeline.h"

#define UNIT 0x1p-60
#define STEPS 16			/* maximum in a node */

typedef __int128 units;

struct timeline_step {			/* packed: a short line uses few cache lines */
	int64_t at;
	units change;
} __attribute__((packed, aligned(8)));

struct timeline_node {			/* members that are read for a short line come first */
	uint32_t left, right;		/* left also links free nodes */
	uint32_t weight, n;
	/* Sum of all changes in the subtree, and greatest partial sum, at least 0. */
	units sum, top;
	struct timeline_step steps[STEPS];	/* ascending, n of them, at least 1 */
};

struct timeline_peak {			/* highest level of the subtree */
	/* The level is at the top from `from` to before `to`, and perhaps at other times. */
	int64_t from, to;
	double most;			/* level at the top */
};

/*
 * Return the amount as a double. Most amounts are whole numbers, which need no 128-bit arithmetic;
 * the result is equal.
 */
static inline double amount_of(units u)
{
	int64_t whole = (int64_t)(u >> 60);

	return whole * ((units)1 << 60) == u ? (double)whole : (double)u * UNIT;
}

static inline units larger(units a, units b)
{
	return a > b ? a : b;
}

static inline units sum(const struct timelines *timelines, uint32_t node)
{
	return node == TIMELINE_EMPTY ? 0 : timelines->nodes[node].sum;
}

static inline units top(const struct timelines *timelines, uint32_t node)
{
	return node == TIMELINE_EMPTY ? 0 : timelines->nodes[node].top;
}

/*
 * Return how much the changes up to the last step of this node add to the level before its subtree.
 */
static inline units rise(const struct timelines *timelines, const struct timeline_node *node)
{
	return node->sum - sum(timelines, node->right);
}

/* Return the number of steps of a node before a time. */
static inline uint32_t steps_before(const struct timeline_node *node, int64_t at)
{
	uint32_t i = 0;

	while (i < node->n && node->steps[i].at < at)
		i++;
	return i;
}

#endif
