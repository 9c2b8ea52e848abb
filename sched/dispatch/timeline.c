/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line is a treap: a search tree by moment and a heap by random weights, so it is as deep as the logarithm of its size whatever is booked.
 * A node is a moment and the change of the amount there; it knows the sum of the changes below it and the highest level that they reach
 * on the way. A moment at which nothing changes has no node.
 */
#include "sched/dispatch/timeline.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "conf/array.h"
#include "sched/dispatch/moments.h"

#define UNIT 0x1p-60
#define MOST_TOTAL 0x1p66		/* 2^126 units: no sum of them overflows */

typedef __int128 units;

struct timeline_node {
	units change;
	units sum, top;			/* of the subtree: all its changes, and the greatest sum of its first ones, at least 0 */
	int64_t at;
	uint32_t left, right;		/* left also links what is free */
	uint32_t weight;
};

static units units_of(double amount)
{
	return (units)rint(amount / UNIT);
}

static double amount_of(units u)
{
	return (double)u * UNIT;
}

static units larger(units a, units b)
{
	return a > b ? a : b;
}

void timelines_create(struct timelines *t)
{
	*t = (struct timelines){ .free = TIMELINE_EMPTY, .random = 1 };
}

void timelines_destroy(struct timelines *t)
{
	free(t->nodes);
	timelines_create(t);
}

