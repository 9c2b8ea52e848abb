/* SPDX-License-Identifier: Apache-2.0 */
/* Share tree: nodes of tasks, usage, targets, tickets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/naive/naive.h"

struct naive_node *naive_node_new(const char *name, uint32_t shares, struct naive_node *parent)
{
	struct naive_node *node = calloc(1, sizeof(*node)), **end = parent ? &parent->child : NULL;
	snprintf(node->name, sizeof(node->name), "%s", name);
	node->shares = shares;
	node->parent = parent;
	while (end && *end)
		end = &(*end)->next;
	if (end)
		*end = node;
	return node;
}

void naive_tree_free(struct naive_node *root)
{
	while (root && root->child) {
		struct naive_node *child = root->child;
		root->child = child->next;
		naive_tree_free(child);
	}
	free(root);
}

static int index_of(const struct naive_cell *cell, int kind, const char *name)
{
	for (size_t i = 0; i < cell->nobjects[kind]; i++)
		if (strcmp(cell->objects[kind][i].name, name) == 0)
			return (int)i;
	return -1;
}

/* Look-up */

static struct naive_node *find(const struct naive_cell *cell, struct naive_node *node, const char *user,
			       const char *project, struct naive_node *search_root)
{
	bool is_project = index_of(cell, NAIVE_PROJECT, node->name) >= 0;
	struct naive_node *hit = NULL;
	if (is_project && node != search_root && (!project || strcmp(node->name, project) != 0))
		return NULL;
	if (project && strcmp(node->name, project) == 0) {
		if (!node->child)
			return node;
		return user ? find(cell, node, user, NULL, node) : NULL;
	}
	if (!project && strcmp(node->name, user) == 0)
		return node;
	for (struct naive_node *child = node->child; child && !hit; child = child->next)
		hit = find(cell, child, user, project, search_root);
	if (!hit && !project && node == search_root && strcmp(user, "default") != 0)
		hit = find(cell, search_root, "default", NULL, search_root);
	return hit;
}

struct naive_node *naive_find(const struct naive_cell *cell, const char *user, const char *project)
{
	return !cell->root || (!user && !project) ? NULL : find(cell, cell->root, user, project, cell->root);
}

/* Return the node of a user. A user at `default` gets a node of its own beside it. */
static struct naive_node *node_of(const struct naive_cell *cell, const struct naive_job *job)
{
	const struct naive_object *user = naive_object_of(cell, job, NAIVE_USER),
				  *project = naive_object_of(cell, job, NAIVE_PROJECT);
	struct naive_node *hit = naive_find(cell, user ? user->name : NULL, project ? project->name : NULL);
	if (!hit || !user || !hit->parent || strcmp(hit->name, "default") != 0)
		return hit;
	struct naive_node *copy = naive_node_new(user->name, hit->shares, hit->parent);
	copy->temporary = true;
	return copy;
}

/* Usage */

/*
 * Give `rest` to the nodes from below `node` to the first `default` in pre-order. Return false if
 * there is none.
 */
static bool add_rest(struct naive_node *node, double rest)
{
	for (struct naive_node *child = node->child; child; child = child->next)
		if (strcmp(child->name, "default") == 0 || add_rest(child, rest)) {
			child->usage += rest;
			return true;
		}
	return false;
}

static double own_usage(const struct naive_cell *cell, const struct naive_node *node, int in_project, bool *is_project)
{
	int user = index_of(cell, NAIVE_USER, node->name), project = index_of(cell, NAIVE_PROJECT, node->name);
	*is_project = node->child && in_project < 0 && project >= 0;
	if (*is_project)
		return cell->objects[NAIVE_PROJECT][project].usage;
	if (node->child)
		return 0.0;
	if (in_project >= 0)
		return user >= 0 && cell->objects[NAIVE_USER][user].usage_in
			       ? cell->objects[NAIVE_USER][user].usage_in[in_project]
			       : 0.0;
	if (user >= 0)
		return cell->objects[NAIVE_USER][user].usage;
	return project >= 0 ? cell->objects[NAIVE_PROJECT][project].usage : 0.0;
}

