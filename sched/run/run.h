/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One scheduling run: list -> cluster -> collect -> account -> urgency -> tickets -> normalise ->
 * order -> dispatch -> orders -> publish. pass.c calls the phases in this order. This is what they
 * share.
 */
#ifndef SCHED_RUN_RUN_H
#define SCHED_RUN_RUN_H

#include "sched/dispatch/decisions.h"
#include "sched/dispatch/why.h"
#include "sched/mirror/tables.h"
#include "sched/policy/multifactor/past.h"
#include "sched/run/records.h"
#include "sched/sched.h"
#include "shm/workers.h"
#include "tickets/calculate.h"
#include "urgency/urgency.h"

/* started tasks that take part, in the order of the job list */
struct running_columns {
	size_t n, capacity;
	uint32_t *index;		/* in state->tasks */
	uint32_t *class_id, *weight;
	struct tickets *tickets;
};

/* jobs with tasks not started, in the order of the job list */
struct waiting_columns {
	size_t n, capacity;
	uint32_t *rows;
	/* its first task in `pending`; NONE: the job takes no part */
	uint32_t *first;
	double *prio;			/* until normalised: urgency */
	/* number of a list of reasons, `unreached` at first; WHY_UNKNOWN */
	uint16_t *why;
	/* ranks, when the list is in another order than by submission and number, or by number */
	uint32_t *age, *number;
	size_t ranks_capacity;
	bool by_age, by_number;		/* it is in that order */
	bool arrays;			/* some job takes part with more than one task */
};

/* tasks of those jobs that take part, class by class: see struct pending_tasks */
struct pending_columns {
	size_t n, capacity;
	uint32_t *job, *weight;
	double *override, *functional, *share_tree, *accumulated;
};

/*
 * Tasks are in the order of classes, jobs in that of the list: fetch what the job AHEAD of this one
 * will ask for. gcc takes a function that only fetches for one without effect and drops the calls
 * that it does not inline at once.
 */
#define AHEAD 12
static inline __attribute__((always_inline)) void pending_fetch(const struct waiting_columns *w, const struct pending_columns *p, size_t job)
{
	uint32_t first = job + AHEAD < w->n ? w->first[job + AHEAD] : NONE;

	if (first == NONE)
		return;
	__builtin_prefetch(&p->override[first]);
	__builtin_prefetch(&p->functional[first]);
	__builtin_prefetch(&p->share_tree[first]);
}

struct row_list {
	uint32_t *rows;
	size_t n, capacity;
};

struct multifactor;
struct slice;				/* slices.c: what one worker finds */

struct run {
	uint64_t number;		/* from 1 */
	int64_t now;			/* epoch seconds */
	uint64_t event;
	uint64_t free_slots, tasks_per_job;
	struct waiting_columns waiting;
	struct pending_columns pending;
	struct running_columns running;
	/* rows of jobs with started tasks, in list order; by job number when published */
	struct row_list started;
	uint32_t *class_order;		/* classes of pending tasks by first appearance */
	size_t nclass_order, class_capacity;
	struct slice *slices;
	size_t nslices;
	double *rrcontr;		/* by request */
	size_t rrcontr_capacity;
	double *block;			/* what each block of jobs found: two values */
	size_t block_capacity;
	struct urgency_spread spread;
	struct ticket_totals totals;
	double pending_tickets;		/* sum, in list order */
	/*
	 * order.c sorts in it when the policies are done with it; then dispatch lists its
	 * categories there
	 */
	struct ticket_scratch scratch;
	uint64_t *ordered;		/* there: the lower half is the job's place in `waiting` */
	/* the list of reasons of jobs that dispatch did not come to */
	uint16_t unreached;
	/* dispatch has changed priorities: of arrays that started tasks */
	bool ranked_again;
	size_t nordered;		/* jobs that still wait when the run has decided */
	uint64_t clamped;		/* values that would not have been finite */
};

