/* SPDX-License-Identifier: Apache-2.0 */
/* The cell's share tree over the existing objects: which nodes are users, which are projects. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/policy/gridengine/gridengine.h"
#include "sched/run/account.h"

static uint32_t existing(const struct objects *objects, uint32_t name)
{
	uint32_t id = objects_find(objects, name);

	return id != INDEX_NONE && objects->items[id].exists ? id : TICKETS_NONE;
}

static void drop_names(struct cell_tree *tree, struct strings *strings)
{
	for (size_t i = 0; i < tree->nnames; i++)
		strings_drop(strings, tree->names[i]);
	free(tree->names);
	tree->names = NULL;
	tree->nnames = 0;
}

static int hold_names(struct cell_tree *tree, struct strings *strings, const struct cell *cell)
{
	drop_names(tree, strings);
	tree->names = calloc(cell->ntree, sizeof(*tree->names));
	if (!tree->names)
		return -ENOMEM;
	for (size_t i = 0; i < cell->ntree; i++) {
		tree->names[i] = strings_hold(strings, cell->tree[i].name);
		if (tree->names[i] == NONE)
			return -ENOMEM;
		tree->nnames++;
	}
	return 0;
}

void tree_free(struct cell_tree *tree, struct strings *strings)
{
	sharetree_free(&tree->nodes);
	drop_names(tree, strings);
	tree->exists = false;
}

int tree_configure(struct cell_tree *tree, struct run *run)
{
	const struct cell *cell = run->cell;
	struct share_tree_node *nodes;
	int rc;

	sharetree_free(&tree->nodes);
	tree->exists = false;
	run->mirror->classes.new_user = false;
	tree->is_stale = true;
	if (cell->ntree == 0) {
		drop_names(tree, run->strings);
		tree->is_stale = false;
		return 0;
	}
	nodes = calloc(cell->ntree, sizeof(*nodes));
	if (!nodes || hold_names(tree, run->strings, cell)) {
		free(nodes);
		return -ENOMEM;
	}
	for (size_t i = 0; i < cell->ntree; i++)
		nodes[i] = (struct share_tree_node){
			.parent = cell->tree[i].parent < 0 ? TICKETS_NONE : (uint32_t)cell->tree[i].parent,
			.user = existing(&run->mirror->objects[SHARER_USER], tree->names[i]),
			.project = existing(&run->mirror->objects[SHARER_PROJECT], tree->names[i]),
			.shares = cell->tree[i].shares,
			.is_default = strcmp(cell->tree[i].name, "default") == 0,
		};
	rc = sharetree_build(&tree->nodes, nodes, cell->ntree, run->mirror->objects[SHARER_PROJECT].n);
	free(nodes);
	tree->exists = rc == 0;
	tree->is_stale = rc != 0;
	return rc;
}

/* Usage of nodes */

static double user_usage(void *context, uint32_t user)
{
	struct run *run = context;
	struct object *object = &run->mirror->objects[SHARER_USER].items[user];

	account_decay(run, object);
	return usage_combine(&object->usage, &run->account->weights);
}

static double user_in_project_usage(void *context, uint32_t user, uint32_t project)
{
	struct run *run = context;
	struct object *object = &run->mirror->objects[SHARER_USER].items[user];
	const struct usage_in_project *usage;

	account_decay(run, object);
	usage = object_find_project(object, run->mirror->objects[SHARER_PROJECT].items[project].name);
	return usage ? usage_combine(&usage->usage, &run->account->weights) : 0.0;
}

static double project_usage(void *context, uint32_t project)
{
	struct run *run = context;
	struct object *object = &run->mirror->objects[SHARER_PROJECT].items[project];

	account_decay(run, object);
	return usage_combine(&object->usage, &run->account->weights);
}

struct sharetree_sources tree_sources(struct run *run)
{
	return (struct sharetree_sources){ user_usage, user_in_project_usage, project_usage, run };
}
