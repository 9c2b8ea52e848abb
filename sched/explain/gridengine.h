/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid Engine's priorities, explained: sge_priority(5). What the files of algorithm default share.
 *
 *     gridengine.c              the sum
 *     gridengine_subject.c      which task is meant
 *     gridengine_spread.c       who holds minima and maxima
 *     gridengine_urgency.c      resources, waiting time, deadline
 *     gridengine_override.c     override tickets
 *     gridengine_functional.c   functional tickets
 *     gridengine_tree.c         share tree tickets: what the node of a task comes to
 *     gridengine_path.c         shares and targets of the nodes on the way there
 *     gridengine_usage.c        what they have used
 */
#ifndef SCHED_EXPLAIN_GRIDENGINE_H
#define SCHED_EXPLAIN_GRIDENGINE_H

#include "sched/explain/inside.h"
#include "sched/policy/gridengine/gridengine.h"

struct spread_holder {			/* whose a minimum or maximum is */
	uint32_t job, task;		/* job 0: nobody's */
	bool is_array;
	/* the largest tickets, as those of running tasks are before pending ones are left out */
	bool with_pending;
};

struct gridengine_spread {
	struct spread_holder urg_least, urg_most, tix_most;
};

struct gridengine_own {
	/*
	 * the nodes of the share tree, as they were for running tasks alone (call B), and for
	 * pending ones (call A); NULL: there is no tree
	 */
	struct share_node *of_running, *of_pending;
	uint32_t start;			/* where ranking of pending tasks ends */
	struct gridengine_spread spread;
};

/* a task, and where all that is about it stands */
struct subject {
	struct explainer *e;
	struct explanation *x;
	struct derivation *d;
	const struct gridengine *g;
	const struct run *run;
	const struct gridengine_own *own;
	uint32_t row;			/* of its job, in the run as made again */
	uint32_t pending;		/* in run->pending; NONE: it runs */
	uint32_t running;		/* in run->running; NONE: it waits */
	uint32_t class_id, request;
	bool again;			/* its job was ranked again while jobs started */
};

static inline const struct ticket_class *subject_class(const struct subject *subject)
{
	return &subject->run->mirror->classes.items[subject->class_id];
}

static inline const struct jobs *subject_jobs(const struct subject *subject)
{
	return &subject->run->mirror->state->jobs;
}

/* gridengine_spread.c: run->of_pending is there. */
void gridengine_find_spread(const struct explainer *explainer, struct gridengine_own *own);
/* The holder of a line, written as a task is. */
void gridengine_hold(const struct subject *subject, uint32_t line, const struct spread_holder *holder);

/*
 * gridengine_subject.c: NULL, or why there are no numbers; s->row is INDEX_NONE: it is not there.
 */
const char *gridengine_find_subject(struct subject *subject);

/* Each returns its line, DERIVED_NONE without memory; and adds its section. */
uint32_t gridengine_derive_urgency(const struct subject *subject);
uint32_t gridengine_derive_override(const struct subject *subject);
uint32_t gridengine_derive_functional(const struct subject *subject);
uint32_t gridengine_derive_tree(const struct subject *subject);

/* gridengine_path.c */
struct path_lines {			/* of the node itself */
	uint32_t stt, ostt;
};
/*
 * The nodes from the root down to `node`: stt and ostt of each, by `nodes` of one of the two calls.
 * Adds the section. `at` gets the lines of the node `wanted` on the way.
 */
void gridengine_derive_path(const struct subject *subject, const struct share_node *nodes, uint32_t node,
			    uint32_t wanted, struct path_lines *at);
/* gridengine_usage.c: the usage of a node, with a section of whose it is. */
uint32_t gridengine_derive_usage(const struct subject *subject, uint32_t node);
const char *gridengine_node_name(const struct subject *subject, uint32_t node);

/* The name of a user, project or department object; the word for its kind. */
const char *gridengine_sharer_name(const struct subject *subject, enum sharer_kind kind, uint32_t object);
const char *gridengine_kind_name(enum sharer_kind kind);
enum holder_kind gridengine_holder_kind(enum sharer_kind kind);

#endif
