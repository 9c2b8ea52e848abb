/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sched/process/clock.h"
#include "sched/qmaster/local/after_ok.h"
#include "sched/qmaster/local/ids.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/mail.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/report.h"

static const char *const hold_letters[HOLD_KINDS] = { "u", "o", "s" };

/* Read the ids of a member. */
static int ids_take(struct ranges *ids, const char *member, const char *text, struct error *error)
{
	int rc = text ? ranges_parse_most(ids, text, IDS_MAX) : -EINVAL;

	if (rc == 0 && ranges_count(ids) > IDS_MAX)
		rc = -EINVAL;
	return rc ? error_set(error, rc, "job rejected: %s: a list n[-m[:s]][,...] of task ids is expected", member)
		  : 0;
}

static int holds_take(struct local_job *job, const struct client *client, struct error *error)
{
	const struct value *hold = member_list_kept(&job->request.members, "hold"), *ids;
	int rc = 0;

	if (!hold || hold->type == VALUE_NULL)
		return 0;
	if (hold->type != VALUE_OBJECT)
		return error_set(error, -EINVAL, "job rejected: hold: an object is expected");
	value_each(kind, hold)
		if (strlen(kind->name) != 1 || !strchr("uos", *kind->name))
			return error_set(
				error, -EINVAL,
				"job rejected: hold: \"%.20s\" is not a kind of hold; u, o and s are allowed",
				kind->name);
	for (int k = 0; rc == 0 && k <= HOLD_SYSTEM; k++)
		if ((ids = value_member(hold, hold_letters[k])) != NULL)
			rc = k == HOLD_USER || client_is_operator(client)
				     ? ids_take(&job->hold[k], hold_letters[k], value_text(ids), error)
				     : error_set(error, -EPERM,
						 "job rejected: a hold \"%s\" can be placed by operators only",
						 hold_letters[k]);
	member_list_remove(&job->request.members, "hold");
	return rc;
}

/* Read the tasks. The ids stay in the request for arrays that depend on this job task by task. */
static int tasks_take(struct local_job *job, struct error *error)
{
	const char *tasks = job->request.tasks;

	job->is_array = tasks != NULL;
	return tasks ? ids_take(&job->waiting, "tasks", tasks, error) : ranges_add(&job->waiting, 1);
}

/* Set the name of a job without a name to that of its program. */
static int name_take(struct local_job *job, struct error *error)
{
	const char *command = job->execution.command.items[0], *base = strrchr(command, '/');

	if (job->request.spec.name)
		return 0;
	base = base ? base + 1 : command;
	if (check_name(base, error))
		base = "job";
	return job_request_set_text(&job->request, &job->memory.taking, "job_name", base);
}

