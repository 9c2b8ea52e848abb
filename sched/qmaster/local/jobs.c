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

static int ids_read(struct ranges *ids, const char *text, uint32_t job_number, struct error *error)
{
	int rc = ranges_parse(ids, text ? text : "");

	return rc ? error_set(error, rc == -ENOMEM ? rc : -EUCLEAN, "job %u of the store: \"%.40s\" are not task ids",
			      job_number, text)
		  : 0;
}

static int object_read(json_t **object, const char *text, uint32_t job_number, struct error *error)
{
	*object = json_loads(text ? text : "", 0, NULL);
	return json_is_object(*object) ? 0
				       : error_set(error, -EUCLEAN, "job %u of the store: \"%.40s\" is not a JSON "
								    "object",
						   job_number, text);
}

/* Read ids that are stored in the request, and remove the member. */
static int member_take(struct ranges *ids, struct local_job *job, const char *member, struct error *error)
{
	const char *text = json_string_value(json_object_get(job->request, member));
	int rc = text ? ids_read(ids, text, job->number, error) : 0;

	json_object_del(job->request, member);
	return rc;
}

static int texts_read(struct local_job *job, const struct stored_job *stored)
{
	job->owner = strdup(stored->owner);
	job->group = strdup(stored->group ? stored->group : "");
	job->error = stored->error ? strdup(stored->error) : NULL;
	return job->owner && job->group && (job->error || !stored->error) ? 0 : -ENOMEM;
}

int job_read(struct local_job *job, const struct stored_job *stored, struct error *error)
{
	const char *const holds[HOLD_KINDS] = { stored->hold_user, stored->hold_operator, stored->hold_system };
	int rc;

	*job = (struct local_job){ .number = stored->job_number, .uid = stored->uid, .gid = stored->gid,
			     .submission_time = stored->submission_time, .is_array = stored->is_array };
	if (texts_read(job, stored))
		return error_set(error, -ENOMEM, "out of memory");
	rc = object_read(&job->request, stored->job, job->number, error);
	if (rc == 0)
		rc = object_read(&job->execution, stored->execution, job->number, error);
	if (rc == 0)
		rc = ids_read(&job->waiting, stored->waiting, job->number, error);
	for (int k = 0; rc == 0 && k < HOLD_KINDS; k++)
		rc = ids_read(&job->hold[k], holds[k], job->number, error);
	if (rc == 0)
		rc = member_take(&job->enrolled, job, "enrolled", error);
	if (rc == 0)
		rc = member_take(&job->in_error, job, "in_error", error);
	if (rc == 0)
		rc = member_take(&job->has_run, job, "has_run", error);
	return rc;
}

int job_load(struct local *local, uint32_t number, struct local_job *job, struct error *error)
{
	struct stored_job stored;
	int rc = store_job_find(local->store, number, &stored, error);

	*job = (struct local_job){ 0 };
	return rc ? rc : job_read(job, &stored, error);
}

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
	return json_is_true(json_object_get(job->execution, "ends_on_error"));
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
	json_decref(job->request);
	json_decref(job->execution);
	ranges_free(&job->waiting);
	for (int k = 0; k < HOLD_KINDS; k++)
		ranges_free(&job->hold[k]);
	ranges_free(&job->enrolled);
	ranges_free(&job->in_error);
	ranges_free(&job->has_run);
	*job = (struct local_job){ 0 };
}

static char *ids_write(const struct ranges *ids)
{
	size_t length = ranges_format(ids, NULL, 0);
	char *text = malloc(length + 1);

	if (text)
		ranges_format(ids, text, length + 1);
	return text;
}

uint64_t job_ranges_bytes(const struct ranges *waiting, const struct ranges *hold)
{
	uint64_t n = waiting->n;

	for (int k = 0; k < HOLD_KINDS; k++)
		n += ids_scatter(waiting, &hold[k]);
	return n > RANGES_FREE ? (n - RANGES_FREE) * RANGE_BYTES : 0;
}

