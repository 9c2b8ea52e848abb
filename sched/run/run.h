/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One scheduling run: list -> cluster -> collect -> account -> urgency -> tickets -> normalize ->
 * order -> dispatch -> orders -> publish. sched/pass.c calls the phases in this order. This is what
 * they share: what a run is made from, the columns that it fills, and what it shows of itself. The
 * phases that are alike for all policies are here; the others are sched/policy/ and
 * sched/dispatch/.
 *
 * One thread makes a run; within a phase the workers share the blocks (run_blocks()). Arrays belong
 * to the run and keep their memory from one run to the next.
 */
#ifndef SCHED_RUN_RUN_H
#define SCHED_RUN_RUN_H

#include "sched/mirror/tables.h"
#include "sched/run/records_state.h"
#include "shm/workers.h"
#include "tickets/tickets.h"

struct account;

/* started tasks that take part, in the order of the job list */
struct running_columns {
	size_t n, capacity;
	/* the first of them; behind them those that this run suspends, which have no tickets */
	size_t active;
	uint32_t *index;		/* in state->tasks */
	uint32_t *class_id, *weight;
};

/* jobs with tasks not started, in the order of the job list */
struct waiting_columns {
	size_t n, capacity;
	uint32_t *rows;
	/* its first task in `pending`; NONE: the job takes no part */
	uint32_t *first;
	/* the policy's key: the list is ordered by it, highest first */
	double *prio;
	/* number of a list of reasons, `unreached` at first; WHY_UNKNOWN */
	uint16_t *why;
	/* ranks, when the list is in another order than by submission and number, or by number */
	uint32_t *age, *number;
	size_t ranks_capacity;
	bool by_age, by_number;		/* it is in that order */
	bool arrays;			/* some job takes part with more than one task */
};

/* tasks of those jobs that take part; those of a job next to each other */
struct pending_columns {
	size_t n, capacity;
	uint32_t *job;			/* place in `waiting` */
};

/* the job list, as rows that follow each other: jobs are listed as they come, and rows given so */
struct list_ranges {
	struct list_record *items;
	size_t n, capacity;
};

struct block_values {			/* what each block of jobs found: two values */
	double *items;
	size_t capacity;		/* blocks */
};

struct row_list {
	uint32_t *rows;
	size_t n, capacity;
};

/* the pending list, best first; in memory of the scratch */
struct pending_order {
	uint64_t *items;		/* the lower half is the job's place in `waiting` */
	size_t n;			/* jobs that still wait when the run has decided */
	/* dispatch has changed priorities */
	bool again;
	/* rows of jobs whose prio is normalize_prio_again() now; some twice */
	struct row_list ranked;
};

struct run_counts {			/* what a run came to */
	uint64_t starts, reservations;	/* decided */
	uint64_t suspensions;		/* on thresholds; decided before anybody has tickets */
	uint64_t clamped;		/* values that would not have been finite */
	uint64_t shared_bytes;		/* of the generation */
	/* of the job table; those the generation before shows as well */
	uint64_t chunks, chunks_shared;
};

struct run {
	/* What it is made from. Borrowed; whoever makes the scheduler sets it. */
	const struct cell *cell;	/* in force */
	struct mirror *mirror;
	struct strings *strings;
	struct segment *segment;
	struct workers *workers;
	struct account *account;	/* account.h: how usage decays, what it is worth */
	/* When */
	uint64_t number;		/* from 1 */
	int64_t now;			/* epoch seconds */
	uint64_t event;			/* the last one contained */
	bool untold;			/* no reader sees it: reasons are not asked for */
	/* Who takes part */
	uint64_t free_slots, tasks_per_job;
	bool no_memory;			/* some worker had none: run_collect_end() gives the run up */
	int64_t next_change;		/* of a calendar, behind now; INT64_MAX */
	struct waiting_columns waiting;
	struct pending_columns pending;
	struct running_columns running;
	/* rows of jobs with started tasks, in list order; by job number when published */
	struct row_list started;
	struct list_ranges list;	/* of all jobs */
	/* What the phases find */
	struct block_values block;
	/*
	 * order.c sorts in it when the policies are done with it; then dispatch lists its
	 * categories there
	 */
	struct ticket_scratch scratch;
	struct pending_order order;
	/* the list of reasons of jobs that dispatch did not come to */
	uint16_t unreached;
	/* What it shows of itself */
	struct run_record record;
	struct run_counts counts;
};

void run_free(struct run *run);

/* The phases. 0, or -ENOMEM: the run is given up, and the next one begins anew. */
int run_list(struct run *run);		/* collect.c: jobs that wait, jobs with started tasks */
/*
 * collect.c: who takes part. The policy fills `pending` and what goes with it between the two: it
 * sets, of all waiting jobs, `first`, `why` and the order that they are in.
 */
int run_collect_begin(struct run *run);
int run_collect_end(struct run *run);
/* listed.c: fills it in the order of the list, for policies that need no other. */
int run_collect_listed(struct run *run);
int run_order(struct run *run);		/* order.c: by priority */

/* rank.c: waiting.age and waiting.number, if the list is in another order. -ENOMEM. */
int rank_jobs(struct run *run);

/* collect.c: run->free_slots of all queue instances; for a run that starts nothing. */
void run_count_free_slots(struct run *run);
int row_list_add(struct row_list *list, uint32_t row);
/*
 * collect.c: calls `each` for tasks that this run has started, which are not in run->running: they
 * may be suspended before the next run.
 */
void run_each_begun(struct run *run, void (*each)(void *context, struct run *run, struct task *task), void *context);
/* collect.c: how many more tasks of a job max_aj_instances and -tc let start. */
uint64_t run_task_allowance(const struct run *run, uint32_t row);
/*
 * collect.c: how many tasks of a job that has an extra record may start. Sets what a reader sees of
 * those that don't.
 */
uint32_t run_eligible_tasks(struct run *run, uint32_t row, struct job_extra *extra);

/* blocks.c: passes over the waiting jobs, shared among workers */
#define BLOCK_JOBS 8192

struct block {			/* waiting jobs begin..end */
	struct run *run;
	void *context;			/* the caller's */
	size_t begin, end;
	double *values;			/* two, the block's own */
};

/*
 * Call `work` for all blocks, side by side; afterwards run->block has what they left. One call of
 * `work` is for thousands of jobs. -ENOMEM.
 */
int run_blocks(struct run *run, void (*work)(const struct block *block), void *context);
static inline size_t run_nblocks(const struct run *run)
{
	return (run->waiting.n + BLOCK_JOBS - 1) / BLOCK_JOBS;
}

#endif
