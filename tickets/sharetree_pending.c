/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Share tree tickets of pending tasks. Below each node its tasks are ranked: by what earlier
 * policies gave them and by -js at the node where they stand, then, on the way up, by what the node
 * below made of them. The k-th one gets the node's target divided by what stands before it: 1 for
 * nobody, and the slots of each task before it, running ones first. What the highest ranked node
 * gives counts: a child of the node where the tree first branches.
 *
 * Running tasks only dilute, so a node needs no more of them than the sum of their weights. The
 * pending tasks of a node and all below it lie next to each other in scratch->members, so that
 * ranking a node is merging what its children have ranked. Nodes of the same depth are ranked side
 * by side.
 */
#include <string.h>

#include "tickets/order.h"
#include "tickets/sharetree.h"

#define FOR_EACH_ACTIVE(TREE, NODE, C) for (uint32_t C = (NODE)->first_active; C != TICKETS_NONE; C = (TREE)->nodes[C].next_active)

struct child_ranking {
	struct share_tree *tree;
	const struct ticket_classes *classes;
	const struct pending_tasks *pending;
	struct ticket_scratch *scratch;
	double tickets;
	bool dependent;
	uint32_t start;
	const uint32_t *nodes;		/* of the depth that is being ranked */
};

/* Tasks on each very node: pending ones counted, their classes chained, running ones weighed. */
static void count_own(const struct child_ranking *r, const struct ticket_tasks *running)
{
	struct share_tree *t = r->tree;

	for (size_t k = 0; k < t->active.n; k++)
		r->scratch->node_class[t->active.items[k]] = TICKETS_NONE;
	for (size_t i = 0; i < r->classes->norder; i++) {
		uint32_t id = r->classes->order[i];
		const struct ticket_class *c = &r->classes->items[id];

		if (c->node == TICKETS_NONE)
			continue;
		t->nodes[c->node].own += c->pending;
		t->nodes[c->node].has_own = true;
		r->scratch->next_class[id] = r->scratch->node_class[c->node];
		r->scratch->node_class[c->node] = id;
	}
	for (size_t i = 0; i < running->n; i++) {
		uint32_t node = r->classes->items[running->class_id[i]].node;

		if (node != TICKETS_NONE) {
			t->nodes[node].running_weight += running->weight[i];
			t->nodes[node].has_own = true;
		}
	}
}

uint32_t sharetree_start(const struct share_tree *t)
{
	uint32_t start = 0;

	for (;;) {
		uint32_t active = 0, only = 0;

		if (t->nodes[start].has_own)
			return start;
		FOR_EACH_ACTIVE(t, &t->nodes[start], c)
			if (t->nodes[c].refs > 0) {
				active++;
				only = c;
			}
		if (active != 1)
			return start;
		start = only;
	}
}

/*
 * Give each node that is visited from the start node its range: its own tasks, then those of its
 * children in order.
 */
static void lay_out(struct share_tree *t, uint32_t start)
{
	uint32_t next = 0, node = start;

	for (;;) {
		struct share_node *n = &t->nodes[node];

		n->visited = true;
		n->begin = next;
		n->end = next += n->own;
		for (uint32_t down = n->first_active; ; ) {
			while (down != TICKETS_NONE && t->nodes[down].refs == 0)
				down = t->nodes[down].next_active;
			if (down != TICKETS_NONE) {
				node = down;
				break;
			}
			if (node == start)
				return;
			down = t->nodes[node].next_active;
			node = t->nodes[node].parent;
		}
	}
}

/*
 * What running tasks below a node weigh, and where its range ends. Bottom up: temporary nodes are
 * leaves, and the others are in pre-order.
 */
static void sum_up(const struct child_ranking *r)
{
	for (size_t k = r->tree->active.n; k-- > 0; ) {
		struct share_node *node = &r->tree->nodes[r->tree->active.items[k]];

		if (!node->visited)
			continue;
		FOR_EACH_ACTIVE(r->tree, node, c)
			if (r->tree->nodes[c].visited) {
				node->running_weight += r->tree->nodes[c].running_weight;
				node->end = r->tree->nodes[c].end > node->end ? r->tree->nodes[c].end : node->end;
			}
	}
}

static bool is_ranked(const struct child_ranking *r, uint32_t node)
{
	return r->tree->nodes[node].visited && (node != r->start || r->tree->nodes[node].has_own);
}

/*
 * Only nodes from the start node down are visited; it is ranked itself if it has tasks of its own.
 * Returns how many depths there are.
 */