void timelines_clear(struct timelines *t)
{
	t->n = 0;
	t->free = TIMELINE_EMPTY;
	t->total = 0;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

/* The two nodes that a booking may need are there. Whether some are free is not worth a look. */
static int nodes_reserve(struct timelines *t)
{
	uint32_t capacity = t->capacity ? 2 * t->capacity : 64;
	int error = t->moments ? moments_reserve(t->moments) : 0;

	if (error)
		return error;
	if (t->capacity - t->n >= 2)
		return 0;
	if (t->capacity > UINT32_MAX / 2)
		return -ENOMEM;
	error = array_grow(&t->nodes, capacity, sizeof(*t->nodes));
	if (!error)
		t->capacity = capacity;
	return error;
}

static uint32_t weight_next(struct timelines *t)
{
	t->random = t->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(t->random >> 32);
}

static uint32_t node_new(struct timelines *t, int64_t at, units change)
{
	uint32_t node = t->free;

	if (node == TIMELINE_EMPTY)
		node = t->n++;
	else
		t->free = t->nodes[node].left;
	if (t->moments)
		moments_note(t->moments, at, 1);
	t->nodes[node] = (struct timeline_node){
		.change = change, .sum = change, .top = larger(change, 0), .at = at, .left = TIMELINE_EMPTY, .right = TIMELINE_EMPTY,
		.weight = weight_next(t),
	};
	return node;
}

static void node_free(struct timelines *t, uint32_t node)
{
	if (t->moments)
		moments_note(t->moments, t->nodes[node].at, -1);
	t->nodes[node].left = t->free;
	t->free = node;
}

static units sum(const struct timelines *t, uint32_t node)
{
	return node == TIMELINE_EMPTY ? 0 : t->nodes[node].sum;
}

static units top(const struct timelines *t, uint32_t node)
{
	return node == TIMELINE_EMPTY ? 0 : t->nodes[node].top;
}

/* How much the changes up to this node's own add to what was before its subtree. */
static units rise(const struct timelines *t, const struct timeline_node *n)
{
	return sum(t, n->left) + n->change;
}

static void node_update(struct timelines *t, uint32_t node)
{
	struct timeline_node *n = &t->nodes[node];
	units here = rise(t, n);

	n->sum = here + sum(t, n->right);
	n->top = larger(top(t, n->left), here + top(t, n->right));
}

/* ---- booking ---------------------------------------------------------------------------------------------------- */

/* The left child takes its parent's place, and below the right one: who is on top is returned. */
static uint32_t rotate_right(struct timelines *t, uint32_t node)
{
	uint32_t child = t->nodes[node].left;

	t->nodes[node].left = t->nodes[child].right;
	t->nodes[child].right = node;
	node_update(t, node);
	node_update(t, child);
	return child;
}

static uint32_t rotate_left(struct timelines *t, uint32_t node)
{
	uint32_t child = t->nodes[node].right;

	t->nodes[node].right = t->nodes[child].left;
	t->nodes[child].left = node;
	node_update(t, node);
	node_update(t, child);
	return child;
}

/* One tree of two, all moments of `a` being before those of `b`. */
static uint32_t join(struct timelines *t, uint32_t a, uint32_t b)
{
	if (a == TIMELINE_EMPTY)
		return b;
	if (b == TIMELINE_EMPTY)
		return a;
	if (t->nodes[a].weight > t->nodes[b].weight) {
		t->nodes[a].right = join(t, t->nodes[a].right, b);
		node_update(t, a);
		return a;
	}
	t->nodes[b].left = join(t, a, t->nodes[b].left);
	node_update(t, b);
	return b;
}

static uint32_t node_change(struct timelines *t, uint32_t node, units change)
{
	uint32_t rest;

	t->nodes[node].change += change;
	if (t->nodes[node].change != 0) {
		node_update(t, node);
		return node;
	}
	rest = join(t, t->nodes[node].left, t->nodes[node].right);
	node_free(t, node);
	return rest;
}

/* Returns the root of what the tree has become. */
static uint32_t tree_add(struct timelines *t, uint32_t node, int64_t at, units change)
{
	struct timeline_node *n;

	if (node == TIMELINE_EMPTY)
		return node_new(t, at, change);
	n = &t->nodes[node];		/* stays: memory was reserved */
	if (at == n->at)
		return node_change(t, node, change);
	if (at < n->at) {
		n->left = tree_add(t, n->left, at, change);
		if (n->left != TIMELINE_EMPTY && t->nodes[n->left].weight > n->weight)
			return rotate_right(t, node);
	} else {
		n->right = tree_add(t, n->right, at, change);
		if (n->right != TIMELINE_EMPTY && t->nodes[n->right].weight > n->weight)
			return rotate_left(t, node);
	}
	node_update(t, node);
	return node;
}

int timeline_book(struct timelines *t, uint32_t *line, int64_t begin, int64_t end, double amount)
{
	double total = t->total + fabs(amount);
	int error;

	if (!(total <= MOST_TOTAL))
		return -ERANGE;
	if (begin >= end || units_of(amount) == 0)
		return 0;
	error = nodes_reserve(t);
	if (error)
		return error;
	t->total = total;
	*line = tree_add(t, *line, begin, units_of(amount));
	if (end != TIMELINE_NEVER)
		*line = tree_add(t, *line, end, -units_of(amount));
	return 0;
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

/* The greatest level from `begin` on in a subtree; `level` is what is booked before it. */
static units most_since(const struct timelines *t, uint32_t node, int64_t begin, units level)
{
	units most = 0;

	while (node != TIMELINE_EMPTY) {
		const struct timeline_node *n = &t->nodes[node];
		units here = level + rise(t, n);

		if (n->at > begin) {
			most = larger(most, here + top(t, n->right));
			node = n->left;
		} else {
			level = here;
			node = n->right;
		}
	}
	return larger(most, level);
}

/* The greatest level behind one of the changes before `end`. */
static units most_until(const struct timelines *t, uint32_t node, int64_t end, units level)
{
	units most = 0;

	while (node != TIMELINE_EMPTY) {
		const struct timeline_node *n = &t->nodes[node];

		if (n->at >= end) {
			node = n->left;
		} else {
			most = larger(most, level + top(t, n->left));
			level += rise(t, n);
			most = larger(most, level);
			node = n->right;
		}
	}
	return most;
}

double timeline_max(const struct timelines *t, uint32_t line, int64_t begin, int64_t end)
{
	const struct timeline_node *n;
	units level = 0;

	while (begin < end && line != TIMELINE_EMPTY) {
		n = &t->nodes[line];
		if (n->at >= end) {
			line = n->left;
		} else if (n->at <= begin) {
			level += rise(t, n);
			line = n->right;
		} else {
			return amount_of(larger(most_since(t, n->left, begin, level),
						larger(level + rise(t, n), most_until(t, n->right, end, level + rise(t, n)))));
		}
	}
	return amount_of(larger(level, 0));
}

int64_t timeline_below(const struct timelines *t, uint32_t line, double limit)
{
	int64_t next = TIMELINE_NEVER;	/* the first change behind the last that is known to be too high */
	bool exceeded = limit < 0;
	units level = 0;

	while (line != TIMELINE_EMPTY) {
		const struct timeline_node *n = &t->nodes[line];
		units here = level + rise(t, n);

		if (amount_of(here + top(t, n->right)) > limit) {
			exceeded = true;
			level = here;
			line = n->right;
		} else {
			next = n->at;
			line = n->left;
		}
	}
	return exceeded ? next : INT64_MIN;
}

int64_t timeline_above(const struct timelines *t, uint32_t line, double limit, int64_t before)
{
	int64_t next = TIMELINE_NEVER;	/* as in timeline_below() */
	bool exceeded = false;
	units level = 0;

	while (line != TIMELINE_EMPTY) {
		const struct timeline_node *n = &t->nodes[line];
		units here = level + rise(t, n);

		if (n->at < before && amount_of(larger(here, most_until(t, n->right, before, here))) > limit) {
			exceeded = true;
			level = here;
			line = n->right;
		} else {
			next = n->at;
			line = n->left;
		}
	}
	return exceeded ? next : INT64_MIN;
}

int64_t timeline_change(const struct timelines *t, uint32_t line, int64_t before)
{
	int64_t found = INT64_MIN;

	while (line != TIMELINE_EMPTY) {
		const struct timeline_node *n = &t->nodes[line];

		if (n->at < before)
			found = n->at;
		line = n->at < before ? n->right : n->left;
	}
	return found;
}

int64_t timeline_next(const struct timelines *t, uint32_t line, int64_t from)
{
	int64_t found = TIMELINE_NEVER;

	while (line != TIMELINE_EMPTY) {
		const struct timeline_node *n = &t->nodes[line];

		if (n->at >= from)
			found = n->at;
		line = n->at >= from ? n->left : n->right;
	}
	return found;
}
