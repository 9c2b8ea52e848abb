/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pending list while it is being worked through: jobs in the order of the run, and among them
 * those of which a task has just started or got a reservation, by the priority of their next one.
 * sge_priority(5), sched_conf(5) max_pending_tasks_per_job.
 */
#ifndef SCHED_DISPATCH_PENDING_H
#define SCHED_DISPATCH_PENDING_H

#include "sched/policy/policy.h"

struct pending_job {
	uint32_t place;			/* in run->waiting */
	uint32_t row, number, task;	/* the next task to start; 1 when it is no array */
	bool is_array;
	double prio;
	uint32_t array;			/* its number in `arrays`; NONE */
};

struct pending_array {			/* a job that was put in again */
	uint32_t place;
	uint32_t *ids;			/* those that may start, as far as known */
	size_t n, done;
	bool all_known;
	size_t enrolled;		/* the first of them */
	uint64_t allowance;		/* for others */
	bool is_array;
	double prio;
	int64_t submission;
	uint32_t number;
};

struct pending {
	struct run *run;
	const struct policy *policy;
	size_t next;			/* in run->order */
	struct pending_array *arrays;
	size_t narrays;
	uint32_t *heap;			/* of arrays that wait for their turn */
	size_t nheap, heap_capacity;
	uint32_t stay;			/* an array that keeps the head of the list; NONE */
};

void pending_begin(struct pending *pending, struct run *run, const struct policy *policy);
void pending_free(struct pending *pending);

/*
 * Takes the first job out. False: there is none. Only place, row and prio are there before
 * pending_complete(): most jobs need no more.
 */
bool pending_next(struct pending *pending, struct pending_job *job);
void pending_complete(const struct pending *pending, struct pending_job *job);

/* jobs ahead whose place is fetched early */
#define PENDING_AHEAD 24

/* The place of the first job, if no job was put in again; it is passed over. */
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

/*
 * The place of a job that comes some jobs later, for what is fetched early. False: there are not so
 * many.
 */
static inline bool pending_ahead(const struct pending *pending, uint32_t *place)
{
	if (pending->next + PENDING_AHEAD >= pending->run->waiting.n)
		return false;
	*place = (uint32_t)pending->run->order.items[pending->next + PENDING_AHEAD];
	return true;
}

/*
 * This task of the job that was taken last starts, or has a reservation: the number of the array
 * that is left of it, which is out of the list; NONE if there are no more tasks of it. -ENOMEM.
 */
int pending_pass_task(struct pending *pending, const struct pending_job *job, uint32_t *array);
/* It is put in again, by the priority of its next task. -ENOMEM. */
int pending_put(struct pending *pending, uint32_t array);
/* The same of a job that was taken, and is still to start the task that it was taken for. */
int pending_put_back(struct pending *pending, const struct pending_job *job);

/* Tasks of each owner, for maxujobs */
struct owners {
	uint32_t limit;			/* 0: nobody counts */
	uint32_t *names, *tasks;	/* string ids; started tasks */
	size_t n, capacity;
	struct index index;
};

int owners_count(struct owners *owners, const struct run *run);	/* -ENOMEM */
void owners_free(struct owners *owners);
bool owners_are_busy(const struct owners *owners, const struct run *run, uint32_t row);
void owners_add(struct owners *owners, const struct run *run, uint32_t row, uint32_t tasks);

#endif
