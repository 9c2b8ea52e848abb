/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports to the scheduler: report.c single events (sched/mirror/event.h), snapshot.c the whole
 * state. Functions return 0, -EINVAL with the scheduler's text if it refuses the event, or -ENOMEM.
 */
#ifndef SCHED_QMASTER_LOCAL_REPORT_H
#define SCHED_QMASTER_LOCAL_REPORT_H

#include "sched/mirror/event.h"
#include "sched/qmaster/local/job.h"
#include "sched/qmaster/local/suspension.h"
#include "sched/qmaster/local/task.h"

int report_event(struct local *local, const struct event *event, struct error *error);
/*
 * Handle a refused event about a job that is in the store: -EINVAL is logged, and 0 is returned.
 * Otherwise return `rc`.
 */
int report_known(int rc, const struct error *error, uint32_t job_number);
int report_job(struct local *local, const struct local_job *job, const struct ranges *tasks, struct error *error);
/* Report holds, error state and pending tasks: job_modify. */
int report_holds(struct local *local, const struct local_job *job, struct error *error);
/* Report changed members of the job. This also ends its error state. */
int report_changes(struct local *local, const struct local_job *job, const struct job_request *changes,
		   struct error *error);
int report_deletion(struct local *local, uint32_t job_number, struct error *error);
int report_advance(struct local *local, const struct advance_event *advance, struct error *error);
int report_advance_end(struct local *local, uint32_t number, struct error *error);
int report_instance(struct local *local, struct local_instance *instance, struct error *error);
int report_start(struct local *local, struct local_task *task, struct error *error);
/* Report the tasks that were put back, those in error, and those that were restarted. */
int report_enrolled(struct local *local, const struct local_job *job, struct error *error);
int report_state(struct local *local, struct local_task *task, const char *letters, struct error *error);
int report_usage(struct local *local, const struct local_task *task, struct error *error);
int report_end(struct local *local, const struct local_task *task, struct error *error);
int report_snapshot(struct local *local, struct error *error);
int report_load(struct local *local, struct error *error);

#endif
