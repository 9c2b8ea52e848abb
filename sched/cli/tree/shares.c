/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/tree/shares.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct share_name *)a)->name, ((const struct share_name *)b)->name);
}

static uint32_t name_find(const struct share_name *names, size_t n, const char *name)
{
	const struct share_name key = { .name = name };
	const struct share_name *found = n ? bsearch(&key, names, n, sizeof(key), by_name) : NULL;

	return found ? found->index : NOBODY;
}

static int read_users(struct shares *shares)
{
	size_t n = fl_sharers(shares->view, FL_USER);

	shares->users = calloc(n + 1, sizeof(*shares->users));
	shares->sharers = calloc(n + 1, sizeof(*shares->sharers));
	shares->placed = calloc(n + 1, sizeof(*shares->placed));
	shares->copies = calloc(n + 1, sizeof(*shares->copies));
	if (!shares->users || !shares->sharers || !shares->placed || !shares->copies)
		return -ENOMEM;
	for (; shares->nusers < n; shares->nusers++) {
		uint32_t k = (uint32_t)shares->nusers;

		if (fl_sharer(shares->view, FL_USER, k, &shares->sharers[k]))
			return -EBADMSG;
		shares->users[k] = (struct share_name){ shares->sharers[k].name, k };
	}
	qsort(shares->users, n, sizeof(*shares->users), by_name);
	return 0;
}

static int read_projects(struct shares *shares)
{
	size_t n = fl_sharers(shares->view, FL_PROJECT);
	struct fl_sharer sharer;

	shares->projects = calloc(n + 1, sizeof(*shares->projects));
	if (!shares->projects)
		return -ENOMEM;
	for (; shares->nprojects < n; shares->nprojects++) {
		if (fl_sharer(shares->view, FL_PROJECT, shares->nprojects, &sharer))
			return -EBADMSG;
		shares->projects[shares->nprojects] = (struct share_name){ sharer.name, (uint32_t)shares->nprojects };
	}
	qsort(shares->projects, n, sizeof(*shares->projects), by_name);
	return 0;
}

/*
 * Set the project and the scope of a node. A project below a project is a plain node, and users are
 * not searched there.
 */
static void place(struct shares *shares, uint32_t k)
{
	struct share *share = &shares->nodes[k];
	const struct share *parent = k ? &shares->nodes[share->parent] : NULL;
	uint32_t project = name_find(shares->projects, shares->nprojects, share->line.name);

	share->user = name_find(shares->users, shares->nusers, share->line.name);
	share->project = parent ? parent->project : NOBODY;
	share->scope = parent ? parent->scope : 0;
	if (project != NOBODY && share->project == NOBODY) {
		share->is_project = true;
		share->project = project;
		share->scope = k;
	} else if (project != NOBODY && project != share->project) {
		share->scope = NOBODY;
	}
}

static int add_node(struct shares *shares, const struct fl_node *node)
{
	uint32_t k = (uint32_t)shares->nnodes;
	struct share *share = &shares->nodes[k];

	if (k ? node->parent < 0 || (uint32_t)node->parent >= k : node->parent != -1)
		return -EBADMSG;
	*share = (struct share){
		.line = { .name = node->name,
			  .user = "",
			  .project = "",
			  .is_inner = node->has_children,
			  .shares = node->shares,
			  .job_count = node->job_count,
			  .long_target_share = node->long_target_share,
			  .short_target_share = node->short_target_share },
		.parent = k ? (uint32_t)node->parent : NOBODY,
		.temporaries = NOBODY,
	};
	if (k)
		shares->nodes[share->parent].child_shares += node->shares;
	shares->nnodes++;
	place(shares, k);
	return 0;
}

static int add_temporary(struct shares *shares, const struct fl_node *node)
{
	struct share_copy *copy = &shares->temporaries[shares->ntemporaries++];

	copy->node = *node;
	copy->next = NOBODY;
	copy->user = name_find(shares->users, shares->nusers, node->name);
	return node->parent < 0 || (size_t)node->parent >= shares->nnodes ? -EBADMSG : 0;
}

