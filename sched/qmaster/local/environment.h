/* SPDX-License-Identifier: Apache-2.0 */
/* What a task finds in its environment: submit(1). */
#ifndef SCHED_QMASTER_LOCAL_ENVIRONMENT_H
#define SCHED_QMASTER_LOCAL_ENVIRONMENT_H

#include "sched/qmaster/local/paths.h"

/* The shepherd adds what is known only when it begins: TMPDIR, files. NULL: no memory. */
json_t *environment_of(const struct local *local, const struct local_task *task, const struct path_names *names,
		       const struct person *user);

#endif
