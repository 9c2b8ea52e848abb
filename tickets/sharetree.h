/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The share tree: share_tree(5), sge_share_mon(8). Nodes, where a job stands in it, usage summed
 * up, targets, and the tickets that follow from them.
 */
#ifndef TICKETS_SHARETREE_H
#define TICKETS_SHARETREE_H

#include "tickets/tickets.h"

struct share_node {
	uint32_t user, project;		/* object of this name, TICKETS_NONE */
	uint32_t shares;
	bool is_default;		/* named "default" */
	uint32_t parent;		/* TICKETS_NONE for the root */
	uint32_t first_child, last_child, next;	/* TICKETS_NONE; temporary children come last */
	uint32_t last_configured;	/* of the children; TICKETS_NONE */
	uint32_t depth;			/* root 0 */
	/* the node under which users' names are looked up to come here: a project's, or the root */
	uint32_t region;
	uint32_t in_project;		/* enclosing project node's project, TICKETS_NONE outside */
	uint32_t default_below;		/* first `default` node below, TICKETS_NONE */
	uint32_t refs;			/* tasks below */
	uint32_t jobshares;		/* of running tasks on this very node, wraps at 2^32 */
	double usage;			/* combined */
	/* long term target of the whole; short term among siblings, and of the whole */
	double oltt, stt, ostt;
	double weight;
	/* product of the shares among active siblings down to here */
	double m_share;
	/* for display, as of call A: m_share, ostt */
	double long_target_share, short_target_share;
	uint32_t job_count;
	/* pending ranking: what running tasks below dilute a pending one by */
	double running_weight;
	/* of those that may have tasks below: the first child, the next sibling; TICKETS_NONE */
	uint32_t first_active, next_active;
	/* pending ranking: how many tasks on this very node; range of those below */
	uint32_t own, begin, end;
	bool has_own;			/* tasks on this very node, running or pending */
	bool visited;			/* below the node where ranking ends */
};

struct node_map {			/* from two numbers to a node; zero-initialise */
	struct index index;
	uint32_t *hashes;
	struct node_entry *entries;
	size_t n, capacity;
};

/*
 * Most of a large tree has no tasks: refs, targets and ranks of all other nodes are 0, and nobody
 * goes there.
 */
struct active_nodes {
	/* ascending: the root, all with tasks below, some without */
	uint32_t *items;
	size_t n, capacity;
	uint64_t *bits;			/* by node; no bit is set between two calls */
};

struct share_tree {
	/*
	 * 0 is the root; configured ones in pre-order, then temporary ones: a user's copies of
	 * `default`
	 */
	struct share_node *nodes;
	size_t n, configured, capacity;
	struct active_nodes active;	/* what sharetree_refs() has met */
	uint32_t *shown;		/* what is displayed of others is 0 */
	size_t nshown;
	struct node_map leaves;		/* (region, user) -> node */
	struct node_map copies;		/* (default node, user) -> temporary node */
	/* by node: first `default` node of the region that begins there */
	uint32_t *default_of_region;
	uint32_t *node_of_project;	/* by project: its node as seen from the root */
	size_t nprojects;
};

struct share_tree_node {		/* what a tree is made from: pre-order, root first */
	uint32_t parent;		/* index, TICKETS_NONE for the root */
	uint32_t user, project;		/* objects of this name */
	uint32_t shares;
	bool is_default;
};

/* -ENOMEM; sharetree_free() in any case. n >= 1. */
int sharetree_build(struct share_tree *tree, const struct share_tree_node *nodes, size_t n, size_t nprojects);
void sharetree_free(struct share_tree *tree);

/* Forget the temporary nodes of the last run. */
void sharetree_reset(struct share_tree *tree);

/*
 * The node of a user and a project (TICKETS_NONE: no such object), in TICKETS_NONE if they have
 * none. A user who comes to a `default` node gets a copy of it with its full shares. Copies stand
 * in the order of the calls. -ENOMEM.
 */
int sharetree_assign(struct share_tree *tree, uint32_t user, uint32_t project, uint32_t *node);

/*
 * Usage that a node's own object brings, before summing: of a user, of a user within a project, of
 * a project.
 */
struct sharetree_sources {
	double (*user)(void *context, uint32_t user);
	double (*user_in_project)(void *context, uint32_t user, uint32_t project);
	double (*project)(void *context, uint32_t project);
	void *context;
};

/* Sets usage of all nodes, bottom up. Returns how many values were clamped. */
uint64_t sharetree_usage(struct share_tree *tree, const struct sharetree_sources *sources);

/*
 * Sets refs of all nodes from the classes' tasks; with pending ones (call A) or without (call B).
 * All other results of an earlier call but what is displayed are 0 then. There is room, once all
 * nodes of a run are assigned and sharetree_reserve() is called. -ENOMEM.
 */
int sharetree_reserve(struct share_tree *tree);
void sharetree_refs(struct share_tree *tree, const struct ticket_classes *classes, bool with_pending);

/*
 * Sets targets of all active nodes from usage and refs, zero for the others. Returns how many
 * values were clamped.
 */
uint64_t sharetree_targets(struct share_tree *tree, double compensation_factor);

/* Keep what is shown of a node as it is now. */
void sharetree_keep_display(struct share_tree *tree);

/* Of one running task of a class, by the tree's nodes as they are; adds to *clamped. */
double sharetree_running_task(const struct share_node *nodes, double tickets, const struct ticket_class *class,
			      uint64_t *clamped);

/* Sets running_tickets.share_tree of each class that has running tasks; adds to *clamped. */
void sharetree_running(struct share_tree *tree, double tickets, struct ticket_classes *classes, uint64_t *clamped);

/*
 * Pending tasks: ranks them below each node and sets share tree tickets; adds them to what has
 * accumulated if dependent. `running` brings the weight of running tasks.
 */
void sharetree_pending(struct share_tree *tree, double tickets, bool dependent, const struct ticket_classes *classes,
		       const struct ticket_tasks *running, const struct pending_tasks *pending,
		       struct ticket_scratch *scratch);

/*
 * Where ranking ends: the root, or the first node below it that branches or has tasks of its own.
 * By refs as they are, and by has_own of the last ranking.
 */
uint32_t sharetree_start(const struct share_tree *tree);

#endif
