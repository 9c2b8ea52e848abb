/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/dispatch/timeline/changes.h"
#include "sched/dispatch/timeline/timeline_node.h"

#define MOST_TOTAL 0x1p66		/* 2^126 units: no sum overflows */

static units units_of(double amount)
{
	if (fabs(amount) < 0x1p60 && (double)(int64_t)amount == amount)
		return (units)(int64_t)amount * ((units)1 << 60);
	return (units)rint(amount / UNIT);
}

void timelines_create(struct timelines *timelines)
{
	*timelines = (struct timelines){ .free = TIMELINE_EMPTY, .random = 1 };
}

void timelines_destroy(struct timelines *timelines)
{
	free(timelines->nodes);
	free(timelines->peaks);
	free(timelines->order);
	timelines_create(timelines);
}

void timelines_clear(struct timelines *timelines)
{
	timelines->n = 0;
	timelines->free = TIMELINE_EMPTY;
	timelines->total = 0;
	timelines->gathers = false;
}

/* Nodes */

/*
 * Make sure that the two nodes that a booking may need are available. Free nodes are not counted
 * because that is not worth the time.
 */
static int nodes_reserve(struct timelines *timelines)
{
	uint32_t capacity = timelines->capacity ? 2 * timelines->capacity : 64;
	int error = timelines->changes ? changes_reserve(timelines->changes) : 0;

	if (error)
		return error;
	if (timelines->capacity - timelines->n >= 2)
		return 0;
	if (timelines->capacity > UINT32_MAX / 2)
		return -ENOMEM;
	error = array_grow(&timelines->nodes, capacity, sizeof(*timelines->nodes));
	if (!error)
		error = array_grow(&timelines->peaks, capacity, sizeof(*timelines->peaks));
	if (!error)
		error = array_grow(&timelines->order, capacity, sizeof(*timelines->order));
	if (!error)
		timelines->capacity = capacity;
	return error;
}

static uint32_t weight_next(struct timelines *timelines)
{
	timelines->random = timelines->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(timelines->random >> 32);
}

static uint32_t node_new(struct timelines *timelines)
{
	uint32_t node = timelines->free;

	if (node == TIMELINE_EMPTY)
		node = timelines->n++;
	else
		timelines->free = timelines->nodes[node].left;
	timelines->nodes[node].left = timelines->nodes[node].right = TIMELINE_EMPTY;
	timelines->nodes[node].weight = weight_next(timelines);
	timelines->nodes[node].n = 0;
	return node;
}

static void node_free(struct timelines *timelines, uint32_t node)
{
	timelines->nodes[node].left = timelines->free;
	timelines->free = node;
}

/*
 * Work out sum, top and peak of a node. If several times have the top level, the peak is the first
 * of them. Before its first step a subtree has the level that was booked before it; that is its top
 * only if the line is never above 0. If nodes follow, the end of a node's last step is not known
 * here, so it is assumed to last one second.
 */
static void node_work_out(struct timelines *timelines, uint32_t node)
{
	struct timeline_node *timeline_node = &timelines->nodes[node];
	struct timeline_peak peak = { INT64_MIN, timeline_node->steps[0].at, 0 };
	units level = 0;

	timeline_node->top = 0;
	if (timeline_node->left != TIMELINE_EMPTY) {
		level = timelines->nodes[timeline_node->left].sum;
		timeline_node->top = timelines->nodes[timeline_node->left].top;
		peak.from = timelines->peaks[timeline_node->left].from;
		peak.to = timelines->peaks[timeline_node->left].to < peak.to ? timelines->peaks[timeline_node->left].to
									     : peak.to;
	}
	for (uint32_t i = 0; i < timeline_node->n; i++) {
		level += timeline_node->steps[i].change;
		if (level <= timeline_node->top)
			continue;
		timeline_node->top = level;
		peak.from = timeline_node->steps[i].at;
		peak.to = i + 1 < timeline_node->n		   ? timeline_node->steps[i + 1].at
			  : timeline_node->right == TIMELINE_EMPTY ? TIMELINE_NEVER
								   : peak.from + 1;
	}
	if (level + top(timelines, timeline_node->right) > timeline_node->top) {
		timeline_node->top = level + top(timelines, timeline_node->right);
		peak = timelines->peaks[timeline_node->right];
	}
	timeline_node->sum = level + sum(timelines, timeline_node->right);
	peak.most = amount_of(timeline_node->top);
	timelines->peaks[node] = peak;
}

static void node_update(struct timelines *timelines, uint32_t node)
{
	if (!timelines->gathers)
		node_work_out(timelines, node);
}

/* Booking */

