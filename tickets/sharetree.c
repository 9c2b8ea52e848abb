/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assignment of jobs to nodes of the share tree. Grid Engine walks the tree for every task. It
 * first goes to the node of the project, which hides the nodes below it from other jobs. Then it
 * searches in pre-order for the node of the user, or else for a `default` node. Every node can be
 * reached from only one starting point, which is its region: the root or the enclosing project
 * node. Therefore a hash of (region, user) and the first `default` of each region give the same
 * node without a walk.
 */
#include "tickets/sharetree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"

struct node_entry {
	uint32_t a, b;			/* the key */
	uint32_t node;
};

static uint32_t key_hash(uint32_t a, uint32_t b)
{
	return (uint32_t)(((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u >> 32);
}

static uint32_t map_find(const struct node_map *map, uint32_t a, uint32_t b)
{
	uint32_t i;

	index_search(i, &map->index, key_hash(a, b), map->entries[i].a == a && map->entries[i].b == b);
	return i == INDEX_NONE ? TICKETS_NONE : map->entries[i].node;
}

static int map_reserve(struct node_map *map)
{
	if (array_reserve(&map->capacity, map->n + 1, COLUMN(map->entries), COLUMN(map->hashes)))
		return -ENOMEM;
	return index_reserve(&map->index, map->hashes);
}

/* Add a node. The first node with a key counts. */
static int map_add(struct node_map *map, uint32_t a, uint32_t b, uint32_t node)
{
	if (map_find(map, a, b) != TICKETS_NONE)
		return 0;
	if (map_reserve(map))
		return -ENOMEM;
	map->entries[map->n] = (struct node_entry){ .a = a, .b = b, .node = node };
	map->hashes[map->n] = key_hash(a, b);
	index_insert(&map->index, map->hashes, (uint32_t)map->n++);
	return 0;
}

static void map_clear(struct node_map *map)
{
	index_clear(&map->index);
	map->n = 0;
}

static void map_free(struct node_map *map)
{
	index_free(&map->index);
	free(map->hashes);
	free(map->entries);
}

static void node_append(struct share_tree *tree, uint32_t parent, uint32_t child)
{
	struct share_node *node = &tree->nodes[parent];

	if (node->first_child == TICKETS_NONE)
		node->first_child = child;
	else
		tree->nodes[node->last_child].next = child;
	node->last_child = child;
}

/* Building */

static struct share_node node_from(const struct share_tree *tree, const struct share_tree_node *from, uint32_t index)
{
	const struct share_node *parent = from->parent == TICKETS_NONE ? NULL : &tree->nodes[from->parent];
	struct share_node node = {
		.user = from->user,
		.project = from->project,
		.shares = from->shares,
		.is_default = from->is_default,
		.parent = from->parent,
		.first_child = TICKETS_NONE,
		.last_child = TICKETS_NONE,
		.next = TICKETS_NONE,
		.default_below = TICKETS_NONE,
		.in_project = TICKETS_NONE,
		.first_active = TICKETS_NONE,
		.next_active = TICKETS_NONE,
	};

	if (!parent)
		return node;
	node.depth = parent->depth + 1;
	node.region = from->project != TICKETS_NONE ? index : parent->region;
	node.in_project = parent->in_project != TICKETS_NONE ? parent->in_project : parent->project;
	return node;
}

static int node_index(struct share_tree *tree, uint32_t i)
{
	const struct share_node *node = &tree->nodes[i];
	bool seen_from_root = i == 0 || tree->nodes[node->parent].region == 0;

	if (node->user != TICKETS_NONE && map_add(&tree->leaves, node->region, node->user, i))
		return -ENOMEM;
	if (node->is_default && tree->default_of_region[node->region] == TICKETS_NONE)
		tree->default_of_region[node->region] = i;
	if (node->project < tree->nprojects && seen_from_root && tree->node_of_project[node->project] == TICKETS_NONE)
		tree->node_of_project[node->project] = i;
	return 0;
}

/*
 * Find the first `default` node below each node. In pre-order the children of a node come after it,
 * in their order.
 */
static void find_defaults_below(struct share_tree *tree)
{
	for (size_t i = tree->configured; i-- > 0; )
		for (uint32_t c = tree->nodes[i].first_child;
		     c != TICKETS_NONE && tree->nodes[i].default_below == TICKETS_NONE; c = tree->nodes[c].next)
			tree->nodes[i].default_below = tree->nodes[c].is_default ? c : tree->nodes[c].default_below;
}

static int tree_allocate(struct share_tree *tree, size_t n, size_t nprojects)
{
	*tree = (struct share_tree){ .capacity = n + 64, .nprojects = nprojects };
	tree->nodes = malloc(tree->capacity * sizeof(*tree->nodes));
	tree->default_of_region = malloc(n * sizeof(uint32_t));
	tree->node_of_project = malloc((nprojects + 1) * sizeof(uint32_t));
	if (!tree->nodes || !tree->default_of_region || !tree->node_of_project)
		return -ENOMEM;
	memset(tree->default_of_region, 0xff, n * sizeof(uint32_t));
	memset(tree->node_of_project, 0xff, (nprojects + 1) * sizeof(uint32_t));
	return 0;
}

int sharetree_build(struct share_tree *tree, const struct share_tree_node *nodes, size_t n, size_t nprojects)
{
	if (tree_allocate(tree, n, nprojects))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		tree->nodes[i] = node_from(tree, &nodes[i], i);
		tree->n = tree->configured = i + 1;
		if (i > 0)
			node_append(tree, nodes[i].parent, i);
		if (node_index(tree, i))
			return -ENOMEM;
	}
	find_defaults_below(tree);
	for (size_t i = 0; i < n; i++)
		tree->nodes[i].last_configured = tree->nodes[i].last_child;
	return 0;
}

void sharetree_free(struct share_tree *tree)
{
	free(tree->nodes);
	map_free(&tree->leaves);
	map_free(&tree->copies);
	free(tree->default_of_region);
	free(tree->node_of_project);
	free(tree->active.items);
	free(tree->active.bits);
	free(tree->shown);
	*tree = (struct share_tree){ 0 };
}

/* Finding a job's node */

void sharetree_reset(struct share_tree *tree)
{
	if (tree->n == tree->configured)
		return;
	map_clear(&tree->copies);
	for (size_t i = tree->configured; i < tree->n; i++) {
		struct share_node *parent = &tree->nodes[tree->nodes[i].parent];

		parent->last_child = parent->last_configured;
		tree->nodes[parent->last_configured].next = TICKETS_NONE;
	}
	tree->n = tree->configured;
}

/* Copy a `default` node with its full shares, as the last of its siblings. */
static int default_copy(struct share_tree *tree, uint32_t from, uint32_t user, uint32_t *node)
{
	uint32_t copy = (uint32_t)tree->n;

	if (tree->n == tree->capacity) {
		struct share_node *larger = realloc(tree->nodes, 2 * tree->capacity * sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		tree->nodes = larger;
		tree->capacity *= 2;
	}
	if (map_add(&tree->copies, from, user, copy))
		return -ENOMEM;
	tree->nodes[copy] = (struct share_node){
		.user = user,
		.project = TICKETS_NONE,
		.shares = tree->nodes[from].shares,
		.parent = tree->nodes[from].parent,
		.first_child = TICKETS_NONE,
		.last_child = TICKETS_NONE,
		.next = TICKETS_NONE,
		.depth = tree->nodes[from].depth,
		.region = tree->nodes[from].region,
		.in_project = tree->nodes[from].in_project,
		.default_below = TICKETS_NONE,
		.first_active = TICKETS_NONE,
		.next_active = TICKETS_NONE,
	};
	node_append(tree, tree->nodes[from].parent, copy);
	tree->n++;
	*node = copy;
	return 0;
}

int sharetree_assign(struct share_tree *tree, uint32_t user, uint32_t project, uint32_t *node)
{
	uint32_t region = 0, hit;

	*node = TICKETS_NONE;
	if (project != TICKETS_NONE) {
		uint32_t p = project < tree->nprojects ? tree->node_of_project[project] : TICKETS_NONE;

		if (p == TICKETS_NONE || tree->nodes[p].first_child == TICKETS_NONE) {
			*node = p;
			return 0;
		}
		region = p;
	}
	if (user == TICKETS_NONE)
		return 0;
	hit = map_find(&tree->leaves, region, user);
	if (hit == TICKETS_NONE)
		hit = tree->default_of_region[region];
	if (hit != TICKETS_NONE && tree->nodes[hit].is_default && tree->nodes[hit].parent != TICKETS_NONE) {
		uint32_t copy = map_find(&tree->copies, hit, user);

		if (copy == TICKETS_NONE)
			return default_copy(tree, hit, user, node);
		hit = copy;
	}
	*node = hit;
	return 0;
}
