/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "sched/policy/gridengine/gridengine.h"

static struct policy *create(void)
{
	struct gridengine *gridengine = calloc(1, sizeof(*gridengine));

	return gridengine ? &gridengine->policy : NULL;
}

/* Free everything that runs have computed. Keep the time when hosts were last sent tickets. */
static void forget(struct gridengine *gridengine, struct run *run)
{
	void *arrays[] = { gridengine->classes.order,
			   gridengine->pending.weight,
			   gridengine->pending.override,
			   gridengine->pending.functional,
			   gridengine->pending.share_tree,
			   gridengine->pending.accumulated,
			   gridengine->running,
			   gridengine->rrcontr };

	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
		free(arrays[i]);
	slices_free(&gridengine->classes);
	tree_free(&gridengine->tree, run->strings);
	*gridengine = (struct gridengine){ .policy = gridengine->policy, .ordered = gridengine->ordered };
}

static void destroy(struct policy *policy, struct run *run)
{
	forget((struct gridengine *)policy, run);
	free(policy);
}

/*
 * Take the ticket parameters of the cell. The tree is built in the next run, when users and
 * projects are those of the cell.
 */
static void replace(struct policy *policy, struct run *run, const struct cell *cell)
{
	struct gridengine *gridengine = (struct gridengine *)policy;
	const struct sched_conf *conf;

	if (!cell) {
		forget(gridengine, run);
		return;
	}
	conf = &cell->sched;
	gridengine->tickets = (struct ticket_params){
		.share_tickets = conf->weight_tickets_share,
		.functional_tickets = conf->weight_tickets_functional,
		.weight_user = conf->weight_user,
		.weight_project = conf->weight_project,
		.weight_department = conf->weight_department,
		.weight_job = conf->weight_job,
		.compensation_factor = conf->compensation_factor,
		.share_functional_shares = conf->share_functional_shares,
		.share_override_tickets = conf->share_override_tickets,
		.max_functional_jobs_to_schedule = conf->max_functional_jobs_to_schedule,
	};
	memcpy(gridengine->tickets.policy_hierarchy, conf->policy_hierarchy,
	       sizeof(gridengine->tickets.policy_hierarchy));
	gridengine->tree.is_stale = true;
}

static void remember(const struct policy *policy, struct state_head *head)
{
	head->tickets_ordered = ((const struct gridengine *)policy)->ordered;
}

static void resume(struct policy *policy, struct run *run, const struct scheduler_event *from)
{
	(void)run;
	((struct gridengine *)policy)->ordered = from->tickets_ordered;
}

const struct policy_kind gridengine_policy = {
	.name = "default", .migration = &gridengine_migration,
	.create = create, .destroy = destroy, .replace = replace,
	.collect = gridengine_collect,
	.urgency = gridengine_urgency, .tickets = gridengine_tickets, .normalize = gridengine_normalize,
	.given = gridengine_given, .next = gridengine_next, .hosts = gridengine_hosts,
	.settle = gridengine_settle, .block = gridengine_block, .publish = gridengine_publish,
	.remember = remember, .resume = resume,
};
