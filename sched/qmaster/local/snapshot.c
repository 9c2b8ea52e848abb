/* SPDX-License-Identifier: Apache-2.0 */
/* The whole state in one snapshot, from the store and from memory. */
#include <errno.h>
#include <stdlib.h>

#include "sched/process/log.h"
#include "sched/qmaster/local/after_ok.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/queues.h"
#include "sched/qmaster/local/report.h"

struct snapshot_reporting {
	struct local *l;
	struct error *error;
};

/* Report the instances with their current state. Suspensions of tasks follow in an update. */
static int instances_report(struct local *local, struct error *error)
{
	int rc = queues_recall(local, error);

	rc = rc ? rc : suspension_instances(local, error);
	for (size_t i = 0; i < local->instances.n && rc == 0; i++)
		rc = report_instance(local, &local->instances.items[i], error);
	local->instances.due = true;
	return rc;
}

/* Collect all tasks of a job: pending, running, and ended but not booked. */
static int tasks_of(const struct local *local, const struct local_job *job, struct ranges *tasks)
{
	int rc = ranges_copy(tasks, &job->waiting);

	for (size_t i = local_task_first(local, job->number);
	     rc == 0 && i < local->tasks.n && local->tasks.items[i]->job_number == job->number; i++)
		if (local->tasks.items[i]->life != TASK_BOOKED && !ranges_contain(tasks, local->tasks.items[i]->id))
			rc = ranges_add(tasks, local->tasks.items[i]->id);
	return rc;
}

static int started_report(struct local *local, const struct local_job *job, struct error *error)
{
	int rc = 0;

	for (size_t i = local_task_first(local, job->number);
	     rc == 0 && i < local->tasks.n && local->tasks.items[i]->job_number == job->number; i++) {
		struct local_task *task = local->tasks.items[i];

		if (task->life == TASK_BOOKED)
			continue;
		rc = report_start(local, task, error);
		if (rc == 0 && task->life == TASK_ENDED)
			rc = report_end(local, task, error);
	}
	return rc;
}

/* Report a job. A job whose remaining tasks are all booked is not reported again. */
static int job_report(void *context, const struct stored_job *stored)
{
	struct snapshot_reporting *reporting = context;
	struct ranges tasks = { 0 };
	struct local_job job;
	int rc = job_read(&job, stored, &reporting->l->values, reporting->error);

	if (rc == 0)
		after_ok_note(reporting->l, &job);
	if (rc == 0 && job_count(reporting->l, stored))
		rc = error_set(reporting->error, -ENOMEM, "out of memory");
	if (rc == 0 && tasks_of(reporting->l, &job, &tasks))
		rc = error_set(reporting->error, -ENOMEM, "out of memory");
	if (rc == 0 && tasks.n > 0)
		rc = report_job(reporting->l, &job, &tasks, reporting->error);
	if (rc == 0 && tasks.n > 0)
		rc = started_report(reporting->l, &job, reporting->error);
	ranges_free(&tasks);
	job_free(&job);
	if (rc == -EINVAL)	/* a damaged job does not affect the others */
		log_event(LOG_FAILURE, LOG_JOB(stored->job_number),
			  "job %u of the store cannot be reported to the scheduler: %s",
			  stored->job_number, reporting->error->text);
	return rc == -EINVAL ? 0 : rc;
}

int report_load(struct local *local, struct error *error)
{
	struct machine_load load;
	struct event event;

	machine_load(&local->machine, &load);
	event_init(&event, EVENT_HOST_LOAD);
	event.host.host = local->machine.host;
	event.host.load = (struct load_reports){ load.items, load.n };
	return report_event(local, &event, error);
}

int report_snapshot(struct local *local, struct error *error)
{
	struct snapshot_reporting reporting = { local, error };
	struct event event;
	int rc;

	event_init(&event, EVENT_SNAPSHOT_BEGIN);
	rc = report_event(local, &event, error);
	mirror_forget_ends(local->intake->mirror);
	if (rc == 0)
		rc = instances_report(local, error);
	if (rc == 0)
		rc = report_load(local, error);
	if (rc == 0)
		rc = report_advances(local, error);
	footprints_free(&local->footprints);	/* counted again as each job is reported */
	if (rc == 0)
		rc = store_jobs_each(local->store, job_report, &reporting, error);
	event_init(&event, EVENT_SNAPSHOT_END);
	return rc ? rc : report_event(local, &event, error);
}
