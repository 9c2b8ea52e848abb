/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/members/event.h"

/*
 * Make the error of a refused event. `why` is the scheduler's text, which may contain input of
 * users.
 */
static int refused(enum event_type type, int rc, const struct error *why, struct error *error)
{
	error_set(error, rc, "%s: %s", event_name(type), why->text);
	utf8_clean(error->text);
	return rc == -ENOMEM ? rc : -EINVAL;
}

int report_event(struct local *local, const struct event *event, struct error *error)
{
	struct error why = { "" };
	int rc;

	if (event->type == EVENT_SNAPSHOT_BEGIN && !mirror_in_snapshot(local->intake->mirror))
		local->reported_before = local->reported;
	local->reported++;
	rc = intake_event(local->intake, event, &why);
	return rc ? refused(event->type, rc, &why, error) : 0;
}

int report_known(int rc, const struct error *error, uint32_t job_number)
{
	if (rc != -EINVAL)
		return rc;
	log_line(LOG_FAILURE, "the scheduler refused a change of job %u that this cell keeps: %s", job_number,
		 error->text);
	return 0;
}

/*
 * Report an event if it was read completely (`rc` 0). Otherwise return -EINVAL or -ENOMEM with
 * taking->error.
 */
static int report_taken(struct local *local, int rc, const struct event *event, struct taking *taking,
			struct error *error)
{
	rc = rc ? refused(event->type, rc, &taking->error, error) : report_event(local, event, error);
	taking_clear(taking);
	return rc;
}

/* Values, checked like those of an event that arrives as JSON */

static int text_take(struct taking *taking,
		     int (*take)(struct taking *, const struct event_member *, const struct value *, void *),
		     const char *name, const char *text, void *to)
{
	const struct value value = { .type = VALUE_STRING, .text = text, .n = (uint32_t)strlen(text) };
	int rc = take(taking, NULL, &value, to);

	return rc ? taking_inside(taking, rc, "%s", name) : 0;
}

static int time_take(struct taking *taking, const char *name, int64_t time, int64_t *to)
{
	static const struct event_member range = { .min = 0, .max = TIME_MAX_S };
	const struct value value = { .type = VALUE_INTEGER, .integer = time };
	int rc = take_i64(taking, &range, &value, to);

	return rc ? taking_inside(taking, rc, "%s", name) : 0;
}

static int amount_take(struct taking *taking, const char *name, double amount, struct usage_value *to)
{
	const struct value value = { .type = VALUE_REAL, .real = amount };
	int rc = take_amount(taking, NULL, &value, &to->value);

	to->name = name;
	return rc ? taking_inside(taking, rc, "scaled_usage: %s", name) : 0;
}

/* Jobs */

/* Set the error state and the holds. */
static int state_take(struct taking *taking, const struct local_job *job, struct job_spec *spec)
{
	spec->job_number = job->number;
	memcpy(spec->hold, job->hold, sizeof(spec->hold));
	spec->error = job->error && job->in_error.n == 0;
	spec->given |= JOB_HOLD | JOB_ERROR;
	return spec->error ? text_take(taking, take_text, "error", job->error, &spec->error_reason) : 0;
}

/* Report the request of a user. Members of `own` are added, or replace members of the request. */
static int request_report(struct local *local, enum event_type type, const struct job_request *request,
			  const struct job_spec *own, struct error *error)
{
	struct event event;

	if (*request->fault.text)
		return refused(type, -EINVAL, &request->fault, error);
	event_init(&event, type);
	event.job = request->spec;
	event.job.job_number = own->job_number;
	event.job.owner = own->owner;
	event.job.group = own->group;
	event.job.submission_time = own->submission_time;
	event.job.tasks = own->tasks;
	memcpy(event.job.hold, own->hold, sizeof(own->hold));
	event.job.error = own->error;
	event.job.error_reason = own->error_reason;
	event.job.given |= own->given;
	return report_event(local, &event, error);
}

