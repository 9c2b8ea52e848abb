/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check of the subordinate_list of all queues together: no queue may be below itself. Loops of
 * queue-wise lists are allowed, as in Grid Engine, for example two queues that suspend each other.
 * Loops of slot-wise lists are not allowed on any host.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/array.h"
#include "conf/lists.h"
#include "conf/gridengine/readers.h"
#include "conf/base/search.h"
#include "conf/subordinates.h"

struct slotwise_edge {			/* entry of a slot-wise list */
	uint32_t from, to;		/* queues */
	const char *value;		/* list of one host, some hosts or all hosts */
	int line;
	/* true: the list applies on the host that is being checked */
	bool holds;
};

struct slotwise_graph {
	struct reader *reader;
	struct slotwise_edge *edges;	/* sorted by `to` */
	size_t nedges;
	/* number of edges from each queue that may be part of a loop */
	uint32_t *below;
	uint32_t *leaves;		/* scratch: queues without outgoing edges */
};

static void queue_fault(const struct slotwise_graph *graph, size_t queue, int line, const char *text, const char *name)
{
	char *path = path_join(graph->reader->dir, "queue", graph->reader->cell->queues[queue].name);

	report_add(graph->reader->report, FAULT, path ? path : "queue", line, "subordinate_list: \"%.60s\" %s", name,
		   text);
	free(path);
}

/* The edges */

static int entry_take(struct slotwise_graph *graph, const struct slotwise_edge *edge, const struct subordinate *entry,
		      bool slotwise)
{
	const struct cell *cell = graph->reader->cell;
	const struct queue *queue = cell_queue(cell, entry->queue);
	struct slotwise_edge *item;

	if (queue == &cell->queues[edge->from])
		queue_fault(graph, edge->from, edge->line, "can't be subordinated by itself", entry->queue);
	if (!queue || !slotwise || queue == &cell->queues[edge->from])
		return 0;
	item = array_add(&graph->edges, &graph->nedges, sizeof(*item));
	if (!item)
		return -ENOMEM;
	*item = *edge;
	item->to = (uint32_t)(queue - cell->queues);
	return 0;
}

/* Add the entries of a list. Faults of the list itself were reported when its queue was read. */
static int list_take(struct slotwise_graph *graph, struct slotwise_edge edge)
{
	struct subordinates list = { 0 };
	int rc = subordinates_parse(&list, edge.value, NULL);

	for (size_t i = 0; rc == 0 && i < list.n; i++)
		rc = entry_take(graph, &edge, &list.items[i], list.tasks > 0);
	subordinates_free(&list);
	return rc == -ENOMEM ? rc : 0;
}

static int value_take(struct slotwise_graph *graph, size_t queue, const struct queue_value *value)
{
	const struct slotwise_edge edge = {
		.from = (uint32_t)queue, .value = value->value, .line = value->line, .holds = true
	};
	int rc;

	if (strcmp(value->name, "subordinate_list") != 0 || !value->value)
		return 0;
	rc = list_take(graph, edge);
	for (size_t i = 0; rc == 0 && i < value->noverrides; i++) {
		struct slotwise_edge own = edge;

		own.value = value->overrides[i].value;
		rc = list_take(graph, own);
	}
	return rc;
}

static int by_to(const void *a, const void *b)
{
	const struct slotwise_edge *x = a, *y = b;

	return x->to != y->to ? (x->to < y->to ? -1 : 1) : x->from < y->from ? -1 : x->from > y->from;
}

static int graph_make(struct slotwise_graph *graph)
{
	const struct cell *cell = graph->reader->cell;
	int rc = 0;

	for (size_t q = 0; q < cell->nqueues && rc == 0; q++)
		for (size_t v = 0; v < cell->queues[q].nvalues && rc == 0; v++)
			rc = value_take(graph, q, &cell->queues[q].values[v]);
	if (graph->nedges > 1)
		qsort(graph->edges, graph->nedges, sizeof(*graph->edges), by_to);
	graph->below = calloc(cell->nqueues + 1, sizeof(*graph->below));
	graph->leaves = calloc(cell->nqueues + 1, sizeof(*graph->leaves));
	return rc || !graph->below || !graph->leaves ? -ENOMEM : 0;
}

/* Loops */

/*
 * Return an edge that holds and is part of a loop, or NULL. Leaves are removed one by one until
 * only loops remain.
 */
static const struct slotwise_edge *loop_find(struct slotwise_graph *graph)
{
	size_t queues = graph->reader->cell->nqueues, nleaves = 0;

	memset(graph->below, 0, queues * sizeof(*graph->below));
	for (size_t i = 0; i < graph->nedges; i++)
		graph->below[graph->edges[i].from] += graph->edges[i].holds;
	for (size_t q = 0; q < queues; q++)
		if (graph->below[q] == 0)
			graph->leaves[nleaves++] = (uint32_t)q;
	while (nleaves > 0) {
		uint32_t leaf = graph->leaves[--nleaves];
		size_t i;

		lower_bound(i, graph->nedges, graph->edges[i].to < leaf);
		for (; i < graph->nedges && graph->edges[i].to == leaf; i++)
			if (graph->edges[i].holds && --graph->below[graph->edges[i].from] == 0)
				graph->leaves[nleaves++] = graph->edges[i].from;
	}
	for (size_t i = 0; i < graph->nedges; i++)
		if (graph->edges[i].holds && graph->below[graph->edges[i].from] > 0 &&
		    graph->below[graph->edges[i].to] > 0)
			return &graph->edges[i];
	return NULL;
}

static bool loop_on(struct slotwise_graph *graph, const char *host)
{
	const struct cell *cell = graph->reader->cell;
	const struct slotwise_edge *edge;

	for (size_t i = 0; i < graph->nedges; i++) {
		const struct queue *from = &cell->queues[graph->edges[i].from];

		graph->edges[i].holds = cell_queue_is_on(cell, from, host) &&
					cell_queue_is_on(cell, &cell->queues[graph->edges[i].to], host) &&
					cell_queue_value(cell, from, host, "subordinate_list") == graph->edges[i].value;
	}
	edge = loop_find(graph);
	if (edge)
		queue_fault(graph, edge->from, edge->line, "closes a loop of slot-wise lists: none is allowed",
			    cell->queues[edge->to].name);
	return edge != NULL;
}

static bool loop_on_any(struct slotwise_graph *graph, const struct strlist *hosts)
{
	for (size_t i = 0; i < hosts->n; i++)
		if (*hosts->items[i] != '@' && loop_on(graph, hosts->items[i]))
			return true;
	return false;
}

/*
 * Check for loops. If all lists together have no loop, no host has one. Otherwise each host is
 * checked, because a loop may exist on no single host.
 */
static void loops_check(struct slotwise_graph *graph)
{
	const struct cell *cell = graph->reader->cell;
	bool found = loop_find(graph) == NULL;

	for (size_t q = 0; q < cell->nqueues && !found; q++)
		found = loop_on_any(graph, &cell->queues[q].hostlist);
	for (size_t i = 0; i < cell->nhostgroups && !found; i++)
		found = loop_on_any(graph, &cell->hostgroups[i].hostlist);
}

int subordinates_check(struct reader *reader)
{
	struct slotwise_graph graph = { .reader = reader };
	int rc = graph_make(&graph);

	if (rc == 0)
		loops_check(&graph);
	free(graph.edges);
	free(graph.below);
	free(graph.leaves);
	return rc;
}