static uint32_t stored_bytes(const struct stored_job *stored, const struct ranges *waiting, const struct ranges *hold)
{
	uint64_t bytes = strlen(stored->job) + strlen(stored->execution) + strlen(stored->waiting) +
			 strlen(stored->hold_user) + strlen(stored->hold_operator) + strlen(stored->hold_system) +
			 job_ranges_bytes(waiting, hold);

	return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

size_t job_bytes(const struct local_job *job)
{
	size_t bytes =
		json_dumpb(job->request, NULL, 0, JSON_COMPACT) + json_dumpb(job->execution, NULL, 0, JSON_COMPACT);

	for (int k = 0; k < HOLD_KINDS; k++)
		bytes += ranges_format(&job->hold[k], NULL, 0);
	bytes += ranges_format(&job->enrolled, NULL, 0) + ranges_format(&job->in_error, NULL, 0) +
		 ranges_format(&job->has_run, NULL, 0);
	return bytes + ranges_format(&job->waiting, NULL, 0);
}

int job_count(void *local, const struct stored_job *stored)
{
	const char *const holds[HOLD_KINDS] = { stored->hold_user, stored->hold_operator, stored->hold_system };
	struct ranges waiting = { 0 }, hold[HOLD_KINDS] = { 0 };
	struct local *l = local;
	int rc = ranges_parse(&waiting, stored->waiting);

	for (int k = 0; rc == 0 && k < HOLD_KINDS; k++)
		rc = ranges_parse(&hold[k], holds[k] ? holds[k] : "");
	/* a row that cannot be read is reported when the job is loaded */
	rc = rc == -ENOMEM ? rc
			   : footprint_set(&l->footprints, stored->job_number, stored->uid,
					   stored_bytes(stored, &waiting, hold));
	ranges_free(&waiting);
	for (int k = 0; k < HOLD_KINDS; k++)
		ranges_free(&hold[k]);
	return rc;
}

int jobs_count(struct local *local, struct error *error)
{
	int rc;

	footprints_free(&local->footprints);
	rc = store_jobs_each(local->store, job_count, local, error);
	return rc == -ENOMEM ? error_set(error, rc, "out of memory") : rc;
}

int job_remove(struct local *local, uint32_t number, struct error *error)
{
	int rc = store_job_remove(local->store, number, error);

	if (rc == 0)
		footprint_drop(&local->footprints, number);
	return rc;
}

/* Write the request, together with the ids that have no column of their own. */
static char *request_write(const struct local_job *job)
{
	const struct { const char *member; const struct ranges *ids; } kept[] = {
		{ "enrolled", &job->enrolled }, { "in_error", &job->in_error }, { "has_run", &job->has_run },
	};
	json_t *all = json_copy(job->request);
	char *text, *ids;
	int rc = all ? 0 : -ENOMEM;

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept) && rc == 0; i++) {
		if (kept[i].ids->n == 0)
			continue;
		ids = ids_write(kept[i].ids);
		rc = ids ? json_object_set_new(all, kept[i].member, json_string(ids)) : -ENOMEM;
		free(ids);
	}
	text = rc ? NULL : json_dumps(all, JSON_COMPACT);
	json_decref(all);
	return text;
}

int job_save(struct local *local, const struct local_job *job, struct error *error)
{
	char *request = request_write(job), *execution = json_dumps(job->execution, JSON_COMPACT);
	char *waiting = ids_write(&job->waiting), *hold[HOLD_KINDS];
	bool complete = request && execution && waiting;
	int rc;

	for (int k = 0; k < HOLD_KINDS; k++) {
		hold[k] = ids_write(&job->hold[k]);
		complete = complete && hold[k];
	}
	const struct stored_job stored = {
		.job_number = job->number,
		.owner = job->owner,
		.uid = job->uid,
		.gid = job->gid,
		.group = job->group,
		.submission_time = job->submission_time,
		.job = request,
		.execution = execution,
		.waiting = waiting,
		.is_array = job->is_array,
		.hold_user = hold[HOLD_USER],
		.hold_operator = hold[HOLD_OPERATOR],
		.hold_system = hold[HOLD_SYSTEM],
		.error = job->error,
	};
	rc = complete ? store_job_put(local->store, &stored, error) : error_set(error, -ENOMEM, "out of memory");
	if (rc == 0 &&
	    footprint_set(&local->footprints, job->number, job->uid, stored_bytes(&stored, &job->waiting, job->hold)))
		rc = error_set(error, -ENOMEM, "out of memory");
	for (int k = 0; k < HOLD_KINDS; k++)
		free(hold[k]);
	free(waiting);
	free(execution);
	free(request);
	return rc;
}

const char *job_text(const struct local_job *job, const char *member, const char *fallback)
{
	const char *text = json_string_value(json_object_get(job->request, member));

	return text && *text ? text : fallback;
}

const char *job_name(const struct local_job *job)
{
	return job_text(job, "job_name", "NONE");
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