/* Rotate: the left child becomes the root, and the node its right child. Return the new root. */
static uint32_t rotate_right(struct timelines *timelines, uint32_t node)
{
	uint32_t child = timelines->nodes[node].left;

	timelines->nodes[node].left = timelines->nodes[child].right;
	timelines->nodes[child].right = node;
	node_update(timelines, node);
	node_update(timelines, child);
	return child;
}

static uint32_t rotate_left(struct timelines *timelines, uint32_t node)
{
	uint32_t child = timelines->nodes[node].right;

	timelines->nodes[node].right = timelines->nodes[child].left;
	timelines->nodes[child].left = node;
	node_update(timelines, node);
	node_update(timelines, child);
	return child;
}

/* Join two trees. All times of `a` must be before those of `b`. */
static uint32_t join(struct timelines *timelines, uint32_t a, uint32_t b)
{
	if (a == TIMELINE_EMPTY)
		return b;
	if (b == TIMELINE_EMPTY)
		return a;
	if (timelines->nodes[a].weight > timelines->nodes[b].weight) {
		timelines->nodes[a].right = join(timelines, timelines->nodes[a].right, b);
		node_update(timelines, a);
		return a;
	}
	timelines->nodes[b].left = join(timelines, a, timelines->nodes[b].left);
	node_update(timelines, b);
	return b;
}

/* Add a node before all nodes of a tree. */
static uint32_t put_first(struct timelines *timelines, uint32_t node, uint32_t first)
{
	if (node == TIMELINE_EMPTY)
		return first;
	timelines->nodes[node].left = put_first(timelines, timelines->nodes[node].left, first);
	if (timelines->nodes[timelines->nodes[node].left].weight > timelines->nodes[node].weight)
		return rotate_right(timelines, node);
	node_update(timelines, node);
	return node;
}

/* Move the second half of a full node to a new node. Return the root. */
static uint32_t node_split(struct timelines *timelines, uint32_t node)
{
	uint32_t second = node_new(timelines);
	struct timeline_node *timeline_node = &timelines->nodes[node], *s = &timelines->nodes[second];

	s->n = STEPS / 2;
	timeline_node->n = STEPS - s->n;
	memcpy(s->steps, timeline_node->steps + timeline_node->n, s->n * sizeof(*s->steps));
	node_update(timelines, second);
	timeline_node->right = put_first(timelines, timeline_node->right, second);
	node_update(timelines, node);
	return timelines->nodes[timeline_node->right].weight > timeline_node->weight ? rotate_left(timelines, node)
										     : node;
}

static void step_insert(struct timelines *timelines, struct timeline_node *node, uint32_t i, int64_t at)
{
	memmove(&node->steps[i + 1], &node->steps[i], (node->n - i) * sizeof(*node->steps));
	node->steps[i] = (struct timeline_step){ .at = at };
	node->n++;
	if (timelines->changes)
		changes_note(timelines->changes, at, 1);
}

static void step_remove(struct timelines *timelines, struct timeline_node *node, uint32_t i)
{
	if (timelines->changes)
		changes_note(timelines->changes, node->steps[i].at, -1);
	node->n--;
	memmove(&node->steps[i], &node->steps[i + 1], (node->n - i) * sizeof(*node->steps));
}

/* Change a level in a node that has room. */
static void node_change(struct timelines *timelines, uint32_t node, int64_t at, units change)
{
	struct timeline_node *timeline_node = &timelines->nodes[node];
	uint32_t i = steps_before(timeline_node, at);

	if (i == timeline_node->n || timeline_node->steps[i].at != at)
		step_insert(timelines, timeline_node, i, at);
	timeline_node->steps[i].change += change;
	if (timeline_node->steps[i].change == 0)
		step_remove(timelines, timeline_node, i);
}

/*
 * After node_change(): update the node, or free it if it has no steps left. Return the new root of
 * its tree.
 */
static uint32_t node_settle(struct timelines *timelines, uint32_t node)
{
	const struct timeline_node *timeline_node = &timelines->nodes[node];
	uint32_t rest;

	if (timeline_node->n > 0) {
		node_update(timelines, node);
		return node;
	}
	rest = join(timelines, timeline_node->left, timeline_node->right);
	node_free(timelines, node);
	return rest;
}

static uint32_t node_add(struct timelines *timelines, uint32_t node, int64_t at, units change)
{
	node_change(timelines, node, at, change);
	return node_settle(timelines, node);
}

/*
 * Return the root of the changed tree. A full node is split even if it already contains the time,
 * since that is not known before.
 */
