/* SPDX-License-Identifier: Apache-2.0 */
/* Targets of the nodes from usage and shares: share_tree(5), sched_conf(5) compensation_factor. */
#include <math.h>

#include "tickets/sharetree.h"

/*
 * Visit the nodes bottom up without recursion. Temporary nodes are leaves, and configured nodes are
 * in pre-order, so backwards every child comes before its parent.
 */
#define FOR_EACH_BOTTOM_UP(TREE, I) for (size_t I = (TREE)->n; I-- > 0; )
#define FOR_EACH_CHILD(TREE, NODE, C)									\
	for (uint32_t C = (NODE)->first_child; C != TICKETS_NONE; C = (TREE)->nodes[C].next)

/* Usage */

static bool is_project_node(const struct share_node *node)
{
	return node->first_child != TICKETS_NONE && node->in_project == TICKETS_NONE && node->project != TICKETS_NONE;
}

static double own_usage(const struct share_node *node, const struct sharetree_sources *from)
{
	if (is_project_node(node))
		return from->project(from->context, node->project);
	if (node->first_child != TICKETS_NONE)
		return 0.0;
	if (node->in_project != TICKETS_NONE)
		return node->user == TICKETS_NONE ? 0.0
						  : from->user_in_project(from->context, node->user, node->in_project);
	if (node->user != TICKETS_NONE)
		return from->user(from->context, node->user);
	return node->project == TICKETS_NONE ? 0.0 : from->project(from->context, node->project);
}

/*
 * Add the usage of a project beyond that of the users listed below it to its `default` node, and to
 * all nodes on the path to it.
 */
static void add_rest_to_default(struct share_tree *tree, uint32_t project_node, double rest)
{
	uint32_t below = tree->nodes[project_node].default_below;

	if (below == TICKETS_NONE || !(rest > 1.0))
		return;
	for (; below != project_node; below = tree->nodes[below].parent)
		tree->nodes[below].usage += rest;
}

uint64_t sharetree_usage(struct share_tree *tree, const struct sharetree_sources *sources)
{
	uint64_t clamped = 0;

	FOR_EACH_BOTTOM_UP(tree, i) {
		struct share_node *node = &tree->nodes[i];
		double children = 0.0;

		FOR_EACH_CHILD(tree, node, c)
			children += tree->nodes[c].usage;
		node->usage = tickets_finite(own_usage(node, sources), &clamped);
		if (is_project_node(node))
			add_rest_to_default(tree, (uint32_t)i, node->usage - children);
		else
			node->usage += children;
	}
	return clamped;
}

/* Targets */

struct tree_siblings {				/* the active children of one node */
	struct share_tree *tree;
	const struct share_node *parent;
	double compensation_factor;
	uint64_t clamped;
};

#define FOR_EACH_ACTIVE(LEVEL, C)									\
	for (uint32_t of_##C = (LEVEL)->parent->first_active; of_##C != TICKETS_NONE;			\
	     of_##C = (LEVEL)->tree->nodes[of_##C].next_active)						\
		for (struct share_node *C = &(LEVEL)->tree->nodes[of_##C]; C && C->refs > 0; C = NULL)

static double level_shares(const struct tree_siblings *siblings)
{
	double sum = 0.0;

	FOR_EACH_ACTIVE(siblings, c)
		sum += c->shares;
	return sum;
}

/* Compute weights: shares squared over usage, which counts at least as the target. */
static double level_weigh(struct tree_siblings *siblings, double shares)
{
	double sum = 0.0;

	FOR_EACH_ACTIVE(siblings, c) {
		double ltt = shares > 0 ? c->shares / shares : 0.0;

		c->oltt = siblings->parent->oltt * ltt;
		c->m_share = siblings->parent->m_share * ltt;
		c->weight = c->oltt > 0 ? (double)c->shares * c->shares / fmax(c->usage, 1.0 * c->oltt) : 0.0;
		c->weight = tickets_finite(c->weight, &siblings->clamped);
		sum += c->weight;
	}
	return sum;
}

static void level_share_out(struct tree_siblings *siblings, double sum)
{
	FOR_EACH_ACTIVE(siblings, c) {
		c->stt = tickets_finite(sum != 0 ? c->weight / sum : 0.0, &siblings->clamped);
		c->ostt = tickets_finite(siblings->parent->ostt * c->stt, &siblings->clamped);
	}
}

/* Limit each node to compensation_factor times its long term target, in a single pass. */
static void level_compensate(struct tree_siblings *siblings)
{
	double factor = siblings->compensation_factor, sum = 0.0;
	bool hit = false;

	FOR_EACH_ACTIVE(siblings, c) {
		if (c->ostt > factor * c->oltt) {
			c->weight = (double)c->shares * c->shares /
				    (fmax(c->usage, 1.0 * c->oltt) * (c->ostt / (factor * c->oltt)));
			c->weight = tickets_finite(c->weight, &siblings->clamped);
			hit = true;
		}
		sum += c->weight;
	}
	if (hit)
		level_share_out(siblings, sum);
}

uint64_t sharetree_targets(struct share_tree *tree, double compensation_factor)
{
	uint64_t clamped = 0;

	tree->nodes[0].oltt = tree->nodes[0].stt = tree->nodes[0].ostt = tree->nodes[0].m_share = 1.0;
	for (size_t k = 0; k < tree->active.n; k++) {
		uint32_t i = tree->active.items[k];
		struct tree_siblings level = { .tree = tree,
					       .parent = &tree->nodes[i],
					       .compensation_factor = compensation_factor };
		double sum;

		if (tree->nodes[i].first_active == TICKETS_NONE || (i > 0 && tree->nodes[i].refs == 0))
			continue;
		sum = level_weigh(&level, level_shares(&level));
		level_share_out(&level, sum > 0 ? sum : 0.0);
		if (compensation_factor != 0)
			level_compensate(&level);
		clamped += level.clamped;
	}
	return clamped;
}

static void display(struct share_node *node, double long_target, double short_target, uint32_t jobs)
{
	node->long_target_share = long_target;
	node->short_target_share = short_target;
	node->job_count = jobs;
}

void sharetree_keep_display(struct share_tree *tree)
{
	for (size_t k = 0; k < tree->nshown; k++)
		if (tree->shown[k] < tree->n)
			display(&tree->nodes[tree->shown[k]], 0.0, 0.0, 0);
	for (size_t k = 0; k < tree->active.n; k++) {
		struct share_node *node = &tree->nodes[tree->active.items[k]];

		display(node, node->m_share, node->ostt, node->refs);
		tree->shown[k] = tree->active.items[k];
	}
	tree->nshown = tree->active.n;
}

/* Running tasks */

double sharetree_running_task(const struct share_node *nodes, double tickets, const struct ticket_class *class,
			      uint64_t *clamped)
{
	const struct share_node *node = class->node == TICKETS_NONE ? NULL : &nodes[class->node];
	double all = node ? node->ostt * tickets : 0.0;

	if (!node)
		return 0.0;
	return tickets_finite(node->jobshares ? trunc(class->jobshare * all / node->jobshares) : all / node->refs,
			      clamped);
}

void sharetree_running(struct share_tree *tree, double tickets, struct ticket_classes *classes, uint64_t *clamped)
{
	for (size_t i = 0; i < classes->n; i++)
		if (classes->items[i].running)
			classes->items[i].running_tickets.share_tree =
				sharetree_running_task(tree->nodes, tickets, &classes->items[i], clamped);
}
