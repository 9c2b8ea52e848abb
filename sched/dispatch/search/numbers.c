/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A treap of the different values that knows how many there are below each node. Priorities are
 * random: they shape the tree, never the order.
 */
#include "sched/dispatch/search/numbers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "conf/array.h"

#define NIL UINT32_MAX

struct number_node {
	double value;
	uint32_t hosts, size, priority;	/* `size`: nodes in its subtree */
	uint32_t left, right;
};

int numbers_begin(struct numbers *n, size_t values)
{
	n->root = n->unused = NIL;
	n->used = 0;
	n->random = 0x9e3779b97f4a7c15u;
	return array_grow(&n->nodes, values, sizeof(*n->nodes)) ? -ENOMEM : 0;
}

void numbers_free(struct numbers *n)
{
	free(n->nodes);
	*n = (struct numbers){ 0 };
}

static uint32_t size_of(const struct numbers *n, uint32_t i)
{
	return i == NIL ? 0 : n->nodes[i].size;
}

static void pull(struct numbers *n, uint32_t i)
{
	n->nodes[i].size = 1 + size_of(n, n->nodes[i].left) + size_of(n, n->nodes[i].right);
}

static uint32_t random_next(struct numbers *n)
{
	n->random ^= n->random << 13;
	n->random ^= n->random >> 7;
	n->random ^= n->random << 17;
	return (uint32_t)(n->random >> 32);
}

static uint32_t node_new(struct numbers *n, double value)
{
	uint32_t i = n->unused;

	if (i == NIL)
		i = n->used++;
	else
		n->unused = n->nodes[i].right;
	n->nodes[i] = (struct number_node){ .value = value, .hosts = 1, .size = 1, .priority = random_next(n), .left = NIL, .right = NIL };
	return i;
}

/* Those below `value` to the left. */
static void split(struct numbers *n, uint32_t i, double value, uint32_t *left, uint32_t *right)
{
	if (i == NIL) {
		*left = *right = NIL;
		return;
	}
	if (n->nodes[i].value < value) {
		split(n, n->nodes[i].right, value, &n->nodes[i].right, right);
		*left = i;
	} else {
		split(n, n->nodes[i].left, value, left, &n->nodes[i].left);
		*right = i;
	}
	pull(n, i);
}

static uint32_t join(struct numbers *n, uint32_t left, uint32_t right)
{
	if (left == NIL || right == NIL)
		return left == NIL ? right : left;
	if (n->nodes[left].priority > n->nodes[right].priority) {
		n->nodes[left].right = join(n, n->nodes[left].right, right);
		pull(n, left);
		return left;
	}
	n->nodes[right].left = join(n, left, n->nodes[right].left);
	pull(n, right);
	return right;
}

static uint32_t find(const struct numbers *n, double value)
{
	uint32_t i = n->root;

	while (i != NIL && n->nodes[i].value != value)
		i = value < n->nodes[i].value ? n->nodes[i].left : n->nodes[i].right;
	return i;
}

void numbers_add(struct numbers *n, double value)
{
	uint32_t i = find(n, value), left, right;

	if (i != NIL) {
		n->nodes[i].hosts++;
		return;
	}
	i = node_new(n, value);
	split(n, n->root, value, &left, &right);
	n->root = join(n, join(n, left, i), right);
}

void numbers_remove(struct numbers *n, double value)
{
	uint32_t i = find(n, value), *link = &n->root;

	if (--n->nodes[i].hosts > 0)
		return;
	while (*link != i) {
		struct number_node *above = &n->nodes[*link];

		above->size--;
		link = value < above->value ? &above->left : &above->right;
	}
	*link = join(n, n->nodes[i].left, n->nodes[i].right);
	n->nodes[i].right = n->unused;
	n->unused = i;
}

uint32_t numbers_of(const struct numbers *n, double value)
{
	uint32_t number = 0;

	for (uint32_t i = n->root; i != NIL; )
		if (n->nodes[i].value < value) {
			number += size_of(n, n->nodes[i].left) + 1;
			i = n->nodes[i].right;
		} else {
			i = n->nodes[i].left;
		}
	return number;
}

double numbers_value(const struct numbers *n, uint32_t number)
{
	uint32_t i = n->root;

	while (i != NIL) {
		uint32_t left = size_of(n, n->nodes[i].left);

		if (number == left)
			return n->nodes[i].value;
		i = number < left ? n->nodes[i].left : n->nodes[i].right;
		number -= number < left ? 0 : left + 1;
	}
	return INFINITY;
}
