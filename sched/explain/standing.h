/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Position of a waiting job in the list of a run, and sums of the jobs before it. Only jobs that
 * can be started count. Jobs that are held, in error, or wait for other jobs or for their time are
 * in the list, but no other job waits for them.
 */
#ifndef SCHED_EXPLAIN_STANDING_H
#define SCHED_EXPLAIN_STANDING_H

#include <stddef.h>
#include <stdint.h>

#include "sched/reader/fairlead.h"

struct place_sum {			/* jobs before it with the same name */
	const char *name;		/* owned by the view; "": jobs without a project */
	uint64_t jobs, tasks;		/* `tasks`: waiting tasks */
	uint64_t slots;			/* slots requested by all these tasks together */
};

struct standing_place {
	uint64_t rank;			/* from 1; 0: the job is not eligible or not waiting */
	uint64_t jobs;			/* eligible jobs, including this one */
	uint64_t unable;		/* waiting jobs that are not eligible */
	struct place_sum ahead;	/* sum of all jobs before it; without a name */
	struct place_sum *users, *projects;	/* most slots first, then by name */
	size_t nusers, nprojects;
	/* number of the job directly before it; 0: it is the first */
	uint32_t next;
};

/* Find the position of a job. -ENOMEM. Call standing_free() in any case. */
int standing_find(struct standing_place *place, const struct fl_view *view, uint32_t job_number);
void standing_free(struct standing_place *place);

/* Return only the rank of a job. */
uint64_t standing_rank(const struct fl_view *view, uint32_t job_number);
/* Return the row of FL_PENDING with a rank; SIZE_MAX: none. */
size_t standing_row(const struct fl_view *view, uint64_t rank);

#endif
