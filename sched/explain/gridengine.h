/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explanation of Grid Engine's priorities: sge_priority(5). Declarations shared by the files of
 * algorithm default.
 *
 *     gridengine.c              the sum
 *     gridengine_subject.c      the task that is explained
 *     gridengine_spread.c       holders of minima and maxima
 *     gridengine_urgency.c      resources, waiting time, deadline
 *     gridengine_override.c     override tickets
 *     gridengine_functional.c   functional tickets
 *     gridengine_tree.c         share tree tickets: part of the node's target for a task
 *     gridengine_path.c         shares and targets of the nodes from the root to the node
 *     gridengine_usage.c        usage of these nodes
 */
#ifndef SCHED_EXPLAIN_GRIDENGINE_H
#define SCHED_EXPLAIN_GRIDENGINE_H

#include "sched/explain/inside.h"
#include "sched/policy/gridengine/gridengine.h"

struct spread_holder {			/* task that has a minimum or maximum */
	uint32_t job, task;		/* job 0: none */
	bool is_array;
	/* Largest tickets only: those of a running task before pending tasks were left out. */
	bool with_pending;
};

struct gridengine_spread {
	struct spread_holder urg_least, urg_most, tix_most;
};

struct gridengine_own {
	/*
	 * Nodes of the share tree, for running tasks alone (call B), and for pending ones (call A).
	 * NULL: there is no tree.
	 */
	struct share_node *of_running, *of_pending;
	uint32_t start;			/* node where the ranking of pending tasks ends */
	struct gridengine_spread spread;
};

/* A task, and its data in the run that was computed again. */
struct subject {
	struct explainer *e;
	struct explanation *x;
	struct derivation *d;
	const struct gridengine *g;
	const struct run *run;
	const struct gridengine_own *own;
	uint32_t row;			/* row of its job */
	uint32_t pending;		/* index in run->pending; NONE: it is running */
	uint32_t running;		/* index in run->running; NONE: it is pending */
	uint32_t class_id, request;
	bool again;			/* the job was ranked again while jobs were started */
};

static inline const struct ticket_class *subject_class(const struct subject *subject)
{
	return &subject->run->mirror->classes.items[subject->class_id];
}

static inline const struct jobs *subject_jobs(const struct subject *subject)
{
	return &subject->run->mirror->state->jobs;
}

/* Find the holders of minima and maxima. Needs run->of_pending. In gridengine_spread.c. */
void gridengine_find_spread(const struct explainer *explainer, struct gridengine_own *own);
/* Set the holder of a line, written as a task id. */
void gridengine_hold(const struct subject *subject, uint32_t line, const struct spread_holder *holder);

/*
 * Find the task. Returns NULL, or the reason why there are no numbers. `row` is INDEX_NONE if the
 * job does not exist. In gridengine_subject.c.
 */
const char *gridengine_find_subject(struct subject *subject);

/*
 * Derive tickets or urgency and add their section. Return the line; DERIVED_NONE: memory is
 * exhausted.
 */
uint32_t gridengine_derive_urgency(const struct subject *subject);
uint32_t gridengine_derive_override(const struct subject *subject);
uint32_t gridengine_derive_functional(const struct subject *subject);
uint32_t gridengine_derive_tree(const struct subject *subject);

/* gridengine_path.c: */
struct path_lines {			/* lines of the node itself */
	uint32_t stt, ostt;
};
/*
 * Derive stt and ostt of the nodes from the root down to `node`, with the `nodes` of call A or B.
 * Adds the section. `at` gets the lines of the node `wanted` on that path.
 */
void gridengine_derive_path(const struct subject *subject, const struct share_node *nodes, uint32_t node,
			    uint32_t wanted, struct path_lines *at);
/* Derive the usage of a node and add a section with its origin. In gridengine_usage.c. */
uint32_t gridengine_derive_usage(const struct subject *subject, uint32_t node);
const char *gridengine_node_name(const struct subject *subject, uint32_t node);

/* Return the name of a user, project or department object; the word for its kind. */
const char *gridengine_sharer_name(const struct subject *subject, enum sharer_kind kind, uint32_t object);
const char *gridengine_kind_name(enum sharer_kind kind);
enum holder_kind gridengine_holder_kind(enum sharer_kind kind);

#endif
