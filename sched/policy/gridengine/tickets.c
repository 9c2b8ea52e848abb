/* SPDX-License-Identifier: Apache-2.0 */
/* Tickets of tasks that run and that wait: share tree, functional, override. */
#include <errno.h>

#include "conf/array.h"
#include "sched/policy/gridengine/gridengine.h"

/* Nodes of the classes, in the order in which their tasks are met: running ones first. */
static int assign_nodes(struct gridengine *g, struct run *run)
{
	struct ticket_class *classes = run->mirror->classes.items;
	int rc = 0;

	sharetree_reset(&g->tree.nodes);
	for (size_t i = 0; i < run->mirror->classes.pool.n; i++)
		classes[i].node = TICKETS_NONE;
	for (size_t i = 0; rc == 0 && i < run->running.active; i++) {
		struct ticket_class *c = &classes[run->running.class_id[i]];

		if (c->node == TICKETS_NONE)
			rc = sharetree_assign(&g->tree.nodes, c->sharer[SHARER_USER], c->sharer[SHARER_PROJECT], &c->node);
	}
	for (size_t i = 0; rc == 0 && i < g->classes.n; i++) {
		struct ticket_class *c = &classes[g->classes.order[i]];

		if (c->node == TICKETS_NONE)
			rc = sharetree_assign(&g->tree.nodes, c->sharer[SHARER_USER], c->sharer[SHARER_PROJECT], &c->node);
	}
	return rc;
}

static void share_work(void *self, void (*item)(void *context, size_t i), void *context, size_t items)
{
	workers_run(self, item, context, items);
}

static int reserve_running(struct gridengine *g, const struct run *run)
{
	if (run->running.capacity <= g->running_capacity)
		return 0;
	if (array_grow(&g->running, run->running.capacity, sizeof(*g->running)))
		return -ENOMEM;
	g->running_capacity = run->running.capacity;
	return 0;
}

static int calculate(struct gridengine *g, struct run *run)
{
	const struct waiting_columns *w = &run->waiting;
	const struct ticket_tasks running = { .n = run->running.active, .class_id = run->running.class_id, .weight = run->running.weight,
					      .tickets = g->running };
	const struct pending_tasks pending = {
		.n = run->pending.n, .job = run->pending.job, .weight = g->pending.weight, .age = w->by_age ? NULL : w->age,
		.number = w->by_number ? NULL : w->number, .override = g->pending.override, .functional = g->pending.functional,
		.share_tree = g->pending.share_tree, .accumulated = g->pending.accumulated };
	struct ticket_classes classes = { .items = run->mirror->classes.items, .n = run->mirror->classes.pool.n, .order = g->classes.order,
					  .norder = g->classes.n };
	struct sharers sharers;
	int rc;

	for (int k = 0; k < SHARER_KINDS; k++) {
		sharers.items[k] = run->mirror->objects[k].sharers;
		sharers.n[k] = run->mirror->objects[k].n;
	}
	for (size_t i = run->running.active; i < run->running.n; i++)
		g->running[i] = (struct tickets){ 0 };
	run->scratch.workers = (struct ticket_workers){ share_work, run->workers };
	rc = tickets_calculate(&g->tickets, &sharers, &classes, g->tree.exists ? &g->tree.nodes : NULL, &running, &pending, &run->scratch,
				 &g->totals);
	run->counts.clamped += g->totals.clamped;
	return rc;
}

int gridengine_tickets(struct policy *p, struct run *run)
{
	struct gridengine *g = (struct gridengine *)p;
	struct sharetree_sources sources = tree_sources(run);
	int rc = reserve_running(g, run);

	if (rc == 0 && (run->mirror->classes.new_user || g->tree.is_stale))
		rc = tree_configure(&g->tree, run);
	if (rc == 0 && g->tree.exists)
		rc = assign_nodes(g, run);
	if (rc)
		return rc;
	if (g->tree.exists)
		run->counts.clamped += sharetree_usage(&g->tree.nodes, &sources);
	return calculate(g, run);
}
