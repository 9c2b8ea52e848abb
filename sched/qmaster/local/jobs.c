/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/local/ids.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/job.h"

static int add_one(struct ranges *ids, uint32_t id)
{
	int rc = ranges_add(ids, id);

	return rc == -EEXIST ? 0 : rc;
}

static int remove_one(struct ranges *ids, uint32_t id)
{
	int rc = ranges_remove(ids, id);

	return rc == -ENOENT ? 0 : rc;
}

bool job_ends_on_error(const struct local_job *job)
{
	return job->execution.ends_on_error;
}

bool job_is_in_error(const struct local_job *job, uint32_t id)
{
	return job->error && (job->in_error.n == 0 || ranges_contain(&job->in_error, id));
}

void job_clear_error(struct local_job *job)
{
	ranges_free(&job->in_error);
	free(job->error);
	job->error = NULL;
}

bool job_has_run(const struct local_job *job, uint32_t id)
{
	return ranges_contain(&job->has_run, id);
}

int job_put_back(struct local_job *job, uint32_t id, bool ran)
{
	int rc = ranges_add(&job->waiting, id);

	rc = rc == 0 && ran ? add_one(&job->has_run, id) : rc;
	return rc == 0 && job->is_array ? add_one(&job->enrolled, id) : rc;
}

int job_take_out(struct local_job *job, uint32_t id)
{
	int rc = remove_one(&job->enrolled, id);

	return rc ? rc : ranges_remove(&job->waiting, id);
}

int job_clear_task_errors(struct local_job *job, const struct ranges *cleared)
{
	bool some = job->in_error.n > 0;
	int rc = ids_subtract(&job->in_error, &job->in_error, cleared);

	if (rc == 0 && some && job->in_error.n == 0)
		job_clear_error(job);
	return rc;
}

int job_drop_waiting(struct local_job *job, const struct ranges *gone)
{
	int rc = ids_subtract(&job->waiting, &job->waiting, gone);

	for (int k = 0; rc == 0 && k < HOLD_KINDS; k++)
		rc = ids_subtract(&job->hold[k], &job->hold[k], gone);
	if (rc == 0)
		rc = ids_subtract(&job->enrolled, &job->enrolled, gone);
	if (rc == 0)
		rc = ids_subtract(&job->has_run, &job->has_run, gone);
	return rc ? rc : job_clear_task_errors(job, gone);
}

static int error_write(struct local_job *job, const char *why)
{
	time_t now = (time_t)clock_date();
	char date[32] = "";
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(date, sizeof(date), "%m/%d/%Y %H:%M:%S: ", &tm);
	free(job->error);
	if (asprintf(&job->error, "%s%s", date, why) >= 0)
		return 0;
	job->error = NULL;
	return -ENOMEM;
}

int job_fail(struct local_job *job, uint32_t id, const char *why)
{
	if (!job->is_array)
		return job_fail_whole(job, why);
	log_event(LOG_ODD, LOG_TASK(job->number, id),
		  "task %u of job %u is in the error state now: %s", id, job->number, why);
	return add_one(&job->enrolled, id) || add_one(&job->in_error, id) ? -ENOMEM : error_write(job, why);
}

int job_fail_whole(struct local_job *job, const char *why)
{
	log_event(LOG_ODD, LOG_JOB(job->number),
		  "job %u is in the error state now: %s", job->number, why);
	ranges_free(&job->in_error);
	return error_write(job, why);
}

void job_free(struct local_job *job)
{
	free(job->owner);
	free(job->group);
	free(job->error);
	values_destroy(&job->memory.request);
	values_destroy(&job->memory.execution);
	taking_clear(&job->memory.taking);
	ranges_free(&job->waiting);
	for (int k = 0; k < HOLD_KINDS; k++)
		ranges_free(&job->hold[k]);
	ranges_free(&job->enrolled);
	ranges_free(&job->in_error);
	ranges_free(&job->has_run);
	*job = (struct local_job){ 0 };
}

const char *job_name(const struct local_job *job)
{
	return job_text(job->request.spec.name, "NONE");
}

bool job_has_started_tasks(const struct local *local, const struct local_job *job)
{
	for (size_t i = local_task_first(local, job->number);
	     i < local->tasks.n && local->tasks.items[i]->job_number == job->number; i++)
		if (!local_task_has_ended(local->tasks.items[i]))
			return true;
	return false;
}

bool job_is_done(const struct local *local, const struct local_job *job)
{
	return job->waiting.n == 0 && !job_has_started_tasks(local, job);
}
