/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid Engine's translation of tickets to nice levels (its execution daemon's "priority translation
 * facility"), number for number.
 *
 *     ptf_tickets()	for each task that a message lists
 *     ptf_collect()	for each task, all of them each time: what was measured, then ptf_collected() once
 *     ptf_adjust()	nice levels anew
 *
 * It goes by jobs, not by tasks: tasks of an array share one record, whose tickets are those of the
 * task that was listed last. A job's level depends on usage x processes / share^2, where usage is
 * CPU seconds since about the last message. With equal usage, of jobs with 100, 200, 400 and 800
 * tickets the first gets 19, the others 5, 1 and 0.
 */
#ifndef SCHED_HOST_PTF_H
#define SCHED_HOST_PTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/host/ids.h"

#define PTF_UNSET (-999)
#define PTF_DISTANCE_NS 2000000000ull	/* between two translations */

struct ptf_job {
	uint32_t job_number;
	uint32_t tasks;			/* that hold this record */
	uint32_t tickets;		/* from 1 on */
	double usage;			/* 0: neither listed nor collected yet */
	double collected_s;		/* CPU seconds of its tasks at the last collection */
	double measuring_s;		/* the same, while a collection is going on */
	uint32_t processes, measuring;
	double share, proportion, current;
	int nice;
};

struct ptf {			/* private but for tests */
	struct ptf_job *jobs;		/* in the order in which they came */
	size_t n, capacity;
	struct ids rows;		/* by job number */
	uint64_t next_ns;
	int best, weakest;		/* nice levels */
};

/*
 * PTF_UNSET: 20 and 0. Levels beyond 20 and -20 are taken as these, and `max`, the best level, is
 * at most `min`, the weakest.
 */
void ptf_init(struct ptf *ptf, int min, int max);
void ptf_free(struct ptf *ptf);

/* A task of the job is here; a job that is new begins with one ticket. -ENOMEM */
int ptf_hold(struct ptf *ptf, uint32_t job_number);
/* A task of the job has gone. */
void ptf_drop(struct ptf *ptf, uint32_t job_number);

/*
 * One task in a message; a job that is not here is ignored. Tickets are cut to a whole number and
 * are at least 1.
 */
void ptf_tickets(struct ptf *ptf, uint32_t job_number, double tickets);

void ptf_collect(struct ptf *ptf, uint32_t job_number, double cpu_s, uint32_t processes);
void ptf_collected(struct ptf *ptf);

/* false: not yet again. */
bool ptf_adjust(struct ptf *ptf, uint64_t now_ns);

/* Between -20 and 20, of which the kernel makes 19; the best level for a job that is not here. */
int ptf_nice(const struct ptf *ptf, uint32_t job_number);

#endif
