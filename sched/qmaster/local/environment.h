/* SPDX-License-Identifier: Apache-2.0 */
/* Environment of a task: submit(1). */
#ifndef SCHED_QMASTER_LOCAL_ENVIRONMENT_H
#define SCHED_QMASTER_LOCAL_ENVIRONMENT_H

#include "sched/qmaster/local/paths.h"

/*
 * Write the environment as a JSON object. The shepherd adds variables that are known only when the
 * task begins, such as TMPDIR and the paths of files.
 */
void environment_write(struct out *out, const struct local *local, const struct local_task *task,
		       const struct path_names *names, const struct person *user);

#endif
