/* SPDX-License-Identifier: Apache-2.0 */
/* The words of qalter for what a request has altered. */
#ifndef SCHED_QMASTER_LOCAL_ALTERED_H
#define SCHED_QMASTER_LOCAL_ALTERED_H

#include "sched/qmaster/local/job.h"

struct local;

struct altered_by {
	const struct local *local;
	const char *user;
};

/*
 * An array of lines for the members that were asked for, after the job has been changed. `execution`
 * may be NULL. NULL: no memory.
 */
json_t *altered_lines(const struct altered_by *by, const struct local_job *job, const json_t *changes,
		      const json_t *execution);

#endif
