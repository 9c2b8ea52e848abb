/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "sched/policy/gridengine/gridengine.h"

static struct policy *create(void)
{
	struct gridengine *g = calloc(1, sizeof(*g));

	return g ? &g->policy : NULL;
}

/* What runs have made; not when the hosts were last told of tickets. */
static void forget(struct gridengine *g, struct run *run)
{
	void *arrays[] = { g->classes.order, g->pending.weight, g->pending.override, g->pending.functional, g->pending.share_tree,
			   g->pending.accumulated, g->running, g->rrcontr };

	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
		free(arrays[i]);
	slices_free(&g->classes);
	tree_free(&g->tree, run->strings);
	*g = (struct gridengine){ .policy = g->policy, .ordered = g->ordered };
}

static void destroy(struct policy *p, struct run *run)
{
	forget((struct gridengine *)p, run);
	free(p);
}

/* The tree follows in the next run, when users and projects are those of the cell. */
static void replace(struct policy *p, struct run *run, const struct cell *cell)
{
	struct gridengine *g = (struct gridengine *)p;
	const struct sched_conf *c;

	if (!cell) {
		forget(g, run);
		return;
	}
	c = &cell->sched;
	g->tickets = (struct ticket_params){
		.share_tickets = c->weight_tickets_share, .functional_tickets = c->weight_tickets_functional,
		.weight_user = c->weight_user, .weight_project = c->weight_project,
		.weight_department = c->weight_department, .weight_job = c->weight_job,
		.compensation_factor = c->compensation_factor, .share_functional_shares = c->share_functional_shares,
		.share_override_tickets = c->share_override_tickets,
		.max_functional_jobs_to_schedule = c->max_functional_jobs_to_schedule,
	};
	memcpy(g->tickets.policy_hierarchy, c->policy_hierarchy, sizeof(g->tickets.policy_hierarchy));
	g->tree.is_stale = true;
}

static void remember(const struct policy *p, struct state_head *head)
{
	head->tickets_ordered = ((const struct gridengine *)p)->ordered;
}

static void resume(struct policy *p, struct run *run, const struct scheduler_event *from)
{
	(void)run;
	((struct gridengine *)p)->ordered = from->tickets_ordered;
}

const struct policy_kind gridengine_policy = {
	.name = "default",
	.create = create, .destroy = destroy, .replace = replace,
	.collect = gridengine_collect,
	.urgency = gridengine_urgency, .tickets = gridengine_tickets, .normalize = gridengine_normalize,
	.given = gridengine_given, .next = gridengine_next, .hosts = gridengine_hosts,
	.settle = gridengine_settle, .block = gridengine_block, .publish = gridengine_publish,
	.remember = remember, .resume = resume,
};
