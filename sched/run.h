/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One scheduling run: collect -> account -> urgency -> tickets -> normalise -> order -> publish. pass.c calls the phases in this
 * order. This is what they share.
 */
#ifndef SCHED_RUN_H
#define SCHED_RUN_H

#include "sched/mirror_tables.h"
#include "sched/sched.h"
#include "tickets/calculate.h"
#include "urgency/urgency.h"

struct task_columns {			/* tasks that take part, in the order of the job list */
	size_t n, capacity;
	uint32_t *row;			/* of the job */
	uint32_t *index;		/* running: in state->tasks */
	uint32_t *class_id, *number, *task, *weight;
	int64_t *submission;
	struct tickets *tickets;
};

struct job_columns {			/* jobs that take part: pending ones in list order, then those that only run */
	size_t n, capacity;
	uint32_t *row;
	uint32_t *first;		/* in `pending`: the job's first task; NONE */
	int64_t *submission, *deadline;
	double *rrcontr, *urg, *prio;
};

struct row_list {
	uint32_t *rows;
	size_t n, capacity;
};

struct sort_record { uint64_t key; uint32_t row, job; };	/* job: in job_columns, NONE when it takes no part */

struct run {
	uint64_t number;		/* from 1 */
	int64_t now;			/* epoch seconds */
	uint64_t event;
	uint64_t free_slots;
	struct job_columns jobs;
	struct task_columns pending, running;
	struct row_list started;	/* rows of jobs with started tasks, in list order; by job number when published */
	struct row_list waiting;	/* rows of jobs with tasks not started; in priority order once ordered */
	uint32_t *class_order;		/* classes of pending tasks by first appearance */
	size_t nclass_order, class_capacity;
	struct urgency_spread spread;
	struct ticket_totals totals;
	struct ticket_scratch scratch;
	struct sort_record *records, *other;	/* order.c */
	size_t records_capacity;
	uint64_t clamped;		/* values that would not have been finite */
};

struct sched {
	char *directory;
	struct cell *cell;		/* in force */
	struct segment segment;
	struct strings *strings;
	struct mirror mirror;
	struct share_tree tree;
	bool has_tree, tree_is_stale;
	uint32_t *node_names;		/* string ids of configured nodes, held */
	size_t nnode_names;
	struct ticket_params tickets;
	struct urgency_params urgency;
	struct usage_decay decay;
	struct usage_weights weights;
	double *decay_by_name, *weight_by_name;	/* by usage name */
	bool *weight_listed;
	size_t usage_names;		/* for which the above are made */
	uint32_t last_halftime;		/* hours; that of the last run */
	bool announced;			/* the segment is in its place */
	struct run run;
	struct run_record record;	/* of the last run */
	struct profile profile;
};

/* ---- phases; each returns 0 or -ENOMEM ---- */
int run_collect(struct sched *s);	/* collect.c: who takes part */
int run_account(struct sched *s);	/* account.c: book usage, decay it */
int run_urgency(struct sched *s);	/* policies.c */
int run_tickets(struct sched *s);
int run_normalize(struct sched *s);
int run_order(struct sched *s);		/* order.c: by priority */
int run_publish(struct sched *s);	/* publish.c: into the segment */
void run_free(struct run *run);

/* policies.c: the cell's parameters as the policies take them. -ENOMEM. */
int policies_configure(struct sched *s);
/* tree.c: the share tree of the cell over the objects there are now. -ENOMEM. */
int tree_configure(struct sched *s);
/* The worth of usage for the tree's nodes: decays what it meets. */
struct sharetree_sources account_sources(struct sched *s);
/* Decay an object's usage up to the run. */
void account_decay(struct sched *s, struct object *o);

int row_list_add(struct row_list *list, uint32_t row);

#endif
