/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What timeline.c and timeline_query.c share. A line is a treap: a search tree by moment and a heap
 * by random weights, so it is as deep as the logarithm of its size whatever is booked. A node is a
 * row of steps, moments at which the amount changes; a moment at which nothing changes is none.
 * Most lines are short: all of such a line lies together in one node. A node knows the sum of the
 * changes below it and the highest level that they reach on the way; when that is stands apart from
 * the nodes, because it is all that most questions need.
 */
#ifndef SCHED_DISPATCH_TIMELINE_TIMELINE_NODE_H
#define SCHED_DISPATCH_TIMELINE_TIMELINE_NODE_H

#include "sched/dispatch/timeline/timeline.h"

#define UNIT 0x1p-60
#define STEPS 16			/* of a node at most */

typedef __int128 units;

struct timeline_step {			/* packed: a short line is in few cachelines */
	int64_t at;
	units change;
} __attribute__((packed, aligned(8)));

struct timeline_node {			/* what is read of a short line comes first */
	uint32_t left, right;		/* left also links what is free */
	uint32_t weight, n;
	/* of the subtree: all its changes, and the greatest sum of its first ones, at least 0 */
	units sum, top;
	struct timeline_step steps[STEPS];	/* ascending, n of them, at least 1 */
};

struct timeline_peak {			/* of the subtree */
	/* it is at its top all the time from `from` to before `to`, and perhaps at other times */
	int64_t from, to;
	double most;			/* the top */
};

/* Most are whole numbers, which need no arithmetic of 128 bits; the result is the same. */
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

/* How much the changes up to this node's last one add to what was before its subtree. */
static inline units rise(const struct timelines *timelines, const struct timeline_node *node)
{
	return node->sum - sum(timelines, node->right);
}

/* How many of its steps are before a moment. */
static inline uint32_t steps_before(const struct timeline_node *node, int64_t at)
{
	uint32_t i = 0;

	while (i < node->n && node->steps[i].at < at)
		i++;
	return i;
}

#endif
