/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that start only if other jobs have succeeded (submit --after-ok).
 *
 * In scheduling runs these other jobs are part of hold_jid, so the job waits for their end. If one
 * of them fails, the job goes into the error state with the reason. Its owner deletes it or lets it
 * run with mod -cj.
 *
 * A job has failed if it was deleted. It has also failed if one of its tasks ended with a failure
 * or an exit status other than 0 and does not run again. The store has the numbers of the jobs that
 * failed last, for jobs that are submitted later.
 */
#ifndef SCHED_QMASTER_LOCAL_AFTER_OK_H
#define SCHED_QMASTER_LOCAL_AFTER_OK_H

#include "sched/qmaster/local/job.h"

/*
 * Remove the member after_ok from the request of a job, or of changes of a job, and add its numbers
 * to hold_jid. The numbers are kept with the job's execution. Returns -EINVAL if one of the jobs
 * has failed or never existed, -ENOMEM, or an error of the store.
 */
int after_ok_take(struct local *local, struct local_job *job, struct job_request *request, struct taking *taking,
		  struct error *error);
/* Add the member after_ok to a request. Returns 0 or -ENOMEM. */
int after_ok_ask(struct job_request *request, struct taking *taking, struct number_list jobs);

/* Record that a job read from the store depends on the success of others, if it does. */
void after_ok_note(struct local *local, const struct local_job *job);

/* Move the jobs that depend on the success of a failed or deleted job into the error state. */
int after_ok_fail(struct local *local, uint32_t number, const char *how, struct error *error);

#endif
