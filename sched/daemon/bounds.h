/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of the usage that a host may report for a task. A host has a key, and its reports about
 * its own tasks are accepted, but no more than is possible. Values that a host reports by mistake
 * or on purpose would otherwise stay in the books for ever.
 *
 * The CPU time of a task is at most the number of processors of the host multiplied by the time
 * since its start. This time is the scheduler's clock now, minus the start time that the qmaster
 * has reported, plus BOUNDS_SLACK_S, because the clocks of both may differ. Other values are
 * limited by amounts that no host has. These bounds need not be close, only finite.
 */
#ifndef DAEMON_BOUNDS_H
#define DAEMON_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/wire/content.h"

#define BOUNDS_SLACK_S 300
/* Processors if their number is not known, and the largest number accepted. */
#define BOUNDS_PROCESSORS 4096
#define BOUNDS_MEMORY_GB 65536		/* memory limit, in the same cases */
/* Factor of the host's memory, because pages shared by processes are counted for each of them. */
#define BOUNDS_MEMORY_SHARED 16
#define BOUNDS_IO_GB_S 1024
#define BOUNDS_VMEM_BYTES 0x1p60

struct bounds_of {			/* known values; 0: not known */
	int64_t start_time, now;	/* epoch seconds */
	double processors, memory_gb;
};

/*
 * Set values above their bound to 0. Returns true if there are none. Otherwise `text` names the
 * first one, the reported value and the bound.
 */
bool bounds_keep(struct wire_usage *usage, const struct bounds_of *of, char *text, size_t size);

#endif
