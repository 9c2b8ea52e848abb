/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Share tree tickets of pending tasks. The tasks below each node are ranked. At the node of a task
 * they are ranked by the tickets of earlier policies and by -js. On the way up, each node ranks by
 * the result of the node below. The k-th task gets the node's target divided by a dilution. The
 * dilution starts at 1 and grows by the slots of each task before it, running tasks first. The
 * result of the highest node that ranks counts: a child of the node where the tree first branches.
 *
 * Running tasks only dilute, so a node needs only the sum of their weights. The pending tasks of a
 * node and all nodes below it are contiguous in scratch->members, so ranking a node means merging
 * the ranked tasks of its children. Nodes of equal depth are ranked in parallel.
 */
#include <string.h>

#include "tickets/order.h"
#include "tickets/sharetree.h"

#define FOR_EACH_ACTIVE(TREE, NODE, C)									\
	for (uint32_t C = (NODE)->first_active; C != TICKETS_NONE; C = (TREE)->nodes[C].next_active)

struct child_ranking {
	struct share_tree *tree;
	const struct ticket_classes *classes;
	const struct pending_tasks *pending;
	struct ticket_scratch *scratch;
	double tickets;
	bool dependent;
	uint32_t start;
	const uint32_t *nodes;		/* nodes of the depth that is being ranked */
};

/*
 * Count the tasks on each node itself: count pending tasks and chain their classes, sum the weights
 * of running tasks.
 */
static void count_own(const struct child_ranking *ranking, const struct ticket_tasks *running)
{
	struct share_tree *tree = ranking->tree;

	for (size_t k = 0; k < tree->active.n; k++)
		ranking->scratch->node_class[tree->active.items[k]] = TICKETS_NONE;
	for (size_t i = 0; i < ranking->classes->norder; i++) {
		uint32_t id = ranking->classes->order[i];
		const struct ticket_class *class = &ranking->classes->items[id];

		if (class->node == TICKETS_NONE)
			continue;
		tree->nodes[class->node].own += class->pending;
		tree->nodes[class->node].has_own = true;
		ranking->scratch->next_class[id] = ranking->scratch->node_class[class->node];
		ranking->scratch->node_class[class->node] = id;
	}
	for (size_t i = 0; i < running->n; i++) {
		uint32_t node = ranking->classes->items[running->class_id[i]].node;

		if (node != TICKETS_NONE) {
			tree->nodes[node].running_weight += running->weight[i];
			tree->nodes[node].has_own = true;
		}
	}
}

uint32_t sharetree_start(const struct share_tree *tree)
{
	uint32_t start = 0;

	for (;;) {
		uint32_t active = 0, only = 0;

		if (tree->nodes[start].has_own)
			return start;
		FOR_EACH_ACTIVE(tree, &tree->nodes[start], c)
			if (tree->nodes[c].refs > 0) {
				active++;
				only = c;
			}
		if (active != 1)
			return start;
		start = only;
	}
}

/*
 * Assign a range to each node that is visited from the start node: its own tasks, then those of its
 * children in order.
 */
static void lay_out(struct share_tree *tree, uint32_t start)
{
	uint32_t next = 0, node = start;

	for (;;) {
		struct share_node *share_node = &tree->nodes[node];

		share_node->visited = true;
		share_node->begin = next;
		share_node->end = next += share_node->own;
		for (uint32_t down = share_node->first_active; ; ) {
			while (down != TICKETS_NONE && tree->nodes[down].refs == 0)
				down = tree->nodes[down].next_active;
			if (down != TICKETS_NONE) {
				node = down;
				break;
			}
			if (node == start)
				return;
			down = tree->nodes[node].next_active;
			node = tree->nodes[node].parent;
		}
	}
}

/*
 * Sum the weights of running tasks below each node, and find the end of its range. Bottom up:
 * temporary nodes are leaves, and the others are in pre-order.
 */
static void sum_up(const struct child_ranking *ranking)
{
	for (size_t k = ranking->tree->active.n; k-- > 0; ) {
		struct share_node *node = &ranking->tree->nodes[ranking->tree->active.items[k]];

		if (!node->visited)
			continue;
		FOR_EACH_ACTIVE(ranking->tree, node, c)
			if (ranking->tree->nodes[c].visited) {
				node->running_weight += ranking->tree->nodes[c].running_weight;
				node->end = ranking->tree->nodes[c].end > node->end ? ranking->tree->nodes[c].end
										    : node->end;
			}
	}
}

static bool is_ranked(const struct child_ranking *ranking, uint32_t node)
{
	return ranking->tree->nodes[node].visited && (node != ranking->start || ranking->tree->nodes[node].has_own);
}

/*
 * List the nodes by depth and return the number of depths. Only nodes from the start node down are
 * visited. The start node itself is ranked if it has its own tasks.
 */
