/* SPDX-License-Identifier: Apache-2.0 */
/* State of a process in /proc. */
#ifndef SHEPHERD_PROCESS_H
#define SHEPHERD_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

struct process_status {
	pid_t parent;
	char state;		/* state of proc(5): R S D T t Z X ... */
	uint64_t start;		/* clock ticks since boot */
};

/*
 * Read the state of a process. Returns 0, -ESRCH if there is no such process, or -EIO if /proc does
 * not have the format of proc(5).
 */
int process_read(pid_t pid, struct process_status *status);

#endif