static int read_nodes(struct shares *shares)
{
	size_t n = fl_nodes(shares->view);
	struct fl_node node;
	int error = 0;

	shares->nodes = calloc(n + 1, sizeof(*shares->nodes));
	shares->temporaries = calloc(n + 1, sizeof(*shares->temporaries));
	if (!shares->nodes || !shares->temporaries)
		return -ENOMEM;
	for (size_t k = 0; k < n && !error; k++) {
		if (fl_node(shares->view, k, &node))
			return -EBADMSG;
		error = node.is_temporary ? add_temporary(shares, &node) : add_node(shares, &node);
	}
	return error;
}

/* Find the end of each subtree. Return 0, or -EBADMSG if the nodes are not in pre-order. */
static int find_ends(struct shares *shares)
{
	for (size_t k = shares->nnodes; k-- > 0;) {
		struct share *share = &shares->nodes[k];

		if (share->end < k + 1)
			share->end = (uint32_t)k + 1;
		if (k && shares->nodes[share->parent].end < share->end)
			shares->nodes[share->parent].end = share->end;
	}
	for (size_t k = 1; k < shares->nnodes; k++) {
		uint32_t before = (uint32_t)k - 1;

		/*
		 * In pre-order, the parent of a node is the previous node or an ancestor of it
		 * whose subtree has not ended.
		 */
		while (before != shares->nodes[k].parent) {
			if (shares->nodes[before].end > k || !before)
				return -EBADMSG;
			before = shares->nodes[before].parent;
		}
	}
	return 0;
}

/*
 * Find the first `default` node of each scope, which takes its users. Link the run's copies to the
 * `default` node of their parent.
 */
static void find_defaults(struct shares *shares, uint32_t *taken, uint32_t *child)
{
	for (uint32_t k = 0; k < shares->nnodes; k++) {
		struct share *share = &shares->nodes[k];

		taken[k] = child[k] = NOBODY;
		if (strcmp(share->line.name, "default"))
			continue;
		if (k && child[share->parent] == NOBODY)
			child[share->parent] = k;
		if (share->scope == NOBODY || taken[share->scope] != NOBODY || share->is_project)
			continue;
		taken[share->scope] = k;
		share->takes_users = true;
	}
	for (size_t k = shares->ntemporaries; k-- > 0;) {
		struct share_copy *copy = &shares->temporaries[k];
		uint32_t parent = child[copy->node.parent];

		if (parent == NOBODY)
			continue;
		copy->next = shares->nodes[parent].temporaries;
		shares->nodes[parent].temporaries = (uint32_t)k;
	}
}

static int link_defaults(struct shares *shares)
{
	uint32_t *work = calloc(shares->nnodes + 1, 2 * sizeof(*work));

	if (!work)
		return -ENOMEM;
	find_defaults(shares, work, work + shares->nnodes);
	free(work);
	return 0;
}

/* Compute the parts of the whole, from the root down. */
static void divide(struct shares *shares)
{
	for (size_t k = 0; k < shares->nnodes; k++) {
		struct share *share = &shares->nodes[k];
		double all = k ? (double)shares->nodes[share->parent].child_shares : share->line.shares;

		share->line.level = all > 0 ? share->line.shares / all : 0;
		share->line.total = share->line.level * (k ? shares->nodes[share->parent].line.total : 1);
	}
}

int shares_build(struct shares *shares, const struct fl_view *view)
{
	int error;

	*shares = (struct shares){ .view = view };
	if ((error = read_users(shares)) || (error = read_projects(shares)) || (error = read_nodes(shares)) ||
	    (error = find_ends(shares)) || (error = link_defaults(shares)))
		return error;
	divide(shares);
	shares_own_usage(shares);
	shares_sum_usage(shares);
	return 0;
}

void shares_free(struct shares *shares)
{
	free(shares->users);
	free(shares->projects);
	free(shares->sharers);
	free(shares->placed);
	free(shares->copies);
	free(shares->nodes);
	free(shares->temporaries);
	*shares = (struct shares){ 0 };
}
