/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that grows by what each run has booked, while params of sched_conf(5) has MONITOR=1.
 * Whatever goes wrong with it, runs go on.
 */
#ifndef SCHED_DAEMON_SCHEDULE_FILE_H
#define SCHED_DAEMON_SCHEDULE_FILE_H

#include <stdbool.h>

#include "sched/dispatch/schedule.h"

struct schedule_file {			/* zero-initialise */
	const char *path;		/* borrowed; NULL: nobody has asked for one */
	struct schedule_lines lines;
	bool failing;			/* that was said already */
};

void schedule_file_close(struct schedule_file *file);

/* Where the run that begins now puts its lines; NULL: nobody wants them. */
struct schedule_lines *schedule_file_begin(struct schedule_file *file, bool monitor);

/*
 * Append the run's lines: all of them or none. The file is opened each time, so it may be moved
 * away. The first failure is logged, and so is the end of the trouble.
 */
void schedule_file_append(struct schedule_file *file);

#endif
