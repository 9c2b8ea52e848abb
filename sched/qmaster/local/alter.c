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

struct asked_changes {			/* Parts of the request, borrowed. */
	json_t *request, *changes, *execution;
	bool check, verify;		/* check: -w; verify: alter nothing */
};

/*
 * Refuse to raise the priority. Users may lower the priority of their jobs, but not raise it again.
 */
static int check_raise(const struct client *client, const struct local_job *job, json_t *changes, struct error *error)
{
	json_int_t old = json_integer_value(json_object_get(job->request, "priority"));
	json_t *priority = json_object_get(changes, "priority");

	/* null is 0 */
	if (!priority || json_integer_value(priority) <= old || client_is_operator(client))
		return 0;
	return error_set(error, -EPERM, "denied: \"%s\" must be operator to increase job priority", client->owner);
}

/* Refuse changes of a job's identity and of holds, which have requests of their own. */
static int check_changes(json_t *changes, struct error *error)
{
	static const char *const fixed[] = { "tasks", "hold", "now" };

	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		if (json_object_get(changes, fixed[i]))
			return error_set(error, -EINVAL, "denied: \"%s\" of a job cannot be altered", fixed[i]);
	return 0;
}

/*
 * Refuse to change the reservation of a job with started tasks, because their slots and their end
 * depend on it.
 */
static int check_reservation(struct local *local, const struct local_job *job, json_t *changes, struct error *error)
{
	json_t *ar = json_object_get(changes, "ar");

	if (!ar || json_integer_value(ar) == json_integer_value(json_object_get(job->request, "ar")) ||
	    !job_has_started_tasks(local, job))
		return 0;
	return error_set(error, -EINVAL,
			 "denied: job %u has running tasks: its advance reservation cannot be changed",
			 job->number);
}

/* Report the changes. A job in the error state is considered repaired and is reported, too. */
static int alter_report(struct local *local, const struct local_job *job, json_t *changes, struct error *error)
{
	return json_object_size(changes) > 0 || job->error ? report_changes(local, job, changes, error) : 0;
}

/*
 * Check whether the job could start. A running or held job is not checked, because its requests
 * have no effect now.
 */
