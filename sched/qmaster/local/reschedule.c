/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that run are ended and wait again, as with qmod -rj and -rq. Such a one is told to end as
 * if it had been deleted, and has the letter R besides, in the store, too: ending.c puts it back.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/queues.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/steer.h"

static void name_of(const struct local_task *t, char name[60])
{
	if (t->is_array)
		snprintf(name, 60, "job-array task %u.%u", t->job_number, t->id);
	else
		snprintf(name, 60, "job %u", t->job_number);
}

/* -r of the job; where it has none, `rerun` of the queue. */
static bool is_rerunnable(const struct local *l, const struct local_job *job, const struct local_task *t)
{
	json_t *rerun = json_object_get(job->execution, "rerun");

	return json_is_boolean(rerun) ? json_is_true(rerun) : strcasecmp(machine_queue_value(l, local_task_queue(t), "rerun", "FALSE"), "TRUE") == 0;
}

static void task_reschedule(struct local *l, struct client *c, const struct local_job *job, struct local_task *t, bool forced)
{
	uint32_t id = t->is_array ? t->id : 0;
	struct error error = { "" };
	char name[60];

	name_of(t, name);
	if (t->removal != REMOVAL_NONE) {
		result_add(c, RESULT_DONE, t->job_number, id, strchr(t->letters, 'R') ? "the %s is being rescheduled already" :
			   "The %s is already in deleted state. No rescheduling!", name);
		return;
	}
	if (!forced && !is_rerunnable(l, job, t)) {
		result_add(c, RESULT_WRONG, t->job_number, id, json_is_boolean(json_object_get(job->execution, "rerun")) ?
			   "The %s is not rerunnable (-r n)%s" : "The %s is running in a queue where jobs are not rerunnable, and was submitted without -r y%s", name,
			   client_is_operator(c) ? "; -f does it all the same" : "");
		return;
	}
	letters_set(t->letters, 'R', true);
	t->removal = REMOVAL_DELETE;
	signal_of_job(l, t, job);
	local_task_due(l, t);
	local_changed(l);
	if (local_task_save(l, t, &error))
		local_fail(l, &error);
	result_add(c, RESULT_DONE, t->job_number, id, "Pushed rescheduling of %s on host %s", name, l->machine.host);
}

static bool may_force(struct client *c, json_t *request, bool *forced)
{
	*forced = json_is_true(json_object_get(request, "force"));
	if (!*forced || client_is_operator(c))
		return true;
	result_add(c, RESULT_DENIED, 0, 0, "%s - what is not rerunnable can be rescheduled by operators only", c->owner);
	return false;
}

static void reschedule_job(struct local *l, struct client *c, struct selected_job *s, void *context)
{
	uint32_t number = s->job.number;
	bool any = false;

	for (size_t i = local_task_first(l, number); i < l->tasks.n && l->tasks.items[i]->job_number == number; i++) {
		struct local_task *t = l->tasks.items[i];

		if (local_task_has_ended(t) || (s->tasks.n > 0 && !ranges_contain(&s->tasks, t->id)))
			continue;
		task_reschedule(l, c, &s->job, t, *(const bool *)context);
		any = true;
	}
	if (!any)
		result_add(c, RESULT_NO_JOB, number, 0, "denied: none of these tasks of job %u runs", number);
}

void request_reschedule(struct local *l, struct client *c, json_t *request)
{
	bool forced;

	if (may_force(c, request, &forced))
		select_jobs(l, c, request, reschedule_job, &forced, sizeof(forced));
}

/* Queues */

static bool has_slots_in(const struct local_task *t, const char *instance)
{
	for (size_t k = 0; k < t->granted.on.n; k++)
		if (strcmp(t->granted.on.items[k].queue, instance) == 0)
			return true;
	return false;
}

static void reschedule_instance(struct local *l, struct client *c, struct local_instance *i, const void *forced)
{
	struct error error = { "" };
	bool any = false;

	if (!queues_may_change(l, c, i->name)) {
		result_add(c, RESULT_DENIED, 0, 0, "%s - you have no permission to reschedule jobs of queue instance \"%s\"", c->owner, i->name);
		return;
	}
	for (size_t k = 0; k < l->tasks.n; k++) {
		struct local_task *t = l->tasks.items[k];
		struct local_job job;
		int rc;

		if (local_task_has_ended(t) || !has_slots_in(t, i->name))
			continue;
		rc = job_load(l, t->job_number, &job, &error);
		if (rc == 0)
			task_reschedule(l, c, &job, t, *(const bool *)forced);
		else
			result_add(c, RESULT_NOT_STORED, t->job_number, 0, "%s", error.text);
		job_free(&job);
		any = true;
	}
	if (!any)
		result_add(c, RESULT_DONE, 0, 0, "nothing runs in queue instance \"%s\"", i->name);
}

void request_reschedule_queue(struct local *l, struct client *c, json_t *request)
{
	bool forced;

	if (may_force(c, request, &forced))
		queues_each(l, c, request, reschedule_instance, &forced);
}
