/* SPDX-License-Identifier: Apache-2.0 */
/* Meaning of the names in a share tree: users, projects, `default`, or inner nodes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/gridengine/readers.h"

struct node_key {			/* key that must be unique: a name within a group */
	int32_t group;
	const char *name;
	int line;
};

struct check {
	struct reader *reader;
	const struct cell *cell;
	const char *path;
	int32_t *project;	/* project node above each node, -1 = none */
	struct node_key *keys;	/* room for one key per node */
	size_t nkeys;
};

static bool node_is_project(const struct check *check, size_t i)
{
	return cell_project(check->cell, check->cell->tree[i].name) != NULL;
}

static const char *project_name(const struct check *check, int32_t node)
{
	return check->cell->tree[node].name;
}

/*
 * Find the project node above each node. The outermost one counts; names below it mean only users.
 */
static void projects_mark(struct check *check)
{
	const struct tree_node *tree = check->cell->tree;
	size_t i;

	check->project[0] = -1;
	for (i = 1; i < check->cell->ntree; i++) {
		check->project[i] = check->project[tree[i].parent];
		if (check->project[i] < 0 && node_is_project(check, (size_t)tree[i].parent))
			check->project[i] = tree[i].parent;
	}
}

/*
 * Return true if the list may contain the user. Only the hosts know the members of a @group, so
 * such an entry may contain any user.
 */
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

static void leaf_check(const struct check *check, size_t i)
{
	const struct tree_node *node = &check->cell->tree[i];
	const char *project = check->project[i] < 0 ? NULL : project_name(check, check->project[i]);

	if (!strcmp(node->name, "default") || (node_is_project(check, i) && !project))
		return;
	if (!cell_user(check->cell, node->name)) {
		if (!node_is_project(check, i))
			report_add(
				check->reader->report, FAULT, check->path, node->line,
				"found leaf \"%s\" in share tree, which is neither "
				"an existing user nor an existing project nor \"default\". A file users/%s makes it "
				"a user, with the lines name %s, "
				"oticket 0, fshare 0, delete_time 0, default_project NONE: user(5)",
				node->name, node->name, node->name);
	} else if (project && !user_has_access(check->cell, cell_project(check->cell, project), node->name)) {
		report_add(check->reader->report, FAULT, check->path, node->line,
			   "found user \"%s\" with no access to project \"%s\" sub-tree of share tree", node->name,
			   project);
	}
}

static void node_check(const struct check *check, size_t i)
{
	const struct tree_node *node = &check->cell->tree[i];

	if (node_is_project(check, i) && check->project[i] >= 0)
		report_add(check->reader->report, FAULT, check->path, node->line,
			   "found project \"%s\" in project \"%s\" sub-tree of share tree", node->name,
			   project_name(check, check->project[i]));
	if (node->nchildren == 0)
		leaf_check(check, i);
	else if (cell_user(check->cell, node->name))
		report_add(check->reader->report, FAULT, check->path, node->line,
			   "found user \"%s\" in share tree as a non-leaf node", node->name);
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

static void key_add(struct check *check, int32_t group, size_t node)
{
	check->keys[check->nkeys++] =
		(struct node_key){ group, check->cell->tree[node].name, check->cell->tree[node].line };
}

/* Sort the keys, call `repeated` for each duplicate, and clear them. */
static void keys_finish(struct check *check, void (*repeated)(const struct check *check, const struct node_key *key))
{
	const struct node_key *node_key = check->keys;
	size_t i;

	if (check->nkeys > 1)
		qsort(check->keys, check->nkeys, sizeof(*check->keys), key_compare);
	for (i = 1; i < check->nkeys; i++)
		if (node_key[i - 1].group == node_key[i].group && !strcmp(node_key[i - 1].name, node_key[i].name))
			repeated(check, &node_key[i]);
	check->nkeys = 0;
}

static void sibling_repeated(const struct check *check, const struct node_key *key)
{
	report_add(check->reader->report, FAULT, check->path, key->line,
		   "found node \"%s\" twice below \"%s\" in share tree", key->name, project_name(check, key->group));
}

static void project_repeated(const struct check *check, const struct node_key *key)
{
	report_add(check->reader->report, FAULT, check->path, key->line, "found project \"%s\" twice in share tree",
		   key->name);
}

static void user_repeated(const struct check *check, const struct node_key *key)
{
	if (key->group < 0)
		report_add(check->reader->report, FAULT, check->path, key->line,
			   "found user \"%s\" twice in share tree", key->name);
	else
		report_add(check->reader->report, FAULT, check->path, key->line,
			   "found user \"%s\" twice in project \"%s\" sub-tree of share tree", key->name,
			   project_name(check, key->group));
}

static void names_check_unique(struct check *check)
{
	size_t n = check->cell->ntree, i;

	for (i = 1; i < n; i++)
		key_add(check, check->cell->tree[i].parent, i);
	keys_finish(check, sibling_repeated);
	for (i = 0; i < n; i++)
		if (node_is_project(check, i))
			key_add(check, 0, i);
	keys_finish(check, project_repeated);
	for (i = 0; i < n; i++)
		if (cell_user(check->cell, check->cell->tree[i].name))
			key_add(check, check->project[i], i);
	keys_finish(check, user_repeated);
}

static void root_check(const struct check *check)
{
	const struct tree_node *root = check->cell->tree;

	if (!strcmp(root->name, "default"))
		report_add(
			check->reader->report, WARNING, check->path, root->line,
			"the root is called \"default\": all users then share one node, and no user gets a separate "
			"share");
	else if (root->nchildren == 0)
		report_add(check->reader->report, WARNING, check->path, root->line,
			   "the tree has no node but its root: no job gets share tickets");
}

int share_tree_check(struct reader *reader, const char *path)
{
	struct check check = { .reader = reader, .cell = reader->cell, .path = path };
	size_t n = reader->cell->ntree, i;
	int rc = -ENOMEM;

	check.project = reallocarray(NULL, n, sizeof(*check.project));
	check.keys = reallocarray(NULL, n, sizeof(*check.keys));
	if (check.project && check.keys) {
		rc = 0;
		projects_mark(&check);
		root_check(&check);
		for (i = n > 1 ? 0 : 1; i < n; i++)
			node_check(&check, i);
		names_check_unique(&check);
	}
	free(check.project);
	free(check.keys);
	return rc;
}
