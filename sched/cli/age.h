/* SPDX-License-Identifier: Apache-2.0 */
/* How old a run is, whether that is too old, and what its scheduler's process does. */
#ifndef CLI_AGE_H
#define CLI_AGE_H

#include "sched/reader/fairlead.h"

/*
 * A run that is older than so many intervals, and so many seconds, is late; its scheduler may be
 * busy with a run that takes as long as the last one.
 */
#define LATE_INTERVALS 2
#define LATE_S 5

struct run_age {
	int64_t age_s;			/* by this machine's clock; < 0: it is ahead of it */
	int64_t interval_s;		/* schedule_interval */
	int64_t late_s;			/* older is late */
};

/* In a section. */
void age_look(struct run_age *age, const struct fl_view *view);

/* The letter of proc(5): "T" is stopped, "t" traced. 0: nobody knows. */
char process_state(uint32_t pid);
/* Seconds since it began; -1: nobody knows. */
int64_t process_age_s(uint32_t pid);

/* "31 s", "9 min", "3 h", "5 d" */
#define AGE_BYTES 32
void age_text(int64_t seconds, char to[AGE_BYTES]);

#endif
