/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid Engine's translation of tickets to nice levels (the "priority translation facility" of its
 * execution daemon), number for number.
 *
 *     ptf_tickets()	for each task that a message lists
 *     ptf_collect()	for each task, every time with the measured usage; then ptf_collected() once
 *     ptf_adjust()	compute the nice levels
 *
 * The translation works on jobs, not on tasks. Tasks of an array share one record, which has the
 * tickets of the task that was listed last. A job's level depends on usage x processes / share^2,
 * where usage is CPU seconds since about the last message. With equal usage, of jobs with 100, 200,
 * 400 and 800 tickets the first gets 19, the others 5, 1 and 0.
 */
#ifndef SCHED_HOST_PTF_H
#define SCHED_HOST_PTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/host/ids.h"

#define PTF_UNSET (-999)
#define PTF_DISTANCE_NS 2000000000ull	/* time between two translations */

struct ptf_job {
	uint32_t job_number;
	uint32_t tasks;			/* tasks that use this record */
	uint32_t tickets;		/* >= 1 */
	double usage;			/* 0: neither listed nor collected yet */
	double collected_s;		/* CPU seconds of its tasks at the last collection */
	double measuring_s;		/* CPU seconds of the current collection */
	uint32_t processes, measuring;
	double share, proportion, current;
	int nice;
};

struct ptf {			/* Private, except for tests. */
	struct ptf_job *jobs;		/* in order of arrival */
	size_t n, capacity;
	struct ids rows;		/* keyed by job number */
	uint64_t next_ns;
	int best, weakest;		/* nice levels */
};

/*
 * Initialize with the weakest (`min`) and the best (`max`) level. PTF_UNSET: 20 and 0. Levels are
 * limited to -20..20, and `max` to at most `min`.
 */
void ptf_init(struct ptf *ptf, int min, int max);
void ptf_free(struct ptf *ptf);

/* Add a task of the job; a new job starts with one ticket. Returns 0 or -ENOMEM. */
int ptf_hold(struct ptf *ptf, uint32_t job_number);
/* Remove a task of the job. */
void ptf_drop(struct ptf *ptf, uint32_t job_number);

/*
 * Set the tickets of one task in a message. Unknown jobs are ignored. Tickets are truncated to a
 * whole number and are at least 1.
 */
void ptf_tickets(struct ptf *ptf, uint32_t job_number, double tickets);

void ptf_collect(struct ptf *ptf, uint32_t job_number, double cpu_s, uint32_t processes);
void ptf_collected(struct ptf *ptf);

/* Compute the nice levels. Return false if the next translation is not due yet. */
bool ptf_adjust(struct ptf *ptf, uint64_t now_ns);

/* Return a level in -20..20 (the kernel treats 20 as 19). An unknown job has the best level. */
int ptf_nice(const struct ptf *ptf, uint32_t job_number);

#endif
