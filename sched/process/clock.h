/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two clocks. Timers go by the monotonic one, so that nobody's setting the date delays a run. `now`
 * of a run is the date, but it never goes back while a scheduler lives: after the date was set
 * back, runs keep the last `now` until the date has caught up, because usage was decayed and
 * waiting times were published up to there. A restart begins with the date as it is.
 */
#ifndef SCHED_PROCESS_CLOCK_H
#define SCHED_PROCESS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock {			/* zero at first */
	int64_t now;		/* of the last run, epoch seconds */
	bool held;		/* the date is behind it; said once */
};

/* The next run's `now`, where the date is `date`. */
int64_t clock_next(struct clock *clock, int64_t date);

int64_t clock_date(void);		/* epoch seconds */
uint64_t clock_monotonic_ns(void);
/* When it will be that date, by the monotonic one, if nobody sets it; now if it has been. */
uint64_t clock_at_date_ns(int64_t date);
uint64_t clock_processor_ns(void);	/* that this thread has used */

#endif
