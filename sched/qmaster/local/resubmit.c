/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of pending or running jobs for their owner: the same request again, without holds. */
#include <errno.h>

#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

/* Make a request to submit the job again. NULL: memory is exhausted. */
static json_t *request_again(const struct local_job *job)
{
	json_t *again = json_pack("{ss so so}", "request", "submit", "job", json_deep_copy(job->request), "execution",
				  json_deep_copy(job->execution));
	json_t *execution = json_object_get(again, "execution"), *after_ok = json_object_get(execution, "after_ok");

	/* after_ok is kept in the execution, but requested as a member of the job */
	if (after_ok && json_object_set(json_object_get(again, "job"), "after_ok", after_ok)) {
		json_decref(again);
		return NULL;
	}
	json_object_del(execution, "after_ok");
	return again;
}

static void resubmit(struct local *local, struct client *client, uint32_t number)
{
	struct local_job job = { 0 };
	struct error error = { "" };
	int rc = job_load(local, number, &job, &error);
	json_t *again = NULL;

	if (rc == -ENOENT || (rc == 0 && job_is_done(local, &job)))
		result_add(client, RESULT_NO_JOB, number, 0, "job \"%u\" does not exist", number);
	else if (rc == 0 && job.uid != client->uid)
		result_add(client, RESULT_DENIED, number, 0, "%s - only the owner of job \"%u\" can submit it again",
			   client->owner, number);
	else if (rc || (again = request_again(&job)) == NULL)
		result_add(client, RESULT_NOT_STORED, number, 0, "%s", *error.text ? error.text : "out of memory");
	else
		request_submit(local, client, again);
	json_decref(again);
	job_free(&job);
}

void request_resubmit(struct local *local, struct client *client, json_t *request)
{
	json_int_t number = json_integer_value(json_object_get(request, "job_number"));

	if (number < 1 || number > STORE_JOB_NUMBER_MAX)
		result_add(client, RESULT_WRONG, 0, 0, "job_number: 1 to %u is expected", STORE_JOB_NUMBER_MAX);
	else
		resubmit(local, client, (uint32_t)number);
}
