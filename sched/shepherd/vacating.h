/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task gives way: when its retirement is over all of it gets a signal, and when it has not left
 * in the time that it has then, SIGKILL. The scheduler says so in the file `vacate` (record.h) and
 * wakes us with SIGUSR1, which is blocked.
 */
#ifndef SHEPHERD_VACATING_H
#define SHEPHERD_VACATING_H

#include "sched/shepherd/record.h"

struct vacating {			/* zero-initialise but for the first three */
	int dirfd;
	const char *cgroup;		/* NULL: none */
	pid_t leader;
	struct attempt_vacation asked;
	bool is_asked;
	enum attempt_vacated done;
	uint64_t signalled_ns, killed_ns;	/* CLOCK_MONOTONIC; that of the last SIGKILL */
};

/* Reads the file, if there is one. What was done stays done. */
void vacating_look(struct vacating *vacating);
/* Does what is due; when to call it again, CLOCK_MONOTONIC, VACATION_NEVER_NS. */
uint64_t vacating_go_on(struct vacating *vacating);

#endif
