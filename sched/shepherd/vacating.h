/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vacating: a task gives way to another one.
 *
 * When the retirement of the task is over, all its processes get a signal. If they have not ended
 * after the vacate time, they get SIGKILL. The scheduler requests this in the file `vacate`
 * (record.h) and wakes the shepherd with SIGUSR1, which is blocked.
 */
#ifndef SHEPHERD_VACATING_H
#define SHEPHERD_VACATING_H

#include "sched/shepherd/record.h"

struct vacating {			/* Zero-initialize all but the first three members. */
	int dirfd;
	const char *cgroup;		/* NULL: none */
	pid_t leader;
	struct attempt_vacation asked;
	bool is_asked;
	enum attempt_vacated done;
	/* CLOCK_MONOTONIC; killed_ns is the time of the last SIGKILL */
	uint64_t signalled_ns, killed_ns;
};

/* Read the file, if there is one. Steps that are done are not repeated. */
void vacating_look(struct vacating *vacating);
/* Do what is due. Returns the time of the next call (CLOCK_MONOTONIC) or VACATION_NEVER_NS. */
uint64_t vacating_go_on(struct vacating *vacating);

#endif
