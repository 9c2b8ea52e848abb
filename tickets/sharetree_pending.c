/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Share tree tickets of pending tasks. Below each node its tasks are ranked: by what earlier policies gave them and by -js at the node
 * where they stand, then, on the way up, by what the node below made of them. The k-th one gets the node's target
 * divided by what stands before it: 1 for nobody, and the slots of each task before it, running ones first. What the
 * highest ranked node gives counts: a child of the node where the tree first branches.
 *
 * Running tasks only dilute, so a node needs no more of them than the sum of their weights. The pending tasks of a node and all
 * below it lie next to each other in scratch->ranked, so that ranking a node is sorting a range that is nearly sorted.
 */
#include "tickets/queue.h"
#include "tickets/sharetree.h"

#define FOR_EACH_CHILD(TREE, NODE, C) for (uint32_t C = (NODE)->first_child; C != TICKETS_NONE; C = (TREE)->nodes[C].next)

struct ranking {
	struct share_tree *tree;
	const struct ticket_classes *classes;
	const struct ticket_tasks *pending;
	struct ticket_scratch *scratch;
	double tickets;
	bool dependent;
};

/* Tasks on each very node: pending ones counted, running ones weighed. */
static void count_own(const struct ranking *r, const struct ticket_tasks *running)
{
	struct share_tree *t = r->tree;

	for (size_t i = 0; i < t->n; i++) {
		t->nodes[i].own = 0;
		t->nodes[i].running_weight = 0.0;
		t->nodes[i].has_own = t->nodes[i].visited = false;
	}
	for (size_t i = 0; i < r->classes->norder; i++) {
		const struct ticket_class *c = &r->classes->items[r->classes->order[i]];

		if (c->node != TICKETS_NONE) {
			t->nodes[c->node].own += c->pending;
			t->nodes[c->node].has_own = true;
		}
	}
	for (size_t i = 0; i < running->n; i++) {
		uint32_t node = r->classes->items[running->class_id[i]].node;

		if (node != TICKETS_NONE) {
			t->nodes[node].running_weight += running->weight[i];
			t->nodes[node].has_own = true;
		}
	}
}

/* Where ranking ends: the root, or the first node below it that branches or has tasks of its own. */
static uint32_t start_node(const struct share_tree *t)
{
	uint32_t start = 0;

	for (;;) {
		uint32_t active = 0, only = 0;

		if (t->nodes[start].has_own)
			return start;
		FOR_EACH_CHILD(t, &t->nodes[start], c)
			if (t->nodes[c].refs > 0) {
				active++;
				only = c;
			}
		if (active != 1)
			return start;
		start = only;
	}
}

/* Give each node that is visited from the start node its range: its own tasks, then those of its children in order. */
static void lay_out(struct share_tree *t, uint32_t start)
{
	uint32_t next = 0, node = start;

	for (;;) {
		struct share_node *n = &t->nodes[node];

		n->visited = true;
		n->begin = n->end = next;
		next += n->own;
		for (uint32_t down = n->first_child; ; ) {
			while (down != TICKETS_NONE && t->nodes[down].refs == 0)
				down = t->nodes[down].next;
			if (down != TICKETS_NONE) {
				node = down;
				break;
			}
			if (node == start)
				return;
			down = t->nodes[node].next;
			node = t->nodes[node].parent;
		}
	}
}

/* Put the tasks into their nodes' ranges, with what they are ranked by at first. `end` is where the next one goes. */
static void fill(const struct ranking *r)
{
	const struct ticket_tasks *p = r->pending;

	for (size_t i = 0; i < p->n; i++) {
		const struct ticket_class *c = &r->classes->items[p->class_id[i]];

		if (c->node == TICKETS_NONE || !r->tree->nodes[c->node].visited)
			continue;
		r->scratch->ranked[r->tree->nodes[c->node].end++] = (struct ranked){
			.key = r->dependent ? p->tickets[i].accumulated + 0.01 * c->jobshare : (double)c->jobshare,
			.task = (uint32_t)i, .weight = p->weight[i] };
	}
}

/* The highest node to rank a task gives its tickets; the ones below only give what it is ranked by on the way up. */
static void rank_node(const struct ranking *r, const struct share_node *node, bool is_highest)
{
	struct ranked *items = r->scratch->ranked + node->begin;
	uint32_t n = node->end - node->begin;
	double dilution = 1.0 + node->running_weight;

	ranked_sort(items, r->scratch->ranked_other, n, r->scratch->number_position);
	for (uint32_t k = 0; k < n; k++) {
		struct tickets *t = &r->pending->tickets[items[k].task];
		double tickets = node->stt / dilution * r->tickets;

		dilution += items[k].weight;
		if (is_highest)
			t->share_tree = tickets;
		else
			items[k].key = (r->dependent ? t->accumulated : 0.0) + tickets;
	}
}

/* Bottom up: temporary nodes are leaves, and the others are in pre-order. */
static void rank_all(const struct ranking *r, uint32_t start)
{
	for (size_t i = r->tree->n; i-- > 0; ) {
		struct share_node *node = &r->tree->nodes[i];

		if (!node->visited)
			continue;
		FOR_EACH_CHILD(r->tree, node, c)
			if (r->tree->nodes[c].visited) {
				node->running_weight += r->tree->nodes[c].running_weight;
				node->end = r->tree->nodes[c].end > node->end ? r->tree->nodes[c].end : node->end;
			}
		if (i != start || node->has_own)
			rank_node(r, node, i == start || (node->parent == start && !r->tree->nodes[start].has_own));
	}
}

void sharetree_pending(struct share_tree *tree, double tickets, bool dependent, const struct ticket_classes *classes,
		       const struct ticket_tasks *running, const struct ticket_tasks *pending, struct ticket_scratch *scratch)
{
	struct ranking r = { .tree = tree, .classes = classes, .pending = pending, .scratch = scratch, .tickets = tickets,
			     .dependent = dependent };
	uint32_t start;

	count_own(&r, running);
	start = start_node(tree);
	lay_out(tree, start);
	fill(&r);
	rank_all(&r, start);
	for (size_t i = 0; dependent && i < pending->n; i++)
		pending->tickets[i].accumulated += pending->tickets[i].share_tree;
}