/* Limit holds to tasks that the job has: all of them, as with qsub -h, or some. */
static int holds_limit(struct local_job *job, struct error *error)
{
	int rc = 0;

	for (int k = 0; rc == 0 && k < HOLD_KINDS; k++)
		if (!ranges_equal(&job->hold[k], &job->waiting))
			rc = ids_intersect(&job->hold[k], &job->hold[k], &job->waiting);
	if (rc == -E2BIG)
		return error_set(error, -EINVAL, "job rejected: hold: the tasks fall into more than %d ranges",
				 IDS_RANGES_MAX);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

/* Read the request and the execution. The job borrows memory of the client's request. */
static int job_read_asked(struct local_job *job, const struct value *request, struct error *error)
{
	const struct value *asked = value_member(request, "job");
	int rc;

	if (asked && asked->type != VALUE_OBJECT)
		return error_set(error, -EINVAL, "job: an object is expected");
	if (job_request_ask(&job->request, &job->memory.taking, asked))
		return error_set(error, -ENOMEM, "out of memory");
	rc = execution_read(&job->execution, &job->memory.taking, value_member(request, "execution"), EXECUTION_NEW,
			    error);
	return rc ? rc : execution_check(&job->execution, error);
}

/* Check and complete a job whose request and execution were read. */
static int job_make(struct local *local, struct client *client, struct local_job *job, struct error *error)
{
	struct job_request *request = &job->request;
	int rc;

	job->uid = client->uid;
	job->gid = client->gid;
	job->submission_time = clock_date();
	job->owner = strdup(client->owner);
	job->group = strdup(client->group);
	if (!job->owner || !job->group)
		return error_set(error, -ENOMEM, "out of memory");
	rc = check_request(local, client, request, &job->memory.taking, error);
	if (rc == 0)
		rc = access_check_new(local, client, error);
	if (rc == 0)
		rc = check_hold_jid(local, client, request, &job->memory.taking, error);
	if (rc == 0)
		rc = after_ok_take(local, job, request, &job->memory.taking, error);
	if (rc == 0)
		rc = holds_take(job, client, error);
	if (rc == 0)
		rc = tasks_take(job, error);
	if (rc == 0)
		rc = check_task_concurrency(job, request, error);
	if (rc == 0)
		rc = holds_limit(job, error);
	if (rc == 0)
		rc = check_array_dependency(local, job, request, error);
	if (rc == 0)
		rc = name_take(job, error);
	if (rc == 0)
		rc = access_check_request(job, error);
	return rc ? rc : access_check_bytes(local, client, job, error);
}

/*
 * Report the job to the scheduler first, because it may refuse the job. If the store then fails,
 * both are undone.
 */
static int job_enter(struct local *local, struct local_job *job, struct error *error)
{
	int rc = store_next_job_number(local->store, &job->number, error);

	if (rc)
		local_fail(local, error);
	else
		rc = report_job(local, job, &job->waiting, error);
	if (rc)
		return rc;
	rc = job_save(local, job, error);
	if (rc)
		local_fail(local, error);
	local_changed(local);
	return rc;
}

static void submitted(struct client *client, const struct local_job *job)
{
	char tasks[200];

	if (!job->is_array) {
		result_add(client, REPLY_DONE, job->number, 0, "Your job %u (\"%s\") has been submitted", job->number,
			   job_name(job));
		return;
	}
	ranges_format(&job->waiting, tasks, sizeof(tasks));
	if (job->waiting.n == 1)
		snprintf(tasks, sizeof(tasks), "%u-%u:%u", job->waiting.items[0].min, job->waiting.items[0].max,
			 job->waiting.items[0].step);
	result_add(client, REPLY_DONE, job->number, 0, "Your job-array %u.%s (\"%s\") has been submitted", job->number,
		   tasks, job_name(job));
}

/* A scheduler without root's rights can start only its own user's processes. */
int submit_check_owner(const struct client *client, struct error *error)
{
	return geteuid() == 0 || client->uid == geteuid()
		       ? 0
		       : error_set(
				 error, -EPERM,
				 "job rejected: this scheduler does not run as root and can start only jobs of its "
				 "own user");
}

void submit_job(struct local *local, struct client *client, struct local_job *job, const struct value *request,
		       int rc, struct error *error)
{
	char note[NOTE_BYTES] = "";
	bool follow = member_is_true(request, "follow"), verify = member_is_true(request, "verify");

	if (rc == 0)
		rc = job_make(local, client, job, error);
	if (rc == 0)
		rc = suitable_check(local, job, request, note, error);
	if (rc == 0 && !verify)
		rc = job_enter(local, job, error);
	if (rc == 0 && follow && !verify)
		follow_wish(local, client, job->number);
	if (verify)
		suitable_answer(client, 0, rc, &job->memory.taking.refusal, error);
	else if (rc == 0)
		submitted(client, job);
	else
		result_refuse(client, rc, &job->memory.taking.refusal, 0, error->text);
	if (rc == 0 && *note && !verify)
		result_note(client, note);
	else if (rc == 0 && mail_is_wanted(job) && !mail_program(local))
		result_note(
			client,
			"no mail will be sent: the scheduler's machine has no sendmail, or mailer of global_conf is "
			"none");
}

void request_submit(struct local *local, struct client *client, const struct value *request)
{
	struct error error = { "" };
	struct local_job job = { 0 };
	int rc = submit_check_owner(client, &error);

	if (rc == 0 && member_is_true(request, "follow"))
		rc = follow_admit(local, client, &error);
	if (rc == 0)
		rc = job_read_asked(&job, request, &error);
	submit_job(local, client, &job, request, rc, &error);
	job_free(&job);
}
