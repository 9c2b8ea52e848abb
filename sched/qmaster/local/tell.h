/* SPDX-License-Identifier: Apache-2.0 */
/* What the scheduler is told: tell.c one event at a time, snapshot.c all that is true. */
#ifndef SCHED_QMASTER_LOCAL_TELL_H
#define SCHED_QMASTER_LOCAL_TELL_H

#include "sched/qmaster/local/job.h"
#include "sched/qmaster/local/task.h"

/* One event; the reference is taken. -EINVAL: the scheduler refuses it, with its reason. */
int tell(struct local *l, json_t *event, struct error *error);
/*
 * For a job that is in the store: -EINVAL, the scheduler refuses what it is told of it, is logged
 * and no reason to stop. Else `rc`.
 */
int tell_known(int rc, const struct error *error, uint32_t job_number);
/* of what a job asks for: with task ids as scattered as they may be it still fits into an event */
#define REQUEST_BYTES 65536
int tell_fits(const struct local_job *job, struct error *error);
int tell_job(struct local *l, const struct local_job *job, const struct ranges *tasks, struct error *error);
/* and error state and waiting tasks: job_modify */
int tell_holds(struct local *l, const struct local_job *job, struct error *error);
int tell_start(struct local *l, const struct local_task *t, struct error *error);
int tell_usage(struct local *l, const struct local_task *t, struct error *error);
int tell_end(struct local *l, const struct local_task *t, struct error *error);
int snapshot_tell(struct local *l, struct error *error);
int load_tell(struct local *l, struct error *error);

#endif
