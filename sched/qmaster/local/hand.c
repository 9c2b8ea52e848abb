/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that users suspend and resume, as with qmod(1). suspension.c does the rest. */
#include <string.h>

#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

static void task_change(struct local *local, struct client *client, struct local_task *task, bool suspend)
{
	const char *state = suspend ? "suspended" : "unsuspended";
	bool already = (strchr(task->letters, 's') != NULL) == suspend;
	char name[60];
	struct error error;

	if (task->is_array)
		snprintf(name, sizeof(name), "job-array task %u.%u", task->job_number, task->id);
	else
		snprintf(name, sizeof(name), "job %u", task->job_number);
	if (already) {
		result_add(client, REPLY_IN_STATE, task->job_number, task->is_array ? task->id : 0,
			   "%s - %s is already %s", client->owner, name, state);
		return;
	}
	letters_set(task->letters, 's', suspend);
	local_changed(local);
	if (local_task_save(local, task, &error))
		local_fail(local, &error);
	result_add(client, REPLY_DONE, task->job_number, task->is_array ? task->id : 0, "%s - %s %s", client->owner,
		   state, name);
}

static void suspend_job(struct local *local, struct client *client, struct selected_job *job, void *context)
{
	uint32_t number = job->job.number;
	bool any = false;

	for (size_t i = local_task_first(local, number);
	     i < local->tasks.n && local->tasks.items[i]->job_number == number; i++) {
		struct local_task *task = local->tasks.items[i];

		if (local_task_has_ended(task) || (job->tasks.n > 0 && !ranges_contain(&job->tasks, task->id)))
			continue;
		task_change(local, client, task, *(const bool *)context);
		any = true;
	}
	if (!any)
		result_add(client, REPLY_NO_TASK, number, 0, "denied: none of these tasks of job %u runs", number);
}

void request_suspend(struct local *local, struct client *client, const struct value *request)
{
	bool suspend = strcmp(member_text(request, "request"), "suspend") == 0;

	select_jobs(local, client, request, suspend_job, &suspend, sizeof(suspend));
}
