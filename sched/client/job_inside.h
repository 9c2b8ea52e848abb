/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a job as JSON. Only the files of this room use them. */
#ifndef CLIENT_JOB_INSIDE_H
#define CLIENT_JOB_INSIDE_H

#include <jansson.h>

#include "sched/client/job.h"

/* Set a string, which must be UTF-8. Return an exit code, with a message. */
int job_set_text(const struct job *job, json_t *object, const char *member, const char *option, const char *value);

int job_environment_finish(struct job *job);
int job_paths_finish(struct job *job);

#endif
