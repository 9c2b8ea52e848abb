/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that somebody suspends, and lets go on, as with qmod(1); suspension.c does the rest. */
#include <string.h>

#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

static void task_change(struct local *l, struct client *c, struct local_task *t, bool suspend)
{
	const char *state = suspend ? "suspended" : "unsuspended";
	bool already = (strchr(t->letters, 's') != NULL) == suspend;
	char name[60];
	struct error error;

	if (t->is_array)
		snprintf(name, sizeof(name), "job-array task %u.%u", t->job_number, t->id);
	else
		snprintf(name, sizeof(name), "job %u", t->job_number);
	if (already) {
		result_add(c, RESULT_DONE, t->job_number, t->is_array ? t->id : 0, "%s - %s is already %s", c->owner, name, state);
		return;
	}
	letters_set(t->letters, 's', suspend);
	local_changed(l);
	if (local_task_save(l, t, &error))
		local_fail(l, &error);
	result_add(c, RESULT_DONE, t->job_number, t->is_array ? t->id : 0, "%s - %s %s", c->owner, state, name);
}

static void suspend_job(struct local *l, struct client *c, struct selected_job *s, void *context)
{
	uint32_t number = s->job.number;
	bool any = false;

	for (size_t i = local_task_first(l, number); i < l->tasks.n && l->tasks.items[i]->job_number == number; i++) {
		struct local_task *t = l->tasks.items[i];

		if (local_task_has_ended(t) || (s->tasks.n > 0 && !ranges_contain(&s->tasks, t->id)))
			continue;
		task_change(l, c, t, *(const bool *)context);
		any = true;
	}
	if (!any)
		result_add(c, RESULT_NO_JOB, number, 0, "denied: none of these tasks of job %u runs", number);
}

void request_suspend(struct local *l, struct client *c, json_t *request)
{
	bool suspend = strcmp(json_string_value(json_object_get(request, "request")), "suspend") == 0;

	select_jobs(l, c, request, suspend_job, &suspend, sizeof(suspend));
}
