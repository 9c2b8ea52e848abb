/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/dispatch/moments.h"
#include "sched/dispatch/timeline_node.h"

#define MOST_TOTAL 0x1p66		/* 2^126 units: no sum of them overflows */

static units units_of(double amount)
{
	return (units)rint(amount / UNIT);
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

static uint32_t node_new(struct timelines *t)
{
	uint32_t node = t->free;

	if (node == TIMELINE_EMPTY)
		node = t->n++;
	else
		t->free = t->nodes[node].left;
	t->nodes[node].left = t->nodes[node].right = TIMELINE_EMPTY;
	t->nodes[node].weight = weight_next(t);
	t->nodes[node].n = 0;
	return node;
}

static void node_free(struct timelines *t, uint32_t node)
{
	t->nodes[node].left = t->free;
	t->free = node;
}

static void node_update(struct timelines *t, uint32_t node)
{
	struct timeline_node *n = &t->nodes[node];
	units before = sum(t, n->left), here = before + n->own_sum;

	n->sum = here + sum(t, n->right);
	n->top = larger(larger(top(t, n->left), before + n->own_top), here + top(t, n->right));
}

/* The same after a change of its own steps. */
static void node_count(struct timelines *t, uint32_t node)
{
	struct timeline_node *n = &t->nodes[node];

	n->own_sum = n->own_top = 0;
	for (uint32_t i = 0; i < n->n; i++) {
		n->own_sum += n->change[i];
		n->own_top = larger(n->own_top, n->own_sum);
	}
	node_update(t, node);
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

/* A tree with one more node, before all others. */
static uint32_t put_first(struct timelines *t, uint32_t node, uint32_t first)
{
	if (node == TIMELINE_EMPTY)
		return first;
	t->nodes[node].left = put_first(t, t->nodes[node].left, first);
	if (t->nodes[t->nodes[node].left].weight > t->nodes[node].weight)
		return rotate_right(t, node);
	node_update(t, node);
	return node;
}

/* The second half of a full node becomes one of its own. Returns who is on top. */
static uint32_t node_split(struct timelines *t, uint32_t node)
{
	uint32_t second = node_new(t);
	struct timeline_node *n = &t->nodes[node], *s = &t->nodes[second];

	s->n = STEPS / 2;
	n->n = STEPS - s->n;
	memcpy(s->at, n->at + n->n, s->n * sizeof(*s->at));
	memcpy(s->change, n->change + n->n, s->n * sizeof(*s->change));
	node_count(t, second);
	n->right = put_first(t, n->right, second);
	node_count(t, node);
	return t->nodes[n->right].weight > n->weight ? rotate_left(t, node) : node;
}

static void step_insert(struct timelines *t, struct timeline_node *n, uint32_t i, int64_t at)
{
	memmove(&n->at[i + 1], &n->at[i], (n->n - i) * sizeof(*n->at));
	memmove(&n->change[i + 1], &n->change[i], (n->n - i) * sizeof(*n->change));
	n->at[i] = at;
	n->change[i] = 0;
	n->n++;
	if (t->moments)
		moments_note(t->moments, at, 1);
}

static void step_remove(struct timelines *t, struct timeline_node *n, uint32_t i)
{
	if (t->moments)
		moments_note(t->moments, n->at[i], -1);
	n->n--;
	memmove(&n->at[i], &n->at[i + 1], (n->n - i) * sizeof(*n->at));
	memmove(&n->change[i], &n->change[i + 1], (n->n - i) * sizeof(*n->change));
}

/* In the node itself, where there is room. Returns what its tree has become. */
static uint32_t node_add(struct timelines *t, uint32_t node, int64_t at, units change)
{
	struct timeline_node *n = &t->nodes[node];
	uint32_t i = steps_before(n, at), rest;

	if (i == n->n || n->at[i] != at)
		step_insert(t, n, i, at);
	n->change[i] += change;
	if (n->change[i] == 0)
		step_remove(t, n, i);
	if (n->n > 0) {
		node_count(t, node);
		return node;
	}
	rest = join(t, n->left, n->right);
	node_free(t, node);
	return rest;
}

/* Returns the root of what the tree has become. A full node is halved, even if the moment is in it already: that is found out later. */
static uint32_t tree_add(struct timelines *t, uint32_t node, int64_t at, units change)
{
	struct timeline_node *n;

	if (node == TIMELINE_EMPTY)
		return node_add(t, node_new(t), at, change);
	n = &t->nodes[node];		/* stays: memory was reserved */
	if (at < n->at[0] && n->left != TIMELINE_EMPTY) {
		n->left = tree_add(t, n->left, at, change);
		if (n->left != TIMELINE_EMPTY && t->nodes[n->left].weight > n->weight)
			return rotate_right(t, node);
	} else if (at > n->at[n->n - 1] && n->right != TIMELINE_EMPTY) {
		n->right = tree_add(t, n->right, at, change);
		if (n->right != TIMELINE_EMPTY && t->nodes[n->right].weight > n->weight)
			return rotate_left(t, node);
	} else {
		return n->n < STEPS ? node_add(t, node, at, change) : tree_add(t, node_split(t, node), at, change);
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
