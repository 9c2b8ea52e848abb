/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a job as qsub -now y and -sync y do. */
#ifndef CLI_JOBS_FOLLOW_H
#define CLI_JOBS_FOLLOW_H

#include <stdbool.h>

#include "sched/cli/server.h"

struct follow {
	bool now, sync;		/* until it has started; until it has ended */
	unsigned long tasks;	/* that it has */
};

/*
 * The server's last answer was about the job, and to a request that follows it. When the scheduler
 * goes, the next one is waited for. SIGINT, SIGTERM and SIGHUP delete the job. An exit code, as
 * submit(1) has it: with `sync` that of the job.
 */
int follow_job(struct server *server, const struct follow *follow);

#endif
