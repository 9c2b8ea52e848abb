/* SPDX-License-Identifier: Apache-2.0 */
/* One job's usage to its user and project: each difference to what was booked before once. */
#ifndef SCHED_BOOKING_H
#define SCHED_BOOKING_H

#include "sched/run.h"

struct booking {			/* what is booked for a job at a time */
	uint32_t number, class_id;
	int64_t submission_time;
	uint64_t finished;		/* tasks, since the last run */
	struct usage sum;		/* used in all by what runs and has ended since */
};

/* Add what is booked of some usage to a sum: other values are only shown. -ENOMEM: in part. */
int booking_add(const struct sched *s, struct usage *sum, const struct usage *usage);

/*
 * Book what a job has used in all beyond what was booked before. What was booked before the qmaster told the usage of the user (of the
 * project, if there is no user object) is none of that. Without user and project object there is nobody to book to. Nothing is booked with
 * -ENOMEM, or -EAGAIN: what was booked before a restart can't be told now.
 */
int booking_enter(struct sched *s, const struct booking *b);

#endif
