/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of pending or running jobs for their owner: the same request again, without holds. */
#include "sched/qmaster/local/after_ok.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

/*
 * Request a stored job again: without its number, and with the jobs that must succeed first, which
 * are in its execution, as a member of its request.
 */
static int job_ask_again(struct local_job *again, struct local_job *job, struct error *error)
{
	struct taking *taking = &again->memory.taking;
	int rc = 0;

	*again = (struct local_job){ .request = job->request, .execution = job->execution, .memory = job->memory };
	job->memory = (struct job_memory){ 0 };
	if (again->execution.after_ok.n > 0)
		rc = after_ok_ask(&again->request, taking, again->execution.after_ok);
	if (rc == 0)
		rc = execution_set_after_ok(&again->execution, taking, (struct number_list){ NULL, 0 });
	return rc ? error_set(error, rc, "out of memory") : execution_check(&again->execution, error);
}

static void resubmit(struct local *local, struct client *client, uint32_t number)
{
	struct local_job job = { 0 }, again = { 0 };
	struct error error = { "" };
	int rc = job_load(local, number, &job, &error);

	if (rc == -ENOENT || (rc == 0 && job_is_done(local, &job))) {
		result_add(client, REPLY_NO_JOB, number, 0, "job \"%u\" does not exist", number);
	} else if (rc == 0 && job.uid != client->uid) {
		result_add(client, REPLY_DENIED, number, 0, "%s - only the owner of job \"%u\" can submit it again",
			   client->owner, number);
	} else if (rc) {
		result_add(client, REPLY_NOT_STORED, number, 0, "%s", error.text);
	} else {
		rc = submit_check_owner(client, &error);
		rc = rc ? rc : job_ask_again(&again, &job, &error);
		submit_job(local, client, &again, NULL, rc, &error);
	}
	job_free(&again);
	job_free(&job);
}

void request_resubmit(struct local *local, struct client *client, const struct value *request)
{
	int64_t number = member_integer(request, "job_number");

	if (number < 1 || number > STORE_JOB_NUMBER_MAX)
		result_add(client, REPLY_INVALID, 0, 0, "job_number: 1 to %u is expected", STORE_JOB_NUMBER_MAX);
	else
		resubmit(local, client, (uint32_t)number);
}
