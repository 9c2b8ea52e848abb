/* SPDX-License-Identifier: Apache-2.0 */
/* What sge_share_mon shows of the share tree, after a run that has changed it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/gridengine/settlement_inside.h"

/* %f of each, and the count. */
static uint64_t node_sum(uint64_t sum, const struct packed_node *n)
{
	const double values[] = { n->m_share, n->actual_share, n->target_share };

	for (size_t i = 0; i < 3; i++)
		sum = (sum ^ (uint64_t)llrint(fmin(fmax(values[i], 0.0), 1e6) * 1e6)) * 0x9e3779b97f4a7c15u + 1;
	return (sum ^ n->job_count) * 0x9e3779b97f4a7c15u + 1;
}

/* The configured ones, which come first; to be freed. NULL: there are none, or no memory. */
static struct packed_node *nodes_of(const struct fl_view *view, size_t *n, uint64_t *sum)
{
	struct packed_node *nodes = calloc(fl_nodes(view) + 1, sizeof(*nodes));
	struct fl_node node, root = { 0 };

	for (*n = 0; nodes && fl_node(view, *n, &node) == 0 && !node.is_temporary; ++*n) {
		if (*n == 0)
			root = node;
		nodes[*n] = (struct packed_node){ node.name, node.depth, node.job_count, node.long_target_share,
						  root.usage > 0 ? node.usage / root.usage : 0.0, node.short_target_share };
		*sum = node_sum(*sum, &nodes[*n]);
	}
	return nodes;
}

void tree_send(struct sge *g)
{
	const struct fl_view *view = tickets_view(g);
	uint64_t sum = known_tree_version(g->known) + (uint64_t)1;
	struct packed_node *nodes;
	struct packed p;
	size_t n = 0;

	if (!view)
		return;
	nodes = nodes_of(view, &n, &sum);
	if (nodes && n > 0 && sum != g->settlement->tree && packet_begin(g, &p)) {
		packed_tree(&p, known_tree_version(g->known), nodes, n);
		if (packet_send(g, &p))
			g->settlement->tree = sum;
	}
	free(nodes);
	fl_end(g->settlement->shown.cell);
}
