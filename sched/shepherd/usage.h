/* SPDX-License-Identifier: Apache-2.0 */
/* Usage of all processes that this process has waited for. */
#ifndef SHEPHERD_USAGE_H
#define SHEPHERD_USAGE_H

#include "sched/shepherd/record.h"

/*
 * Collect the usage. `cgroup` (NULL: none) also includes the CPU time of processes that were not
 * waited for.
 */
void usage_collect(struct attempt_usage *usage, double wallclock_s, const char *cgroup);

#endif
