/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reserved usage: what a task has occupied, in place of what was measured. See ACCT_RESERVED_USAGE
 * and SHARETREE_RESERVED_USAGE in sge_conf(5).
 */
#ifndef SCHED_QMASTER_LOCAL_RESERVED_H
#define SCHED_QMASTER_LOCAL_RESERVED_H

#include "sched/qmaster/local/job.h"
#include "sched/qmaster/local/task.h"

/*
 * Set the slots and the memory that a task occupies: for each slot the smaller one of h_vmem and
 * s_vmem, as in its queue or as the job has requested them. Unlimited memory counts as 0.
 */
void reserved_of_job(const struct local *local, struct local_task *task, const struct local_job *job);
bool reserved_in_accounting(const struct local *local);
bool reserved_in_share_tree(const struct local *local);
/* Replace cpu and mem by those of a run time, and keep io. */
void reserved_usage(const struct local_task *task, double wallclock_s, struct host_usage *usage);
/* Replace the measured usage of a running task by its reserved usage, if the cell is set so. */
void reserved_so_far(const struct local *local, const struct local_task *task, struct host_usage *usage);

#endif
