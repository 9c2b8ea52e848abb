/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File with the bookings of each run, written while `params` of sched_conf(5) has MONITOR=1. Runs
 * continue if it cannot be written.
 */
#ifndef SCHED_DAEMON_SCHEDULE_FILE_H
#define SCHED_DAEMON_SCHEDULE_FILE_H

#include <stdbool.h>

#include "sched/dispatch/schedule.h"

struct schedule_file {			/* zero-initialise */
	const char *path;		/* borrowed; NULL: no file requested */
	struct schedule_lines lines;
	bool failing;			/* the failure was logged */
};

void schedule_file_close(struct schedule_file *file);

/* Return the buffer for the lines of the run that begins now; NULL: no file is written. */
struct schedule_lines *schedule_file_begin(struct schedule_file *file, bool monitor);

/*
 * Append the run's lines completely or not at all. The file is opened each time, so it may be
 * moved. The first failure is logged, and so is the next success.
 */
void schedule_file_append(struct schedule_file *file);

#endif