/* usage names that readers are shown; INDEX_NONE: nobody has used any */
struct shown_usage {
	uint32_t cpu, mem, io;
};

struct why_names {			/* string ids of the reasons' names, held */
	uint32_t *ids;
	size_t n, capacity;
};

/* immediate jobs that the qmaster has been told to remove */
struct removed {
	struct pool numbers;
	const struct state *state;	/* that these are about; only its address matters */
};

struct sched {
	char *directory;
	struct cell *cell;		/* in force */
	struct segment segment;
	struct strings *strings;
	struct mirror mirror;
	struct orders orders;
	bool dispatch;			/* start jobs */
	/* dispatch/: the cluster as this run sees it; NULL before the first */
	struct dispatch *placing;
	struct decisions decisions;	/* of this run */
	struct removed removed;
	int64_t tickets_ordered;	/* when the hosts were last told of tickets; 0: never */
	struct share_tree tree;
	bool has_tree, tree_is_stale;
	uint32_t *node_names;		/* string ids of configured nodes, held */
	size_t nnode_names;
	struct ticket_params tickets;
	struct urgency_params urgency;
	struct usage_decay decay;
	struct usage_weights weights;
	/* multifactor/; NULL: the algorithm is Grid Engine's */
	struct multifactor *multifactor;
	struct past past;		/* usage of associations that it does not have */
	double *decay_by_name, *weight_by_name;	/* by usage name */
	bool *weight_listed;
	size_t usage_names;		/* for which the above are made */
	uint32_t last_halftime;		/* hours; that of the last run */
	bool announced;			/* the segment is in its place */
	struct workers *workers;
	struct run run;
	struct why why;			/* the run's jobs did not start */
	/* of the generation that readers see, of the one that is being made */
	struct why_names why_shown, why_next;
	struct generation_writer *writer;	/* while publishing */
	struct shown_usage shown;
	struct run_record record;	/* of the last run */
	/* dispatch/schedule.h; borrowed, NULL: not wanted */
	struct schedule_lines *schedule;
	struct profile profile;
};

/* Phases; each returns 0 or -ENOMEM */
int run_list(struct sched *s);		/* collect.c: jobs that wait, jobs with started tasks */
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
/* collect.c: how many more tasks of a job max_aj_instances and -tc let start. */
uint64_t run_task_allowance(const struct sched *s, uint32_t row);
/*
 * collect.c: how many tasks of a job that has an extra record may start. Sets what a reader sees of
 * those that don't.
 */
uint32_t run_eligible_tasks(struct sched *s, uint32_t row, struct job_extra *extra);
/* policy/gridengine/slices.c: run->pending and classes from run->waiting. -ENOMEM. */
int slices_fill_pending(struct sched *s);
void slices_free(struct run *run);
/* order.c: waiting.age and waiting.number, if the list is in another order. -ENOMEM. */
int rank_jobs(struct sched *s);
/* publish_usage.c: the tables that show usage. -ENOMEM. */
int publish_usage(struct generation_writer *w, struct sched *s);
/* publish_why.c: the tables that show why jobs did not start. -ENOMEM. */
int publish_why(struct generation_writer *w, struct sched *s);
/* The generation is published, or given up: let go of the names that are not shown any more. */
void publish_why_end(struct sched *s, bool published);
void publish_why_free(struct sched *s);

/* Blocks.c: passes over the waiting jobs, shared among workers */
#define BLOCK_JOBS 8192

struct block {			/* waiting jobs begin..end */
	struct sched *s;
	size_t begin, end;
	double *values;			/* two, the block's own */
};

/* Call `work` for all blocks, side by side; afterwards run->block has what they left. -ENOMEM. */
int run_blocks(struct sched *s, void (*work)(const struct block *b));
static inline size_t run_nblocks(const struct run *run)
{
	return (run->waiting.n + BLOCK_JOBS - 1) / BLOCK_JOBS;
}

#endif
