/* SPDX-License-Identifier: Apache-2.0 */
/* What readers are shown of tickets: those of jobs and of tasks, and the share tree. */
#include <errno.h>

#include "sched/policy/gridengine/gridengine.h"
#include "urgency/normalize.h"

/* Started tasks */

/*
 * What a reader makes of this run for a task that takes part in it: to be shown when it is
 * suspended.
 */
static struct kept_record kept_of(const struct gridengine *g, const struct run *run, const struct task *t)
{
	const struct run_record *r = &run->record;
	const struct jobs *j = &run->mirror->state->jobs;
	double tickets = t->stickets + t->ftickets + t->otickets;
	struct kept_record k = { .npprior = normalize_posix(job_fact(j, t->row, priority)), .ntckts = normalize(tickets, 0.0, r->tix_max),
				 .share = tickets > 0 && r->running_tickets > 0 ? tickets / r->running_tickets : 0.0 };

	if (r->use_urgency)
		urgency_keep(&k, g, run, t->row);
	k.prio = normalize_prio(r->weight_urgency, normalize_used(r->use_urgency, k.nurg), r->weight_ticket, k.ntckts, r->weight_priority,
				normalize_used(r->use_priority, k.npprior));
	return k;
}

static void begun_keep(void *policy, struct run *run, struct task *t)
{
	t->kept = kept_of(policy, run, t);
}

void gridengine_settle(struct policy *p, struct run *run)
{
	struct gridengine *g = (struct gridengine *)p;

	run_each_begun(run, begun_keep, g);
	for (size_t i = 0; i < run->running.n; i++) {
		struct task *t = &run->mirror->state->tasks.items[run->running.index[i]];

		t->otickets = g->running[i].override;
		t->ftickets = g->running[i].functional;
		t->stickets = g->running[i].share_tree;
		t->kept = kept_of(g, run, t);
	}
}

/* Jobs */

static inline void publish_row(struct results results, uint32_t row, struct tickets tickets)
{
	struct ticket_results *r = results_of(results, row);
	uint32_t i = row % CHUNK_ROWS;

	r->otickets[i] = tickets.override;
	r->ftickets[i] = tickets.functional;
	r->stickets[i] = tickets.share_tree;
}

/* A job that starts in this run shows none. */
void gridengine_block(struct policy *p, const struct block *b, struct generation_writer *w)
{
	const struct gridengine *g = (const struct gridengine *)p;
	const struct run *run = b->run;
	const uint16_t *kind = run->mirror->state->jobs.kind;
	const struct results results = results_begin(w, run->record.columns_at[COLUMNS_TICKETS]);

	for (size_t i = b->begin; i < b->end; i++) {
		uint32_t row = run->waiting.rows[i], first = run->waiting.first[i];
		struct tickets tickets = { 0 };

		pending_fetch(&run->waiting, &g->pending, i);
		if (first != NONE && kind[row] & JOB_PENDING)
			tickets = pending_tickets(&g->pending, first);
		publish_row(results, row, tickets);
	}
}

/* The tree */

static int publish_nodes(struct generation_writer *w, const struct cell_tree *tree, const struct run *run)
{
	size_t n = tree->exists ? tree->nodes.n : 0;
	struct node_record *records = records_table(w, TABLE_NODES, n);

	if (!records)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct share_node *node = &tree->nodes.nodes[i];

		records[i] = (struct node_record){
			.name = i < tree->nodes.configured ? tree->names[i] : run->mirror->objects[SHARER_USER].items[node->user].name,
			.parent = node->parent, .depth = node->depth, .shares = node->shares,
			.has_children = node->first_child != TICKETS_NONE, .job_count = node->job_count, .usage = node->usage,
			.long_target_share = node->long_target_share, .short_target_share = node->short_target_share };
	}
	run_head(w->directory)->nodes_configured = (uint32_t)(tree->exists ? tree->nodes.configured : 0);
	return 0;
}

int gridengine_publish(struct policy *p, struct run *run, struct generation_writer *w)
{
	const struct gridengine *g = (const struct gridengine *)p;
	const struct state *state = run->mirror->state;
	const struct results results = results_begin(w, run->record.columns_at[COLUMNS_TICKETS]);

	for (size_t i = 0; i < run->started.n; i++)
		if (!(state->jobs.kind[run->started.rows[i]] & JOB_PENDING))
			publish_row(results, run->started.rows[i], (struct tickets){ 0 });
	return publish_nodes(w, &g->tree, run);
}
