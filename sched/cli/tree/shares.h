/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The share tree with its usage, as sge_share_mon(8) shows it: configured nodes in pre-order, and
 * behind each `default` node the users that would land on it. Made anew from each run; strings are
 * the segment's and live as long as the section.
 *
 * A user lands on the `default` of a scope when no node of that scope has the user's name. Scopes
 * are: the tree without its project nodes, and what lies below each project node. Users on
 * `default` nodes are not stored, for there may be many of both: shares_each() makes them as it
 * passes.
 */
#ifndef CLI_TREE_SHARES_H
#define CLI_TREE_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/reader/fairlead.h"

#define NOBODY UINT32_MAX		/* no such index */

struct share_line {			/* one line of the output */
	const char *name, *user, *project;	/* "" = none */
	bool is_inner;			/* configured children, or users that landed */
	uint32_t shares;
	uint64_t job_count;
	double level, total;		/* of the siblings' shares; product along the path */
	double long_target_share, short_target_share;
	double usage;			/* combined */
	int64_t usage_time;		/* epoch seconds, 0 = not a user */
	/* of the user, user in the project, or project that the node is; else zeros */
	struct fl_usage own;
};

/* a configured node; indices are NOBODY when there is none */
struct share {
	struct share_line line;
	uint32_t parent, end;		/* index; one behind its last descendant */
	uint32_t user;			/* users with this name */
	uint32_t project;		/* the project node it is, or lies below */
	/* node that is the root of its scope; NOBODY: no user is looked for here */
	uint32_t scope;
	uint32_t temporaries;		/* `default`: first of the run's copies for users */
	uint64_t child_shares, landed;	/* sums of shares, number of users */
	double child_usage;
	bool is_project;		/* a project node, not below another one */
	bool takes_users;		/* the `default` of its scope */
};

struct share_name {
	const char *name;
	uint32_t index;
};

struct shares {
	const struct fl_view *view;
	struct share *nodes;
	size_t nnodes;
	struct share_name *users, *projects;	/* by name */
	size_t nusers, nprojects;
	struct fl_sharer *sharers;	/* users, by index */
	/* users: scope root + 1 where a node has the name, last scope looked at */
	uint32_t *placed;
	uint32_t *copies;		/* users: temporary node on the `default` looked at last */
	struct share_copy {
		struct fl_node node;
		uint32_t user, next;
	} *temporaries;
	size_t ntemporaries;
};

/*
 * 0, -ENOMEM, or -EBADMSG: the nodes are no tree in pre-order (also when the section was evicted).
 * shares_free() in any case.
 */
int shares_build(struct shares *shares, const struct fl_view *view);
void shares_free(struct shares *shares);

/* The users that land on node k, by name, one call each. No-op unless the node takes users. */
typedef void share_visit(const struct share_line *line, void *context);
void shares_each(struct shares *shares, size_t k, share_visit *visit, void *context);

/* tree/shares.c uses these of tree/share_usage.c: lines' own usage, then sums from the leaves up. */
void shares_own_usage(struct shares *shares);
void shares_sum_usage(struct shares *shares);

#endif
