/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a job stands in the share tree. The original walks the tree for every task: first to the
 * project's node, which hides what is below it from everybody else, then in pre-order to the user's
 * node, else to a `default` one. Every node can be reached from one starting point only, the root
 * or the project node that encloses it: its region. So a hash of (region, user) and the first
 * `default` of each region give the same node at once.
 */
#include "tickets/sharetree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"

struct node_entry {
	uint32_t a, b;			/* the key */
	uint32_t node;
};

static uint32_t key_hash(uint32_t a, uint32_t b)
{
	return (uint32_t)(((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u >> 32);
}

static uint32_t map_find(const struct node_map *m, uint32_t a, uint32_t b)
{
	uint32_t i;

	index_search(i, &m->index, key_hash(a, b), m->entries[i].a == a && m->entries[i].b == b);
	return i == INDEX_NONE ? TICKETS_NONE : m->entries[i].node;
}

static int map_reserve(struct node_map *m)
{
	size_t capacity = m->capacity ? 2 * m->capacity : 64;

	if (m->n == m->capacity) {
		if (array_grow(&m->entries, capacity, sizeof(*m->entries)) || array_grow(&m->hashes, capacity, sizeof(*m->hashes)))
			return -ENOMEM;
		m->capacity = capacity;
	}
	return index_reserve(&m->index, m->hashes);
}

/* The first one of a key counts. */
static int map_add(struct node_map *m, uint32_t a, uint32_t b, uint32_t node)
{
	if (map_find(m, a, b) != TICKETS_NONE)
		return 0;
	if (map_reserve(m))
		return -ENOMEM;
	m->entries[m->n] = (struct node_entry){ .a = a, .b = b, .node = node };
	m->hashes[m->n] = key_hash(a, b);
	index_insert(&m->index, m->hashes, (uint32_t)m->n++);
	return 0;
}

static void map_clear(struct node_map *m)
{
	index_clear(&m->index);
	m->n = 0;
}

static void map_free(struct node_map *m)
{
	index_free(&m->index);
	free(m->hashes);
	free(m->entries);
}

static void node_append(struct share_tree *t, uint32_t parent, uint32_t child)
{
	struct share_node *p = &t->nodes[parent];

	if (p->first_child == TICKETS_NONE)
		p->first_child = child;
	else
		t->nodes[p->last_child].next = child;
	p->last_child = child;
}

/* Building */

static struct share_node node_from(const struct share_tree *t, const struct share_tree_node *from, uint32_t index)
{
	const struct share_node *parent = from->parent == TICKETS_NONE ? NULL : &t->nodes[from->parent];
	struct share_node node = {
		.user = from->user, .project = from->project, .shares = from->shares, .is_default = from->is_default,
		.parent = from->parent, .first_child = TICKETS_NONE, .last_child = TICKETS_NONE, .next = TICKETS_NONE,
		.default_below = TICKETS_NONE, .in_project = TICKETS_NONE, .first_active = TICKETS_NONE, .next_active = TICKETS_NONE,
	};

	if (!parent)
		return node;
	node.depth = parent->depth + 1;
	node.region = from->project != TICKETS_NONE ? index : parent->region;
	node.in_project = parent->in_project != TICKETS_NONE ? parent->in_project : parent->project;
	return node;
}

static int node_index(struct share_tree *t, uint32_t i)
{
	const struct share_node *node = &t->nodes[i];
	bool seen_from_root = i == 0 || t->nodes[node->parent].region == 0;

	if (node->user != TICKETS_NONE && map_add(&t->leaves, node->region, node->user, i))
		return -ENOMEM;
	if (node->is_default && t->default_of_region[node->region] == TICKETS_NONE)
		t->default_of_region[node->region] = i;
	if (node->project < t->nprojects && seen_from_root && t->node_of_project[node->project] == TICKETS_NONE)
		t->node_of_project[node->project] = i;
	return 0;
}

/* Pre-order means that a node's children come behind it, the first ones first. */
static void find_defaults_below(struct share_tree *t)
{
	for (size_t i = t->configured; i-- > 0; )
		for (uint32_t c = t->nodes[i].first_child; c != TICKETS_NONE && t->nodes[i].default_below == TICKETS_NONE;
		     c = t->nodes[c].next)
			t->nodes[i].default_below = t->nodes[c].is_default ? c : t->nodes[c].default_below;
}

static int tree_allocate(struct share_tree *t, size_t n, size_t nprojects)
{
	*t = (struct share_tree){ .capacity = n + 64, .nprojects = nprojects };
	t->nodes = malloc(t->capacity * sizeof(*t->nodes));
	t->default_of_region = malloc(n * sizeof(uint32_t));
	t->node_of_project = malloc((nprojects + 1) * sizeof(uint32_t));
	if (!t->nodes || !t->default_of_region || !t->node_of_project)
		return -ENOMEM;
	memset(t->default_of_region, 0xff, n * sizeof(uint32_t));
	memset(t->node_of_project, 0xff, (nprojects + 1) * sizeof(uint32_t));
	return 0;
}

int sharetree_build(struct share_tree *t, const struct share_tree_node *nodes, size_t n, size_t nprojects)
{
	if (tree_allocate(t, n, nprojects))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		t->nodes[i] = node_from(t, &nodes[i], i);
		t->n = t->configured = i + 1;
		if (i > 0)
			node_append(t, nodes[i].parent, i);
		if (node_index(t, i))
			return -ENOMEM;
	}
	find_defaults_below(t);
	for (size_t i = 0; i < n; i++)
		t->nodes[i].last_configured = t->nodes[i].last_child;
	return 0;
}

void sharetree_free(struct share_tree *t)
{
	free(t->nodes);
	map_free(&t->leaves);
	map_free(&t->copies);
	free(t->default_of_region);
	free(t->node_of_project);
	free(t->active.items);
	free(t->active.bits);
	free(t->shown);
	*t = (struct share_tree){ 0 };
}

/* Finding a job's node */

void sharetree_reset(struct share_tree *t)
{
	if (t->n == t->configured)
		return;
	map_clear(&t->copies);
	for (size_t i = t->configured; i < t->n; i++) {
		struct share_node *parent = &t->nodes[t->nodes[i].parent];

		parent->last_child = parent->last_configured;
		t->nodes[parent->last_configured].next = TICKETS_NONE;
	}
	t->n = t->configured;
}

/* A copy of a `default` node with its full shares, at the end of its siblings. */
static int default_copy(struct share_tree *t, uint32_t from, uint32_t user, uint32_t *node)
{
	uint32_t copy = (uint32_t)t->n;

	if (t->n == t->capacity) {
		struct share_node *larger = realloc(t->nodes, 2 * t->capacity * sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		t->nodes = larger;
		t->capacity *= 2;
	}
	if (map_add(&t->copies, from, user, copy))
		return -ENOMEM;
	t->nodes[copy] = (struct share_node){
		.user = user, .project = TICKETS_NONE, .shares = t->nodes[from].shares, .parent = t->nodes[from].parent,
		.first_child = TICKETS_NONE, .last_child = TICKETS_NONE, .next = TICKETS_NONE, .depth = t->nodes[from].depth,
		.region = t->nodes[from].region, .in_project = t->nodes[from].in_project, .default_below = TICKETS_NONE,
		.first_active = TICKETS_NONE, .next_active = TICKETS_NONE,
	};
	node_append(t, t->nodes[from].parent, copy);
	t->n++;
	*node = copy;
	return 0;
}

int sharetree_assign(struct share_tree *t, uint32_t user, uint32_t project, uint32_t *node)
{
	uint32_t region = 0, hit;

	*node = TICKETS_NONE;
	if (project != TICKETS_NONE) {
		uint32_t p = project < t->nprojects ? t->node_of_project[project] : TICKETS_NONE;

		if (p == TICKETS_NONE || t->nodes[p].first_child == TICKETS_NONE) {
			*node = p;
			return 0;
		}
		region = p;
	}
	if (user == TICKETS_NONE)
		return 0;
	hit = map_find(&t->leaves, region, user);
	if (hit == TICKETS_NONE)
		hit = t->default_of_region[region];
	if (hit != TICKETS_NONE && t->nodes[hit].is_default && t->nodes[hit].parent != TICKETS_NONE) {
		uint32_t copy = map_find(&t->copies, hit, user);

		if (copy == TICKETS_NONE)
			return default_copy(t, hit, user, node);
		hit = copy;
	}
	*node = hit;
	return 0;
}
