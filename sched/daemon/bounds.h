/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a task can have used on a host at most. A host has a key, and is believed what it says of
 * its own tasks, but no more than can be: what a host reports by mistake or on purpose would be
 * booked for ever.
 *
 * A task has had no more CPU time than the host has processors, in the time since it was started.
 * That time is the scheduler's: its clock now, less the start time that the qmaster told, and
 * BOUNDS_SLACK_S, since the clocks of both may differ. Other values are bounded by what no host
 * has: as a bound these need not be close, only finite.
 */
#ifndef DAEMON_BOUNDS_H
#define DAEMON_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/wire/content.h"

#define BOUNDS_SLACK_S 300
/* when nobody says how many it has, and the most that are believed */
#define BOUNDS_PROCESSORS 4096
#define BOUNDS_MEMORY_GB 65536		/* the same of its memory */
/* pages that processes share are counted for each: so many times the host's memory */
#define BOUNDS_MEMORY_SHARED 16
#define BOUNDS_IO_GB_S 1024
#define BOUNDS_VMEM_BYTES 0x1p60

struct bounds_of {			/* what is known; 0: nothing */
	int64_t start_time, now;	/* epoch seconds */
	double processors, memory_gb;
};

/*
 * Values that are more than can be become 0. True: there are none. Else `text` names the first one,
 * what was reported and what can be.
 */
bool bounds_keep(struct wire_usage *usage, const struct bounds_of *of, char *text, size_t size);

#endif
