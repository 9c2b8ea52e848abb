/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage in the store: that of users, projects and departments, what was booked for each job, and
 * the history by day; the rows that policies keep (sched/policy/rows.h). A run leaves what it has
 * changed in the scheduler's ledger (sched/mirror/ledger.h), and policies know it of their rows;
 * saving costs in proportion to that.
 *
 * 	once, before the first event:
 * 	store_usage_attach(store, sched_durable(sched), &options, &error);
 * 	...
 * 	sched_run(sched, now, ...);
 * 	store_task_remove(store, ...);	tasks that the run has booked: see sched_unbooked()
 * 	store_usage_save(store, now, &error);
 * 	if (store_commit(store, &error) == 0)
 * 		... what was booked may be acknowledged ...
 *
 * Decay is no change: it is computed from the time stamp on, now or after a restart. Usage that has
 * only decayed since it was last booked is saved by store_usage_save_all(), so that a scheduler
 * that was stopped goes on with the very same bits.
 */
#ifndef SCHED_STORE_USAGE_H
#define SCHED_STORE_USAGE_H

#include "sched/policy/rows.h"
#include "sched/store/store.h"

struct store_usage_options {
	/*
	 * The qmaster may report the end of a task again that is booked already, because it died
	 * before it saw the acknowledgement. Such ends are known for 7 days by job number,
	 * submission time, task and start time. Not needed where an end and its usage are committed
	 * together: what is booked and not yet committed is known in any case, so that after a
	 * failed commit all may be reported again.
	 */
	bool told_again;
	unsigned history_days;		/* how long the history is kept; 0: STORE_HISTORY_DAYS */
};

#define STORE_HISTORY_DAYS 400

/*
 * Give the scheduler its usage back and have it keep a ledger from now on. It must not outlive
 * the store, but for its destruction. -EUCLEAN: what is there can't be usage, and the scheduler may
 * have a part of it: destroy it.
 */
int store_usage_attach(struct store *store, const struct durable *durable, const struct store_usage_options *options,
		       struct error *error);

/*
 * Why usage of a job could not be booked, if sched_unbooked() says that some was not; until the
 * next call of the store.
 */
const char *store_usage_unanswered(const struct store *store);

/*
 * What has been booked since the last commit that succeeded, into the open transaction: it counts
 * with store_commit(), and if that fails it is saved again with the next call. `now`: that of the
 * run, epoch seconds.
 */
int store_usage_save(struct store *store, int64_t now, struct error *error);
/* Of that the rows of policies alone: what operators have set, say. */
int store_rows_save(struct store *store, struct error *error);
/* store_usage_save() with all usage that has decayed. */
int store_usage_save_all(struct store *store, int64_t now, struct error *error);

#endif
