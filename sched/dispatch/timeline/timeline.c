/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/dispatch/timeline/changes.h"
#include "sched/dispatch/timeline/timeline_node.h"

#define MOST_TOTAL 0x1p66		/* 2^126 units: no sum of them overflows */

static units units_of(double amount)
{
	if (fabs(amount) < 0x1p60 && (double)(int64_t)amount == amount)
		return (units)(int64_t)amount * ((units)1 << 60);
	return (units)rint(amount / UNIT);
}

void timelines_create(struct timelines *t)
{
	*t = (struct timelines){ .free = TIMELINE_EMPTY, .random = 1 };
}

void timelines_destroy(struct timelines *t)
{
	free(t->nodes);
	free(t->peaks);
	free(t->order);
	timelines_create(t);
}

void timelines_clear(struct timelines *t)
{
	t->n = 0;
	t->free = TIMELINE_EMPTY;
	t->total = 0;
	t->gathers = false;
}

/* Nodes */

/* The two nodes that a booking may need are there. Whether some are free is not worth a look. */
static int nodes_reserve(struct timelines *t)
{
	uint32_t capacity = t->capacity ? 2 * t->capacity : 64;
	int error = t->changes ? changes_reserve(t->changes) : 0;

	if (error)
		return error;
	if (t->capacity - t->n >= 2)
		return 0;
	if (t->capacity > UINT32_MAX / 2)
		return -ENOMEM;
	error = array_grow(&t->nodes, capacity, sizeof(*t->nodes));
	if (!error)
		error = array_grow(&t->peaks, capacity, sizeof(*t->peaks));
	if (!error)
		error = array_grow(&t->order, capacity, sizeof(*t->order));
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

/*
 * Of several moments at the top the peak is the first. Before its first step a subtree is at what
 * was booked before it: that is its top only where the line is never above 0. How long the last
 * step of a node lasts is not known here if more come behind it: a second at least.
 */
static void node_work_out(struct timelines *t, uint32_t node)
{
	struct timeline_node *n = &t->nodes[node];
	struct timeline_peak peak = { INT64_MIN, n->steps[0].at, 0 };
	units level = 0;

	n->top = 0;
	if (n->left != TIMELINE_EMPTY) {
		level = t->nodes[n->left].sum;
		n->top = t->nodes[n->left].top;
		peak.from = t->peaks[n->left].from;
		peak.to = t->peaks[n->left].to < peak.to ? t->peaks[n->left].to : peak.to;
	}
	for (uint32_t i = 0; i < n->n; i++) {
		level += n->steps[i].change;
		if (level <= n->top)
			continue;
		n->top = level;
		peak.from = n->steps[i].at;
		peak.to = i + 1 < n->n ? n->steps[i + 1].at : n->right == TIMELINE_EMPTY ? TIMELINE_NEVER : peak.from + 1;
	}
	if (level + top(t, n->right) > n->top) {
		n->top = level + top(t, n->right);
		peak = t->peaks[n->right];
	}
	n->sum = level + sum(t, n->right);
	peak.most = amount_of(n->top);
	t->peaks[node] = peak;
}

static void node_update(struct timelines *t, uint32_t node)
{
	if (!t->gathers)
		node_work_out(t, node);
}

/* Booking */

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
	memcpy(s->steps, n->steps + n->n, s->n * sizeof(*s->steps));
	node_update(t, second);
	n->right = put_first(t, n->right, second);
	node_update(t, node);
	return t->nodes[n->right].weight > n->weight ? rotate_left(t, node) : node;
}

static void step_insert(struct timelines *t, struct timeline_node *n, uint32_t i, int64_t at)
{
	memmove(&n->steps[i + 1], &n->steps[i], (n->n - i) * sizeof(*n->steps));
	n->steps[i] = (struct timeline_step){ .at = at };
	n->n++;
	if (t->changes)
		changes_note(t->changes, at, 1);
}

static void step_remove(struct timelines *t, struct timeline_node *n, uint32_t i)
{
	if (t->changes)
		changes_note(t->changes, n->steps[i].at, -1);
	n->n--;
	memmove(&n->steps[i], &n->steps[i + 1], (n->n - i) * sizeof(*n->steps));
}

/* In the node itself, where there is room. */
static void node_change(struct timelines *t, uint32_t node, int64_t at, units change)
{
	struct timeline_node *n = &t->nodes[node];
	uint32_t i = steps_before(n, at);

	if (i == n->n || n->steps[i].at != at)
		step_insert(t, n, i, at);
	n->steps[i].change += change;
	if (n->steps[i].change == 0)
		step_remove(t, n, i);
}

