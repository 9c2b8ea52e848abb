/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "sched/cli/tree/shares.h"

static const char *project_name(const struct shares *shares, const struct share *share)
{
	struct fl_sharer sharer;

	return share->project != NOBODY && !fl_sharer(shares->view, FL_PROJECT, share->project, &sharer) ? sharer.name
													 : "";
}

static struct fl_usage project_usage(const struct shares *shares, uint32_t project)
{
	struct fl_sharer sharer;

	return fl_sharer(shares->view, FL_PROJECT, project, &sharer) ? (struct fl_usage){ 0 } : sharer.usage;
}

static struct fl_usage user_usage(const struct shares *shares, uint32_t user, const char *project)
{
	struct fl_usage usage;

	if (!*project)
		return shares->sharers[user].usage;
	return fl_user_project_usage(shares->view, user, project, &usage) ? (struct fl_usage){ 0 } : usage;
}

/*
 * Mark the users with a node of their own in the scope of the node, and those with a copy of it in
 * this run.
 */
static void mark_users(struct shares *shares, const struct share *share)
{
	const struct share *root = &shares->nodes[share->scope];

	for (uint32_t k = share->scope; k < root->end; k++)
		if (shares->nodes[k].scope == share->scope && shares->nodes[k].user != NOBODY)
			shares->placed[shares->nodes[k].user] = share->scope + 1;
	for (size_t k = 0; k < shares->nusers; k++)
		shares->copies[k] = NOBODY;
	for (uint32_t t = share->temporaries; t != NOBODY; t = shares->temporaries[t].next)
		if (shares->temporaries[t].user != NOBODY)
			shares->copies[shares->temporaries[t].user] = t;
}

static struct share_line landed_line(const struct shares *shares, const struct share *share, uint32_t user)
{
	uint32_t copy = shares->copies[user];
	const struct fl_node *node = copy == NOBODY ? NULL : &shares->temporaries[copy].node;
	double all = (double)share->line.shares * (double)share->landed;
	struct share_line line = {
		.name = shares->sharers[user].name,
		.user = shares->sharers[user].name,
		.project = share->line.project,
		.shares = share->line.shares,
		.level = all > 0 ? share->line.shares / all : 0,
		.usage_time = shares->sharers[user].usage.time_stamp,
		.own = user_usage(shares, user, share->line.project),
	};

	line.total = share->line.total * line.level;
	line.usage = line.own.combined;
	if (node) {
		line.job_count = node->job_count;
		line.long_target_share = node->long_target_share;
		line.short_target_share = node->short_target_share;
	}
	return line;
}

void shares_each(struct shares *shares, size_t k, share_visit *visit, void *context)
{
	const struct share *share = &shares->nodes[k];

	if (!share->takes_users)
		return;
	mark_users(shares, share);
	for (size_t i = 0; i < shares->nusers; i++) {
		uint32_t user = shares->users[i].index;

		if (shares->placed[user] == share->scope + 1)
			continue;
		const struct share_line line = landed_line(shares, share, user);

		visit(&line, context);
	}
}

static void count_landed(const struct share_line *line, void *context)
{
	struct share *share = context;

	share->landed++;
	share->child_usage += line->usage;
	share->line.job_count += line->job_count;
	share->line.long_target_share += line->long_target_share;
	share->line.short_target_share += line->short_target_share;
}

void shares_own_usage(struct shares *shares)
{
	for (size_t k = 0; k < shares->nnodes; k++) {
		struct share *share = &shares->nodes[k];

		share->line.project = project_name(shares, share);
		shares_each(shares, k, count_landed, share);
		share->line.is_inner |= share->landed > 0;
		if (share->line.is_inner ? share->is_project : share->is_project && share->user == NOBODY) {
			share->line.own = project_usage(shares, share->project);
		} else if (!share->line.is_inner && share->user != NOBODY) {
			share->line.user = share->line.name;
			/* a leaf with the names of both belongs to the user */
			if (share->is_project)
				share->line.project = "";
			share->line.own = user_usage(shares, share->user, share->line.project);
			share->line.usage_time = shares->sharers[share->user].usage.time_stamp;
		}
		share->line.usage = share->line.own.combined;
	}
}

/*
 * Assign the usage of a project that no node below it has. It is the usage of users on the
 * project's `default` node.
 */
static void spread_rest(struct shares *shares, uint32_t project)
{
	struct share *share = &shares->nodes[project];
	double rest = share->line.usage - share->child_usage;
	uint32_t k = project + 1;

	while (k < share->end && strcmp(shares->nodes[k].line.name, "default"))
		k++;
	if (!(rest > 1.0) || k >= share->end)
		return;
	for (; k != project; k = shares->nodes[k].parent)
		shares->nodes[k].line.usage += rest;
}

/*
 * Sum the usage. Children are added in their order, because this affects the last bits of the
 * result. A node is complete when the next one is not its descendant.
 */
void shares_sum_usage(struct shares *shares)
{
	for (size_t next = 1; next <= shares->nnodes; next++)
		for (uint32_t k = (uint32_t)next - 1; k != NOBODY && shares->nodes[k].end <= next;
		     k = shares->nodes[k].parent) {
			struct share *share = &shares->nodes[k];

			if (share->is_project && share->line.is_inner)
				spread_rest(shares, k);
			else
				share->line.usage += share->child_usage;
			if (share->parent != NOBODY)
				shares->nodes[share->parent].child_usage += share->line.usage;
		}
}
