/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two clocks. Timers use the monotonic clock, so that a change of the date does not delay a run.
 * `now` of a run is the date, but it never goes back while a scheduler lives. If the date was set
 * back, runs keep the last `now` until the date has reached it, because usage was decayed and
 * waiting times were published up to that time. After a restart `now` is the date again.
 */
#ifndef SCHED_PROCESS_CLOCK_H
#define SCHED_PROCESS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock {			/* zero at first */
	int64_t now;		/* time of the last run, epoch seconds */
	bool held;		/* the date is before it; logged once */
};

/* Return `now` of the next run at date `date`. */
int64_t clock_next(struct clock *clock, int64_t date);

int64_t clock_date(void);		/* epoch seconds */
uint64_t clock_monotonic_ns(void);
/*
 * Return the monotonic time at which the date will be `date`, if the date is not set meanwhile; now
 * if it is past.
 */
uint64_t clock_at_date_ns(int64_t date);
uint64_t clock_processor_ns(void);	/* CPU time of this thread */

#endif
