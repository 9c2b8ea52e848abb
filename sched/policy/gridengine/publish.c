/* SPDX-License-Identifier: Apache-2.0 */
/* Tickets for readers: tickets of jobs and tasks, and the share tree. */
#include <errno.h>

#include "sched/policy/gridengine/gridengine.h"
#include "urgency/normalize.h"

/* Started tasks */

/*
 * Return the values that readers derive from this run for an eligible task. They are shown while
 * the task is suspended.
 */
static struct kept_record kept_of(const struct gridengine *gridengine, const struct run *run, const struct task *task)
{
	const struct run_record *record = &run->record;
	const struct jobs *jobs = &run->mirror->state->jobs;
	double tickets = task->stickets + task->ftickets + task->otickets;
	struct kept_record kept_record = { .npprior = normalize_posix(job_fact(jobs, task->row, priority)),
					   .ntckts = normalize(tickets, 0.0, record->tix_max),
					   .share = tickets > 0 && record->running_tickets > 0
							    ? tickets / record->running_tickets
							    : 0.0 };

	if (record->use_urgency)
		urgency_keep(&kept_record, gridengine, run, task->row);
	kept_record.prio = normalize_prio(record->weight_urgency, normalize_used(record->use_urgency, kept_record.nurg),
					  record->weight_ticket, kept_record.ntckts, record->weight_priority,
					  normalize_used(record->use_priority, kept_record.npprior));
	return kept_record;
}

static void begun_keep(void *policy, struct run *run, struct task *task)
{
	task->kept = kept_of(policy, run, task);
}

void gridengine_settle(struct policy *policy, struct run *run)
{
	struct gridengine *gridengine = (struct gridengine *)policy;

	run_each_begun(run, begun_keep, gridengine);
	for (size_t i = 0; i < run->running.n; i++) {
		struct task *task = &run->mirror->state->tasks.items[run->running.index[i]];

		task->otickets = gridengine->running[i].override;
		task->ftickets = gridengine->running[i].functional;
		task->stickets = gridengine->running[i].share_tree;
		task->kept = kept_of(gridengine, run, task);
	}
}

/* Jobs */

static inline void publish_row(struct results results, uint32_t row, struct tickets tickets)
{
	struct ticket_results *ticket_results = results_of(results, row);
	uint32_t i = row % CHUNK_ROWS;

	ticket_results->otickets[i] = tickets.override;
	ticket_results->ftickets[i] = tickets.functional;
	ticket_results->stickets[i] = tickets.share_tree;
}

/* Publish the tickets of pending jobs. A job that starts in this run shows none. */
void gridengine_block(struct policy *policy, const struct block *block, struct generation_writer *writer)
{
	const struct gridengine *gridengine = (const struct gridengine *)policy;
	const struct run *run = block->run;
	const uint16_t *kind = run->mirror->state->jobs.kind;
	const struct results results = results_begin(writer, run->record.columns_at[COLUMNS_TICKETS]);

	for (size_t i = block->begin; i < block->end; i++) {
		uint32_t row = run->waiting.rows[i], first = run->waiting.first[i];
		struct tickets tickets = { 0 };

		pending_fetch(&run->waiting, &gridengine->pending, i);
		if (first != NONE && kind[row] & JOB_PENDING)
			tickets = pending_tickets(&gridengine->pending, first);
		publish_row(results, row, tickets);
	}
}

/* The tree */

static int publish_nodes(struct generation_writer *writer, const struct cell_tree *tree, const struct run *run)
{
	size_t n = tree->exists ? tree->nodes.n : 0;
	struct node_record *records = records_table(writer, TABLE_NODES, n);

	if (!records)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct share_node *node = &tree->nodes.nodes[i];

		records[i] = (struct node_record){
			.name = i < tree->nodes.configured ? tree->names[i]
							   : run->mirror->objects[SHARER_USER].items[node->user].name,
			.parent = node->parent,
			.depth = node->depth,
			.shares = node->shares,
			.has_children = node->first_child != TICKETS_NONE,
			.job_count = node->job_count,
			.usage = node->usage,
			.long_target_share = node->long_target_share,
			.short_target_share = node->short_target_share
		};
	}
	run_head(writer->directory)->nodes_configured = (uint32_t)(tree->exists ? tree->nodes.configured : 0);
	return 0;
}

int gridengine_publish(struct policy *policy, struct run *run, struct generation_writer *writer)
{
	const struct gridengine *gridengine = (const struct gridengine *)policy;
	const struct state *state = run->mirror->state;
	const struct results results = results_begin(writer, run->record.columns_at[COLUMNS_TICKETS]);

	for (size_t i = 0; i < run->started.n; i++)
		if (!(state->jobs.kind[run->started.rows[i]] & JOB_PENDING))
			publish_row(results, run->started.rows[i], (struct tickets){ 0 });
	return publish_nodes(writer, &gridengine->tree, run);
}
