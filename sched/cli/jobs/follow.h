/* SPDX-License-Identifier: Apache-2.0 */
/* Wait for a job like qsub -now y and -sync y. */
#ifndef CLI_JOBS_FOLLOW_H
#define CLI_JOBS_FOLLOW_H

#include <stdbool.h>

#include "sched/cli/server.h"

struct follow {
	bool now, sync;		/* wait until the job has started (now) or ended (sync) */
	unsigned long tasks;	/* number of tasks of the job */
};

/*
 * Wait for the job that the server's last answer was about. The request must have asked to follow
 * the job. When the scheduler ends, the function waits for the next one. SIGINT, SIGTERM and SIGHUP
 * delete the job. Return an exit code as in submit(1). With `sync` it is that of the job.
 */
int follow_job(struct server *server, const struct follow *follow);

#endif
