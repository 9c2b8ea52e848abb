/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Share tree with its usage, like sge_share_mon(8). Configured nodes are in pre-order, and each
 * `default` node is followed by its users. The tree is made from each run. Strings belong to the
 * segment and live as long as the section.
 *
 * A user belongs to the `default` node of a scope if no node of that scope has the user's name.
 * Scopes are the tree without its project nodes, and the subtree of each project node. Users on
 * `default` nodes are not stored, because there may be many users and many `default` nodes.
 * shares_each() makes them one after the other.
 */
#ifndef CLI_TREE_SHARES_H
#define CLI_TREE_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/reader/fairlead.h"

#define NOBODY UINT32_MAX		/* invalid index */

struct share_line {			/* line of the output */
	const char *name, *user, *project;	/* "" = none */
	bool is_inner;			/* has configured children, or users on a `default` node */
	uint32_t shares;
	uint64_t job_count;
	double level, total;		/* part of the siblings' shares; product along the path */
	double long_target_share, short_target_share;
	double usage;			/* combined usage */
	int64_t usage_time;		/* epoch seconds, 0 = not a user */
	/*
	 * Usage of the user, of the user in the project, or of the project of the node. Otherwise
	 * zeros.
	 */
	struct fl_usage own;
};

/* A configured node. Indices are NOBODY if there is none. */
struct share {
	struct share_line line;
	uint32_t parent, end;		/* index of the parent; index after the last descendant */
	uint32_t user;			/* user with this name */
	uint32_t project;		/* project node: this node, or the one above it */
	/* Root of the node's scope. NOBODY: no users are searched here. */
	uint32_t scope;
	uint32_t temporaries;		/* `default` nodes: first of the run's copies for users */
	/* sum of the children's shares, number of users on a `default` node */
	uint64_t child_shares, landed;
	double child_usage;
	bool is_project;		/* a project node, not below another one */
	bool takes_users;		/* the `default` node of its scope */
};

struct share_name {
	const char *name;
	uint32_t index;
};

struct shares {
	const struct fl_view *view;
	struct share *nodes;
	size_t nnodes;
	struct share_name *users, *projects;	/* sorted by name */
	size_t nusers, nprojects;
	struct fl_sharer *sharers;	/* users by index */
	/*
	 * Users: root of the scope plus 1 in which a node has the name, for the last scope read.
	 */
	uint32_t *placed;
	/* users: temporary node on the last `default` node read */
	uint32_t *copies;
	struct share_copy {
		struct fl_node node;
		uint32_t user, next;
	} *temporaries;
	size_t ntemporaries;
};

/*
 * Build the tree. Return 0, -ENOMEM, or -EBADMSG if the nodes are no tree in pre-order or the
 * section was evicted. Call shares_free() in any case.
 */
int shares_build(struct shares *shares, const struct fl_view *view);
void shares_free(struct shares *shares);

/* Call `visit` for each user on node k, by name. Nodes that take no users have none. */
typedef void share_visit(const struct share_line *line, void *context);
void shares_each(struct shares *shares, size_t k, share_visit *visit, void *context);

/*
 * tree/share_usage.c, for tree/shares.c: set the usage of each line, then add it up from the
 * leaves.
 */
void shares_own_usage(struct shares *shares);
void shares_sum_usage(struct shares *shares);

#endif
