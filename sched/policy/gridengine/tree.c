/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cell's share tree over the objects there are: which node names are users, which are projects.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/run/run.h"

static uint32_t existing(const struct objects *o, uint32_t name)
{
	uint32_t id = objects_find(o, name);

	return id != INDEX_NONE && o->items[id].exists ? id : TICKETS_NONE;
}

static void drop_names(struct sched *s)
{
	for (size_t i = 0; i < s->nnode_names; i++)
		strings_drop(s->strings, s->node_names[i]);
	free(s->node_names);
	s->node_names = NULL;
	s->nnode_names = 0;
}

static int hold_names(struct sched *s)
{
	const struct cell *cell = s->cell;

	drop_names(s);
	s->node_names = calloc(cell->ntree, sizeof(*s->node_names));
	if (!s->node_names)
		return -ENOMEM;
	for (size_t i = 0; i < cell->ntree; i++) {
		s->node_names[i] = strings_hold(s->strings, cell->tree[i].name);
		if (s->node_names[i] == NONE)
			return -ENOMEM;
		s->nnode_names++;
	}
	return 0;
}

int tree_configure(struct sched *s)
{
	const struct cell *cell = s->cell;
	struct share_tree_node *nodes;
	int code;

	sharetree_free(&s->tree);
	s->has_tree = false;
	s->mirror.classes.new_user = false;
	s->tree_is_stale = true;
	if (cell->ntree == 0) {
		drop_names(s);
		s->tree_is_stale = false;
		return 0;
	}
	nodes = calloc(cell->ntree, sizeof(*nodes));
	if (!nodes || hold_names(s)) {
		free(nodes);
		return -ENOMEM;
	}
	for (size_t i = 0; i < cell->ntree; i++)
		nodes[i] = (struct share_tree_node){
			.parent = cell->tree[i].parent < 0 ? TICKETS_NONE : (uint32_t)cell->tree[i].parent,
			.user = existing(&s->mirror.objects[SHARER_USER], s->node_names[i]),
			.project = existing(&s->mirror.objects[SHARER_PROJECT], s->node_names[i]),
			.shares = cell->tree[i].shares,
			.is_default = strcmp(cell->tree[i].name, "default") == 0,
		};
	code = sharetree_build(&s->tree, nodes, cell->ntree, s->mirror.objects[SHARER_PROJECT].n);
	free(nodes);
	s->has_tree = code == 0;
	s->tree_is_stale = code != 0;
	return code;
}