static uint32_t tree_add(struct timelines *timelines, uint32_t node, int64_t at, units change)
{
	struct timeline_node *timeline_node;

	if (node == TIMELINE_EMPTY)
		return node_add(timelines, node_new(timelines), at, change);
	/* stays valid: memory was reserved */
	timeline_node = &timelines->nodes[node];
	if (at < timeline_node->steps[0].at && timeline_node->left != TIMELINE_EMPTY) {
		timeline_node->left = tree_add(timelines, timeline_node->left, at, change);
		if (timeline_node->left != TIMELINE_EMPTY &&
		    timelines->nodes[timeline_node->left].weight > timeline_node->weight)
			return rotate_right(timelines, node);
	} else if (at > timeline_node->steps[timeline_node->n - 1].at && timeline_node->right != TIMELINE_EMPTY) {
		timeline_node->right = tree_add(timelines, timeline_node->right, at, change);
		if (timeline_node->right != TIMELINE_EMPTY &&
		    timelines->nodes[timeline_node->right].weight > timeline_node->weight)
			return rotate_left(timelines, node);
	} else {
		return timeline_node->n < STEPS ? node_add(timelines, node, at, change)
						: tree_add(timelines, node_split(timelines, node), at, change);
	}
	node_update(timelines, node);
	return node;
}

/* Return whether the line is a single node with room for two more steps. Most lines are. */
static bool is_short(const struct timelines *timelines, uint32_t line)
{
	const struct timeline_node *timeline_node = &timelines->nodes[line];

	return timeline_node->left == TIMELINE_EMPTY && timeline_node->right == TIMELINE_EMPTY &&
	       timeline_node->n + 2 <= STEPS;
}

/* Insert both steps at once. */
static uint32_t short_book(struct timelines *timelines, uint32_t line, int64_t begin, int64_t end, units amount)
{
	node_change(timelines, line, begin, amount);
	if (end != TIMELINE_NEVER)
		node_change(timelines, line, end, -amount);
	return node_settle(timelines, line);
}

int timeline_book(struct timelines *timelines, uint32_t *line, int64_t begin, int64_t end, double amount)
{
	double total = timelines->total + fabs(amount);
	int error;

	if (!(total <= MOST_TOTAL))
		return -ERANGE;
	if (begin >= end || units_of(amount) == 0)
		return 0;
	error = nodes_reserve(timelines);
	if (error)
		return error;
	timelines->total = total;
	if (*line == TIMELINE_EMPTY)
		*line = node_new(timelines);
	if (is_short(timelines, *line)) {
		*line = short_book(timelines, *line, begin, end, units_of(amount));
		return 0;
	}
	*line = tree_add(timelines, *line, begin, units_of(amount));
	if (end != TIMELINE_NEVER)
		*line = tree_add(timelines, *line, end, -units_of(amount));
	return 0;
}

/* Gathering */

#define IS_CHILD (1u << 31)		/* flag in `n` of a node while nodes are settled */

void timelines_gather(struct timelines *timelines)
{
	timelines->gathers = true;
}

static void child_mark(struct timelines *timelines, uint32_t child)
{
	if (child != TIMELINE_EMPTY)
		timelines->nodes[child].n |= IS_CHILD;
}

static void child_list(struct timelines *timelines, uint32_t child, uint32_t *n)
{
	if (child == TIMELINE_EMPTY)
		return;
	timelines->nodes[child].n &= ~IS_CHILD;
	timelines->order[(*n)++] = child;
}

/*
 * List the roots first, then their descendants. Read backwards, each node comes before its parent.
 * Free nodes have no steps.
 */
void timelines_settle(struct timelines *timelines)
{
	uint32_t n = 0;

	timelines->gathers = false;
	for (uint32_t i = 0; i < timelines->n; i++)
		if (timelines->nodes[i].n & ~IS_CHILD) {
			child_mark(timelines, timelines->nodes[i].left);
			child_mark(timelines, timelines->nodes[i].right);
		}
	for (uint32_t i = 0; i < timelines->n; i++)
		if (timelines->nodes[i].n && !(timelines->nodes[i].n & IS_CHILD))
			timelines->order[n++] = i;
	for (uint32_t k = 0; k < n; k++) {
		child_list(timelines, timelines->nodes[timelines->order[k]].left, &n);
		child_list(timelines, timelines->nodes[timelines->order[k]].right, &n);
	}
	while (n > 0)
		node_work_out(timelines, timelines->order[--n]);
}

int timeline_report(const struct timelines *timelines, uint32_t line, struct changes *changes)
{
	const struct timeline_node *node;
	int rc = 0;

	if (line == TIMELINE_EMPTY)
		return 0;
	node = &timelines->nodes[line];
	rc = timeline_report(timelines, node->left, changes);
	for (uint32_t i = 0; i < node->n && rc == 0; i++) {
		rc = changes_reserve(changes);
		if (rc == 0)
			changes_note(changes, node->steps[i].at, 1);
	}
	return rc ? rc : timeline_report(timelines, node->right, changes);
}
