/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pending list during dispatch. It has the jobs in the order of the run. Arrays of which a task
 * has just started or got a reservation are merged in, by the priority of their next task. See
 * sge_priority(5), sched_conf(5) max_pending_tasks_per_job.
 */
#ifndef SCHED_DISPATCH_PENDING_H
#define SCHED_DISPATCH_PENDING_H

#include "sched/policy/policy.h"

struct pending_job {
	uint32_t place;			/* index into run->waiting */
	/* task: the next task to start; 1 if the job is not an array */
	uint32_t row, number, task;
	bool is_array;
	double prio;
	uint32_t array;			/* index into `arrays`; NONE */
};

struct pending_array {			/* a job that was inserted again */
	uint32_t place;
	uint32_t *ids;			/* ids that may start, as far as known */
	size_t n, done;
	bool all_known;
	size_t enrolled;		/* number of enrolled ids, which come first */
	uint64_t allowance;		/* limit for the other ids */
	bool is_array;
	double prio;
	int64_t submission;
	uint32_t number;
};

struct pending {
	struct run *run;
	const struct policy *policy;
	size_t next;			/* index into run->order */
	struct pending_array *arrays;
	size_t narrays;
	uint32_t *heap;			/* heap of arrays that wait for their turn */
	size_t nheap, heap_capacity;
	uint32_t stay;			/* array that keeps the head of the list; NONE */
};

void pending_begin(struct pending *pending, struct run *run, const struct policy *policy);
void pending_free(struct pending *pending);

/*
 * pending_next() takes the first job out. False: there is none. It only sets place, row and prio,
 * because most jobs need no more. pending_complete() sets the rest.
 */
bool pending_next(struct pending *pending, struct pending_job *job);
void pending_complete(const struct pending *pending, struct pending_job *job);

/* Number of jobs ahead whose data is prefetched. */
#define PENDING_AHEAD 24

/*
 * Get the place of the first job, without taking it out. False if an array was inserted again or
 * there is no job. pending_pass() skips the job.
 */
static inline bool pending_head(const struct pending *pending, uint32_t *place)
{
	if (pending->stay != NONE || pending->nheap > 0 || pending->next == pending->run->waiting.n)
		return false;
	*place = (uint32_t)pending->run->order.items[pending->next];
	return true;
}

static inline void pending_pass(struct pending *pending)
{
	pending->next++;
}

/* Get the place of a job some positions ahead, for prefetching. False: the list is too short. */
static inline bool pending_ahead(const struct pending *pending, uint32_t *place)
{
	if (pending->next + PENDING_AHEAD >= pending->run->waiting.n)
		return false;
	*place = (uint32_t)pending->run->order.items[pending->next + PENDING_AHEAD];
	return true;
}

/*
 * Pass to the next task of the job that was taken last, after this task has started or got a
 * reservation. `array` is set to the number of the remaining array, which is out of the list, or
 * NONE if no tasks remain. Return 0 or -ENOMEM.
 */
int pending_pass_task(struct pending *pending, const struct pending_job *job, uint32_t *array);
/* Insert the array again with the priority of its next task. Return 0 or -ENOMEM. */
int pending_put(struct pending *pending, uint32_t array);
/* Insert a job again that was taken and has not started its task. Return 0 or -ENOMEM. */
int pending_put_back(struct pending *pending, const struct pending_job *job);

/* Started tasks of each owner, for maxujobs. */
struct owners {
	uint32_t limit;			/* 0: tasks are not counted */
	uint32_t *names, *tasks;	/* string ids; started tasks */
	size_t n, capacity;
	struct index index;
};

int owners_count(struct owners *owners, const struct run *run);	/* return 0 or -ENOMEM */
void owners_free(struct owners *owners);
bool owners_are_busy(const struct owners *owners, const struct run *run, uint32_t row);
void owners_add(struct owners *owners, const struct run *run, uint32_t row, uint32_t tasks);

#endif
