/* SPDX-License-Identifier: Apache-2.0 */
/* The share tree: its nodes, and on `default` nodes the users that are shown one by one. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/cli/tree/shares.h"
#include "sched/metrics/reading.h"

#define PATH_BYTES_MOST 4096u /* nodes with a longer path are left out */

struct node_row {
	char *path; /* owned */
	char depth[12];
	double shares, promised, entitled, received, usage, tasks;
};

#define NODE(FIELD) .field = offsetof(struct node_row, FIELD)

static const struct family_column columns[] = {
	{ { "fairlead_share_shares", FAMILY_GAUGE, NULL, "Configured shares of a node of the share tree." },
	  NODE(shares) },
	{ { "fairlead_share_promised_ratio", FAMILY_GAUGE, "ratio",
	    "Part of the whole that the shares promise, among nodes with jobs." },
	  NODE(promised) },
	{ { "fairlead_share_entitled_ratio", FAMILY_GAUGE, "ratio",
	    "Part of the whole to which a node is entitled now, after past usage." },
	  NODE(entitled) },
	{ { "fairlead_share_received_ratio", FAMILY_GAUGE, "ratio",
	    "Part of all decayed usage that a node has received." },
	  NODE(received) },
	{ { "fairlead_share_usage", FAMILY_GAUGE, NULL, "Decayed and weighted usage of a node." }, NODE(usage) },
	{ { "fairlead_share_jobs", FAMILY_GAUGE, NULL, "Started and pending tasks below a node." }, NODE(tasks) },
};

static size_t node_labels(const void *row, struct label *labels)
{
	const struct node_row *node = row;
	size_t n = label_put(labels, 0, "path", node->path);

	return label_put(labels, n, "depth", node->depth);
}

struct tree_rows {
	const struct run_reading *reading;
	struct shares *shares;
	struct node_row *items;
	size_t n, capacity;
	size_t *rows; /* row of each node; SIZE_MAX: it has none */
	const char *parent; /* path of the `default` node whose users are visited */
	unsigned depth;
	int rc;
};

/* Return the path of a child. NULL: too long, or no memory, which sets `rc`. */
static char *path_make(struct tree_rows *tree, const char *parent, const char *name)
{
	size_t before = strcmp(parent, "/") == 0 ? 0 : strlen(parent), bytes = strlen(name);
	char *path;

	if (before + bytes + 2 > PATH_BYTES_MOST)
		return NULL;
	path = malloc(before + bytes + 2);
	if (!path) {
		tree->rc = -ENOMEM;
		return NULL;
	}
	memcpy(path, parent, before);
	path[before] = '/';
	memcpy(path + before + 1, name, bytes + 1);
	return path;
}

/* Add a row, which owns the path from now on. */
static void row_add(struct tree_rows *tree, const struct share_line *line, char *path, unsigned depth)
{
	double all = tree->shares->nodes[0].line.usage, asks = line->job_count > 0 ? 1 : NAN;
	size_t capacity = tree->capacity ? 2 * tree->capacity : 64;
	struct node_row *row;

	if (tree->n == tree->capacity && array_grow(&tree->items, capacity, sizeof(*tree->items))) {
		tree->rc = -ENOMEM;
		free(path);
		return;
	}
	tree->capacity = tree->n == tree->capacity ? capacity : tree->capacity;
	row = &tree->items[tree->n++];
	*row = (struct node_row){ .path = path,
				  .shares = line->shares,
				  .promised = asks * line->long_target_share,
				  .entitled = asks * line->short_target_share,
				  .received = all > 0 ? line->usage / all : NAN,
				  .usage = line->usage,
				  .tasks = (double)line->job_count };
	snprintf(row->depth, sizeof(row->depth), "%u", depth);
}

static void user_add(const struct share_line *line, void *context)
{
	struct tree_rows *tree = context;
	char *path;

	if (tree->rc || !reading_shows(tree->reading, line->user) || (!line->job_count && !(line->usage > 0)))
		return;
	path = path_make(tree, tree->parent, line->user);
	if (path)
		row_add(tree, line, path, tree->depth);
}

static void node_add(struct tree_rows *tree, uint32_t k)
{
	const struct share *share = &tree->shares->nodes[k];
	size_t above = k ? tree->rows[share->parent] : SIZE_MAX;
	unsigned depth = above == SIZE_MAX ? 0 : (unsigned)strtoul(tree->items[above].depth, NULL, 10) + 1;
	char *path, *parent;

	tree->rows[k] = SIZE_MAX;
	if (k && above == SIZE_MAX)
		return;
	path = k ? path_make(tree, tree->items[above].path, share->line.name) : strdup("/");
	if (!path)
		return;
	parent = strdup(path);
	tree->rows[k] = tree->n;
	row_add(tree, &share->line, path, depth);
	if (!parent)
		tree->rc = -ENOMEM;
	tree->parent = parent;
	tree->depth = depth + 1;
	if (!tree->rc && share->takes_users)
		shares_each(tree->shares, k, user_add, tree);
	free(parent);
}

int write_tree(struct exposition *page, const struct run_reading *reading)
{
	struct shares shares;
	struct tree_rows tree = { .reading = reading, .shares = &shares };
	int rc = shares_build(&shares, reading->view);

	tree.rows = rc ? NULL : calloc(shares.nnodes + 1, sizeof(*tree.rows));
	tree.rc = rc == 0 && !tree.rows ? -ENOMEM : rc;
	for (uint32_t k = 0; !tree.rc && k < shares.nnodes; k++)
		node_add(&tree, k);
	if (tree.rc == 0)
		exposition_columns(page, columns, COUNT_OF(columns),
				   &(struct family_rows){ tree.items, tree.n, sizeof(*tree.items), node_labels });
	for (size_t k = 0; k < tree.n; k++)
		free(tree.items[k].path);
	free(tree.items);
	free(tree.rows);
	shares_free(&shares);
	return tree.rc == -EBADMSG ? 0 : tree.rc; /* no tree, or an evicted section */
}
