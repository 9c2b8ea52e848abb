/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks with a record at the qmaster. An idle one is pending: a start was refused, or the task was
 * requeued, held or changed individually. A task with another status is started until it ends. Then
 * the record remains until an order removes it.
 */
#include <errno.h>
#include <string.h>

#include "sched/qmaster/gridengine/known.h"
#include "sched/qmaster/gridengine/settlement.h"
#include "sched/qmaster/gridengine/take.h"
#include "sched/qmaster/gridengine/take_usage.h"
#include "sched/qmaster/gridengine/usage.h"

/*
 * Bits of JAT_state. Two more, 0x2000 and 0x4000, mean suspended by another queue or by its slots.
 * No event reports their begin or end. 8.1.9's own scheduler gives these tasks tickets like any
 * running task. The bits are ignored here, because they could never be cleared.
 */
enum { STATE_SUSPENDED = 0x100, STATE_THRESHOLD = 0x10000 };

static void task_event(struct event *event, enum event_type type, uint32_t job_number, uint32_t id)
{
	event_init(event, type);
	event->task.job_number = job_number;
	event->task.task = id;
}

/* Report the pending tasks of a job again, because a task was enrolled or removed. */
static int waiting_report(struct sge *sge, uint32_t job_number, struct error *error)
{
	struct known_job *job = known_job_find(sge->known, job_number);
	int rc;

	if (sge->take->gathering) {
		sge->take->unsaid = true;
		return 0;
	}
	rc = take_ids_report(sge, job, error);
	return rc ? rc : take_ids_report_enrolled(sge, job, error);
}

/* Idle */

static int requeue(struct sge *sge, struct known_task *task, const struct gdi_element *element, struct error *error)
{
	struct event event;
	int rc;

	task_event(&event, EVENT_USAGE, task->job_number, task->id);
	rc = take_usage_of(sge, task, element, &event.task.usage, error);
	if (rc == 0 && event.task.usage.n > 0)
		rc = take_to_mirror(sge, &event, error);
	task_event(&event, EVENT_TASK_REQUEUE, task->job_number, task->id);
	rc = rc ? rc : take_to_mirror(sge, &event, error);
	if (rc == 0)
		task->reported = false;
	return rc;
}

static int take_idle(struct sge *sge, struct known_job *job, struct known_task *task, const struct gdi_element *element,
		     struct error *error)
{
	int rc = task->reported ? requeue(sge, task, element, error) : 0;

	if (rc)
		return rc;
	task->status = KNOWN_IDLE;
	pe_tasks_free(task->pe_tasks);
	task->pe_tasks = NULL;
	rc = take_ids_enroll(job, element, error);
	rc = rc ? rc : waiting_report(sge, job->job_number, error);
	if (rc == 0)
		settlement_enrolled(sge, job->job_number, task->id);
	return rc;
}

/* Started */

static void letters_of(const struct gdi_element *element, char letters[8])
{
	uint32_t state = gdi_u32(element, JAT_state), status = gdi_u32(element, JAT_status);
	size_t n = 0;

	if (state & STATE_SUSPENDED)
		letters[n++] = 's';
	if (state & STATE_THRESHOLD)
		letters[n++] = 'T';
	if (n == 0)
		letters[n++] = status & KNOWN_TRANSFERRING ? 't' : 'r';
	letters[n] = '\0';
}

static int letters_report(struct sge *sge, struct known_task *task, const struct gdi_element *element,
			struct error *error)
{
	char letters[8];
	struct event event;
	int rc;

	letters_of(element, letters);
	if (strcmp(letters, task->letters) == 0)
		return 0;
	task_event(&event, EVENT_TASK_STATE, task->job_number, task->id);
	event.task.state = letters;
	rc = take_to_mirror(sge, &event, error);
	if (rc == 0)
		strcpy(task->letters, letters);
	return rc;
}

/* Report a start. The task must be pending in the mirror, whatever was reported before. */
static int start_report(struct sge *sge, struct known_job *job, struct known_task *task,
		      const struct gdi_element *element, struct error *error)
{
	struct event event;
	int rc;

	task_event(&event, EVENT_TASK_START, job->job_number, task->id);
	event.task.start_time = gdi_u32(element, JAT_start_time);
	event.task.wallclock_limit = gdi_u32(element, JAT_wallclock_limit);
	rc = said_granted(sge->take, element, JAT_granted_destin_identifier_list, &event.task.granted, error);
	rc = rc ? rc : said_name(element, JAT_granted_pe, &event.task.granted_pe, error);
	if (rc == 0 && !take_ids_have(job, task->id)) {
		rc = take_ids_enroll(job, element, error);
		rc = rc ? rc : take_ids_report(sge, job, error);
	}
	rc = rc ? rc : take_to_mirror(sge, &event, error);
	if (rc)
		return rc;
	task->reported = true;
	task->start_time = gdi_u32(element, JAT_start_time);
	strcpy(task->letters, "r");
	return take_ids_leave(job, task->id, error);
}

static int take_started(struct sge *sge, struct known_job *job, struct known_task *task,
			const struct gdi_element *element, struct error *error)
{
	struct event event;
	int rc = 0;

	if (task->reported && task->start_time != gdi_u32(element, JAT_start_time))
		rc = requeue(sge, task, element, error);
	if (rc == 0 && !task->reported)
		rc = start_report(sge, job, task, element, error);
	rc = rc ? rc : take_ids_start(job, element, error);
	if (rc > 0)
		rc = waiting_report(sge, job->job_number, error);
	if (rc)
		return rc;
	task->status = gdi_u32(element, JAT_status);
	settlement_started(sge, job->job_number, task->id);
	rc = letters_report(sge, task, element, error);
	task_event(&event, EVENT_USAGE, job->job_number, task->id);
	rc = rc ? rc : take_usage_of(sge, task, element, &event.task.usage, error);
	return rc == 0 && event.task.usage.n > 0 ? take_to_mirror(sge, &event, error) : rc;
}

