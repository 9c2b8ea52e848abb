/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the scheduler is told: tell.c one event (sched/mirror/event.h) at a time, snapshot.c all
 * that is true. Each returns 0, -EINVAL with what the scheduler says if it refuses the event, or
 * -ENOMEM.
 *
 * What users ask for is kept as they sent it, as members of job_add, and read into an event each
 * time the scheduler is told (sched/qmaster/members/).
 */
#ifndef SCHED_QMASTER_LOCAL_TELL_H
#define SCHED_QMASTER_LOCAL_TELL_H

#include "sched/mirror/event.h"
#include "sched/qmaster/local/job.h"
#include "sched/qmaster/local/suspension.h"
#include "sched/qmaster/local/task.h"

int tell(struct local *local, const struct event *event, struct error *error);
/*
 * For a job that is in the store: -EINVAL, the scheduler refuses what it is told of it, is logged
 * and no reason to stop. Else `rc`.
 */
int tell_known(int rc, const struct error *error, uint32_t job_number);
int tell_job(struct local *local, const struct local_job *job, const struct ranges *tasks, struct error *error);
/* Holds, error state and waiting tasks: job_modify */
int tell_holds(struct local *local, const struct local_job *job, struct error *error);
/* Members of the job that change; an error state ends with it. */
int tell_changes(struct local *local, const struct local_job *job, json_t *changes, struct error *error);
int tell_deletion(struct local *local, uint32_t job_number, struct error *error);
/* All members of advance_reservation; one that is gone */
/* Would it be taken? -EINVAL: what is wrong with its form. */
int tell_check_advance(struct local *local, json_t *members, struct error *error);
int tell_advance(struct local *local, json_t *members, struct error *error);
int tell_advance_end(struct local *local, uint32_t number, struct error *error);
int tell_instance(struct local *local, struct local_instance *instance, struct error *error);
int tell_start(struct local *local, struct local_task *task, struct error *error);
int tell_state(struct local *local, struct local_task *task, const char *letters, struct error *error);
int tell_usage(struct local *local, const struct local_task *task, struct error *error);
int tell_end(struct local *local, const struct local_task *task, struct error *error);
int snapshot_tell(struct local *local, struct error *error);
int load_tell(struct local *local, struct error *error);

#endif
