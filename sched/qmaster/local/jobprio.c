/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTCondor's job priorities, which order the jobs of one user. They never end running jobs.
 */
#include <errno.h>

#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/report.h"

struct job_prio_change {
	int64_t value;
	bool is_relative;
};

/* Return JobPrio; if it was not set, the job's priority. */
static int64_t job_prio_of(const struct local_job *job)
{
	const struct job_spec *spec = &job->request.spec;

	return spec->condor.given & CONDOR_JOB_PRIO ? spec->condor.job_prio : spec->priority;
}

static int change_report(struct local *local, struct client *client, struct local_job *job, int64_t value,
			 struct error *error)
{
	struct taking *taking = &job->memory.taking;
	struct job_request changes;
	int rc;

	job_request_init(&changes);
	rc = job_request_set_integer(&changes, taking, "job_prio", value);
	rc = rc ? rc : job_request_update(&job->request, taking, &changes);
	if (rc)
		return error_set(error, -ENOMEM, "out of memory");
	rc = access_check_request(job, error);
	if (rc == 0)
		rc = access_check_bytes(local, client, job, error);
	if (rc == 0)
		rc = report_changes(local, job, &changes, error);
	return rc;
}

static void set_job_prio(struct local *local, struct client *client, struct selected_job *job, void *context)
{
	const struct job_prio_change *change = context;
	int64_t value = change->value + (change->is_relative ? job_prio_of(&job->job) : 0);
	uint32_t number = job->job.number;
	struct error error = { "" };
	int rc = 0;

	if (job->tasks.n > 0 && job->job.is_array)
		rc = error_set(&error, -EINVAL, "denied: job %u is an array: its tasks have one job priority", number);
	else if (job->tasks.n > 0 && !ranges_contain(&job->tasks, 1))
		rc = error_set(&error, -ENOENT, "denied: job \"%u\" has no such process", number);
	else if (value < INT32_MIN || value > INT32_MAX)
		rc = error_set(&error, -EINVAL,
			       "denied: the job priority of job %u would be %lld; allowed are %d to %d", number,
			       (long long)value, INT32_MIN, INT32_MAX);
	if (rc == 0)
		rc = change_report(local, client, &job->job, value, &error);
	if (rc == -ENOENT)
		result_add(client, REPLY_NO_TASK, number, 0, "%s", error.text);
	else if (rc)
		result_refuse(client, rc, NULL, number, error.text);
	if (rc)
		return;
	local_changed(local);
	if (job_save(local, &job->job, &error))
		local_fail(local, &error);
	result_add(client, REPLY_DONE, number, 0, "job priority of job %u is %lld", number, (long long)value);
}

void request_jobprio(struct local *local, struct client *client, const struct value *request)
{
	const struct value *to = value_member(request, "to"), *by = value_member(request, "by"), *given = to ? to : by;
	const struct job_prio_change change = { value_integer(given), given == by };

	if ((to && by) || !value_is(given, VALUE_INTEGER) || change.value < INT32_MIN || change.value > INT32_MAX) {
		result_add(client, REPLY_INVALID, 0, 0, "to or by: an integer from %d to %d is expected", INT32_MIN,
			   INT32_MAX);
		return;
	}
	select_jobs(local, client, request, set_job_prio, &change, sizeof(change));
}