/* Ended */

/*
 * Report an end, so that the usage is booked. If the task ended before we knew of it, its start was
 * never reported.
 */
static int finish_report(struct sge *sge, const struct known_task *task, int64_t start_time,
		       const struct usage_values *usage, struct error *error)
{
	struct event event;

	task_event(&event, EVENT_TASK_FINISH, task->job_number, task->id);
	event.task.start_time = task->reported ? 0 : start_time;
	event.task.has_usage = usage->n > 0;
	event.task.usage = *usage;
	event.task.kept = true;
	return take_to_mirror(sge, &event, error);
}

/*
 * Handle a finished task. A task that was deleted before it was started, or after it was requeued,
 * has no start and no usage to book. It is only removed.
 */
static int finished(struct sge *sge, struct known_job *job, struct known_task *task, int64_t start_time,
		    const struct usage_values *usage, struct error *error)
{
	bool waits = take_ids_have(job, task->id), booked = usage_booked(sge, job->job_number, task->id);
	bool counts = task->reported || (start_time && waits && !booked);
	int rc = counts ? finish_report(sge, task, start_time, usage, error) : 0;

	rc = rc ? rc : take_ids_leave(job, task->id, error);
	if (rc == 0 && waits)
		rc = waiting_report(sge, job->job_number, error);
	if (rc)
		return rc;
	task->reported = false;
	task->status = KNOWN_FINISHED;
	pe_tasks_free(task->pe_tasks);
	task->pe_tasks = NULL;
	settlement_finished(sge, job->job_number, task->id, counts || booked);
	return 0;
}

static int take_finished(struct sge *sge, struct known_job *job, struct known_task *task,
			 const struct gdi_element *element, struct error *error)
{
	struct usage_values usage;
	int rc;

	if (task->status == KNOWN_FINISHED)
		return 0;
	rc = take_usage_of(sge, task, element, &usage, error);
	return rc ? rc : finished(sge, job, task, gdi_u32(element, JAT_start_time), &usage, error);
}

int take_task(struct sge *sge, uint32_t job_number, const struct gdi_element *element, struct error *error)
{
	uint32_t id = gdi_u32(element, JAT_task_number), status = gdi_u32(element, JAT_status);
	struct known_job *job = known_job_find(sge->known, job_number);
	struct known_task *task;

	if (!job)
		return error_set(error, -ENOENT, "there is no job %u", job_number);
	if (id == 0 || (id != 1 && !job->is_array))
		return error_set(error, -EINVAL, "job %u has no task %u", job_number, id);
	task = known_task_get(sge->known, job, id);
	if (!task)
		return error_set(error, -ENOMEM, "out of memory");
	if (status & KNOWN_FINISHED)
		return take_finished(sge, job, task, element, error);
	return status == KNOWN_IDLE ? take_idle(sge, job, task, element, error)
				    : take_started(sge, job, task, element, error);
}

/* Take several tasks, and report the remaining pending tasks once. */
int take_tasks(struct sge *sge, uint32_t job_number, struct gdi_list *tasks, struct error *error)
{
	struct gdi_element task;
	int rc = 0, first = 0;

	sge->take->gathering = true;
	sge->take->unsaid = false;
	while (rc != -ENOMEM && gdi_next(tasks, &task)) {
		rc = take_task(sge, job_number, &task, error);
		first = first ? first : rc;
	}
	sge->take->gathering = false;
	if (rc != -ENOMEM && sge->take->unsaid)
		rc = waiting_report(sge, job_number, error);
	if (first && first != -ENOMEM)
		take_job_doubt(sge, job_number);
	return rc == -ENOMEM ? rc : first ? first : rc;
}

/* Return the start time in the final usage. 0: none. */
static int64_t start_said(struct gdi_list values)
{
	struct gdi_element one;
	double start = 0.0;

	while (gdi_next(&values, &one))
		if (strcmp(gdi_text(&one, UA_name), "start_time") == 0)
			start = gdi_double(&one, UA_value);
	return start > 0 && start < UINT32_MAX ? (int64_t)start : 0;
}

int take_task_end(struct sge *sge, uint32_t job_number, uint32_t id, struct gdi_list *values, struct error *error)
{
	struct known_job *job = known_job_find(sge->known, job_number);
	struct known_task *task = job ? known_task_find(sge->known, job_number, id) : NULL;
	struct usage_values usage;
	int64_t start_time;
	int rc;

	if (!task)
		return error_set(error, -ENOENT, "there is no task %u of job %u", id, job_number);
	if (task->status == KNOWN_FINISHED)
		return 0;
	start_time = start_said(*values);
	rc = take_usage_sum(sge, task, values, &usage, error);
	return rc ? rc : finished(sge, job, task, start_time, &usage, error);
}

/* Handle a task that is gone without an end, or that was never started. */
int take_task_delete(struct sge *sge, uint32_t job_number, uint32_t id, struct error *error)
{
	struct known_job *job = known_job_find(sge->known, job_number);
	struct known_task *task = job ? known_task_find(sge->known, job_number, id) : NULL;
	const struct usage_values none = { NULL, 0 };
	int rc = 0;

	if (!job)
		return 0;
	if (task && task->reported)
		rc = finish_report(sge, task, 0, &none, error);
	known_task_remove(sge->known, job_number, id);
	settlement_removed(sge, job_number, id);
	if (rc == 0 && take_ids_have(job, id)) {
		rc = take_ids_leave(job, id, error);
		rc = rc ? rc : waiting_report(sge, job_number, error);
	}
	return rc;
}
