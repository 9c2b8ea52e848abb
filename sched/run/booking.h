/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Booking of a job's usage to its user and project, so that each second counts once.
 *
 * A task is identified by job number, task number and start time. For each usage name of a task,
 * the greatest reported value is booked. A lower value costs nothing, and later values above it are
 * not booked again. The same holds for a report that leaves a name out, for a snapshot without
 * usage, and for a host that starts to count from zero. The next start of the same task has another
 * start time and begins without usage.
 *
 * Like Grid Engine, a run books the increase of the sum J over the tasks of a job since the last
 * booking, with Grid Engine's rounding. So that J does not decrease, the greatest values of each
 * task are kept in struct debited, across snapshots and, with a ledger, across restarts. A task
 * that has ended counts a last time and is then removed from both sums. Two kinds of tasks stay in
 * both sums until the job is gone: a task that is no longer started but whose end was never
 * reported, and a task that has not been reported yet after a restart.
 *
 * The qmaster may report the sum itself with the usage of the user. Then this sum is the usage that
 * was booked before, for the tasks that the qmaster has reported.
 */
#ifndef SCHED_RUN_BOOKING_H
#define SCHED_RUN_BOOKING_H

#include "sched/run/run.h"

struct booking {			/* usage to book for one job */
	uint32_t number, class_id;
	int64_t submission_time;
	uint64_t finished;		/* tasks that have ended since the last run */
	struct debited *before;		/* set by booking_find() */
	struct usage ended;		/* usage of the tasks that have ended since the last run */
};

/*
 * Find the usage that was booked before for a job and set b->before. The pointer is valid until the
 * next call for another job. It is NULL without a user or project object, as then there is no
 * object to book to. -ENOMEM; -EAGAIN: the usage booked before a restart cannot be read now.
 */
int booking_find(struct run *run, struct booking *booking);

/* Return whether usage of this name is booked. */
bool booking_names(const char *name);
bool booking_counts(const struct run *run, uint32_t name);	/* for the number of a name */

/* Add the reported usage of a task. Add ended tasks before started tasks. -ENOMEM. */
int booking_add_started(struct run *run, struct booking *booking, const struct task *task);
int booking_add_ended(struct run *run, struct booking *booking, struct ended_task *task);

/*
 * Book the job's total usage beyond the usage that was booked before. -ENOMEM: nothing is booked.
 */
int booking_enter(struct run *run, struct booking *booking);

/*
 * booking_has_rest(): return whether more than the ended tasks remains of the job. If so,
 * booking_keep_rest() removes the ended tasks from the usage that was booked before.
 */
bool booking_has_rest(const struct booking *booking);
void booking_keep_rest(struct booking *booking);

#endif
