/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running tasks that are ended and become pending again, as with qmod -rj and -rq. Such a task is
 * ended like a deleted one. In addition it has the letter R, also in the store; ending.c makes it
 * pending again.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/queues.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/steer.h"

static void name_of(const struct local_task *task, char name[60])
{
	if (task->is_array)
		snprintf(name, 60, "job-array task %u.%u", task->job_number, task->id);
	else
		snprintf(name, 60, "job %u", task->job_number);
}

/* Return -r of the job; if it was not requested, `rerun` of the queue. */
static bool is_rerunnable(const struct local *local, const struct local_job *job, const struct local_task *task)
{
	enum said rerun = job->execution.rerun;

	return rerun != SAID_NOTHING
		       ? rerun == SAID_YES
		       : strcasecmp(machine_queue_value(local, local_task_queue(task), "rerun", "FALSE"), "TRUE") == 0;
}

static void task_reschedule(struct local *local, struct client *client, const struct local_job *job,
			    struct local_task *task, bool forced)
{
	uint32_t id = task->is_array ? task->id : 0;
	struct error error = { "" };
	char name[60];

	name_of(task, name);
	if (task->removal != REMOVAL_NONE) {
		result_add(client, REPLY_IN_STATE, task->job_number, id,
			   strchr(task->letters, 'R') ? "the %s is being rescheduled already"
						      : "The %s is already in deleted state. No rescheduling!",
			   name);
		return;
	}
	if (!forced && !is_rerunnable(local, job, task)) {
		result_add(
			client, REPLY_NOT_RERUNNABLE, task->job_number, id,
			job->execution.rerun != SAID_NOTHING
				? "The %s is not rerunnable (-r n)%s"
				: "The %s is running in a queue where jobs are not rerunnable, and was submitted "
				  "without -r y%s",
			name, client_is_operator(client) ? "; -f reschedules it nevertheless" : "");
		return;
	}
	letters_set(task->letters, 'R', true);
	task->removal = REMOVAL_DELETE;
	signal_of_job(local, task, job);
	local_task_due(local, task);
	local_changed(local);
	if (local_task_save(local, task, &error))
		local_fail(local, &error);
	result_add(client, REPLY_REGISTERED, task->job_number, id, "Pushed rescheduling of %s on host %s", name,
		   local->machine.host);
}

static bool may_force(struct client *client, const struct value *request, bool *forced)
{
	*forced = member_is_true(request, "force");
	if (!*forced || client_is_operator(client))
		return true;
	result_add(client, REPLY_DENIED, 0, 0, "%s - only operators may reschedule jobs that are not rerunnable",
		   client->owner);
	return false;
}

static void reschedule_job(struct local *local, struct client *client, struct selected_job *job, void *context)
{
	uint32_t number = job->job.number;
	bool any = false;

	for (size_t i = local_task_first(local, number);
	     i < local->tasks.n && local->tasks.items[i]->job_number == number; i++) {
		struct local_task *task = local->tasks.items[i];

		if (local_task_has_ended(task) || (job->tasks.n > 0 && !ranges_contain(&job->tasks, task->id)))
			continue;
		task_reschedule(local, client, &job->job, task, *(const bool *)context);
		any = true;
	}
	if (!any)
		result_add(client, REPLY_NO_TASK, number, 0, "denied: none of these tasks of job %u runs", number);
}

void request_reschedule(struct local *local, struct client *client, const struct value *request)
{
	bool forced;

	if (may_force(client, request, &forced))
		select_jobs(local, client, request, reschedule_job, &forced, sizeof(forced));
}

/* Queues */

static bool has_slots_in(const struct local_task *task, const char *instance)
{
	for (size_t k = 0; k < task->granted.on.n; k++)
		if (strcmp(task->granted.on.items[k].queue, instance) == 0)
			return true;
	return false;
}

static void reschedule_instance(struct local *local, struct client *client, struct local_instance *instance,
				const void *forced)
{
	struct error error = { "" };
	bool any = false;

	if (!queues_may_change(local, client, instance->name)) {
		result_add_object(client, REPLY_DENIED, instance->name,
				  "%s - you have no permission to reschedule jobs of queue instance \"%s\"",
				  client->owner, instance->name);
		return;
	}
	for (size_t k = 0; k < local->tasks.n; k++) {
		struct local_task *task = local->tasks.items[k];
		struct local_job job;
		int rc;

		if (local_task_has_ended(task) || !has_slots_in(task, instance->name))
			continue;
		rc = job_load(local, task->job_number, &job, &error);
		if (rc == 0)
			task_reschedule(local, client, &job, task, *(const bool *)forced);
		else
			result_add(client, REPLY_NOT_STORED, task->job_number, 0, "%s", error.text);
		job_free(&job);
		any = true;
	}
	if (!any)
		result_add_object(client, REPLY_NONE_FOUND, instance->name, "no job runs in queue instance \"%s\"",
				  instance->name);
}

void request_reschedule_queue(struct local *local, struct client *client, const struct value *request)
{
	bool forced;

	if (may_force(client, request, &forced))
		queues_each(local, client, request, reschedule_instance, &forced);
}