static double usage(const struct naive_cell *cell, struct naive_node *node, int in_project)
{
	bool is_project;
	double sum = 0.0;
	node->usage = own_usage(cell, node, in_project, &is_project);
	for (struct naive_node *child = node->child; child; child = child->next)
		sum += usage(cell, child, is_project ? index_of(cell, NAIVE_PROJECT, node->name) : in_project);
	if (!is_project)
		node->usage += sum;
	else if (node->usage - sum > 1.0)
		add_rest(node, node->usage - sum);
	return node->usage;
}

/* Targets */

static double max(double a, double b)
{
	return a > b ? a : b;
}

static void weigh(struct naive_node *node, double over)
{
	node->weight = (double)node->shares * node->shares / (max(node->usage, 1.0 * node->oltt) * over);
}

static void divide(struct naive_node *node, double W)
{
	for (struct naive_node *naive_node = node->child; naive_node; naive_node = naive_node->next) {
		if (naive_node->refs == 0)
			continue;
		naive_node->stt = W > 0 || W < 0 ? naive_node->weight / W : 0.0;
		naive_node->ostt = node->ostt * naive_node->stt;
		naive_node->acp = naive_node->ostt;
	}
}

static void compensate(const struct naive_cell *cell, struct naive_node *node)
{
	double CF = cell->CF, W = 0.0;
	bool hit = false;
	for (struct naive_node *naive_node = node->child; naive_node; naive_node = naive_node->next) {
		if (naive_node->refs == 0)
			continue;
		if (naive_node->ostt > CF * naive_node->oltt) {
			weigh(naive_node, naive_node->ostt / (CF * naive_node->oltt));
			hit = true;
		}
		W += naive_node->weight;
	}
	if (hit)
		divide(node, W);
}

void naive_targets(const struct naive_cell *cell, struct naive_node *node)
{
	double SS = 0.0, W = 0.0;
	for (struct naive_node *naive_node = node->child; naive_node; naive_node = naive_node->next)
		SS += naive_node->refs ? (double)naive_node->shares : 0.0;
	for (struct naive_node *naive_node = node->child; naive_node; naive_node = naive_node->next) {
		naive_node->m_share = naive_node->refs && SS > 0 ? node->m_share * (naive_node->shares / SS) : 0.0;
		if (naive_node->refs == 0)
			continue;
		naive_node->ltt = SS > 0 ? naive_node->shares / SS : 0.0;
		naive_node->oltt = node->oltt * naive_node->ltt;
		naive_node->weight = 0.0;
		if (naive_node->oltt > 0)
			weigh(naive_node, 1.0);
		W += naive_node->weight;
	}
	divide(node, W);
	if (cell->CF != 0)
		compensate(cell, node);
	for (struct naive_node *naive_node = node->child; naive_node; naive_node = naive_node->next)
		if (naive_node->refs)
			naive_targets(cell, naive_node);
}

/* Before each call */

static void reset(struct naive_node *node)
{
	node->refs = node->jobshares = 0;
	node->usage = node->ltt = node->stt = node->oltt = node->ostt = node->acp = node->m_share = node->weight = 0.0;
	for (struct naive_node *child = node->child; child; child = child->next)
		reset(child);
}

static uint32_t refs(struct naive_node *node)
{
	if (node->child) {
		node->refs = 0;
		for (struct naive_node *child = node->child; child; child = child->next)
			node->refs += refs(child);
	}
	return node->refs;
}

