/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sched/qmaster/local/ids.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/report.h"

struct hold_change {
	bool release, kinds[HOLD_KINDS];
};

static const char *const hold_names[HOLD_KINDS] = { "user", "operator", "system" };

/*
 * Collect the pending and running tasks of a job. Ended tasks cannot be held. Returns 0, -ENOMEM or
 * -E2BIG.
 */
static int tasks_there(const struct local *local, const struct local_job *job, struct ranges *there)
{
	int rc = ranges_copy(there, &job->waiting);

	for (size_t i = local_task_first(local, job->number);
	     rc == 0 && i < local->tasks.n && local->tasks.items[i]->job_number == job->number; i++)
		if (!local_task_has_ended(local->tasks.items[i]))
			rc = ranges_add(there, local->tasks.items[i]->id);
	return rc == -EEXIST ? 0 : rc;
}

/*
 * Hold or release tasks. A running task is held, too: it continues, and does not start again after
 * it is rescheduled. Releasing a task that is not held is not an error.
 */
static int hold_kind(const struct local *local, struct local_job *job, int kind, bool release,
		     const struct ranges *tasks, bool *changed, struct error *error)
{
	struct ranges meant = { 0 }, before = { 0 };
	int rc = tasks_there(local, job, &meant);

	if (rc == 0 && tasks->n > 0)
		rc = ids_intersect(&meant, &meant, tasks);
	if (rc == 0)
		rc = ranges_copy(&before, &job->hold[kind]);
	if (rc == 0)
		rc = release ? ids_subtract(&job->hold[kind], &job->hold[kind], tasks->n > 0 ? tasks : &job->hold[kind])
			     : ids_unite(&job->hold[kind], &job->hold[kind], &meant);
	*changed |= rc == 0 && !ranges_equal(&before, &job->hold[kind]);
	ranges_free(&meant);
	ranges_free(&before);
	if (rc == -E2BIG)
		return error_set(error, -EINVAL, "the held tasks would form more than %d ranges",
				 IDS_RANGES_MAX);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

static bool has_predecessors(const struct local_job *job)
{
	return job->request.spec.nhold_jid > 0 || job->request.spec.nhold_jid_ad > 0;
}

static const char *hold_other(const struct local_job *job, const struct hold_change *change)
{
	for (int k = 0; k < HOLD_KINDS; k++)
		if (!change->kinds[k] && job->hold[k].n > 0)
			return hold_names[k];
	return NULL;
}

/* Answer that nothing has changed, so that the user knows why a job cannot start or still can. */
static void say_nothing(struct client *client, const struct selected_job *job, const struct hold_change *change)
{
	const char *other = hold_other(&job->job, change);
	uint32_t number = job->job.number;
	char kinds[40] = "";

	for (int k = 0; k < HOLD_KINDS; k++)
		if (change->kinds[k])
			snprintf(kinds + strlen(kinds), sizeof(kinds) - strlen(kinds), "%s%s", *kinds ? " or " : "",
				 hold_names[k]);
	if (!change->release)
		result_add(client, REPLY_NOTHING_CHANGED, number, 0,
			   "nothing was held: job %u has %s without %s hold", number,
			   job->tasks.n > 0 ? "no such task" : "no task", *kinds == 'u' ? "a user" : "such a");
	else if (other)
		result_add(client, REPLY_NOTHING_CHANGED, number, 0,
			   "nothing was released: job %u has no %s hold; it has one of kind %s (-h %c)", number, kinds,
			   other, *other);
	else if (has_predecessors(&job->job))
		result_add(client, REPLY_NOTHING_CHANGED, number, 0,
			   "nothing was released: job %u has no %s hold; it waits for other jobs to end (-hold_jid)",
			   number, kinds);
	else
		result_add(client, REPLY_NOTHING_CHANGED, number, 0, "nothing was released: job %u has no %s hold",
			   number, kinds);
}

static void say_changed(struct client *client, const struct selected_job *job)
{
	if (job->job.is_array && ranges_count(&job->tasks) == 1)
		result_add(client, REPLY_DONE, job->job.number, job->tasks.items[0].min,
			   "modified hold of job-array task %u.%u", job->job.number, job->tasks.items[0].min);
	else
		result_add(client, REPLY_DONE, job->job.number, 0, "modified hold of job %u", job->job.number);
}

/* Show the holds of tasks that run: letter h of their state. */
static void letters_take(struct local *local, const struct local_job *job)
{
	struct error error = { "" };

	for (size_t i = local_task_first(local, job->number);
	     i < local->tasks.n && local->tasks.items[i]->job_number == job->number; i++) {
		struct local_task *task = local->tasks.items[i];
		bool held = false;

		for (int k = 0; k < HOLD_KINDS; k++)
			held = held || ranges_contain(&job->hold[k], task->id);
		if (local_task_has_ended(task) || held == (strchr(task->letters, 'h') != NULL))
			continue;
		letters_set(task->letters, 'h', held);
		if (local_task_save(local, task, &error))
			local_fail(local, &error);
	}
}

static void hold_job(struct local *local, struct client *client, struct selected_job *job, void *context)
{
	const struct hold_change *change = context;
	struct error error = { "" };
	bool changed = false;
	int rc = 0;

	for (int k = 0; rc == 0 && k < HOLD_KINDS; k++)
		if (change->kinds[k])
			rc = hold_kind(local, &job->job, k, change->release, &job->tasks, &changed, &error);
	if (rc == 0 && !changed) {
		say_nothing(client, job, change);
		return;
	}
	if (rc == 0)
		rc = report_holds(local, &job->job, &error);
	if (rc == 0)
		letters_take(local, &job->job);
	if (rc) {
		result_add(client, rc == -EINVAL ? REPLY_TOO_MUCH : REPLY_NOT_STORED, job->job.number, 0, "%s",
			   error.text);
		return;
	}
	local_changed(local);
	if (job_save(local, &job->job, &error))
		local_fail(local, &error);
	say_changed(client, job);
}

void request_hold(struct local *local, struct client *client, const struct value *request)
{
	const char *kinds = member_text(request, "kind"), *letters = "uos", *found;
	struct hold_change change = { .release = strcmp(member_text(request, "request"), "release") == 0 };

	kinds = kinds ? kinds : "u";
	for (const char *letter = kinds; *letter; letter++) {
		found = strchr(letters, *letter);
		if (!found) {
			result_add(client, REPLY_INVALID, 0, 0, "kind: \"%.10s\": letters of u, o, s are expected",
				   kinds);
			return;
		}
		if (*letter != 'u' && !client_is_operator(client)) {
			result_add(client, REPLY_DENIED, 0, 0, "denied: \"%s\" must be operator to %s %s hold",
				   client->owner, change.release ? "remove" : "set", hold_names[found - letters]);
			return;
		}
		change.kinds[found - letters] = true;
	}
	select_jobs(local, client, request, hold_job, &change, sizeof(change));
}
