/* SPDX-License-Identifier: Apache-2.0 */
/* A treap with parent links. Priorities are random: they shape the tree but not the order. */
#include "sched/dispatch/search/queue_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"

#define NIL QUEUE_LIST_NONE
#define WORD_BITS 64
#define MAX_MARKS 256

struct queue_node {
	struct queue_key key;
	uint32_t left, right, parent, priority;
	bool listed;
};

static uint64_t *own_of(const struct queue_list *queues, uint32_t i)
{
	return &queues->bits[(size_t)i * 2 * queues->words];
}

static uint64_t *below_of(const struct queue_list *queues, uint32_t i)
{
	return own_of(queues, i) + queues->words;
}

int queue_list_begin(struct queue_list *queues, size_t n)
{
	if (n > queues->capacity || queues->words == 0) {
		size_t words = queues->words ? queues->words : 1;

		if (array_grow(&queues->nodes, n, sizeof(*queues->nodes)) ||
		    array_grow(&queues->bits, n * 2 * words, sizeof(uint64_t)))
			return -ENOMEM;
		queues->capacity = n;
		queues->words = words;
	}
	queues->n = n;
	queues->root = NIL;
	queues->marks = queues->listed = 0;
	queues->random = 0x9e3779b97f4a7c15u;
	for (size_t i = 0; i < n; i++)
		queues->nodes[i] = (struct queue_node){ .left = NIL, .right = NIL, .parent = NIL };
	if (n > 0)
		memset(queues->bits, 0, n * 2 * queues->words * sizeof(uint64_t));
	return 0;
}

void queue_list_free(struct queue_list *queues)
{
	free(queues->nodes);
	free(queues->bits);
	*queues = (struct queue_list){ 0 };
}

int queue_key_compare(const struct queue_key *a, const struct queue_key *b)
{
	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	if (a->minor != b->minor)
		return a->minor < b->minor ? -1 : 1;
	return a->label < b->label ? -1 : a->label > b->label;
}

bool queue_list_has(const struct queue_list *queues, uint32_t i)
{
	return queues->nodes[i].listed;
}

struct queue_key queue_list_key(const struct queue_list *queues, uint32_t i)
{
	return queues->nodes[i].key;
}

/* Tree operations */

/*
 * Compute the marks below a node from its own and its children's. Return whether anything changed.
 */
static bool pull(struct queue_list *queues, uint32_t i)
{
	const struct queue_node *node = &queues->nodes[i];
	uint64_t *own = own_of(queues, i), *below = below_of(queues, i), changed = 0;

	for (size_t w = 0; w < queues->words; w++) {
		uint64_t marks = own[w];

		if (node->left != NIL)
			marks |= below_of(queues, node->left)[w];
		if (node->right != NIL)
			marks |= below_of(queues, node->right)[w];
		changed |= below[w] ^ marks;
		below[w] = marks;
	}
	return changed;
}

static void pull_up(struct queue_list *queues, uint32_t i)
{
	while (i != NIL && pull(queues, i))
		i = queues->nodes[i].parent;
}

static uint32_t *link_to(struct queue_list *queues, uint32_t i)
{
	struct queue_node *parent;

	if (queues->nodes[i].parent == NIL)
		return &queues->root;
	parent = &queues->nodes[queues->nodes[i].parent];
	return parent->left == i ? &parent->left : &parent->right;
}

/* Rotate a node into the position of its parent. */
static void rotate_up(struct queue_list *queues, uint32_t i)
{
	uint32_t p = queues->nodes[i].parent, *link = link_to(queues, p);
	bool was_left = queues->nodes[p].left == i;
	uint32_t *inner = was_left ? &queues->nodes[i].right : &queues->nodes[i].left,
		 *gap = was_left ? &queues->nodes[p].left : &queues->nodes[p].right;

	*gap = *inner;
	if (*inner != NIL)
		queues->nodes[*inner].parent = p;
	*inner = p;
	queues->nodes[i].parent = queues->nodes[p].parent;
	queues->nodes[p].parent = i;
	*link = i;
	pull(queues, p);
	pull(queues, i);
}

static uint32_t random_next(struct queue_list *queues)
{
	queues->random ^= queues->random << 13;
	queues->random ^= queues->random >> 7;
	queues->random ^= queues->random << 17;
	return (uint32_t)(queues->random >> 32);
}

