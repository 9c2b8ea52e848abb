/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The share tree: share_tree(5), sge_share_mon(8). Nodes, the node of a job, summed usage, targets,
 * and the tickets that follow from them.
 */
#ifndef TICKETS_SHARETREE_H
#define TICKETS_SHARETREE_H

#include "tickets/tickets.h"

struct share_node {
	uint32_t user, project;		/* object with this name, TICKETS_NONE */
	uint32_t shares;
	bool is_default;		/* named "default" */
	uint32_t parent;		/* TICKETS_NONE for the root */
	uint32_t first_child, last_child, next;	/* TICKETS_NONE; temporary children come last */
	uint32_t last_configured;	/* last configured child; TICKETS_NONE */
	uint32_t depth;			/* root 0 */
	/*
	 * Node below which user names are searched to reach this node: a project's node, or the
	 * root.
	 */
	uint32_t region;
	/* project of the enclosing project node, TICKETS_NONE outside */
	uint32_t in_project;
	uint32_t default_below;		/* first `default` node below, TICKETS_NONE */
	uint32_t refs;			/* tasks below */
	/* sum over running tasks on this node itself, wraps at 2^32 */
	uint32_t jobshares;
	double usage;			/* combined */
	/* Long term target of the total; short term target among siblings, and of the total. */
	double oltt, stt, ostt;
	double weight;
	/* Product of the shares among active siblings down to this node. */
	double m_share;
	/* For display, from call A: m_share, ostt. */
	double long_target_share, short_target_share;
	uint32_t job_count;
	/* Pending ranking: weight of the running tasks below, which dilutes pending ones. */
	double running_weight;
	/* Among active nodes: first child and next sibling; TICKETS_NONE. */
	uint32_t first_active, next_active;
	/* Pending ranking: number of tasks on this node itself; range of the tasks below. */
	uint32_t own, begin, end;
	bool has_own;			/* tasks on this node itself, running or pending */
	bool visited;			/* below the node where ranking ends */
};

struct node_map {			/* map from two numbers to a node; zero-initialise */
	struct index index;
	uint32_t *hashes;
	struct node_entry *entries;
	size_t n, capacity;
};

/*
 * Nodes that can have tasks. Most nodes of a large tree have no tasks. Their refs, targets and
 * ranks are 0, and they are not visited.
 */
struct active_nodes {
	/* Ascending: the root, all nodes with tasks below, some without. */
	uint32_t *items;
	size_t n, capacity;
	uint64_t *bits;			/* per node; no bit is set between two calls */
};

struct share_tree {
	/*
	 * Nodes: 0 is the root; configured nodes in pre-order, then temporary ones, which are
	 * users' copies of `default`.
	 */
	struct share_node *nodes;
	size_t n, configured, capacity;
	struct active_nodes active;	/* nodes reached by sharetree_refs() */
	uint32_t *shown;		/* nodes with display values; those of other nodes are 0 */
	size_t nshown;
	struct node_map leaves;		/* (region, user) -> node */
	struct node_map copies;		/* (default node, user) -> temporary node */
	/* Per node: first `default` node of the region that begins there. */
	uint32_t *default_of_region;
	uint32_t *node_of_project;	/* per project: its node as seen from the root */
	size_t nprojects;
};

struct share_tree_node {		/* input for a tree: pre-order, root first */
	uint32_t parent;		/* index, TICKETS_NONE for the root */
	uint32_t user, project;		/* objects with this name */
	uint32_t shares;
	bool is_default;
};

/* Build a tree of n >= 1 nodes. Return 0 or -ENOMEM; call sharetree_free() in both cases. */
int sharetree_build(struct share_tree *tree, const struct share_tree_node *nodes, size_t n, size_t nprojects);
void sharetree_free(struct share_tree *tree);

/* Remove the temporary nodes of the last run. */
void sharetree_reset(struct share_tree *tree);

/*
 * Find the node of a user and a project (TICKETS_NONE: no such object). *node is TICKETS_NONE if
 * they have none. A user who reaches a `default` node gets a copy of it with its full shares.
 * Copies are in the order of the calls. Return 0 or -ENOMEM.
 */
int sharetree_assign(struct share_tree *tree, uint32_t user, uint32_t project, uint32_t *node);

/*
 * Functions that return the usage of a node's own object, before summing: of a user, of a user
 * within a project, of a project.
 */
struct sharetree_sources {
	double (*user)(void *context, uint32_t user);
	double (*user_in_project)(void *context, uint32_t user, uint32_t project);
	double (*project)(void *context, uint32_t project);
	void *context;
};

/* Set the usage of all nodes, bottom up. Return the number of clamped values. */
uint64_t sharetree_usage(struct share_tree *tree, const struct sharetree_sources *sources);

/*
 * sharetree_refs() sets refs of all nodes from the classes' tasks, with pending tasks (call A) or
 * without (call B). It resets all other results of an earlier call to 0, except those for display.
 * Before it, assign all nodes of a run and call sharetree_reserve(), which returns 0 or -ENOMEM.
 */
int sharetree_reserve(struct share_tree *tree);
void sharetree_refs(struct share_tree *tree, const struct ticket_classes *classes, bool with_pending);

/*
 * Set the targets of all active nodes from usage and refs; those of other nodes are 0. Return the
 * number of clamped values.
 */
uint64_t sharetree_targets(struct share_tree *tree, double compensation_factor);

/* Save the present values for display. */
void sharetree_keep_display(struct share_tree *tree);

/*
 * Return the share tree tickets of one running task of a class from the present values of the
 * nodes. Clamped values are added to *clamped.
 */
double sharetree_running_task(const struct share_node *nodes, double tickets, const struct ticket_class *class,
			      uint64_t *clamped);

/*
 * Set running_tickets.share_tree of each class with running tasks. Clamped values are added to
 * *clamped.
 */
void sharetree_running(struct share_tree *tree, double tickets, struct ticket_classes *classes, uint64_t *clamped);

/*
 * Rank pending tasks below each node and set their share tree tickets. Add these to the accumulated
 * tickets if `dependent`. `running` supplies the weight of running tasks.
 */
void sharetree_pending(struct share_tree *tree, double tickets, bool dependent, const struct ticket_classes *classes,
		       const struct ticket_tasks *running, const struct pending_tasks *pending,
		       struct ticket_scratch *scratch);

/*
 * Return the node where ranking ends: the root, or the first node below it that branches or has its
 * own tasks. It depends on the present refs, and on has_own of the last ranking.
 */
uint32_t sharetree_start(const struct share_tree *tree);

#endif
