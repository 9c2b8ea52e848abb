/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a waiting job stands in the list that a run shows, and who stands before it. Only what can
 * be started counts: jobs that are held, in error, or wait for others or for their time are in the
 * list, and nobody waits for them.
 */
#ifndef SCHED_EXPLAIN_STANDING_H
#define SCHED_EXPLAIN_STANDING_H

#include <stddef.h>
#include <stdint.h>

#include "sched/reader/fairlead.h"

struct place_sum {			/* jobs before it, of one name */
	const char *name;		/* the view's; "": jobs without a project */
	uint64_t jobs, tasks;		/* tasks that wait */
	uint64_t slots;			/* that all these tasks together ask for */
};

struct standing_place {
	uint64_t rank;			/* from 1; 0: the job takes no part, or does not wait */
	uint64_t jobs;			/* that take part, this one included */
	uint64_t unable;		/* jobs that wait and take none */
	struct place_sum ahead;	/* all of them; no name */
	struct place_sum *users, *projects;	/* most slots first, then by name */
	size_t nusers, nprojects;
	uint32_t next;			/* number of the job right before it; 0: it is the first */
};

/* -ENOMEM; standing_free() in any case. */
int standing_find(struct standing_place *place, const struct fl_view *view, uint32_t job_number);
void standing_free(struct standing_place *place);

/* The rank alone. */
uint64_t standing_rank(const struct fl_view *view, uint32_t job_number);
/* The row of FL_PENDING that has a rank; SIZE_MAX: none. */
size_t standing_row(const struct fl_view *view, uint64_t rank);

#endif
