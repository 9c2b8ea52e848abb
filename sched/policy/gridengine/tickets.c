/* SPDX-License-Identifier: Apache-2.0 */
/* Tickets of running and pending tasks: share tree, functional, override. */
#include <errno.h>

#include "conf/base/columns.h"
#include "sched/policy/gridengine/gridengine.h"

/* Assign nodes to classes in the order in which their tasks appear, running tasks first. */
static int assign_nodes(struct gridengine *gridengine, struct run *run)
{
	struct ticket_class *classes = run->mirror->classes.items;
	int rc = 0;

	sharetree_reset(&gridengine->tree.nodes);
	for (size_t i = 0; i < run->mirror->classes.pool.n; i++)
		classes[i].node = TICKETS_NONE;
	for (size_t i = 0; rc == 0 && i < run->running.active; i++) {
		struct ticket_class *class = &classes[run->running.class_id[i]];

		if (class->node == TICKETS_NONE)
			rc = sharetree_assign(&gridengine->tree.nodes, class->sharer[SHARER_USER],
					      class->sharer[SHARER_PROJECT], &class->node);
	}
	for (size_t i = 0; rc == 0 && i < gridengine->classes.n; i++) {
		struct ticket_class *class = &classes[gridengine->classes.order[i]];

		if (class->node == TICKETS_NONE)
			rc = sharetree_assign(&gridengine->tree.nodes, class->sharer[SHARER_USER],
					      class->sharer[SHARER_PROJECT], &class->node);
	}
	return rc;
}

static void share_work(void *self, void (*item)(void *context, size_t i), void *context, size_t items)
{
	workers_run(self, item, context, items);
}

static int calculate(struct gridengine *gridengine, struct run *run)
{
	const struct waiting_columns *columns = &run->waiting;
	const struct ticket_tasks running = { .n = run->running.active,
					      .class_id = run->running.class_id,
					      .weight = run->running.weight,
					      .tickets = gridengine->running };
	const struct pending_tasks pending = { .n = run->pending.n,
					       .job = run->pending.job,
					       .weight = gridengine->pending.weight,
					       .age = columns->by_age ? NULL : columns->age,
					       .number = columns->by_number ? NULL : columns->number,
					       .override = gridengine->pending.override,
					       .functional = gridengine->pending.functional,
					       .share_tree = gridengine->pending.share_tree,
					       .accumulated = gridengine->pending.accumulated };
	struct ticket_classes classes = { .items = run->mirror->classes.items,
					  .n = run->mirror->classes.pool.n,
					  .order = gridengine->classes.order,
					  .norder = gridengine->classes.n };
	struct sharers sharers;
	int rc;

	for (int k = 0; k < SHARER_KINDS; k++) {
		sharers.items[k] = run->mirror->objects[k].sharers;
		sharers.n[k] = run->mirror->objects[k].n;
	}
	for (size_t i = run->running.active; i < run->running.n; i++)
		gridengine->running[i] = (struct tickets){ 0 };
	run->scratch.workers = (struct ticket_workers){ share_work, run->workers };
	rc = tickets_calculate(&gridengine->tickets, &sharers, &classes,
			       gridengine->tree.exists ? &gridengine->tree.nodes : NULL, &running, &pending,
			       &run->scratch, &gridengine->totals);
	run->counts.clamped += gridengine->totals.clamped;
	return rc;
}

int gridengine_tickets(struct policy *policy, struct run *run)
{
	struct gridengine *gridengine = (struct gridengine *)policy;
	struct sharetree_sources sources = tree_sources(run);
	int rc = array_reserve(&gridengine->running_capacity, run->running.capacity, COLUMN(gridengine->running));

	if (rc == 0 && (run->mirror->classes.new_user || gridengine->tree.is_stale))
		rc = tree_configure(&gridengine->tree, run);
	if (rc == 0 && gridengine->tree.exists)
		rc = assign_nodes(gridengine, run);
	if (rc)
		return rc;
	if (gridengine->tree.exists)
		run->counts.clamped += sharetree_usage(&gridengine->tree.nodes, &sources);
	return calculate(gridengine, run);
}
