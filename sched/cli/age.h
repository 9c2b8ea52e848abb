/* SPDX-License-Identifier: Apache-2.0 */
/* Age of a run, and whether it is late. */
#ifndef CLI_AGE_H
#define CLI_AGE_H

#include "sched/reader/fairlead.h"

/*
 * Limits after which a run is late: so many intervals and so many seconds. A scheduler may still be
 * busy with a run that takes as long as the last one.
 */
#define LATE_INTERVALS 2
#define LATE_S 5

struct run_age {
	/* according to this machine's clock; negative: the run's clock is ahead */
	int64_t age_s;
	int64_t interval_s;		/* schedule_interval */
	int64_t late_s;			/* older runs are late */
};

/* Compute the age of the section's run. */
void age_look(struct run_age *age, const struct fl_view *view);

/* Write "31 s", "9 min", "3 h" or "5 d". */
#define AGE_BYTES 32
void age_text(int64_t seconds, char to[AGE_BYTES]);

#endif