int report_enrolled(struct local *local, const struct local_job *job, struct error *error)
{
	struct taking taking = { 0 };
	struct event event;
	int rc = 0;

	event_init(&event, EVENT_TASKS_ENROLLED);
	event.enrolled =
		(struct enrolled_event){ .job_number = job->number,
					 .tasks = job->enrolled,
					 .error = job->in_error,
					 .restarted = job->has_run };
	if (job->error && job->in_error.n > 0)
		rc = text_take(&taking, take_text, "error", job->error, &event.enrolled.error_reason);
	return report_taken(local, rc, &event, &taking, error);
}

int report_job(struct local *local, const struct local_job *job, const struct ranges *tasks, struct error *error)
{
	struct job_spec own = { .given = JOB_OWNER | JOB_GROUP | JOB_SUBMISSION_TIME };
	struct taking taking = { 0 };
	int rc = text_take(&taking, take_name, "owner", job->owner, &own.owner);

	if (rc == 0)
		rc = time_take(&taking, "submission_time", job->submission_time, &own.submission_time);
	if (rc == 0)
		rc = text_take(&taking, take_name_or_none, "group", job->group, &own.group);
	if (rc == 0)
		rc = state_take(&taking, job, &own);
	if (job->is_array) {
		own.tasks = *tasks;
		own.given |= JOB_TASKS;
	}
	rc = rc ? refused(EVENT_JOB_ADD, rc, &taking.error, error)
		: request_report(local, EVENT_JOB_ADD, &job->request, &own, error);
	taking_clear(&taking);
	return rc == 0 && (job->enrolled.n > 0 || job->has_run.n > 0) ? report_enrolled(local, job, error) : rc;
}

int report_holds(struct local *local, const struct local_job *job, struct error *error)
{
	struct taking taking = { 0 };
	struct event event;
	int rc;

	event_init(&event, EVENT_JOB_MODIFY);
	rc = state_take(&taking, job, &event.job);
	if (job->is_array) {
		event.job.tasks = job->waiting;
		event.job.given |= JOB_TASKS;
	}
	rc = report_taken(local, rc, &event, &taking, error);
	return rc == 0 && job->is_array && job->waiting.n > 0 ? report_enrolled(local, job, error) : rc;
}

int report_changes(struct local *local, const struct local_job *job, const struct job_request *changes,
		   struct error *error)
{
	const struct job_spec own = { .job_number = job->number, .given = job->error ? JOB_ERROR : 0 };

	return request_report(local, EVENT_JOB_MODIFY, changes, &own, error);
}

int report_deletion(struct local *local, uint32_t job_number, struct error *error)
{
	struct event event;

	event_init(&event, EVENT_JOB_DELETE);
	event.task.job_number = job_number;
	return report_event(local, &event, error);
}

/* Queue instances */

int report_instance(struct local *local, struct local_instance *instance, struct error *error)
{
	struct event event;

	event_init(&event, EVENT_QUEUE_INSTANCE);
	event.instance.queue = instance->name;
	instance_state(instance, instance->reported);
	event.instance.state = instance->reported;
	return report_event(local, &event, error);
}

/* Advance reservations */

int report_advance(struct local *local, const struct advance_event *advance, struct error *error)
{
	struct event event;

	event_init(&event, EVENT_ADVANCE_RESERVATION);
	event.advance = *advance;
	return report_event(local, &event, error);
}

int report_advance_end(struct local *local, uint32_t number, struct error *error)
{
	struct event event;

	event_init(&event, EVENT_ADVANCE_RESERVATION_DELETE);
	event.advance.number = number;
	return report_event(local, &event, error);
}

/* Tasks */

static void task_event(struct event *event, enum event_type type, const struct local_task *task)
{
	event_init(event, type);
	event->task.job_number = task->job_number;
	event->task.task = task->id;
}

