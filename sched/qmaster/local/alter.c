/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sched/qmaster/local/after_ok.h"
#include "sched/qmaster/local/altered.h"
#include "sched/qmaster/local/ids.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/report.h"

struct asked_changes {			/* Parts of the client's request. */
	const struct value *request, *changes, *execution;
	bool check, verify;		/* check: -w; verify: alter nothing */
};

struct job_changes {			/* Changes of one job, completed while they are checked. */
	struct job_request request;
	struct execution execution;
	struct taking *taking;		/* of the job */
};

/*
 * Refuse to raise the priority. Users may lower the priority of their jobs, but not raise it again.
 */
static int check_raise(const struct client *client, const struct local_job *job, const struct job_request *changes,
		       struct error *error)
{
	int64_t priority;

	/* null is 0 */
	job_request_integer(changes, "priority", &priority);
	if (!job_request_has(changes, "priority") || priority <= job->request.spec.priority ||
	    client_is_operator(client))
		return 0;
	return error_set(error, -EPERM, "denied: \"%s\" must be operator to increase job priority", client->owner);
}

/* Refuse changes of a job's identity and of holds, which have requests of their own. */
static int check_changes(const struct job_request *changes, struct error *error)
{
	static const char *const fixed[] = { "tasks", "hold", "now" };

	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		if (job_request_has(changes, fixed[i]))
			return error_set(error, -EINVAL, "denied: \"%s\" of a job cannot be altered", fixed[i]);
	return 0;
}

/*
 * Refuse to change the reservation of a job with started tasks, because their slots and their end
 * depend on it.
 */
static int check_reservation(struct local *local, const struct local_job *job, const struct job_request *changes,
			     struct error *error)
{
	int64_t ar;

	job_request_integer(changes, "ar", &ar);
	if (!job_request_has(changes, "ar") || ar == job->request.spec.ar || !job_has_started_tasks(local, job))
		return 0;
	return error_set(error, -EINVAL,
			 "denied: job %u has running tasks: its advance reservation cannot be changed",
			 job->number);
}

/* Report the changes. A job in the error state is considered repaired and is reported, too. */
static int alter_report(struct local *local, const struct local_job *job, const struct job_request *changes,
			struct error *error)
{
	return changes->members.n > 0 || job->error ? report_changes(local, job, changes, error) : 0;
}

/*
 * Check whether the job could start. A running or held job is not checked, because its requests
 * have no effect now.
 */
static int check_suitable(struct local *local, struct local_job *job, const struct asked_changes *changes,
			  char note[NOTE_BYTES], struct error *error)
{
	bool held = false;

	*note = '\0';
	for (int k = 0; k < HOLD_KINDS; k++)
		held = held || job->hold[k].n > 0;
	if (changes->check && (held || job->waiting.n == 0))
		snprintf(note, NOTE_BYTES, "verification: job is already running or is held");
	else if (changes->check)
		return suitable_check(local, job, changes->request, note, error);
	return 0;
}

/* Check the changes and complete them. */
static int changes_check(struct local *local, struct client *client, struct local_job *job,
			 const struct asked_changes *asked, struct job_changes *changes, struct error *error)
{
	struct job_request *request = &changes->request;
	struct taking *taking = changes->taking;
	int rc = check_changes(request, error);

	if (rc == 0)
		rc = check_request(local, client, request, taking, error);
	if (rc == 0)
		rc = check_raise(client, job, request, error);
	if (rc == 0 && asked->execution)
		rc = execution_read(&changes->execution, taking, asked->execution, EXECUTION_CHANGES, error);
	if (rc == 0)
		rc = check_hold_jid(local, client, request, taking, error);
	if (rc == 0)
		rc = after_ok_take(local, job, request, taking, error);
	if (rc == 0)
		rc = check_task_concurrency(job, request, error);
	if (rc == 0)
		rc = check_array_dependency(local, job, request, error);
	return rc ? rc : check_reservation(local, job, request, error);
}

/* Read the changes of a job. They borrow memory of the job and of the client's request. */
static int changes_read(struct job_changes *changes, struct local_job *job, const struct asked_changes *asked,
			struct error *error)
{
	int rc;

	*changes = (struct job_changes){ .taking = &job->memory.taking };
	rc = job_request_ask(&changes->request, changes->taking, asked->changes);
	member_list_remove(&changes->request.members, "job_number");
	return rc ? error_set(error, rc, "out of memory") : 0;
}

static int alter_job(struct local *local, struct client *client, struct local_job *job,
		     const struct asked_changes *asked, char note[NOTE_BYTES], struct error *error)
{
	struct job_changes changes;
	int rc = changes_read(&changes, job, asked, error);
	bool tasks;

	if (rc == 0)
		rc = changes_check(local, client, job, asked, &changes, error);
	if (rc)
		return rc;
	rc = job_request_update(&job->request, changes.taking, &changes.request);
	rc = rc ? rc : execution_change(&job->execution, &changes.execution, changes.taking);
	if (rc)
		return error_set(error, rc, "out of memory");
	rc = access_check_request(job, error);
	if (rc == 0)
		rc = access_check_bytes(local, client, job, error);
	if (rc == 0)
		rc = check_suitable(local, job, asked, note, error);
	if (rc == 0 && !asked->verify)
		rc = alter_report(local, job, &changes.request, error);
	if (rc || asked->verify)
		return rc;
	local_changed(local);
	tasks = job->in_error.n > 0;
	job_clear_error(job);
	if (tasks)
		rc = report_known(report_holds(local, job, error), error, job->number);
	if (rc == 0)
		rc = job_save(local, job, error);
	if (rc)
		local_fail(local, error);
	return rc;
}

