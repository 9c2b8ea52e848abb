/* SPDX-License-Identifier: Apache-2.0 */
/* What the names in a share tree mean: users, projects, `default`, or nothing but inner nodes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/gridengine/readers.h"

struct node_key {			/* must be unique: a name within a group */
	int32_t group;
	const char *name;
	int line;
};

struct check {
	struct reader *reader;
	const struct cell *cell;
	const char *path;
	int32_t *project;	/* of each node: the project node above it, -1 none */
	struct node_key *keys;	/* room for one per node */
	size_t nkeys;
};

static bool node_is_project(const struct check *c, size_t i)
{
	return cell_project(c->cell, c->cell->tree[i].name) != NULL;
}

static const char *project_name(const struct check *c, int32_t node)
{
	return c->cell->tree[node].name;
}

/* The outermost project node counts; below it names mean users only. */
static void projects_mark(struct check *c)
{
	const struct tree_node *tree = c->cell->tree;
	size_t i;

	c->project[0] = -1;
	for (i = 1; i < c->cell->ntree; i++) {
		c->project[i] = c->project[tree[i].parent];
		if (c->project[i] < 0 && node_is_project(c, (size_t)tree[i].parent))
			c->project[i] = tree[i].parent;
	}
}

/* Who belongs to a @group is known to the hosts only: such an entry may mean anybody. */
static bool list_may_contain(const struct cell *cell, const char *list, const char *user)
{
	const struct userset *set = cell_userset(cell, list);
	size_t i;

	if (!set || cell_userset_lists(cell, set, user))
		return set != NULL;
	for (i = 0; i < set->entries.n; i++)
		if (*set->entries.items[i] == '@')
			return true;
	return false;
}

static bool list_contains(const struct cell *cell, const char *list, const char *user)
{
	const struct userset *set = cell_userset(cell, list);

	return set && cell_userset_lists(cell, set, user);
}

static bool user_has_access(const struct cell *cell, const struct project *project, const char *user)
{
	bool access = project->acl.n == 0;
	size_t i;

	for (i = 0; i < project->acl.n && !access; i++)
		access = list_may_contain(cell, project->acl.items[i], user);
	for (i = 0; i < project->xacl.n && access; i++)
		access = !list_contains(cell, project->xacl.items[i], user);
	return access;
}

static void leaf_check(const struct check *c, size_t i)
{
	const struct tree_node *node = &c->cell->tree[i];
	const char *project = c->project[i] < 0 ? NULL : project_name(c, c->project[i]);

	if (!strcmp(node->name, "default") || (node_is_project(c, i) && !project))
		return;
	if (!cell_user(c->cell, node->name)) {
		if (!node_is_project(c, i))
			report_add(c->reader->report, FAULT, c->path, node->line, "found leaf \"%s\" in share tree, which is neither "
				   "an existing user nor an existing project nor \"default\". A file users/%s makes it a user, with the lines name %s, "
				   "oticket 0, fshare 0, delete_time 0, default_project NONE: user(5)", node->name, node->name, node->name);
	} else if (project && !user_has_access(c->cell, cell_project(c->cell, project), node->name)) {
		report_add(c->reader->report, FAULT, c->path, node->line,
			   "found user \"%s\" with no access to project \"%s\" sub-tree of share tree", node->name, project);
	}
}

static void node_check(const struct check *c, size_t i)
{
	const struct tree_node *node = &c->cell->tree[i];

	if (node_is_project(c, i) && c->project[i] >= 0)
		report_add(c->reader->report, FAULT, c->path, node->line,
			   "found project \"%s\" in project \"%s\" sub-tree of share tree", node->name, project_name(c, c->project[i]));
	if (node->nchildren == 0)
		leaf_check(c, i);
	else if (cell_user(c->cell, node->name))
		report_add(c->reader->report, FAULT, c->path, node->line, "found user \"%s\" in share tree as a non-leaf node",
			   node->name);
}

static int key_compare(const void *a, const void *b)
{
	const struct node_key *x = a, *y = b;
	int order;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	order = strcmp(x->name, y->name);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void key_add(struct check *c, int32_t group, size_t node)
{
	c->keys[c->nkeys++] = (struct node_key){ group, c->cell->tree[node].name, c->cell->tree[node].line };
}

/* Sorts the keys, calls `repeated` for each that is there already, and forgets them. */
static void keys_finish(struct check *c, void (*repeated)(const struct check *c, const struct node_key *key))
{
	const struct node_key *k = c->keys;
	size_t i;

	if (c->nkeys > 1)
		qsort(c->keys, c->nkeys, sizeof(*c->keys), key_compare);
	for (i = 1; i < c->nkeys; i++)
		if (k[i - 1].group == k[i].group && !strcmp(k[i - 1].name, k[i].name))
			repeated(c, &k[i]);
	c->nkeys = 0;
}

static void sibling_repeated(const struct check *c, const struct node_key *key)
{
	report_add(c->reader->report, FAULT, c->path, key->line, "found node \"%s\" twice below \"%s\" in share tree", key->name,
		   project_name(c, key->group));
}

static void project_repeated(const struct check *c, const struct node_key *key)
{
	report_add(c->reader->report, FAULT, c->path, key->line, "found project \"%s\" twice in share tree", key->name);
}

static void user_repeated(const struct check *c, const struct node_key *key)
{
	if (key->group < 0)
		report_add(c->reader->report, FAULT, c->path, key->line, "found user \"%s\" twice in share tree", key->name);
	else
		report_add(c->reader->report, FAULT, c->path, key->line,
			   "found user \"%s\" twice in project \"%s\" sub-tree of share tree", key->name, project_name(c, key->group));
}

static void names_check_unique(struct check *c)
{
	size_t n = c->cell->ntree, i;

	for (i = 1; i < n; i++)
		key_add(c, c->cell->tree[i].parent, i);
	keys_finish(c, sibling_repeated);
	for (i = 0; i < n; i++)
		if (node_is_project(c, i))
			key_add(c, 0, i);
	keys_finish(c, project_repeated);
	for (i = 0; i < n; i++)
		if (cell_user(c->cell, c->cell->tree[i].name))
			key_add(c, c->project[i], i);
	keys_finish(c, user_repeated);
}

static void root_check(const struct check *c)
{
	const struct tree_node *root = c->cell->tree;

	if (!strcmp(root->name, "default"))
		report_add(c->reader->report, WARNING, c->path, root->line,
			   "the root is called \"default\": all users then share one node, and none gets a share of his own");
	else if (root->nchildren == 0)
		report_add(c->reader->report, WARNING, c->path, root->line, "the tree has no node but its root: nobody gets share tickets");
}

int share_tree_check(struct reader *r, const char *path)
{
	struct check c = { .reader = r, .cell = r->cell, .path = path };
	size_t n = r->cell->ntree, i;
	int rc = -ENOMEM;

	c.project = reallocarray(NULL, n, sizeof(*c.project));
	c.keys = reallocarray(NULL, n, sizeof(*c.keys));
	if (c.project && c.keys) {
		rc = 0;
		projects_mark(&c);
		root_check(&c);
		for (i = n > 1 ? 0 : 1; i < n; i++)
			node_check(&c, i);
		names_check_unique(&c);
	}
	free(c.project);
	free(c.keys);
	return rc;
}
