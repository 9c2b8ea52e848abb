/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "sched/cli/shares.h"

static const char *project_name(const struct shares *s, const struct share *n)
{
	struct fl_sharer sharer;

	return n->project != NOBODY && !fl_sharer(s->view, FL_PROJECT, n->project, &sharer) ? sharer.name : "";
}

static struct fl_usage project_usage(const struct shares *s, uint32_t project)
{
	struct fl_sharer sharer;

	return fl_sharer(s->view, FL_PROJECT, project, &sharer) ? (struct fl_usage){ 0 } : sharer.usage;
}

static struct fl_usage user_usage(const struct shares *s, uint32_t user, const char *project)
{
	struct fl_usage usage;

	if (!*project)
		return s->sharers[user].usage;
	return fl_user_project_usage(s->view, user, project, &usage) ? (struct fl_usage){ 0 } : usage;
}

/*
 * Who stands in the scope of node k by name, and which of its users have a copy of it in this run.
 */
static void mark_users(struct shares *s, const struct share *n)
{
	const struct share *root = &s->nodes[n->scope];

	for (uint32_t k = n->scope; k < root->end; k++)
		if (s->nodes[k].scope == n->scope && s->nodes[k].user != NOBODY)
			s->placed[s->nodes[k].user] = n->scope + 1;
	for (size_t k = 0; k < s->nusers; k++)
		s->copies[k] = NOBODY;
	for (uint32_t t = n->temporaries; t != NOBODY; t = s->temporaries[t].next)
		if (s->temporaries[t].user != NOBODY)
			s->copies[s->temporaries[t].user] = t;
}

static struct share_line landed_line(const struct shares *s, const struct share *n, uint32_t user)
{
	uint32_t copy = s->copies[user];
	const struct fl_node *node = copy == NOBODY ? NULL : &s->temporaries[copy].node;
	double all = (double)n->line.shares * (double)n->landed;
	struct share_line line = {
		.name = s->sharers[user].name, .user = s->sharers[user].name, .project = n->line.project,
		.shares = n->line.shares, .level = all > 0 ? n->line.shares / all : 0,
		.usage_time = s->sharers[user].usage.time_stamp, .own = user_usage(s, user, n->line.project),
	};

	line.total = n->line.total * line.level;
	line.usage = line.own.combined;
	if (node) {
		line.job_count = node->job_count;
		line.long_target_share = node->long_target_share;
		line.short_target_share = node->short_target_share;
	}
	return line;
}

void shares_each(struct shares *s, size_t k, share_visit *visit, void *context)
{
	const struct share *n = &s->nodes[k];

	if (!n->takes_users)
		return;
	mark_users(s, n);
	for (size_t i = 0; i < s->nusers; i++) {
		uint32_t user = s->users[i].index;

		if (s->placed[user] == n->scope + 1)
			continue;
		const struct share_line line = landed_line(s, n, user);

		visit(&line, context);
	}
}

static void count_landed(const struct share_line *line, void *context)
{
	struct share *n = context;

	n->landed++;
	n->child_usage += line->usage;
	n->line.job_count += line->job_count;
	n->line.long_target_share += line->long_target_share;
	n->line.short_target_share += line->short_target_share;
}

void shares_own_usage(struct shares *s)
{
	for (size_t k = 0; k < s->nnodes; k++) {
		struct share *n = &s->nodes[k];

		n->line.project = project_name(s, n);
		shares_each(s, k, count_landed, n);
		n->line.is_inner |= n->landed > 0;
		if (n->line.is_inner ? n->is_project : n->is_project && n->user == NOBODY) {
			n->line.own = project_usage(s, n->project);
		} else if (!n->line.is_inner && n->user != NOBODY) {
			n->line.user = n->line.name;
			if (n->is_project)	/* a leaf with the names of both: the user's */
				n->line.project = "";
			n->line.own = user_usage(s, n->user, n->line.project);
			n->line.usage_time = s->sharers[n->user].usage.time_stamp;
		}
		n->line.usage = n->line.own.combined;
	}
}

/*
 * A project's usage that no node below it accounts for is that of users who came through its
 * `default`.
 */
static void spread_rest(struct shares *s, uint32_t project)
{
	struct share *p = &s->nodes[project];
	double rest = p->line.usage - p->child_usage;
	uint32_t k = project + 1;

	while (k < p->end && strcmp(s->nodes[k].line.name, "default"))
		k++;
	if (!(rest > 1.0) || k >= p->end)
		return;
	for (; k != project; k = s->nodes[k].parent)
		s->nodes[k].line.usage += rest;
}

/*
 * Children are added in their order, which decides the last bits: a node is done when the next one
 * is no descendant.
 */
void shares_sum_usage(struct shares *s)
{
	for (size_t next = 1; next <= s->nnodes; next++)
		for (uint32_t k = (uint32_t)next - 1; k != NOBODY && s->nodes[k].end <= next; k = s->nodes[k].parent) {
			struct share *n = &s->nodes[k];

			if (n->is_project && n->line.is_inner)
				spread_rest(s, k);
			else
				n->line.usage += n->child_usage;
			if (n->parent != NOBODY)
				s->nodes[n->parent].child_usage += n->line.usage;
		}
}
