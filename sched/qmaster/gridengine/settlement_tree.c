/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What sge_share_mon shows of the share tree. As 8.1.9 does: after a run that has booked the ends
 * of tasks, the leaves to which these belong, with what is above them. Of other nodes it goes on to
 * show what they were told last.
 */
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/gridengine/settlement_inside.h"

struct told_tree {
	struct packed_node *nodes;	/* the configured ones, in pre-order */
	bool *told;			/* by node */
	uint32_t *project;		/* by node: the object whose node it is, or lies below; NONE */
	size_t n;
};

static void tree_free(struct told_tree *t)
{
	free(t->nodes);
	free(t->told);
	free(t->project);
}

static uint32_t object_named(const struct mirror *m, enum sharer_kind kind, const char *name)
{
	uint32_t string = strings_find(m->strings, name);
	uint32_t id = string == NONE ? INDEX_NONE : objects_find(&m->objects[kind], string);

	return id == INDEX_NONE ? NONE : id;
}

/* -ENOMEM; tree_free() in any case. */
static int tree_read(struct sge *g, struct told_tree *t, const struct fl_view *view)
{
	const struct mirror *m = g->intake->mirror;
	size_t most = fl_nodes(view) + 1;
	struct fl_node node, root = { 0 };

	t->nodes = calloc(most, sizeof(*t->nodes));
	t->told = calloc(most, sizeof(*t->told));
	t->project = calloc(most, sizeof(*t->project));
	if (!t->nodes || !t->told || !t->project)
		return -ENOMEM;
	for (; t->n + 1 < most && fl_node(view, t->n, &node) == 0 && !node.is_temporary; t->n++) {
		uint32_t above = node.parent < 0 || (size_t)node.parent >= t->n ? NONE : t->project[node.parent];

		root = t->n == 0 ? node : root;
		t->nodes[t->n] = (struct packed_node){ node.name, node.depth, node.job_count, node.long_target_share,
						       root.usage > 0 ? node.usage / root.usage : 0.0, node.short_target_share };
		t->project[t->n] = above != NONE ? above : object_named(m, SHARER_PROJECT, node.name);
	}
	return 0;
}

/* Do tasks of these end here: at a leaf of the user, or of the project? */
static bool is_leaf_of(const struct sge *g, const struct told_tree *t, size_t i, const struct usage_sharers *s)
{
	const struct mirror *m = g->intake->mirror;
	uint32_t user = object_named(m, SHARER_USER, t->nodes[i].name);

	if (i + 1 < t->n && t->nodes[i + 1].depth > t->nodes[i].depth)
		return false;
	if (t->project[i] != NONE && t->project[i] != s->project)
		return false;
	return (user != NONE && user == s->user) || (t->project[i] != NONE && object_named(m, SHARER_PROJECT, t->nodes[i].name) == s->project);
}

static bool has_ended(const struct sge *g, const struct told_tree *t, size_t i)
{
	const struct pool *ended = &g->settlement->usage.ended;

	pool_each(k, ended)
		if (is_leaf_of(g, t, i, pool_key(ended, k)))
			return true;
	return false;
}

/* Which nodes are told: how many. */
static size_t tree_choose(const struct sge *g, struct told_tree *t)
{
	uint32_t above = 0;		/* of a node at this depth what is above it is told, too */
	size_t n = 0;

	for (size_t i = t->n; i-- > 0;) {
		bool ancestor = t->nodes[i].depth < above;

		t->told[i] = ancestor || has_ended(g, t, i);
		above = t->told[i] ? t->nodes[i].depth : above;
		n += t->told[i];
	}
	return n;
}

void tree_send(struct sge *g)
{
	struct usage_book *b = &g->settlement->usage;
	const struct fl_view *view = b->ended.used > 0 ? tickets_view(g) : NULL;
	struct told_tree t = { 0 };
	struct packed p;
	size_t n = 0;

	if (!view)
		return;
	if (tree_read(g, &t, view) == 0 && tree_choose(g, &t) > 0 && packet_begin(g, &p)) {
		for (size_t i = 0; i < t.n; i++)
			if (t.told[i])
				t.nodes[n++] = t.nodes[i];
		packed_tree(&p, known_tree_version(g->known), t.nodes, n);
		packet_send(g, &p);
	}
	pool_each(k, &b->ended)
		while (!pool_drop(&b->ended, k))
			;
	tree_free(&t);
	fl_end(g->settlement->shown.cell);
}
