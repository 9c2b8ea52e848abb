/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "sched/qmaster/local/after_ok.h"
#include "sched/qmaster/local/ids.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/steer.h"
#include "sched/qmaster/local/report.h"

static bool is_meant(const struct selected_job *job, uint32_t id)
{
	return job->tasks.n == 0 || ranges_contain(&job->tasks, id);
}

/* Mark running tasks. They are ended after the commit. */
static void delete_started(struct local *local, const struct selected_job *job, bool forced)
{
	struct error error;

	for (size_t i = local_task_first(local, job->job.number);
	     i < local->tasks.n && local->tasks.items[i]->job_number == job->job.number; i++) {
		struct local_task *task = local->tasks.items[i];

		if (local_task_has_ended(task) || !is_meant(job, task->id))
			continue;
		letters_set(task->letters, 'R', false);	/* the task does not become pending again */
		if (task->removal != REMOVAL_FORCE)
			task->removal = forced ? REMOVAL_FORCE : REMOVAL_DELETE;
		signal_of_job(local, task, &job->job);
		local_task_due(local, task);
		if (local_task_save(local, task, &error)) {
			local_fail(local, &error);
			break;
		}
	}
}

static int forget_job(struct local *local, struct local_job *job, struct error *error)
{
	int rc = report_deletion(local, job->number, error);

	rc = report_known(rc, error, job->number);
	return rc ? rc : job_remove(local, job->number, error);
}

/*
 * Return whether the job still has tasks. Rows of ended tasks need the job until their usage is
 * booked.
 */
static bool has_tasks(const struct local *local, uint32_t job_number)
{
	size_t first = local_task_first(local, job_number);

	return first < local->tasks.n && local->tasks.items[first]->job_number == job_number;
}

/* End tasks that were to run again. */
static int forget_requeued(struct local *local, const struct local_job *job, const struct ranges *gone,
			   struct error *error)
{
	int rc = 0;

	for (size_t i = local_task_first(local, job->number);
	     rc == 0 && i < local->tasks.n && local->tasks.items[i]->job_number == job->number; i++) {
		struct local_task *task = local->tasks.items[i];

		if (!task->ending.requeue || !ranges_contain(gone, task->id))
			continue;
		task->ending.requeue = false;
		rc = local_task_save(local, task, error);
	}
	return rc;
}

int delete_waiting(struct local *local, struct local_job *job, const struct ranges *gone, struct error *error)
{
	int rc = job_drop_waiting(job, gone);

	if (rc)
		return error_set(error, rc,
				 rc == -E2BIG ? "the remaining tasks would fall into too many ranges"
				 : "out of memory");
	rc = forget_requeued(local, job, gone, error);
	if (rc == 0)
		rc = after_ok_fail(local, job->number, "was deleted", error);
	if (rc)
		return rc;
	if (job->waiting.n == 0 && !has_tasks(local, job->number))
		return forget_job(local, job, error);
	rc = job->waiting.n == 0 && job_is_done(local, job) ?	/* only ended tasks are left */
	     report_deletion(local, job->number, error) : report_holds(local, job, error);
	rc = report_known(rc, error, job->number);
	return rc ? rc : job_save(local, job, error);
}

/* Return whether a task runs that was not requested to end yet. */
static bool has_others(const struct local *local, uint32_t job_number)
{
	for (size_t i = local_task_first(local, job_number);
	     i < local->tasks.n && local->tasks.items[i]->job_number == job_number; i++)
		if (!local_task_has_ended(local->tasks.items[i]) && local->tasks.items[i]->removal == REMOVAL_NONE)
			return true;
	return false;
}

int delete_job_whole(struct local *local, uint32_t job_number, struct error *error)
{
	struct selected_job job = { 0 };
	struct ranges gone = { 0 };
	int rc = job_load(local, job_number, &job.job, error);

	if (rc == 0 && has_others(local, job_number)) {
		local_changed(local);
		delete_started(local, &job, false);
	}
	if (rc == 0)
		rc = ranges_copy(&gone, &job.job.waiting);
	if (rc == 0 && gone.n > 0) {
		local_changed(local);
		rc = delete_waiting(local, &job.job, &gone, error);
	}
	ranges_free(&gone);
	job_free(&job.job);
	return rc == -ENOENT ? 0 : rc;
}

