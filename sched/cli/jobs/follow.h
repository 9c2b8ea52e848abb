/* SPDX-License-Identifier: Apache-2.0 */
/* Wait for a job like qsub -now y and -sync y. */
#ifndef CLI_JOBS_FOLLOW_H
#define CLI_JOBS_FOLLOW_H

#include <signal.h>
#include <stdbool.h>

#include "sched/cli/server.h"

struct follow {
	bool now, sync;		/* wait until the job has started; until it has ended */
	unsigned long tasks;	/* number of tasks of the job */
	sigset_t mask;		/* signal mask while waiting; set by follow_prepare() */
};

/*
 * Block SIGINT, SIGTERM and SIGHUP, unless they are ignored. Call this before
 * the job is submitted. A signal that arrives before the answer then stays pending until
 * follow_job() knows the job to delete.
 */
void follow_prepare(struct follow *follow);

/*
 * Wait for the job of the server's last answer. The request must have asked for its news. If the
 * scheduler ends, wait for the next one. SIGINT, SIGTERM and SIGHUP delete the job. Returns an exit
 * code as in fairlead-submit(1): with `sync`, the exit code of the job.
 */
int follow_job(struct server *server, const struct follow *follow);

#endif
