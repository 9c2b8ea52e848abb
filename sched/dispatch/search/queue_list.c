/* SPDX-License-Identifier: Apache-2.0 */
/* A treap with parent links. Priorities are random: they shape the tree, never the order. */
#include "sched/dispatch/search/queue_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"

#define NIL QUEUE_LIST_NONE
#define WORD_BITS 64
#define MAX_MARKS 256

struct queue_node {
	struct queue_key key;
	uint32_t left, right, parent, priority;
	bool listed;
};

static uint64_t *own_of(const struct queue_list *l, uint32_t i)
{
	return &l->bits[(size_t)i * 2 * l->words];
}

static uint64_t *below_of(const struct queue_list *l, uint32_t i)
{
	return own_of(l, i) + l->words;
}

int queue_list_begin(struct queue_list *l, size_t n)
{
	if (n > l->capacity || l->words == 0) {
		size_t words = l->words ? l->words : 1;

		if (array_grow(&l->nodes, n, sizeof(*l->nodes)) || array_grow(&l->bits, n * 2 * words, sizeof(uint64_t)))
			return -ENOMEM;
		l->capacity = n;
		l->words = words;
	}
	l->n = n;
	l->root = NIL;
	l->marks = l->listed = 0;
	l->random = 0x9e3779b97f4a7c15u;
	for (size_t i = 0; i < n; i++)
		l->nodes[i] = (struct queue_node){ .left = NIL, .right = NIL, .parent = NIL };
	if (n > 0)
		memset(l->bits, 0, n * 2 * l->words * sizeof(uint64_t));
	return 0;
}

void queue_list_free(struct queue_list *l)
{
	free(l->nodes);
	free(l->bits);
	*l = (struct queue_list){ 0 };
}

int queue_key_compare(const struct queue_key *a, const struct queue_key *b)
{
	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	if (a->minor != b->minor)
		return a->minor < b->minor ? -1 : 1;
	return a->label < b->label ? -1 : a->label > b->label;
}

bool queue_list_has(const struct queue_list *l, uint32_t i)
{
	return l->nodes[i].listed;
}

struct queue_key queue_list_key(const struct queue_list *l, uint32_t i)
{
	return l->nodes[i].key;
}

/* Shape */

/* Marks below a node from its own and its children's. True if that changed anything. */
static bool pull(struct queue_list *l, uint32_t i)
{
	const struct queue_node *n = &l->nodes[i];
	uint64_t *own = own_of(l, i), *below = below_of(l, i), changed = 0;

	for (size_t w = 0; w < l->words; w++) {
		uint64_t marks = own[w];

		if (n->left != NIL)
			marks |= below_of(l, n->left)[w];
		if (n->right != NIL)
			marks |= below_of(l, n->right)[w];
		changed |= below[w] ^ marks;
		below[w] = marks;
	}
	return changed;
}

static void pull_up(struct queue_list *l, uint32_t i)
{
	while (i != NIL && pull(l, i))
		i = l->nodes[i].parent;
}

static uint32_t *link_to(struct queue_list *l, uint32_t i)
{
	struct queue_node *parent;

	if (l->nodes[i].parent == NIL)
		return &l->root;
	parent = &l->nodes[l->nodes[i].parent];
	return parent->left == i ? &parent->left : &parent->right;
}

/* A node takes its parent's place. */
static void rotate_up(struct queue_list *l, uint32_t i)
{
	uint32_t p = l->nodes[i].parent, *link = link_to(l, p);
	bool was_left = l->nodes[p].left == i;
	uint32_t *inner = was_left ? &l->nodes[i].right : &l->nodes[i].left, *gap = was_left ? &l->nodes[p].left : &l->nodes[p].right;

	*gap = *inner;
	if (*inner != NIL)
		l->nodes[*inner].parent = p;
	*inner = p;
	l->nodes[i].parent = l->nodes[p].parent;
	l->nodes[p].parent = i;
	*link = i;
	pull(l, p);
	pull(l, i);
}

static uint32_t random_next(struct queue_list *l)
{
	l->random ^= l->random << 13;
	l->random ^= l->random >> 7;
	l->random ^= l->random << 17;
	return (uint32_t)(l->random >> 32);
}

