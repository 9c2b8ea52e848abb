/* SPDX-License-Identifier: Apache-2.0 */
/* What all processes have used that this process has waited for. */
#ifndef SHEPHERD_USAGE_H
#define SHEPHERD_USAGE_H

#include "sched/shepherd/record.h"

/* `cgroup` (NULL: none): it knows the time of those, too, whom nobody has waited for. */
void usage_collect(struct attempt_usage *usage, double wallclock_s, const char *cgroup);

#endif