/* Answer that a job was changed: as a whole, and line by line. */
static void say_altered(struct local *local, struct client *client, const struct local_job *job,
			const struct asked_changes *changes)
{
	result_add(client, REPLY_DONE, job->number, 0, "modified job %u", job->number);
	result_lines(client,
		     altered_lines(&(const struct altered_by){ local, client->owner }, job, changes->changes,
				   changes->execution));
}

static void alter_number(struct local *local, struct client *client, uint32_t number,
			 const struct asked_changes *changes)
{
	struct error error = { "" };
	char note[NOTE_BYTES] = "";
	struct local_job job;
	int rc = job_load(local, number, &job, &error);

	if (rc == -ENOENT || (rc == 0 && job_is_done(local, &job))) {
		result_add(client, REPLY_NO_JOB, number, 0, "denied: job \"%u\" does not exist", number);
		job_free(&job);
		return;
	}
	if (rc == 0 && !client_may_change(client, &job))
		rc = error_set(&error, -EPERM, "%s - you do not have the necessary privileges to change the job \"%u\"",
			       client->owner, number);
	if (rc == 0)
		rc = alter_job(local, client, &job, changes, note, &error);
	if (changes->verify && rc == 0 && *note)
		result_add(client, REPLY_DONE, number, 0, "%s", note);
	else if (changes->verify)
		suitable_answer(client, number, rc, &job.memory.taking.refusal, &error);
	else if (rc == 0)
		say_altered(local, client, &job, changes);
	else
		result_refuse(client, rc, &job.memory.taking.refusal, number, error.text);
	if (rc == 0 && *note && !changes->verify)
		result_note(client, note);
	job_free(&job);
}

static void alter_selected(struct local *local, struct client *client, struct selected_job *job, void *context)
{
	uint32_t number = job->job.number;

	if (job->tasks.n > 0)
		result_add(client, REPLY_WHOLE_JOB, number, 0,
			   "denied: job %u is altered as a whole, not single tasks of it", number);
	else
		alter_number(local, client, number, context);
}

/* Alter one job, whose number is a member of "job", or all jobs that "jobs" names. */
void request_alter(struct local *local, struct client *client, const struct value *request)
{
	const struct value *asked = value_member(request, "job");
	const char *check = member_text(request, "check");
	const struct asked_changes changes = { .request = request,
					       .changes = asked,
					       .execution = value_member(request, "execution"),
					       .check = check && *check != 'n',
					       .verify = member_is_true(request, "verify") };
	int64_t number = member_integer(asked, "job_number");
	bool several = value_member(request, "jobs") != NULL, is_object = value_is(asked, VALUE_OBJECT);

	if (several && is_object && !value_member(asked, "job_number"))
		select_jobs(local, client, request, alter_selected, &changes, sizeof(changes));
	else if (several || !is_object || number < 1 || number > STORE_JOB_NUMBER_MAX)
		result_add(client, REPLY_INVALID, 0, 0, "job: job_number: 1 to %u is expected, or a member jobs",
			   STORE_JOB_NUMBER_MAX);
	else
		alter_number(local, client, (uint32_t)number, &changes);
}

/* Error state */

/* Clear the error state of the named tasks. */
static void clear_tasks(struct local *local, struct client *client, struct selected_job *job)
{
	uint32_t number = job->job.number;
	struct ranges cleared = { 0 };
	struct error error = { "" };
	char text[200];
	int rc = ids_intersect(&cleared, &job->job.in_error, &job->tasks);

	ranges_format(&cleared, text, sizeof(text));
	if (rc == 0 && cleared.n == 0) {
		result_add(client, REPLY_IN_STATE, number, 0, "none of these tasks of job %u is in the error state",
			   number);
		return;
	}
	if (rc == 0)
		rc = job_clear_task_errors(&job->job, &cleared);
	ranges_free(&cleared);
	if (rc) {
		result_add(client, rc == -E2BIG ? REPLY_TOO_MUCH : REPLY_NOT_STORED, number, 0,
			   rc == -E2BIG ? "the remaining tasks in error would fall into too many ranges"
			   : "out of memory");
		return;
	}
	local_changed(local);
	if (report_known(report_holds(local, &job->job, &error), &error, number) || job_save(local, &job->job, &error))
		local_fail(local, &error);
	result_add(client, REPLY_DONE, number, 0, "%s cleared error state of job-array task %u.%s", client->owner,
		   number, text);
}

static void clear_job(struct local *local, struct client *client, struct selected_job *job, void *context)
{
	uint32_t number = job->job.number;
	struct error error = { "" };

	(void)context;
	if (job->tasks.n > 0 && job->job.error && job->job.in_error.n == 0) {
		result_add(client, REPLY_WHOLE_JOB, number, 0,
			   "the error state is that of the job %u, not of single tasks", number);
	} else if (!job->job.error) {
		result_add(client, REPLY_IN_STATE, number, 0, "job %u is not in the error state", number);
	} else if (job->tasks.n > 0) {
		clear_tasks(local, client, job);
	} else {
		job_clear_error(&job->job);
		local_changed(local);
		if (report_known(report_holds(local, &job->job, &error), &error, number) ||
		    job_save(local, &job->job, &error))
			local_fail(local, &error);
		result_add(client, REPLY_DONE, number, 0, "%s cleared error state of job %u", client->owner, number);
	}
}

void request_clear(struct local *local, struct client *client, const struct value *request)
{
	select_jobs(local, client, request, clear_job, NULL, 0);
}
