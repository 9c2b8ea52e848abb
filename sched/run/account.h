/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage of users and projects, the same for every policy. The usage of a task is booked once and
 * decays from run to run by the half-lives of the cell. See share_tree(5), and halftime,
 * halflife_decay_list and usage_weight_list in sched_conf(5). booking.h describes the usage that is
 * booked for a job.
 */
#ifndef SCHED_RUN_ACCOUNT_H
#define SCHED_RUN_ACCOUNT_H

#include "sched/run/run.h"
#include "tickets/usage.h"

struct account {			/* zero-initialise */
	struct usage_decay decay;
	struct usage_weights weights;
	double *decay_by_name, *weight_by_name, *weight_parts;	/* indexed by usage name */
	bool *weight_listed;
	/* answers of booking_names(), indexed by usage name (booking_names.c) */
	unsigned char *booked;
	size_t nbooked;
	uint32_t last_halftime;		/* hours, as of the last run; 0: no run yet */
};

/*
 * Configure decay and weights from `cell`, which is active from now on. -ENOMEM: only a part is
 * configured.
 */
int account_configure(struct account *account, struct mirror *mirror, const struct cell *cell);
void account_free(struct account *account);

/* Bound a weight of the cell, so that no sum of products exceeds the range of double. */
double weight_bounded(double value);

/* Receiver of ended tasks that are charged to further accounts besides users and projects. */
struct account_also {
	void *context;
	/*
	 * Charge tasks of one job that have ended. The ledger has stored their ends, so the call
	 * cannot fail. Settled tasks were charged before. NULL: nothing is charged.
	 */
	void (*ended)(void *context, struct ended_task *tasks, size_t n);
};

/* Book the usage of ended and running tasks. -ENOMEM: the next run books the rest. */
int run_account(struct run *run, const struct account_also *also);

/* Decay an object's usage up to the time of the run. */
void account_decay(struct run *run, struct object *object);

/*
 * Return the number of ended tasks and running jobs that the last run could not book. A later run
 * books them; until then they are not stored.
 */
size_t account_unbooked(const struct mirror *mirror);

#endif