static int check_suitable(struct local *local, const struct local_job *job, const struct asked_changes *changes,
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

static int alter_job(struct local *local, struct client *client, struct local_job *job,
		     const struct asked_changes *asked_changes, char note[NOTE_BYTES], struct error *error)
{
	json_t *changes = asked_changes->changes, *execution = asked_changes->execution;
	int rc = check_changes(changes, error);
	bool tasks;

	if (rc == 0)
		rc = check_request(local, client, changes, error);
	if (rc == 0)
		rc = check_raise(client, job, changes, error);
	if (rc == 0 && execution)
		rc = check_execution(execution, false, error);
	if (rc == 0)
		rc = check_hold_jid(local, client, changes, error);
	if (rc == 0)
		rc = after_ok_take(local, job, changes, error);
	if (rc == 0)
		rc = check_task_concurrency(job, changes, error);
	if (rc == 0)
		rc = check_array_dependency(local, job, changes, error);
	if (rc == 0)
		rc = check_reservation(local, job, changes, error);
	if (rc)
		return rc;
	json_object_update(job->request, changes);
	if (execution)
		rc = execution_change(job->execution, execution, error);
	if (rc == 0)
		rc = access_check_request(job, error);
	if (rc == 0)
		rc = access_check_bytes(local, client, job, error);
	if (rc == 0)
		rc = check_suitable(local, job, asked_changes, note, error);
	if (rc == 0 && !asked_changes->verify)
		rc = alter_report(local, job, changes, error);
	if (rc || asked_changes->verify)
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
static void say_altered(struct local *local, struct client *client, const struct local_job *job, const json_t *asked,
			const struct asked_changes *changes)
{
	result_add(client, RESULT_DONE, job->number, 0, "modified job %u", job->number);
	result_lines(client,
		     altered_lines(&(const struct altered_by){ local, client->owner }, job, asked, changes->execution));
}

static void alter_number(struct local *local, struct client *client, uint32_t number,
			 const struct asked_changes *changes)
{
	struct error error = { "" };
	char note[NOTE_BYTES] = "";
	/* before values are normalized and members are added */
	json_t *asked = json_copy(changes->changes);
	struct local_job job;
	int rc = job_load(local, number, &job, &error);

	if (rc == -ENOENT || (rc == 0 && job_is_done(local, &job))) {
		result_add(client, RESULT_NO_JOB, number, 0, "denied: job \"%u\" does not exist", number);
		json_decref(asked);
		job_free(&job);
		return;
	}
	if (rc == 0 && !client_may_change(client, &job))
		rc = error_set(&error, -EPERM, "%s - you do not have the necessary privileges to change the job \"%u\"",
			       client->owner, number);
	if (rc == 0)
		rc = alter_job(local, client, &job, changes, note, &error);
	if (changes->verify && rc == 0 && *note)
		result_add(client, RESULT_DONE, number, 0, "%s", note);
	else if (changes->verify)
		suitable_answer(client, number, rc, &error);
	else if (rc == 0)
		say_altered(local, client, &job, asked, changes);
	else
		result_add(client,
			   rc == -EPERM	   ? RESULT_DENIED
			   : rc == -EINVAL ? RESULT_WRONG
					   : RESULT_NOT_STORED,
			   number, 0, "%s", error.text);
	if (rc == 0 && *note && !changes->verify)
		result_note(client, note);
	json_decref(asked);
	job_free(&job);
}

/* Alter a job with its own copy of the values, because they are normalized in place. */
static void alter_selected(struct local *local, struct client *client, struct selected_job *job, void *context)
{
	const struct asked_changes *changes = context;
	uint32_t number = job->job.number;
	struct asked_changes own = *changes;

	if (job->tasks.n > 0) {
		result_add(client, RESULT_WRONG, number, 0,
			   "denied: job %u is altered as a whole, not single tasks of it", number);
		return;
	}
	own.changes = json_deep_copy(changes->changes);
	own.execution = changes->execution ? json_deep_copy(changes->execution) : NULL;
	alter_number(local, client, number, &own);
	json_decref(own.changes);
	json_decref(own.execution);
}

/* Alter one job, whose number is a member of "job", or all jobs that "jobs" names. */
void request_alter(struct local *local, struct client *client, json_t *request)
{
	json_t *asked = json_object_get(request, "job");
	const char *check = json_string_value(json_object_get(request, "check"));
	struct asked_changes changes = { .request = request,
					 .execution = json_object_get(request, "execution"),
					 .check = check && *check != 'n',
					 .verify = json_is_true(json_object_get(request, "verify")) };
	json_int_t number = json_integer_value(json_object_get(asked, "job_number"));
	bool several = json_object_get(request, "jobs") != NULL;

	if (several && json_is_object(asked) && !json_object_get(asked, "job_number")) {
		changes.changes = asked;
		select_jobs(local, client, request, alter_selected, &changes, sizeof(changes));
		return;
	}
	if (several || !json_is_object(asked) || number < 1 || number > STORE_JOB_NUMBER_MAX) {
		result_add(client, RESULT_WRONG, 0, 0, "job: job_number: 1 to %u is expected, or a member jobs",
			   STORE_JOB_NUMBER_MAX);
		return;
	}
	changes.changes = json_copy(asked);
	json_object_del(changes.changes, "job_number");
	alter_number(local, client, (uint32_t)number, &changes);
	json_decref(changes.changes);
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
		result_add(client, RESULT_DONE, number, 0, "none of these tasks of job %u is in the error state",
			   number);
		return;
	}
	if (rc == 0)
		rc = job_clear_task_errors(&job->job, &cleared);
	ranges_free(&cleared);
	if (rc) {
		result_add(client, rc == -E2BIG ? RESULT_WRONG : RESULT_NOT_STORED, number, 0,
			   rc == -E2BIG ? "the remaining tasks in error would fall into too many ranges"
			   : "out of memory");
		return;
	}
	local_changed(local);
	if (report_known(report_holds(local, &job->job, &error), &error, number) || job_save(local, &job->job, &error))
		local_fail(local, &error);
	result_add(client, RESULT_DONE, number, 0, "%s cleared error state of job-array task %u.%s", client->owner,
		   number, text);
}

static void clear_job(struct local *local, struct client *client, struct selected_job *job, void *context)
{
	uint32_t number = job->job.number;
	struct error error = { "" };

	(void)context;
	if (job->tasks.n > 0 && job->job.error && job->job.in_error.n == 0) {
		result_add(client, RESULT_WRONG, number, 0,
			   "the error state is that of the job %u, not of single tasks", number);
	} else if (!job->job.error) {
		result_add(client, RESULT_DONE, number, 0, "job %u is not in the error state", number);
	} else if (job->tasks.n > 0) {
		clear_tasks(local, client, job);
	} else {
		job_clear_error(&job->job);
		local_changed(local);
		if (report_known(report_holds(local, &job->job, &error), &error, number) ||
		    job_save(local, &job->job, &error))
			local_fail(local, &error);
		result_add(client, RESULT_DONE, number, 0, "%s cleared error state of job %u", client->owner, number);
	}
}

void request_clear(struct local *local, struct client *client, json_t *request)
{
	select_jobs(local, client, request, clear_job, NULL, 0);
}
