/* SPDX-License-Identifier: Apache-2.0 */
/* Wait for a job like qsub -now y and -sync y. */
#ifndef CLIENT_FOLLOW_H
#define CLIENT_FOLLOW_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "sched/client/connection.h"

struct follow {
	bool now, sync;		/* wait until the job has started; until it has ended */
	unsigned long tasks;	/* number of tasks of the job */
	sigset_t mask;		/* signal mask while waiting; set by follow_prepare() */
};

/*
 * Block SIGINT, SIGTERM and SIGHUP, unless they are ignored. Call this before the job is submitted.
 * A signal that arrives before the answer then stays pending until follow_job() knows the job to
 * delete.
 */
void follow_prepare(struct follow *follow);

/*
 * Wait for a job. The request that submitted the job must also have requested its news. If the
 * scheduler ends, wait for the next scheduler. SIGINT, SIGTERM and SIGHUP delete the job. Each
 * event becomes a message with REASON_PROGRESS and is flushed at once. Return an exit code as in
 * fairlead-submit(1): with `sync`, the exit code of the job.
 */
int follow_job(struct connection *connection, const struct follow *follow, int64_t job_number,
	       struct messages *messages);

#endif
