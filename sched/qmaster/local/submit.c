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

/* Read ids from a member of an object. A missing member means no ids. */
static int ids_take(struct ranges *ids, json_t *object, const char *member, struct error *error)
{
	json_t *value = json_object_get(object, member);
	const char *text = json_string_value(value);
	int rc = value && !text ? -EINVAL : ranges_parse_most(ids, text ? text : "", IDS_MAX);

	if (rc == 0 && ranges_count(ids) > IDS_MAX)
		rc = -EINVAL;
	return rc ? error_set(error, rc, "job rejected: %s: a list n[-m[:s]][,...] of task ids is expected", member)
		  : 0;
}

static int holds_take(struct local_job *job, const struct client *client, struct error *error)
{
	json_t *hold = json_object_get(job->request, "hold"), *value;
	const char *kind;
	int rc = 0;

	if (!hold || json_is_null(hold))
		return 0;
	if (!json_is_object(hold))
		return error_set(error, -EINVAL, "job rejected: hold: an object is expected");
	json_object_foreach(hold, kind, value) if (strlen(kind) != 1 || !strchr("uos", *kind)) return error_set(
		error, -EINVAL, "job rejected: hold: \"%.20s\" is not a kind of hold; u, o and s are allowed", kind);
	for (int k = 0; rc == 0 && k < HOLD_KINDS; k++)
		if (json_object_get(hold, hold_letters[k]))
			rc = k == HOLD_USER || client_is_operator(client)
				     ? ids_take(&job->hold[k], hold, hold_letters[k], error)
				     : error_set(error, -EPERM,
						 "job rejected: a hold \"%s\" can be placed by operators only",
						 hold_letters[k]);
	json_object_del(job->request, "hold");
	return rc;
}

/* Read the tasks. The ids stay in the request for arrays that depend on this job task by task. */
static int tasks_take(struct local_job *job, struct error *error)
{
	job->is_array = json_is_string(json_object_get(job->request, "tasks"));
	return job->is_array ? ids_take(&job->waiting, job->request, "tasks", error) : ranges_add(&job->waiting, 1);
}

/* Set the name of a job without a name to that of its program. */
static int name_take(struct local_job *job, struct error *error)
{
	const char *command = json_string_value(json_array_get(json_object_get(job->execution, "command"), 0));
	const char *base = strrchr(command, '/');

	if (json_is_string(json_object_get(job->request, "job_name")))
		return 0;
	base = base ? base + 1 : command;
	if (check_name(base, error))
		base = "job";
	return json_object_set_new(job->request, "job_name", json_string(base)) ? -ENOMEM : 0;
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

static int job_make(struct local *local, struct client *client, json_t *request, struct local_job *job,
		    struct error *error)
{
	json_t *asked = json_object_get(request, "job"), *execution = json_object_get(request, "execution");
	int rc;

	*job = (struct local_job){ .uid = client->uid, .gid = client->gid, .submission_time = clock_date() };
	if (asked && !json_is_object(asked))
		return error_set(error, -EINVAL, "job: an object is expected");
	job->request = asked ? json_incref(asked) : json_object();
	job->execution = execution ? json_incref(execution) : NULL;
	job->owner = strdup(client->owner);
	job->group = strdup(client->group);
	if (!job->request || !job->owner || !job->group)
		return error_set(error, -ENOMEM, "out of memory");
	rc = check_execution(execution, true, error);
	if (rc == 0)
		rc = check_request(local, client, job->request, error);
	if (rc == 0)
		rc = access_check_new(local, client, error);
	if (rc == 0)
		rc = check_hold_jid(local, client, job->request, error);
	if (rc == 0)
		rc = after_ok_take(local, job, job->request, error);
	if (rc == 0)
		rc = holds_take(job, client, error);
	if (rc == 0)
		rc = tasks_take(job, error);
	if (rc == 0)
		rc = check_task_concurrency(job, job->request, error);
	if (rc == 0)
		rc = holds_limit(job, error);
	if (rc == 0)
		rc = check_array_dependency(local, job, job->request, error);
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
		result_add(client, RESULT_DONE, job->number, 0, "Your job %u (\"%s\") has been submitted", job->number,
			   job_name(job));
		return;
	}
	ranges_format(&job->waiting, tasks, sizeof(tasks));
	if (job->waiting.n == 1)
		snprintf(tasks, sizeof(tasks), "%u-%u:%u", job->waiting.items[0].min, job->waiting.items[0].max,
			 job->waiting.items[0].step);
	result_add(client, RESULT_DONE, job->number, 0, "Your job-array %u.%s (\"%s\") has been submitted", job->number,
		   tasks, job_name(job));
}

/* Check the owner. A scheduler without root's rights can start only its own user's processes. */
static int check_owner(const struct client *client, struct error *error)
{
	return geteuid() == 0 || client->uid == geteuid()
		       ? 0
		       : error_set(
				 error, -EPERM,
				 "job rejected: this scheduler does not run as root and can start only jobs of its "
				 "own user");
}

void request_submit(struct local *local, struct client *client, json_t *request)
{
	struct error error = { "" };
	struct local_job job = { 0 };
	char note[NOTE_BYTES] = "";
	bool follow = json_is_true(json_object_get(request, "follow")),
	     verify = json_is_true(json_object_get(request, "verify"));
	int rc = check_owner(client, &error);

	if (rc == 0 && follow)
		rc = follow_admit(local, client, &error);
	if (rc == 0)
		rc = job_make(local, client, request, &job, &error);
	if (rc == 0)
		rc = suitable_check(local, &job, request, note, &error);
	if (rc == 0 && !verify)
		rc = job_enter(local, &job, &error);
	if (rc == 0 && follow && !verify)
		follow_wish(local, client, job.number);
	if (verify)
		suitable_answer(client, 0, rc, &error);
	else if (rc == 0)
		submitted(client, &job);
	else
		result_add(client,
			   rc == -EPERM	   ? RESULT_DENIED
			   : rc == -EINVAL ? RESULT_WRONG
					   : RESULT_NOT_STORED,
			   0, 0, "%s", error.text);
	if (rc == 0 && *note && !verify)
		result_note(client, note);
	else if (rc == 0 && mail_is_wanted(&job) && !mail_program(local))
		result_note(
			client,
			"no mail will be sent: the scheduler's machine has no sendmail, or mailer of global_conf is "
			"none");
	job_free(&job);
}