void naive_tree_prepare(struct naive_cell *cell, struct naive_task **tasks, size_t n)
{
	struct naive_node *root = cell->root;
	reset(root);
	for (size_t i = 0; i < n; i++) {
		tasks[i]->node = node_of(cell, tasks[i]->job);
		if (tasks[i]->node)
			tasks[i]->node->refs++;
	}
	refs(root);
	usage(cell, root, -1);
	root->ltt = root->stt = root->oltt = root->ostt = root->acp = root->m_share = 1.0;
	naive_targets(cell, root);
}

void naive_tree_remember(struct naive_node *node)
{
	node->acp_a = node->acp;
	node->m_share_a = node->m_share;
	node->refs_a = node->refs;
	for (struct naive_node *child = node->child; child; child = child->next)
		naive_tree_remember(child);
}

/* Tickets */

void naive_tree_running(struct naive_cell *cell, struct naive_task **running, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (running[i]->node)
			running[i]->node->jobshares += running[i]->job->jobshare;
	for (size_t i = 0; i < n; i++) {
		const struct naive_node *node = running[i]->node;
		if (!node)
			continue;
		double X = node->acp * cell->T_share;
		if (node->jobshares)
			running[i]->S = (double)(uint64_t)(running[i]->job->jobshare * X / node->jobshares);
		else	/* an inner node with tasks but without children counts as no user */
			running[i]->S = node->refs ? X / node->refs : 0.0;
	}
}

static int ranked(const void *x, const void *y)
{
	const struct naive_task *a = *(struct naive_task *const *)x, *b = *(struct naive_task *const *)y;
	if (a->pending != b->pending)
		return a->pending ? 1 : -1;
	if (a->sort != b->sort)
		return a->sort > b->sort ? -1 : 1;
	if (a->job->number != b->job->number)
		return a->job->number < b->job->number ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static bool has_entry(const struct naive_node *node, struct naive_task **tasks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (tasks[i]->node == node)
			return true;
	return false;
}

/* Append the ranked tasks below `node` to `out`. Return their number. */
static size_t collect(const struct naive_cell *cell, struct naive_node *node, const struct naive_node *start,
		      struct naive_task **tasks, size_t n, struct naive_task **out)
{
	size_t found = 0;
	for (struct naive_node *child = node->child; child; child = child->next)
		if (child->refs)
			found += collect(cell, child, start, tasks, n, out + found);
	for (size_t i = 0; i < n; i++)
		if (tasks[i]->node == node)
			out[found++] = tasks[i];
	if (node == start && !has_entry(node, tasks, n))
		return found;
	qsort(out, found, sizeof(*out), ranked);
	double d = 1.0;
	for (size_t i = 0; i < found; i++) {
		out[i]->shr = node->stt / d;
		out[i]->sort = out[i]->t0 + out[i]->shr * cell->T_share;
		d += out[i]->job->slots > 1 ? out[i]->job->slots : 1;
	}
	return found;
}

static struct naive_node *start_node(struct naive_node *root, struct naive_task **tasks, size_t n)
{
	struct naive_node *start = root, *only;
	for (;;) {
		size_t active = 0;
		only = NULL;
		for (struct naive_node *child = start->child; child; child = child->next)
			if (child->refs) {
				active++;
				only = child;
			}
		if (active != 1 || has_entry(start, tasks, n))
			return start;
		start = only;
	}
}

void naive_tree_pending(struct naive_cell *cell, struct naive_task **tasks, size_t n, bool dependent)
{
	struct naive_task **out = calloc(n + 1, sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		struct naive_task *task = tasks[i];
		task->t0 = dependent ? task->acc : 0.0;
		task->sort = dependent ? task->acc + 0.01 * task->job->jobshare : (double)task->job->jobshare;
	}
	struct naive_node *start = start_node(cell->root, tasks, n);
	size_t found = collect(cell, start, start, tasks, n, out);
	for (size_t i = 0; i < found; i++) {
		struct naive_task *task = out[i];
		if (!task->pending)
			continue;
		task->S = task->shr * cell->T_share;
		if (dependent)
			task->acc += task->S;
	}
	free(out);
}
