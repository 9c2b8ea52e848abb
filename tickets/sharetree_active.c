/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a share tree that have tasks at present, and their number of tasks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "tickets/sharetree.h"

#define WORD 64

int sharetree_reserve(struct share_tree *tree)
{
	struct active_nodes *nodes = &tree->active;
	size_t words = tree->capacity / WORD + 1;

	if (tree->n <= nodes->capacity)
		return 0;
	if (array_grow(&nodes->items, tree->capacity, sizeof(*nodes->items)) ||
	    array_grow(&tree->shown, tree->capacity, sizeof(*tree->shown)) ||
	    array_grow(&nodes->bits, words, sizeof(*nodes->bits)))
		return -ENOMEM;
	memset(nodes->bits, 0, words * sizeof(*nodes->bits));
	nodes->capacity = tree->capacity;
	return 0;
}

/*
 * Reset the nodes that were active at the last call. Some of them may have been removed or
 * replaced.
 */
static void forget(struct share_tree *tree)
{
	for (size_t k = 0; k < tree->active.n; k++) {
		struct share_node *node = tree->active.items[k] < tree->n ? &tree->nodes[tree->active.items[k]] : NULL;

		if (!node)
			continue;
		node->refs = node->jobshares = node->own = 0;
		node->oltt = node->stt = node->ostt = node->m_share = node->running_weight = 0.0;
		node->has_own = node->visited = false;
		node->first_active = node->next_active = TICKETS_NONE;
	}
	tree->active.n = 0;
}

/* Mark a node and its ancestors. */
static void mark_path(struct share_tree *tree, uint32_t node)
{
	uint64_t *bits = tree->active.bits;

	for (; node != TICKETS_NONE && !(bits[node / WORD] >> node % WORD & 1); node = tree->nodes[node].parent)
		bits[node / WORD] |= (uint64_t)1 << node % WORD;
}

static void list(struct share_tree *tree)
{
	struct active_nodes *nodes = &tree->active;

	for (size_t w = 0; w <= (tree->n - 1) / WORD; w++) {
		for (uint64_t left = nodes->bits[w]; left != 0; left &= left - 1)
			nodes->items[nodes->n++] = (uint32_t)(w * WORD) + (uint32_t)__builtin_ctzll(left);
		nodes->bits[w] = 0;
	}
}

/*
 * Link the active nodes, backwards, so that siblings are in their order, and children are counted
 * before their parents.
 */
static void join(struct share_tree *tree)
{
	for (size_t k = tree->active.n; k-- > 0; ) {
		uint32_t i = tree->active.items[k];
		struct share_node *node = &tree->nodes[i],
				  *parent = node->parent == TICKETS_NONE ? NULL : &tree->nodes[node->parent];

		if (node->first_child != TICKETS_NONE) {
			node->refs = 0;
			for (uint32_t c = node->first_active; c != TICKETS_NONE; c = tree->nodes[c].next_active)
				node->refs += tree->nodes[c].refs;
		}
		if (!parent)
			continue;
		node->next_active = parent->first_active;
		parent->first_active = i;
	}
}

void sharetree_refs(struct share_tree *tree, const struct ticket_classes *classes, bool with_pending)
{
	forget(tree);
	mark_path(tree, 0);
	for (size_t i = 0; i < classes->n; i++) {
		const struct ticket_class *class = &classes->items[i];

		if (class->node == TICKETS_NONE || class->running + class->pending == 0)
			continue;
		mark_path(tree, class->node);
		tree->nodes[class->node].refs += class->running + (with_pending ? class->pending : 0);
		tree->nodes[class->node].jobshares += class->running * class->jobshare;
	}
	list(tree);
	join(tree);
}
