/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc shows of a process. */
#ifndef SHEPHERD_PROCESS_H
#define SHEPHERD_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

struct process_status {
	pid_t parent;
	char state;		/* as in proc(5): R S D T t Z X ... */
	uint64_t start;		/* clock ticks after boot */
};

/*
 * 0; -ESRCH: there is no such process (any more); -EIO: /proc says something else than proc(5) has
 * it.
 */
int process_read(pid_t pid, struct process_status *status);

#endif