static uint32_t list_by_depth(const struct child_ranking *ranking)
{
	uint32_t *begin = ranking->scratch->depths, first = ranking->tree->nodes[ranking->start].depth, depths = 0,
		 sum = 0;
	const struct active_nodes *active = &ranking->tree->active;

	begin[0] = 0;
	for (size_t k = 0; k < active->n; k++) {
		const struct share_node *node = &ranking->tree->nodes[active->items[k]];

		if (!is_ranked(ranking, active->items[k]))
			continue;
		while (depths < node->depth - first + 1)
			begin[++depths] = 0;
		begin[node->depth - first]++;
	}
	for (uint32_t d = 0; d <= depths; d++) {
		uint32_t n = begin[d];

		begin[d] = sum;
		sum += n;
	}
	for (size_t k = 0; k < active->n; k++)
		if (is_ranked(ranking, active->items[k]))
			ranking->scratch->nodes[begin[ranking->tree->nodes[active->items[k]].depth - first]++] =
				active->items[k];
	return depths;
}

/* Fill in the node's own tasks with their initial keys, before those of its children. */
static void fill_own(const struct child_ranking *ranking, uint32_t node)
{
	uint32_t to = ranking->tree->nodes[node].begin;

	for (uint32_t id = ranking->scratch->node_class[node]; id != TICKETS_NONE;
	     id = ranking->scratch->next_class[id]) {
		const struct ticket_class *class = &ranking->classes->items[id];

		for (uint32_t task = class->begin; task < class->begin + class->pending; task++, to++) {
			ranking->scratch->members[to] = task;
			ranking->scratch->keys[to] =
				ranking->dependent ? ranking->pending->accumulated[task] + 0.01 * class->jobshare
						   : (double)class->jobshare;
		}
	}
}

/* Assign the tickets: the highest node that ranks a task determines them. */
static void rank_highest(const struct child_ranking *ranking, const struct share_node *node,
			 const struct task_range *range)
{
	double dilution = 1.0 + node->running_weight;
	struct tournament order;

	order_begin(&order, range);
	while (order_left(&order)) {
		uint32_t task = range->tasks[order_next(&order)];
		double tickets = node->stt / dilution * ranking->tickets;

		__builtin_prefetch(&ranking->pending->weight[task + 16]);
		__builtin_prefetch(&ranking->pending->job[task + 16]);
		__builtin_prefetch(&ranking->pending->share_tree[task + 8], 1);
		__builtin_prefetch(&ranking->pending->accumulated[task + 8], 1);
		dilution += ranking->pending->weight[task];
		ranking->pending->share_tree[task] = tickets;
		if (ranking->dependent)
			ranking->pending->accumulated[task] += tickets;
	}
}

/* Rank at a lower node. The result is the key for the node above. */
static void rank_lower(const struct child_ranking *ranking, const struct share_node *node,
		       const struct task_range *range)
{
	double dilution = 1.0 + node->running_weight;

	order_sort(range);
	for (uint32_t k = 0; k < range->n; k++) {
		uint32_t task = range->tasks[k];
		double tickets = node->stt / dilution * ranking->tickets;

		dilution += ranking->pending->weight[task];
		range->keys[k] = (ranking->dependent ? ranking->pending->accumulated[task] : 0.0) + tickets;
	}
}

static void rank_node(void *context, size_t i)
{
	const struct child_ranking *ranking = context;
	struct ticket_scratch *scratch = ranking->scratch;
	uint32_t id = ranking->nodes[i];
	const struct share_node *node = &ranking->tree->nodes[id];

	if (node->begin == node->end)	/* without tasks there are no columns */
		return;

	const struct task_range range = { .tasks = scratch->members + node->begin,
					  .keys = scratch->keys + node->begin,
					  .other_tasks = scratch->other_members + node->begin,
					  .other_keys = scratch->other_keys + node->begin,
					  .n = node->end - node->begin,
					  .job = ranking->pending->job,
					  .rank = ranking->pending->number };

	fill_own(ranking, id);
	if (id == ranking->start || (node->parent == ranking->start && !ranking->tree->nodes[ranking->start].has_own))
		rank_highest(ranking, node, &range);
	else
		rank_lower(ranking, node, &range);
}

void sharetree_pending(struct share_tree *tree, double tickets, bool dependent, const struct ticket_classes *classes,
		       const struct ticket_tasks *running, const struct pending_tasks *pending,
		       struct ticket_scratch *scratch)
{
	struct child_ranking ranking = { .tree = tree,
					 .classes = classes,
					 .pending = pending,
					 .scratch = scratch,
					 .tickets = tickets,
					 .dependent = dependent };

	count_own(&ranking, running);
	ranking.start = sharetree_start(tree);
	lay_out(tree, ranking.start);
	sum_up(&ranking);
	for (uint32_t d = list_by_depth(&ranking); d-- > 0; ) {
		uint32_t begin = d > 0 ? scratch->depths[d - 1] : 0;

		ranking.nodes = scratch->nodes + begin;
		tickets_share_work(&scratch->workers, rank_node, &ranking, scratch->depths[d] - begin);
	}
}
