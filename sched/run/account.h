/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage of users and projects, whatever the policy: what tasks have used is booked once and decays
 * from run to run, by the half-lives of the cell. share_tree(5), sched_conf(5) halftime,
 * halflife_decay_list, usage_weight_list. booking.h says what is booked of a job.
 */
#ifndef SCHED_RUN_ACCOUNT_H
#define SCHED_RUN_ACCOUNT_H

#include <math.h>

#include "sched/run/run.h"
#include "tickets/usage.h"

struct account {			/* zero-initialise */
	struct usage_decay decay;
	struct usage_weights weights;
	double *decay_by_name, *weight_by_name, *weight_parts;	/* by usage name */
	bool *weight_listed;
	unsigned char *booked;		/* by usage name, of the first of them: booking_names.c */
	size_t nbooked;
	uint32_t last_halftime;		/* hours; that of the last run, 0: there was none */
};

/* As the cell has it, which is in force from now on. -ENOMEM: in part. */
int account_configure(struct account *account, struct mirror *mirror, const struct cell *cell);
void account_free(struct account *account);

/* A weight of the cell, so that no sum of products leaves the doubles. */
static inline double weight_bounded(double value)
{
	return fmin(fmax(value, -1e100), 1e100);
}

/* Who is charged for tasks besides their users and projects. */
struct account_also {
	void *context;
	/*
	 * Tasks of one job that have ended: the ledger has their ends, and what they are charged
	 * must not fail any more. Those that are settled were charged before. NULL: nobody is.
	 */
	void (*ended)(void *context, struct ended_task *tasks, size_t n);
};

/* The phase: usage of ended and running tasks. -ENOMEM: what was not booked is in the next run. */
int run_account(struct run *run, const struct account_also *also);

/* Decay an object's usage up to the run. */
void account_decay(struct run *run, struct object *object);

/*
 * Ended tasks and running jobs that the last run could not book. One of the next will; until then
 * that is not kept.
 */
size_t account_unbooked(const struct mirror *mirror);

#endif
