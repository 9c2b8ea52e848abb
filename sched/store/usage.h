/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage in the store: usage of users, projects and departments, the usage booked for each job, and
 * the history by day; also the rows that policies keep (sched/policy/rows.h). A run records its
 * changes in the scheduler's ledger (sched/mirror/ledger.h), and policies know the changes of their
 * rows. The cost of saving is proportional to the changes.
 *
 * 	once, before the first event:
 * 	store_usage_attach(store, sched_durable(sched), &options, &error);
 * 	...
 * 	sched_run(sched, now, ...);
 * 	store_task_remove(store, ...);	tasks that the run has booked: see sched_unbooked()
 * 	store_usage_save(store, now, &error);
 * 	if (store_commit(store, &error) == 0)
 * 		... acknowledge the booked tasks ...
 *
 * Decay is not a change: it is computed from the time stamp on, now or after a restart. Usage that
 * has only decayed since it was last booked is saved by store_usage_save_all(), so that a scheduler
 * that was stopped continues with exactly the same bits.
 */
#ifndef SCHED_STORE_USAGE_H
#define SCHED_STORE_USAGE_H

#include "sched/policy/rows.h"
#include "sched/store/store.h"

struct store_usage_options {
	/*
	 * The qmaster may report the end of a booked task again, because it died before it received
	 * the acknowledgement. Such ends are stored for 7 days by job number, submission time, task
	 * and start time. Not needed if an end and its usage are committed together: bookings that
	 * are not committed yet are known in any case, so that everything may be reported again
	 * after a failed commit.
	 */
	bool reported_again;
	/* days for which the history is kept; 0: STORE_HISTORY_DAYS */
	unsigned history_days;
};

#define STORE_HISTORY_DAYS 400

/*
 * Load the scheduler's usage and let it keep a ledger from now on. It must not be used after the
 * store is closed, except to destroy it. -EUCLEAN: the stored usage is invalid. The scheduler may
 * have a part of it and must be destroyed.
 */
int store_usage_attach(struct store *store, const struct durable *durable, const struct store_usage_options *options,
		       struct error *error);

/*
 * Return why usage of a job could not be booked, if sched_unbooked() is not 0. Valid until the next
 * call of the store.
 */
const char *store_usage_unanswered(const struct store *store);

/*
 * Save all bookings since the last successful commit, in the open transaction. They take effect
 * with store_commit(); if that fails, the next call saves them again. `now`: time of the run, epoch
 * seconds.
 */
int store_usage_save(struct store *store, int64_t now, struct error *error);
/* Save only the rows of policies, for example settings of operators. */
int store_rows_save(struct store *store, struct error *error);
/* Save like store_usage_save(), with all usage that has decayed. */
int store_usage_save_all(struct store *store, int64_t now, struct error *error);

#endif
