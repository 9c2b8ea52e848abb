/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/shares.h"

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

static int read_users(struct shares *s)
{
	size_t n = fl_sharers(s->view, FL_USER);

	s->users = calloc(n + 1, sizeof(*s->users));
	s->sharers = calloc(n + 1, sizeof(*s->sharers));
	s->placed = calloc(n + 1, sizeof(*s->placed));
	s->copies = calloc(n + 1, sizeof(*s->copies));
	if (!s->users || !s->sharers || !s->placed || !s->copies)
		return -ENOMEM;
	for (; s->nusers < n; s->nusers++) {
		uint32_t k = (uint32_t)s->nusers;

		if (fl_sharer(s->view, FL_USER, k, &s->sharers[k]))
			return -EBADMSG;
		s->users[k] = (struct share_name){ s->sharers[k].name, k };
	}
	qsort(s->users, n, sizeof(*s->users), by_name);
	return 0;
}

static int read_projects(struct shares *s)
{
	size_t n = fl_sharers(s->view, FL_PROJECT);
	struct fl_sharer sharer;

	s->projects = calloc(n + 1, sizeof(*s->projects));
	if (!s->projects)
		return -ENOMEM;
	for (; s->nprojects < n; s->nprojects++) {
		if (fl_sharer(s->view, FL_PROJECT, s->nprojects, &sharer))
			return -EBADMSG;
		s->projects[s->nprojects] = (struct share_name){ sharer.name, (uint32_t)s->nprojects };
	}
	qsort(s->projects, n, sizeof(*s->projects), by_name);
	return 0;
}

/*
 * Below which project, and where users are looked for; a project below a project is a plain node
 * that no search enters.
 */
static void place(struct shares *s, uint32_t k)
{
	struct share *n = &s->nodes[k];
	const struct share *parent = k ? &s->nodes[n->parent] : NULL;
	uint32_t project = name_find(s->projects, s->nprojects, n->line.name);

	n->user = name_find(s->users, s->nusers, n->line.name);
	n->project = parent ? parent->project : NOBODY;
	n->scope = parent ? parent->scope : 0;
	if (project != NOBODY && n->project == NOBODY) {
		n->is_project = true;
		n->project = project;
		n->scope = k;
	} else if (project != NOBODY && project != n->project) {
		n->scope = NOBODY;
	}
}

static int add_node(struct shares *s, const struct fl_node *node)
{
	uint32_t k = (uint32_t)s->nnodes;
	struct share *n = &s->nodes[k];

	if (k ? node->parent < 0 || (uint32_t)node->parent >= k : node->parent != -1)
		return -EBADMSG;
	*n = (struct share){
		.line = { .name = node->name, .user = "", .project = "", .is_inner = node->has_children, .shares = node->shares,
			  .job_count = node->job_count, .long_target_share = node->long_target_share,
			  .short_target_share = node->short_target_share },
		.parent = k ? (uint32_t)node->parent : NOBODY, .temporaries = NOBODY,
	};
	if (k)
		s->nodes[n->parent].child_shares += node->shares;
	s->nnodes++;
	place(s, k);
	return 0;
}

static int add_temporary(struct shares *s, const struct fl_node *node)
{
	struct share_copy *t = &s->temporaries[s->ntemporaries++];

	t->node = *node;
	t->next = NOBODY;
	t->user = name_find(s->users, s->nusers, node->name);
	return node->parent < 0 || (size_t)node->parent >= s->nnodes ? -EBADMSG : 0;
}

static int read_nodes(struct shares *s)
{
	size_t n = fl_nodes(s->view);
	struct fl_node node;
	int error = 0;

	s->nodes = calloc(n + 1, sizeof(*s->nodes));
	s->temporaries = calloc(n + 1, sizeof(*s->temporaries));
	if (!s->nodes || !s->temporaries)
		return -ENOMEM;
	for (size_t k = 0; k < n && !error; k++) {
		if (fl_node(s->view, k, &node))
			return -EBADMSG;
		error = node.is_temporary ? add_temporary(s, &node) : add_node(s, &node);
	}
	return error;
}

/* Where each subtree ends; -EBADMSG when the nodes are not in pre-order. */
static int find_ends(struct shares *s)
{
	for (size_t k = s->nnodes; k-- > 0;) {
		struct share *n = &s->nodes[k];

		if (n->end < k + 1)
			n->end = (uint32_t)k + 1;
		if (k && s->nodes[n->parent].end < n->end)
			s->nodes[n->parent].end = n->end;
	}
	for (size_t k = 1; k < s->nnodes; k++) {
		uint32_t before = (uint32_t)k - 1;

		/*
		 * in pre-order a node's parent is the one before it or an ancestor of that one:
		 * whose subtree goes on
		 */
		while (before != s->nodes[k].parent) {
			if (s->nodes[before].end > k || !before)
				return -EBADMSG;
			before = s->nodes[before].parent;
		}
	}
	return 0;
}

/*
 * The first `default` of each scope takes its users; the run's copies hang below their parent's
 * `default`.
 */
static void find_defaults(struct shares *s, uint32_t *taken, uint32_t *child)
{
	for (uint32_t k = 0; k < s->nnodes; k++) {
		struct share *n = &s->nodes[k];

		taken[k] = child[k] = NOBODY;
		if (strcmp(n->line.name, "default"))
			continue;
		if (k && child[n->parent] == NOBODY)
			child[n->parent] = k;
		if (n->scope == NOBODY || taken[n->scope] != NOBODY || n->is_project)
			continue;
		taken[n->scope] = k;
		n->takes_users = true;
	}
	for (size_t k = s->ntemporaries; k-- > 0;) {
		struct share_copy *t = &s->temporaries[k];
		uint32_t parent = child[t->node.parent];

		if (parent == NOBODY)
			continue;
		t->next = s->nodes[parent].temporaries;
		s->nodes[parent].temporaries = (uint32_t)k;
	}
}

static int link_defaults(struct shares *s)
{
	uint32_t *work = calloc(s->nnodes + 1, 2 * sizeof(*work));

	if (!work)
		return -ENOMEM;
	find_defaults(s, work, work + s->nnodes);
	free(work);
	return 0;
}

/* Parts of the whole, top down. */
static void divide(struct shares *s)
{
	for (size_t k = 0; k < s->nnodes; k++) {
		struct share *n = &s->nodes[k];
		double all = k ? (double)s->nodes[n->parent].child_shares : n->line.shares;

		n->line.level = all > 0 ? n->line.shares / all : 0;
		n->line.total = n->line.level * (k ? s->nodes[n->parent].line.total : 1);
	}
}

int shares_build(struct shares *s, const struct fl_view *view)
{
	int error;

	*s = (struct shares){ .view = view };
	if ((error = read_users(s)) || (error = read_projects(s)) || (error = read_nodes(s)) || (error = find_ends(s)) ||
	    (error = link_defaults(s)))
		return error;
	divide(s);
	shares_own_usage(s);
	shares_sum_usage(s);
	return 0;
}

void shares_free(struct shares *s)
{
	free(s->users);
	free(s->projects);
	free(s->sharers);
	free(s->placed);
	free(s->copies);
	free(s->nodes);
	free(s->temporaries);
	*s = (struct shares){ 0 };
}
