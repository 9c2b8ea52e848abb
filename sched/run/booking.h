/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One job's usage to its user and project, each second once.
 *
 * A task is what was started under a job's number, a task's number and a start time. What is booked
 * of it is, of each name, the greatest value that was reported: a lower one costs nothing, is no
 * reason to book what follows it again, and neither is a report that leaves a name out, a snapshot
 * without usage, or a host that begins to count anew. The next start of the same task has another
 * start time and begins with nothing.
 *
 * As Grid Engine does, a run books for a job what the sum J over its tasks is more than the sum
 * that was booked before, and rounding is Grid Engine's, too. So that J does not go back, each
 * task's greatest values are kept in struct debited, over snapshots, and, where there is a ledger,
 * over restarts. A task that has ended counts a last time, and then leaves both sums. One that is
 * neither started nor has ended, since its end was never reported, stays in both until the job is
 * gone; so does one that is yet to be reported after a restart.
 *
 * The qmaster may report the sum itself, with the usage of the user: then that is what was booked
 * before, of the tasks that it has reported.
 */
#ifndef SCHED_RUN_BOOKING_H
#define SCHED_RUN_BOOKING_H

#include "sched/run/run.h"

struct booking {			/* what is booked for a job at a time */
	uint32_t number, class_id;
	int64_t submission_time;
	uint64_t finished;		/* tasks, since the last run */
	struct debited *before;		/* booking_meet() */
	struct usage ended;		/* used by tasks that have ended since the last run */
};

/*
 * Find what was booked before for a job: b->before, valid until another job is met; NULL without a
 * user or project object, as then there is nobody to book to. -ENOMEM, or -EAGAIN: what was booked
 * before a restart can't be read now.
 */
int booking_meet(struct run *run, struct booking *booking);

/* Is usage of this name booked? */
bool booking_names(const char *name);
bool booking_counts(const struct run *run, uint32_t name);	/* by its number */

/* All that was reported of a task; those that have ended come first. -ENOMEM. */
int booking_add_started(struct run *run, struct booking *booking, const struct task *task);
int booking_add_ended(struct run *run, struct booking *booking, struct ended_task *task);

/*
 * Book what the job has used in all beyond what was booked before. Nothing is booked with -ENOMEM.
 */
int booking_enter(struct run *run, struct booking *booking);

/*
 * Is anything of it left but what has ended? Then the job goes on: what has ended is no longer part
 * of what was booked before.
 */
bool booking_has_rest(const struct booking *booking);
void booking_keep_rest(struct booking *booking);

#endif