void queue_list_insert(struct queue_list *l, uint32_t i, struct queue_key key)
{
	struct queue_node *n = &l->nodes[i];
	uint32_t *link = &l->root, parent = NIL;

	while (*link != NIL) {
		parent = *link;
		link = queue_key_compare(&key, &l->nodes[parent].key) < 0 ? &l->nodes[parent].left : &l->nodes[parent].right;
	}
	*n = (struct queue_node){ .key = key, .left = NIL, .right = NIL, .parent = parent, .priority = random_next(l), .listed = true };
	*link = i;
	pull(l, i);
	while (n->parent != NIL && l->nodes[n->parent].priority < n->priority)
		rotate_up(l, i);
	pull_up(l, n->parent);
	l->listed++;
}

void queue_list_remove(struct queue_list *l, uint32_t i)
{
	struct queue_node *n = &l->nodes[i];
	uint32_t child;

	while (n->left != NIL && n->right != NIL)
		rotate_up(l, l->nodes[n->left].priority > l->nodes[n->right].priority ? n->left : n->right);
	child = n->left != NIL ? n->left : n->right;
	*link_to(l, i) = child;
	if (child != NIL)
		l->nodes[child].parent = n->parent;
	pull_up(l, n->parent);
	n->listed = false;
	l->listed--;
}

/* Marks */

static int widen(struct queue_list *l)
{
	size_t words = 2 * l->words;
	uint64_t *bits = calloc(l->capacity ? l->capacity : 1, 2 * words * sizeof(uint64_t));

	if (!bits)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->n; i++) {
		memcpy(&bits[(size_t)i * 2 * words], own_of(l, i), l->words * sizeof(uint64_t));
		memcpy(&bits[((size_t)i * 2 + 1) * words], below_of(l, i), l->words * sizeof(uint64_t));
	}
	free(l->bits);
	l->bits = bits;
	l->words = words;
	return 0;
}

uint32_t queue_list_mark(struct queue_list *l)
{
	uint32_t mark = l->marks;

	if (mark == MAX_MARKS || (mark == l->words * WORD_BITS && widen(l)))
		return QUEUE_LIST_NONE;
	l->marks++;
	for (uint32_t i = 0; i < l->n; i++) {
		own_of(l, i)[mark / WORD_BITS] |= 1ull << mark % WORD_BITS;
		below_of(l, i)[mark / WORD_BITS] |= 1ull << mark % WORD_BITS;
	}
	return mark;
}

/* Up to the first subtree that has the mark elsewhere, too. */
void queue_list_unmark(struct queue_list *l, uint32_t i, uint32_t mark)
{
	uint64_t bit = 1ull << mark % WORD_BITS;
	size_t w = mark / WORD_BITS;

	own_of(l, i)[w] &= ~bit;
	for (uint32_t p = l->nodes[i].listed ? i : NIL; p != NIL && (own_of(l, p)[w] & bit) == 0; p = l->nodes[p].parent) {
		const struct queue_node *n = &l->nodes[p];

		if ((n->left != NIL && below_of(l, n->left)[w] & bit) || (n->right != NIL && below_of(l, n->right)[w] & bit))
			return;
		below_of(l, p)[w] &= ~bit;
	}
}

/* Walking */

static bool is_marked(const uint64_t *bits, uint32_t mark)
{
	return mark == QUEUE_LIST_NONE || bits[mark / WORD_BITS] >> mark % WORD_BITS & 1;
}

static bool leads_to(const struct queue_list *l, uint32_t i, uint32_t mark)
{
	return i != NIL && is_marked(below_of(l, i), mark);
}

/* The first marked one below a node whose subtree has the mark. */
static uint32_t leftmost(const struct queue_list *l, uint32_t i, uint32_t mark)
{
	for (;;) {
		if (leads_to(l, l->nodes[i].left, mark))
			i = l->nodes[i].left;
		else if (is_marked(own_of(l, i), mark))
			return i;
		else
			i = l->nodes[i].right;
	}
}

uint32_t queue_list_first(const struct queue_list *l, uint32_t mark)
{
	return leads_to(l, l->root, mark) ? leftmost(l, l->root, mark) : NIL;
}

uint32_t queue_list_next(const struct queue_list *l, uint32_t i, uint32_t mark)
{
	if (leads_to(l, l->nodes[i].right, mark))
		return leftmost(l, l->nodes[i].right, mark);
	for (uint32_t p = l->nodes[i].parent; p != NIL; i = p, p = l->nodes[p].parent) {
		if (l->nodes[p].left != i)
			continue;
		if (is_marked(own_of(l, p), mark))
			return p;
		if (leads_to(l, l->nodes[p].right, mark))
			return leftmost(l, l->nodes[p].right, mark);
	}
	return NIL;
}