/* Collect the ids of the named tasks that run. Returns 0, -ENOMEM or -E2BIG. */
static int started_of(const struct local *local, const struct selected_job *job, struct ranges *ids)
{
	int rc = 0;

	for (size_t i = local_task_first(local, job->job.number);
	     rc == 0 && i < local->tasks.n && local->tasks.items[i]->job_number == job->job.number; i++)
		if (!local_task_has_ended(local->tasks.items[i]) && is_meant(job, local->tasks.items[i]->id))
			rc = ranges_add(ids, local->tasks.items[i]->id);
	return rc;
}

/* Write ids in Grid Engine's format: "1-4:1", "2,3", "1-7:2,9". */
static void ids_write(const struct ranges *ids, char *text, size_t bytes)
{
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; i < ids->n && length < bytes; i++) {
		const struct range *range = &ids->items[i];
		const char *between = i ? "," : "";

		if (range->min == range->max)
			length += (size_t)snprintf(text + length, bytes - length, "%s%u", between, range->min);
		else if (range->max - range->min == range->step)
			length += (size_t)snprintf(text + length, bytes - length, "%s%u,%u", between, range->min,
						   range->max);
		else
			length += (size_t)snprintf(text + length, bytes - length, "%s%u-%u:%u", between, range->min,
						   range->max, range->step);
	}
}

/* Write "job 5", "job-array task 5.3", or "job-array tasks 1-4:1 of job 5". */
static void name_tasks(const struct selected_job *job, const struct ranges *ids, char *name, size_t bytes)
{
	char text[200];

	ids_write(ids, text, sizeof(text));
	if (!job->job.is_array || job->tasks.n == 0)
		snprintf(name, bytes, "job %u", job->job.number);
	else if (ranges_count(ids) == 1)
		snprintf(name, bytes, "job-array task %u.%s", job->job.number, text);
	else
		snprintf(name, bytes, "job-array tasks %s of job %u", text, job->job.number);
}

static void say_deleted(struct client *client, const struct selected_job *job, const struct ranges *gone,
			const struct ranges *running)
{
	uint32_t number = job->job.number;
	bool tasks = job->job.is_array && job->tasks.n > 0;
	char name[260];

	if (gone->n == 0 && running->n == 0)
		result_add(client, REPLY_NO_TASK, number, 0, "denied: none of these tasks of job %u exists", number);
	name_tasks(job, gone, name, sizeof(name));
	if (gone->n > 0 && (tasks || running->n == 0))
		result_add(client, REPLY_DONE, number, tasks && ranges_count(gone) == 1 ? gone->items[0].min : 0,
			   "%s has deleted %s", client->owner, name);
	name_tasks(job, running, name, sizeof(name));
	if (running->n > 0)
		result_add(client, REPLY_REGISTERED, number,
			   tasks && ranges_count(running) == 1 ? running->items[0].min : 0,
			   "%s has registered the %s for deletion", client->owner, name);
}

static void delete_job(struct local *local, struct client *client, struct selected_job *job, void *context)
{
	uint32_t number = job->job.number;
	struct ranges gone = { 0 }, running = { 0 };
	struct error error = { "" };
	int rc;

	rc = job->tasks.n > 0 ? ids_intersect(&gone, &job->job.waiting, &job->tasks)
			      : ranges_copy(&gone, &job->job.waiting);
	if (rc == 0)
		rc = started_of(local, job, &running);
	if (rc == 0)
		delete_started(local, job, *(const bool *)context);
	local_changed(local);
	if (rc == 0 && gone.n > 0)
		rc = delete_waiting(local, &job->job, &gone, &error);
	if (rc == -E2BIG)
		result_add(client, REPLY_TOO_MUCH, number, 0, "%s", error.text);
	else if (rc)
		local_fail(local, &error);
	else
		say_deleted(client, job, &gone, &running);
	ranges_free(&gone);
	ranges_free(&running);
}

void request_delete(struct local *local, struct client *client, const struct value *request)
{
	bool forced = member_is_true(request, "force");

	select_jobs(local, client, request, delete_job, &forced, sizeof(forced));
}
