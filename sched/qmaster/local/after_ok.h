/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that start only when others have succeeded (submit --after-ok). Runs know these others as
 * hold_jid, and wait for their end. When one of them fails instead, the job goes into the error state
 * with the reason: its owner deletes it, or lets it run with mod -cj.
 *
 * A job has failed when one of its tasks has ended with a failure or an exit status other than 0, and
 * does not run again; or was deleted. The numbers of the jobs that have failed last are kept in the
 * store, for jobs that are submitted afterwards.
 */
#ifndef SCHED_QMASTER_LOCAL_AFTER_OK_H
#define SCHED_QMASTER_LOCAL_AFTER_OK_H

#include "sched/qmaster/local/job.h"

/*
 * Take the member after_ok out of what is asked for a job, and bring its numbers into hold_jid. The
 * job keeps them with its execution. -EINVAL: one of them has failed, or was never there; -ENOMEM, or
 * an error of the store.
 */
int after_ok_take(struct local *local, struct local_job *job, json_t *request, struct error *error);

/* A job that was read from the store depends on others so, perhaps. */
void after_ok_note(struct local *local, const struct local_job *job);

/* A job has failed, or was deleted: those that depend on its success go into the error state. */
int after_ok_fail(struct local *local, uint32_t number, const char *how, struct error *error);

#endif
