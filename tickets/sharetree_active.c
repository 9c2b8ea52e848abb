/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes of a share tree have tasks at present, and how many. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "tickets/sharetree.h"

#define WORD 64

int sharetree_reserve(struct share_tree *t)
{
	struct active_nodes *a = &t->active;
	size_t words = t->capacity / WORD + 1;

	if (t->n <= a->capacity)
		return 0;
	if (array_grow(&a->items, t->capacity, sizeof(*a->items)) || array_grow(&t->shown, t->capacity, sizeof(*t->shown)) ||
	    array_grow(&a->bits, words, sizeof(*a->bits)))
		return -ENOMEM;
	memset(a->bits, 0, words * sizeof(*a->bits));
	a->capacity = t->capacity;
	return 0;
}

/* Of nodes that had tasks when this was last called; some may be gone, or others'. */
static void forget(struct share_tree *t)
{
	for (size_t k = 0; k < t->active.n; k++) {
		struct share_node *node = t->active.items[k] < t->n ? &t->nodes[t->active.items[k]] : NULL;

		if (!node)
			continue;
		node->refs = node->jobshares = node->own = 0;
		node->oltt = node->stt = node->ostt = node->m_share = node->running_weight = 0.0;
		node->has_own = node->visited = false;
		node->first_active = node->next_active = TICKETS_NONE;
	}
	t->active.n = 0;
}

/* A node and all that it is below. */
static void meet(struct share_tree *t, uint32_t node)
{
	uint64_t *bits = t->active.bits;

	for (; node != TICKETS_NONE && !(bits[node / WORD] >> node % WORD & 1); node = t->nodes[node].parent)
		bits[node / WORD] |= (uint64_t)1 << node % WORD;
}

static void list(struct share_tree *t)
{
	struct active_nodes *a = &t->active;

	for (size_t w = 0; w <= (t->n - 1) / WORD; w++) {
		for (uint64_t left = a->bits[w]; left != 0; left &= left - 1)
			a->items[a->n++] = (uint32_t)(w * WORD) + (uint32_t)__builtin_ctzll(left);
		a->bits[w] = 0;
	}
}

/* Backwards, so that siblings are in their order, and children are counted before their parents. */
static void join(struct share_tree *t)
{
	for (size_t k = t->active.n; k-- > 0; ) {
		uint32_t i = t->active.items[k];
		struct share_node *node = &t->nodes[i], *parent = node->parent == TICKETS_NONE ? NULL : &t->nodes[node->parent];

		if (node->first_child != TICKETS_NONE) {
			node->refs = 0;
			for (uint32_t c = node->first_active; c != TICKETS_NONE; c = t->nodes[c].next_active)
				node->refs += t->nodes[c].refs;
		}
		if (!parent)
			continue;
		node->next_active = parent->first_active;
		parent->first_active = i;
	}
}

void sharetree_refs(struct share_tree *t, const struct ticket_classes *classes, bool with_pending)
{
	forget(t);
	meet(t, 0);
	for (size_t i = 0; i < classes->n; i++) {
		const struct ticket_class *c = &classes->items[i];

		if (c->node == TICKETS_NONE || c->running + c->pending == 0)
			continue;
		meet(t, c->node);
		t->nodes[c->node].refs += c->running + (with_pending ? c->pending : 0);
		t->nodes[c->node].jobshares += c->running * c->jobshare;
	}
	list(t);
	join(t);
}
