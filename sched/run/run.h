/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheduling run: list -> cluster -> collect -> account -> urgency -> tickets -> normalize -> order
 * -> dispatch -> orders -> publish. sched/pass.c calls the phases in this order. struct run is the
 * data that they share: the inputs of a run, the columns that it fills, and the results that
 * readers see. The phases common to all policies are here; the others are in sched/policy/ and
 * sched/dispatch/.
 *
 * One thread makes a run. Within a phase, the workers share the blocks (run_blocks()). Arrays
 * belong to the run and keep their memory from one run to the next.
 */
#ifndef SCHED_RUN_RUN_H
#define SCHED_RUN_RUN_H

#include "sched/mirror/tables.h"
#include "sched/run/records_state.h"
#include "shm/workers.h"
#include "tickets/tickets.h"

struct account;

/* eligible started tasks, in the order of the job list */
struct running_columns {
	size_t n, capacity;
	/*
	 * number of active tasks; after them follow the tasks that this run suspends, without
	 * tickets
	 */
	size_t active;
	uint32_t *index;		/* in state->tasks */
	uint32_t *class_id, *weight;
};

/* jobs with tasks not started, in the order of the job list */
struct waiting_columns {
	size_t n, capacity;
	uint32_t *rows;
	/* first task in `pending`; NONE: the job is not eligible */
	uint32_t *first;
	/* the policy's sort key, highest first */
	double *prio;
	/* number of a list of reasons: `unreached` at first, or WHY_UNKNOWN */
	uint16_t *why;
	/* ranks by submission and number, and by number, if the list is in another order */
	uint32_t *age, *number;
	size_t ranks_capacity;
	bool by_age, by_number;		/* the list is in that order */
	bool arrays;			/* some eligible job has more than one task */
};

/* tasks of the eligible jobs; the tasks of a job are adjacent */
struct pending_columns {
	size_t n, capacity;
	uint32_t *job;			/* index in `waiting` */
};

/* job list as ranges of consecutive rows; jobs are appended and get ascending rows */
struct list_ranges {
	struct list_record *items;
	size_t n, capacity;
};

struct block_values {			/* results of each block of jobs: two values */
	double *items;
	size_t capacity;		/* blocks */
};

struct row_list {
	uint32_t *rows;
	size_t n, capacity;
};

/* pending list, best first; in memory of the scratch */
struct pending_order {
	uint64_t *items;		/* the lower half is the job's index in `waiting` */
	size_t n;			/* jobs that are still pending after the run's decisions */
	/* dispatch has changed priorities */
	bool again;
	/* rows of jobs whose prio normalize_prio_again() has computed; may contain duplicates */
	struct row_list ranked;
};

struct run_counts {			/* results of a run */
	uint64_t starts, reservations;	/* decisions */
	/* suspensions on thresholds; decided before tickets are computed */
	uint64_t suspensions;
	uint64_t clamped;		/* values that would not have been finite */
	uint64_t shared_bytes;		/* size of the generation */
	/* Chunks of the job table; chunks shared with the previous generation. */
	uint64_t chunks, chunks_shared;
};

struct run {
	/* Inputs, borrowed. Set by sched_make(). */
	const struct cell *cell;	/* active cell */
	struct mirror *mirror;
	struct strings *strings;
	struct segment *segment;
	struct workers *workers;
	struct account *account;	/* decay and weights of usage (account.h) */
	/* Time */
	uint64_t number;		/* from 1 */
	int64_t now;			/* epoch seconds */
	uint64_t event;			/* last event contained */
	/* true: the run is not published, so pending reasons are not collected */
	bool unreported;
	/* Eligible jobs and tasks */
	uint64_t free_slots, tasks_per_job;
	/* a worker ran out of memory: run_collect_end() abandons the run */
	bool no_memory;
	int64_t next_change;		/* next calendar change after now; INT64_MAX: none */
	struct waiting_columns waiting;
	struct pending_columns pending;
	struct running_columns running;
	/* rows of jobs with started tasks, in list order; by job number when published */
	struct row_list started;
	struct list_ranges list;	/* rows of all jobs */
	/* Results of the phases */
	struct block_values block;
	/*
	 * memory in which order.c sorts after the policies have finished with it; then dispatch
	 * lists its categories there
	 */
	struct ticket_scratch scratch;
	struct pending_order order;
	/* list of reasons of jobs that dispatch did not reach */
	uint16_t unreached;
	/* Results for readers */
	struct run_record record;
	struct run_counts counts;
};

void run_free(struct run *run);

/*
 * Phases. They return 0, or -ENOMEM: the run is abandoned, and the next one starts from the
 * beginning.
 */
/* List pending jobs and jobs with started tasks (collect.c). */
int run_list(struct run *run);
/*
 * Select the eligible jobs (collect.c). Between the two calls the policy fills `pending` and its
 * own columns. For all pending jobs it sets `first`, `why` and the order of the list.
 */
int run_collect_begin(struct run *run);
int run_collect_end(struct run *run);
/* Fill `pending` in the order of the list, for policies that need no other order (listed.c). */
int run_collect_listed(struct run *run);
int run_order(struct run *run);		/* Sort by priority (order.c). */

/* Compute waiting.age and waiting.number if the list is in another order (rank.c). -ENOMEM. */
int rank_jobs(struct run *run);

/* Set run->free_slots from all queue instances, for a run that starts nothing (collect.c). */
void run_count_free_slots(struct run *run);
int row_list_add(struct row_list *list, uint32_t row);
/*
 * Call `each` for tasks that this run has started, which are not in run->running (collect.c). They
 * may be suspended before the next run.
 */
void run_each_begun(struct run *run, void (*each)(void *context, struct run *run, struct task *task), void *context);
/* Return how many more tasks of a job may start under max_aj_instances and -tc (collect.c). */
uint64_t run_task_allowance(const struct run *run, uint32_t row);
/*
 * Return how many tasks of a job that has an extra record may start (collect.c). Sets the values
 * that readers see of the other tasks.
 */
uint32_t run_eligible_tasks(struct run *run, uint32_t row, struct job_extra *extra);

/* Passes over the pending jobs, shared among workers (blocks.c) */
#define BLOCK_JOBS 8192

struct block {			/* pending jobs begin..end */
	struct run *run;
	void *context;			/* passed by the caller */
	size_t begin, end;
	double *values;			/* two values of this block */
};

/* Provide the memory for the values of all blocks. run_list() calls this. Returns 0 or -ENOMEM. */
int run_blocks_reserve(struct run *run);

/*
 * Call `work` for all blocks in parallel. Afterwards run->block has their values. One call of
 * `work` covers thousands of jobs.
 */
void run_blocks(struct run *run, void (*work)(const struct block *block), void *context);
static inline size_t run_nblocks(const struct run *run)
{
	return (run->waiting.n + BLOCK_JOBS - 1) / BLOCK_JOBS;
}

#endif
