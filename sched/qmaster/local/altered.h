/* SPDX-License-Identifier: Apache-2.0 */
/* qalter's description of an altered job. */
#ifndef SCHED_QMASTER_LOCAL_ALTERED_H
#define SCHED_QMASTER_LOCAL_ALTERED_H

#include "sched/qmaster/local/job.h"

struct local;

struct altered_by {
	const struct local *local;
	const char *user;
};

/*
 * Return lines, each with a newline, for the requested members, after the job was changed. The
 * caller frees them. `execution` may be NULL. Returns NULL if memory is exhausted.
 */
char *altered_lines(const struct altered_by *by, const struct local_job *job, const struct value *changes,
		    const struct value *execution);

#endif