/* Check what was granted: a row of the store may contain anything. */
static int granted_check(struct taking *taking, const struct grants *on)
{
	static const struct event_member range = { .min = 1, .max = UINT32_MAX };
	uint64_t slots = 0;

	for (size_t i = 0; i < on->n; i++) {
		const struct value number = { .type = VALUE_INTEGER, .integer = on->items[i].slots };
		const char *queue;
		uint32_t n;
		int rc = text_take(taking, take_instance, "queue", on->items[i].queue, &queue);

		if (rc == 0 && take_u32(taking, &range, &number, &n))
			rc = taking_inside(taking, -EINVAL, "slots");
		if (rc)
			return taking_inside(taking, rc, "granted: entry %zu", i + 1);
		slots += on->items[i].slots;
	}
	return slots <= UINT32_MAX ? 0
				   : error_set(&taking->error, -EINVAL, "granted: more than 4294967295 slots in all");
}

/* Report the state, unless it is "running", the initial state of each start. */
static int start_state(struct local *local, struct local_task *task, struct error *error)
{
	char shown[LETTERS_BYTES];

	strcpy(task->reported, "r");
	suspension_shown(local, task, shown);
	return strcmp(shown, task->reported) == 0 ? 0 : report_state(local, task, shown, error);
}

int report_start(struct local *local, struct local_task *task, struct error *error)
{
	struct taking taking = { 0 };
	struct event event;
	int rc;

	task_event(&event, EVENT_TASK_START, task);
	rc = time_take(&taking, "start_time", task->start_time, &event.task.start_time);
	if (rc == 0)
		rc = granted_check(&taking, &task->granted.on);
	event.task.granted = task->granted.on;
	if (rc == 0 && task->granted.pe)
		rc = text_take(&taking, take_name_or_none, "granted_pe", task->granted.pe, &event.task.granted_pe);
	rc = report_taken(local, rc, &event, &taking, error);
	if (rc == 0)
		rc = start_state(local, task, error);
	/* an earlier scheduler has reported that */
	if (rc == 0 && task->usage.cpu_s + task->usage.mem_gbs + task->usage.io_gb > 0)
		rc = report_usage(local, task, error);
	return rc;
}

int report_state(struct local *local, struct local_task *task, const char *letters, struct error *error)
{
	struct taking taking = { 0 };
	struct event event;

	task_event(&event, EVENT_TASK_STATE, task);
	snprintf(task->reported, sizeof(task->reported), "%s", letters);
	return report_taken(local, text_take(&taking, take_task_state, "state", letters, &event.task.state), &event,
			    &taking, error);
}

static int usage_report(struct local *local, enum event_type type, const struct local_task *task, struct error *error)
{
	struct usage_value values[4];
	struct taking taking = { 0 };
	struct event event;
	int rc;

	task_event(&event, type, task);
	rc = amount_take(&taking, "cpu", task->usage.cpu_s, &values[0]);
	rc = rc ? rc : amount_take(&taking, "mem", task->usage.mem_gbs, &values[1]);
	rc = rc ? rc : amount_take(&taking, "io", task->usage.io_gb, &values[2]);
	rc = rc ? rc : amount_take(&taking, "ru_wallclock", task->ending.wallclock_s, &values[3]);
	/* like a qmaster, which reports it with the end */
	event.task.usage = (struct usage_values){ values, local_task_has_ended(task) ? 4 : 3 };
	event.task.has_usage = true;
	return report_taken(local, rc, &event, &taking, error);
}

int report_usage(struct local *local, const struct local_task *task, struct error *error)
{
	return usage_report(local, EVENT_USAGE, task, error);
}

int report_end(struct local *local, const struct local_task *task, struct error *error)
{
	struct event event;
	int rc;

	if (!task->ending.requeue)
		return usage_report(local, EVENT_TASK_FINISH, task, error);
	rc = report_usage(local, task, error);
	task_event(&event, EVENT_TASK_REQUEUE, task);
	if (task->ending.vacated) {
		event_init(&event, EVENT_VACATED);
		event.vacated = (struct vacated_event){ .job_number = task->job_number,
							.task = task->id,
							.how = task->ending.how };
	}
	return rc ? rc : report_event(local, &event, error);
}