void queue_list_insert(struct queue_list *queues, uint32_t i, struct queue_key key)
{
	struct queue_node *node = &queues->nodes[i];
	uint32_t *link = &queues->root, parent = NIL;

	while (*link != NIL) {
		parent = *link;
		link = queue_key_compare(&key, &queues->nodes[parent].key) < 0 ? &queues->nodes[parent].left
									       : &queues->nodes[parent].right;
	}
	*node = (struct queue_node){
		.key = key, .left = NIL, .right = NIL, .parent = parent, .priority = random_next(queues), .listed = true
	};
	*link = i;
	pull(queues, i);
	while (node->parent != NIL && queues->nodes[node->parent].priority < node->priority)
		rotate_up(queues, i);
	pull_up(queues, node->parent);
	queues->listed++;
}

void queue_list_remove(struct queue_list *queues, uint32_t i)
{
	struct queue_node *node = &queues->nodes[i];
	uint32_t child;

	while (node->left != NIL && node->right != NIL)
		rotate_up(queues, queues->nodes[node->left].priority > queues->nodes[node->right].priority
					  ? node->left
					  : node->right);
	child = node->left != NIL ? node->left : node->right;
	*link_to(queues, i) = child;
	if (child != NIL)
		queues->nodes[child].parent = node->parent;
	pull_up(queues, node->parent);
	node->listed = false;
	queues->listed--;
}

/* Marks */

static int widen(struct queue_list *queues)
{
	size_t words = 2 * queues->words;
	uint64_t *bits = calloc(queues->capacity ? queues->capacity : 1, 2 * words * sizeof(uint64_t));

	if (!bits)
		return -ENOMEM;
	for (uint32_t i = 0; i < queues->n; i++) {
		memcpy(&bits[(size_t)i * 2 * words], own_of(queues, i), queues->words * sizeof(uint64_t));
		memcpy(&bits[((size_t)i * 2 + 1) * words], below_of(queues, i), queues->words * sizeof(uint64_t));
	}
	free(queues->bits);
	queues->bits = bits;
	queues->words = words;
	return 0;
}

uint32_t queue_list_mark(struct queue_list *queues)
{
	uint32_t mark = queues->marks;

	if (mark == MAX_MARKS || (mark == queues->words * WORD_BITS && widen(queues)))
		return QUEUE_LIST_NONE;
	queues->marks++;
	for (uint32_t i = 0; i < queues->n; i++) {
		own_of(queues, i)[mark / WORD_BITS] |= 1ull << mark % WORD_BITS;
		below_of(queues, i)[mark / WORD_BITS] |= 1ull << mark % WORD_BITS;
	}
	return mark;
}

/* Clear a mark, upwards to the first subtree that has the mark in another node. */
void queue_list_unmark(struct queue_list *queues, uint32_t i, uint32_t mark)
{
	uint64_t bit = 1ull << mark % WORD_BITS;
	size_t w = mark / WORD_BITS;

	own_of(queues, i)[w] &= ~bit;
	for (uint32_t p = queues->nodes[i].listed ? i : NIL; p != NIL && (own_of(queues, p)[w] & bit) == 0;
	     p = queues->nodes[p].parent) {
		const struct queue_node *node = &queues->nodes[p];

		if ((node->left != NIL && below_of(queues, node->left)[w] & bit) ||
		    (node->right != NIL && below_of(queues, node->right)[w] & bit))
			return;
		below_of(queues, p)[w] &= ~bit;
	}
}

/* Walking */

static bool is_marked(const uint64_t *bits, uint32_t mark)
{
	return mark == QUEUE_LIST_NONE || bits[mark / WORD_BITS] >> mark % WORD_BITS & 1;
}

static bool leads_to(const struct queue_list *queues, uint32_t i, uint32_t mark)
{
	return i != NIL && is_marked(below_of(queues, i), mark);
}

/* Return the first marked node of a subtree that contains the mark. */
static uint32_t leftmost(const struct queue_list *queues, uint32_t i, uint32_t mark)
{
	for (;;) {
		if (leads_to(queues, queues->nodes[i].left, mark))
			i = queues->nodes[i].left;
		else if (is_marked(own_of(queues, i), mark))
			return i;
		else
			i = queues->nodes[i].right;
	}
}

uint32_t queue_list_first(const struct queue_list *queues, uint32_t mark)
{
	return leads_to(queues, queues->root, mark) ? leftmost(queues, queues->root, mark) : NIL;
}

uint32_t queue_list_next(const struct queue_list *queues, uint32_t i, uint32_t mark)
{
	if (leads_to(queues, queues->nodes[i].right, mark))
		return leftmost(queues, queues->nodes[i].right, mark);
	for (uint32_t p = queues->nodes[i].parent; p != NIL; i = p, p = queues->nodes[p].parent) {
		if (queues->nodes[p].left != i)
			continue;
		if (is_marked(own_of(queues, p), mark))
			return p;
		if (leads_to(queues, queues->nodes[p].right, mark))
			return leftmost(queues, queues->nodes[p].right, mark);
	}
	return NIL;
}
