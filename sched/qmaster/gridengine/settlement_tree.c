/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Share tree values that sge_share_mon shows. As in 8.1.9, they are sent after a run that has
 * booked the ends of tasks: the leaves to which the tasks belong, and the nodes above them. For all
 * other nodes sge_share_mon shows the values sent last.
 */
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/gridengine/settlement_inside.h"

struct reported_tree {
	struct packed_node *nodes;	/* configured nodes, in pre-order */
	bool *reported;			/* nodes to send, by index of the node */
	/* Number of the project at or above the node, by index of the node; NONE. */
	uint32_t *project;
	size_t n;
};

static void tree_free(struct reported_tree *tree)
{
	free(tree->nodes);
	free(tree->reported);
	free(tree->project);
}

/* Read the share tree. -ENOMEM. Call tree_free() in each case. */
static int tree_read(struct sge *sge, struct reported_tree *tree, const struct fl_view *view)
{
	const struct mirror *mirror = sge->intake->mirror;
	size_t most = fl_nodes(view) + 1;
	struct fl_node node, root = { 0 };

	tree->nodes = calloc(most, sizeof(*tree->nodes));
	tree->reported = calloc(most, sizeof(*tree->reported));
	tree->project = calloc(most, sizeof(*tree->project));
	if (!tree->nodes || !tree->reported || !tree->project)
		return -ENOMEM;
	for (; tree->n + 1 < most && fl_node(view, tree->n, &node) == 0 && !node.is_temporary; tree->n++) {
		uint32_t above = node.parent < 0 || (size_t)node.parent >= tree->n ? NONE : tree->project[node.parent];

		root = tree->n == 0 ? node : root;
		tree->nodes[tree->n] = (struct packed_node){ node.name,
							     node.depth,
							     node.job_count,
							     node.long_target_share,
							     root.usage > 0 ? node.usage / root.usage : 0.0,
							     node.short_target_share };
		tree->project[tree->n] = above != NONE ? above : mirror_find_object(mirror, SHARER_PROJECT, node.name);
	}
	return 0;
}

/* Return whether node `i` is a leaf for tasks of this user or project. */
static bool is_leaf_of(const struct sge *sge, const struct reported_tree *tree, size_t i,
		       const struct usage_sharers *sharers)
{
	const struct mirror *mirror = sge->intake->mirror;
	uint32_t user = mirror_find_object(mirror, SHARER_USER, tree->nodes[i].name);

	if (i + 1 < tree->n && tree->nodes[i + 1].depth > tree->nodes[i].depth)
		return false;
	if (tree->project[i] != NONE && tree->project[i] != sharers->project)
		return false;
	return (user != NONE && user == sharers->user) ||
	       (tree->project[i] != NONE &&
		mirror_find_object(mirror, SHARER_PROJECT, tree->nodes[i].name) == sharers->project);
}

static bool has_ended(const struct sge *sge, const struct reported_tree *tree, size_t i)
{
	const struct pool *ended = &sge->settlement->usage.ended;

	pool_each(k, ended)
		if (is_leaf_of(sge, tree, i, pool_key(ended, k)))
			return true;
	return false;
}

/* Mark the nodes to send, and return their number. */
static size_t tree_choose(const struct sge *sge, struct reported_tree *tree)
{
	uint32_t above = 0;		/* the parents of a node at this depth are sent, too */
	size_t n = 0;

	for (size_t i = tree->n; i-- > 0;) {
		bool ancestor = tree->nodes[i].depth < above;

		tree->reported[i] = ancestor || has_ended(sge, tree, i);
		above = tree->reported[i] ? tree->nodes[i].depth : above;
		n += tree->reported[i];
	}
	return n;
}

void tree_send(struct sge *sge)
{
	struct usage_book *book = &sge->settlement->usage;
	const struct fl_view *view = book->ended.used > 0 ? tickets_view(sge) : NULL;
	struct reported_tree tree = { 0 };
	struct packed packed;
	size_t n = 0;

	if (!view)
		return;
	if (tree_read(sge, &tree, view) == 0 && tree_choose(sge, &tree) > 0 && packet_begin(sge, &packed)) {
		for (size_t i = 0; i < tree.n; i++)
			if (tree.reported[i])
				tree.nodes[n++] = tree.nodes[i];
		packed_tree(&packed, known_tree_version(sge->known), tree.nodes, n);
		packet_send(sge, &packed);
	}
	pool_each(k, &book->ended)
		while (!pool_drop(&book->ended, k))
			;
	tree_free(&tree);
	fl_end(sge->settlement->shown.cell);
}
