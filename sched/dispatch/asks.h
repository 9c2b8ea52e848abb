/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Categories of jobs, as far as dispatch is concerned: jobs that ask for the same and may use the same share one. They are told
 * apart by their requests and, only where some object of the cell makes a difference, by the access lists that the owner is in, his
 * name, and the project. One that could not start is not looked at again in a run.
 */
#ifndef SCHED_DISPATCH_ASKS_H
#define SCHED_DISPATCH_ASKS_H

#include "sched/dispatch/search.h"
#include "sched/run.h"

struct asks;

/* Empty, for a run. -ENOMEM. */
int asks_begin(struct asks **a, struct sched *s, struct dispatch *d);
void asks_free(struct asks *a);

/* The category of the job in a row of the job table, as long as the run. NULL: no memory. */
struct ask *asks_of(struct asks *a, uint32_t row);

/*
 * The categories of all waiting jobs, looked up in the order in which they lie in memory, for a loop that has come so far that it will need most of
 * them. -ENOMEM. Then asks_at() has that of the job at a place of run.waiting; NULL: it takes no part, or none of its category was looked at yet.
 */
int asks_list(struct asks *a);
const struct ask *asks_at(const struct asks *a, uint32_t place);

#endif