static uint32_t list_by_depth(const struct child_ranking *r)
{
	uint32_t *begin = r->scratch->depths, first = r->tree->nodes[r->start].depth, depths = 0, sum = 0;
	const struct active_nodes *active = &r->tree->active;

	begin[0] = 0;
	for (size_t k = 0; k < active->n; k++) {
		const struct share_node *node = &r->tree->nodes[active->items[k]];

		if (!is_ranked(r, active->items[k]))
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
		if (is_ranked(r, active->items[k]))
			r->scratch->nodes[begin[r->tree->nodes[active->items[k]].depth - first]++] = active->items[k];
	return depths;
}

/* Its own tasks, with what they are ranked by at first, before those of its children. */
static void fill_own(const struct child_ranking *r, uint32_t node)
{
	uint32_t to = r->tree->nodes[node].begin;

	for (uint32_t id = r->scratch->node_class[node]; id != TICKETS_NONE; id = r->scratch->next_class[id]) {
		const struct ticket_class *c = &r->classes->items[id];

		for (uint32_t task = c->begin; task < c->begin + c->pending; task++, to++) {
			r->scratch->members[to] = task;
			r->scratch->keys[to] = r->dependent ? r->pending->accumulated[task] + 0.01 * c->jobshare : (double)c->jobshare;
		}
	}
}

/* Hand out: the highest node to rank a task gives its tickets. */
static void rank_highest(const struct child_ranking *r, const struct share_node *node, const struct task_range *range)
{
	double dilution = 1.0 + node->running_weight;
	struct tournament order;

	order_begin(&order, range);
	while (order_left(&order)) {
		uint32_t task = range->tasks[order_next(&order)];
		double tickets = node->stt / dilution * r->tickets;

		__builtin_prefetch(&r->pending->weight[task + 16]);
		__builtin_prefetch(&r->pending->job[task + 16]);
		__builtin_prefetch(&r->pending->share_tree[task + 8], 1);
		__builtin_prefetch(&r->pending->accumulated[task + 8], 1);
		dilution += r->pending->weight[task];
		r->pending->share_tree[task] = tickets;
		if (r->dependent)
			r->pending->accumulated[task] += tickets;
	}
}

/* What a lower node makes of its tasks is what they are ranked by on the way up. */
static void rank_lower(const struct child_ranking *r, const struct share_node *node, const struct task_range *range)
{
	double dilution = 1.0 + node->running_weight;

	order_sort(range);
	for (uint32_t k = 0; k < range->n; k++) {
		uint32_t task = range->tasks[k];
		double tickets = node->stt / dilution * r->tickets;

		dilution += r->pending->weight[task];
		range->keys[k] = (r->dependent ? r->pending->accumulated[task] : 0.0) + tickets;
	}
}

static void rank_node(void *context, size_t i)
{
	const struct child_ranking *r = context;
	struct ticket_scratch *s = r->scratch;
	uint32_t id = r->nodes[i];
	const struct share_node *node = &r->tree->nodes[id];

	if (node->begin == node->end)	/* where nobody has a task there are no columns */
		return;

	const struct task_range range = {
		.tasks = s->members + node->begin, .keys = s->keys + node->begin, .other_tasks = s->other_members + node->begin,
		.other_keys = s->other_keys + node->begin, .n = node->end - node->begin, .job = r->pending->job, .rank = r->pending->number };

	fill_own(r, id);
	if (id == r->start || (node->parent == r->start && !r->tree->nodes[r->start].has_own))
		rank_highest(r, node, &range);
	else
		rank_lower(r, node, &range);
}

void sharetree_pending(struct share_tree *tree, double tickets, bool dependent, const struct ticket_classes *classes,
		       const struct ticket_tasks *running, const struct pending_tasks *pending, struct ticket_scratch *scratch)
{
	struct child_ranking r = { .tree = tree, .classes = classes, .pending = pending, .scratch = scratch, .tickets = tickets,
			     .dependent = dependent };

	count_own(&r, running);
	r.start = sharetree_start(tree);
	lay_out(tree, r.start);
	sum_up(&r);
	for (uint32_t d = list_by_depth(&r); d-- > 0; ) {
		uint32_t begin = d > 0 ? scratch->depths[d - 1] : 0;

		r.nodes = scratch->nodes + begin;
		tickets_share_work(&scratch->workers, rank_node, &r, scratch->depths[d] - begin);
	}
}
