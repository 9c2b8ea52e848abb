/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subordinate_list of all queues together: none is below itself. Queue-wise lists may go round, as
 * they may in Grid Engine: two queues each of which suspends the other. Slot-wise ones may not, on
 * any host.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/array.h"
#include "conf/lists.h"
#include "conf/gridengine/readers.h"
#include "conf/search.h"
#include "conf/subordinates.h"

struct slotwise_edge {			/* an entry of a slot-wise list */
	uint32_t from, to;		/* queues */
	const char *value;		/* the list, of some hosts or all */
	int line;
	bool holds;			/* on the host that is looked at */
};

struct slotwise_graph {
	struct reader *reader;
	struct slotwise_edge *edges;	/* sorted by `to` */
	size_t nedges;
	uint32_t *below;		/* by queue: edges that begin there and may lead round */
	uint32_t *leaves;		/* scratch: queues that lead nowhere */
};

static void queue_fault(const struct slotwise_graph *g, size_t queue, int line, const char *text, const char *name)
{
	char *path = path_join(g->reader->dir, "queue", g->reader->cell->queues[queue].name);

	report_add(g->reader->report, FAULT, path ? path : "queue", line, "subordinate_list: \"%.60s\" %s", name, text);
	free(path);
}

/* The edges */

static int entry_take(struct slotwise_graph *g, const struct slotwise_edge *edge, const struct subordinate *entry, bool slotwise)
{
	const struct cell *cell = g->reader->cell;
	const struct queue *queue = cell_queue(cell, entry->queue);
	struct slotwise_edge *item;

	if (queue == &cell->queues[edge->from])
		queue_fault(g, edge->from, edge->line, "can't be subordinated by itself", entry->queue);
	if (!queue || !slotwise || queue == &cell->queues[edge->from])
		return 0;
	item = array_add(&g->edges, &g->nedges, sizeof(*item));
	if (!item)
		return -ENOMEM;
	*item = *edge;
	item->to = (uint32_t)(queue - cell->queues);
	return 0;
}

/* What is wrong with a list by itself was said when its queue was read. */
static int list_take(struct slotwise_graph *g, struct slotwise_edge edge)
{
	struct subordinates list = { 0 };
	int rc = subordinates_parse(&list, edge.value, NULL);

	for (size_t i = 0; rc == 0 && i < list.n; i++)
		rc = entry_take(g, &edge, &list.items[i], list.tasks > 0);
	subordinates_free(&list);
	return rc == -ENOMEM ? rc : 0;
}

static int value_take(struct slotwise_graph *g, size_t queue, const struct queue_value *value)
{
	const struct slotwise_edge edge = { .from = (uint32_t)queue, .value = value->value, .line = value->line, .holds = true };
	int rc;

	if (strcmp(value->name, "subordinate_list") != 0 || !value->value)
		return 0;
	rc = list_take(g, edge);
	for (size_t i = 0; rc == 0 && i < value->noverrides; i++) {
		struct slotwise_edge own = edge;

		own.value = value->overrides[i].value;
		rc = list_take(g, own);
	}
	return rc;
}

static int by_to(const void *a, const void *b)
{
	const struct slotwise_edge *x = a, *y = b;

	return x->to != y->to ? (x->to < y->to ? -1 : 1) : x->from < y->from ? -1 : x->from > y->from;
}

static int graph_make(struct slotwise_graph *g)
{
	const struct cell *cell = g->reader->cell;
	int rc = 0;

	for (size_t q = 0; q < cell->nqueues && rc == 0; q++)
		for (size_t v = 0; v < cell->queues[q].nvalues && rc == 0; v++)
			rc = value_take(g, q, &cell->queues[q].values[v]);
	if (g->nedges > 1)
		qsort(g->edges, g->nedges, sizeof(*g->edges), by_to);
	g->below = calloc(cell->nqueues + 1, sizeof(*g->below));
	g->leaves = calloc(cell->nqueues + 1, sizeof(*g->leaves));
	return rc || !g->below || !g->leaves ? -ENOMEM : 0;
}

/* Loops */

/* An edge that holds and leads round; NULL: none does. Leaf by leaf the others are taken away. */
static const struct slotwise_edge *loop_find(struct slotwise_graph *g)
{
	size_t queues = g->reader->cell->nqueues, nleaves = 0;

	memset(g->below, 0, queues * sizeof(*g->below));
	for (size_t i = 0; i < g->nedges; i++)
		g->below[g->edges[i].from] += g->edges[i].holds;
	for (size_t q = 0; q < queues; q++)
		if (g->below[q] == 0)
			g->leaves[nleaves++] = (uint32_t)q;
	while (nleaves > 0) {
		uint32_t leaf = g->leaves[--nleaves];
		size_t i;

		lower_bound(i, g->nedges, g->edges[i].to < leaf);
		for (; i < g->nedges && g->edges[i].to == leaf; i++)
			if (g->edges[i].holds && --g->below[g->edges[i].from] == 0)
				g->leaves[nleaves++] = g->edges[i].from;
	}
	for (size_t i = 0; i < g->nedges; i++)
		if (g->edges[i].holds && g->below[g->edges[i].from] > 0 && g->below[g->edges[i].to] > 0)
			return &g->edges[i];
	return NULL;
}

static bool loop_on(struct slotwise_graph *g, const char *host)
{
	const struct cell *cell = g->reader->cell;
	const struct slotwise_edge *edge;

	for (size_t i = 0; i < g->nedges; i++) {
		const struct queue *from = &cell->queues[g->edges[i].from];

		g->edges[i].holds = cell_queue_is_on(cell, from, host) && cell_queue_is_on(cell, &cell->queues[g->edges[i].to], host) &&
				    cell_queue_value(cell, from, host, "subordinate_list") == g->edges[i].value;
	}
	edge = loop_find(g);
	if (edge)
		queue_fault(g, edge->from, edge->line, "closes a loop of slot-wise lists: none is allowed", cell->queues[edge->to].name);
	return edge != NULL;
}

static bool loop_on_any(struct slotwise_graph *g, const struct strlist *hosts)
{
	for (size_t i = 0; i < hosts->n; i++)
		if (*hosts->items[i] != '@' && loop_on(g, hosts->items[i]))
			return true;
	return false;
}

/* Lists of different hosts together may go round where those of no host do. */
static void loops_check(struct slotwise_graph *g)
{
	const struct cell *cell = g->reader->cell;
	bool found = loop_find(g) == NULL;

	for (size_t q = 0; q < cell->nqueues && !found; q++)
		found = loop_on_any(g, &cell->queues[q].hostlist);
	for (size_t i = 0; i < cell->nhostgroups && !found; i++)
		found = loop_on_any(g, &cell->hostgroups[i].hostlist);
}

int subordinates_check(struct reader *r)
{
	struct slotwise_graph g = { .reader = r };
	int rc = graph_make(&g);

	if (rc == 0)
		loops_check(&g);
	free(g.edges);
	free(g.below);
	free(g.leaves);
	return rc;
}