/* After that: it is counted, or gone if it has no steps left. Returns what its tree has become. */
static uint32_t node_settle(struct timelines *t, uint32_t node)
{
	const struct timeline_node *n = &t->nodes[node];
	uint32_t rest;

	if (n->n > 0) {
		node_update(t, node);
		return node;
	}
	rest = join(t, n->left, n->right);
	node_free(t, node);
	return rest;
}

static uint32_t node_add(struct timelines *t, uint32_t node, int64_t at, units change)
{
	node_change(t, node, at, change);
	return node_settle(t, node);
}

/*
 * Returns the root of what the tree has become. A full node is halved, even if the moment is in it
 * already: that is found out later.
 */
static uint32_t tree_add(struct timelines *t, uint32_t node, int64_t at, units change)
{
	struct timeline_node *n;

	if (node == TIMELINE_EMPTY)
		return node_add(t, node_new(t), at, change);
	n = &t->nodes[node];		/* stays: memory was reserved */
	if (at < n->steps[0].at && n->left != TIMELINE_EMPTY) {
		n->left = tree_add(t, n->left, at, change);
		if (n->left != TIMELINE_EMPTY && t->nodes[n->left].weight > n->weight)
			return rotate_right(t, node);
	} else if (at > n->steps[n->n - 1].at && n->right != TIMELINE_EMPTY) {
		n->right = tree_add(t, n->right, at, change);
		if (n->right != TIMELINE_EMPTY && t->nodes[n->right].weight > n->weight)
			return rotate_left(t, node);
	} else {
		return n->n < STEPS ? node_add(t, node, at, change) : tree_add(t, node_split(t, node), at, change);
	}
	node_update(t, node);
	return node;
}

/* One node with room for two steps more; most lines are. */
static bool is_short(const struct timelines *t, uint32_t line)
{
	const struct timeline_node *n = &t->nodes[line];

	return n->left == TIMELINE_EMPTY && n->right == TIMELINE_EMPTY && n->n + 2 <= STEPS;
}

/* Both steps at once. */
static uint32_t short_book(struct timelines *t, uint32_t line, int64_t begin, int64_t end, units amount)
{
	node_change(t, line, begin, amount);
	if (end != TIMELINE_NEVER)
		node_change(t, line, end, -amount);
	return node_settle(t, line);
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
	if (*line == TIMELINE_EMPTY)
		*line = node_new(t);
	if (is_short(t, *line)) {
		*line = short_book(t, *line, begin, end, units_of(amount));
		return 0;
	}
	*line = tree_add(t, *line, begin, units_of(amount));
	if (end != TIMELINE_NEVER)
		*line = tree_add(t, *line, end, -units_of(amount));
	return 0;
}

/* Gathering */

#define IS_CHILD (1u << 31)		/* in `n` of a node, while they are settled */

void timelines_gather(struct timelines *t)
{
	t->gathers = true;
}

static void child_mark(struct timelines *t, uint32_t child)
{
	if (child != TIMELINE_EMPTY)
		t->nodes[child].n |= IS_CHILD;
}

static void child_list(struct timelines *t, uint32_t child, uint32_t *n)
{
	if (child == TIMELINE_EMPTY)
		return;
	t->nodes[child].n &= ~IS_CHILD;
	t->order[(*n)++] = child;
}

/*
 * Roots, then those below them: backwards each comes before its parent. Free nodes have no steps.
 */
void timelines_settle(struct timelines *t)
{
	uint32_t n = 0;

	t->gathers = false;
	for (uint32_t i = 0; i < t->n; i++)
		if (t->nodes[i].n & ~IS_CHILD) {
			child_mark(t, t->nodes[i].left);
			child_mark(t, t->nodes[i].right);
		}
	for (uint32_t i = 0; i < t->n; i++)
		if (t->nodes[i].n && !(t->nodes[i].n & IS_CHILD))
			t->order[n++] = i;
	for (uint32_t k = 0; k < n; k++) {
		child_list(t, t->nodes[t->order[k]].left, &n);
		child_list(t, t->nodes[t->order[k]].right, &n);
	}
	while (n > 0)
		node_work_out(t, t->order[--n]);
}

int timeline_tell(const struct timelines *t, uint32_t line, struct changes *changes)
{
	const struct timeline_node *n;
	int rc = 0;

	if (line == TIMELINE_EMPTY)
		return 0;
	n = &t->nodes[line];
	rc = timeline_tell(t, n->left, changes);
	for (uint32_t i = 0; i < n->n && rc == 0; i++) {
		rc = changes_reserve(changes);
		if (rc == 0)
			changes_note(changes, n->steps[i].at, 1);
	}
	return rc ? rc : timeline_tell(t, n->right, changes);
}
