/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of jobs in the store: the only place where a stored job is JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/local/ids.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/job.h"

#define TEXT_BYTES (1u << 30)	/* longest text of a column */

/* Reading */

static int ids_read(struct ranges *ids, const char *text, uint32_t job_number, struct error *error)
{
	int rc = ranges_parse(ids, text ? text : "");

	return rc ? error_set(error, rc == -ENOMEM ? rc : -EUCLEAN, "job %u of the store: \"%.40s\" are not task ids",
			      job_number, text)
		  : 0;
}

/* Read a column into memory of the job. */
static int object_read(const struct value **object, struct values *memory, struct values *values, const char *text,
		       uint32_t job_number, struct error *error)
{
	struct error why;

	text = text ? text : "";
	if (!values_read(values, text, strlen(text), &why))
		return error_set(error, -EUCLEAN, "job %u of the store: \"%.40s\" is not a JSON object", job_number,
				 text);
	*object = values_copy(values, memory);
	return *object ? 0 : error_set(error, -ENOMEM, "out of memory");
}

/* Read ids that are stored in the request, and remove the member. */
static int member_take(struct ranges *ids, struct local_job *job, const char *member, struct error *error)
{
	const char *text = value_text(member_list_kept(&job->request.members, member));
	int rc = text ? ids_read(ids, text, job->number, error) : 0;

	member_list_remove(&job->request.members, member);
	return rc;
}

static int objects_read(struct local_job *job, const struct stored_job *stored, struct values *values,
			struct error *error)
{
	const struct value *request, *execution;
	struct error fault;
	int rc = object_read(&request, &job->memory.request, values, stored->job, job->number, error);

	if (rc == 0)
		rc = object_read(&execution, &job->memory.execution, values, stored->execution, job->number, error);
	if (rc)
		return rc;
	rc = job_request_read(&job->request, &job->memory.taking, request);
	if (rc == 0)
		rc = execution_read(&job->execution, &job->memory.taking, execution, EXECUTION_STORED, &fault);
	return rc == -ENOMEM ? error_set(error, rc, "out of memory") : 0;
}

static int texts_read(struct local_job *job, const struct stored_job *stored)
{
	job->owner = strdup(stored->owner);
	job->group = strdup(stored->group ? stored->group : "");
	job->error = stored->error ? strdup(stored->error) : NULL;
	return job->owner && job->group && (job->error || !stored->error) ? 0 : -ENOMEM;
}

int job_read(struct local_job *job, const struct stored_job *stored, struct values *values, struct error *error)
{
	const char *const holds[HOLD_KINDS] = { stored->hold_user, stored->hold_operator, stored->hold_system };
	int rc;

	*job = (struct local_job){ .number = stored->job_number, .uid = stored->uid, .gid = stored->gid,
			     .submission_time = stored->submission_time, .is_array = stored->is_array };
	if (texts_read(job, stored))
		return error_set(error, -ENOMEM, "out of memory");
	rc = objects_read(job, stored, values, error);
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
	return rc ? rc : job_read(job, &stored, &local->values, error);
}

/* Writing */

static char *ids_write(const struct ranges *ids)
{
	size_t length = ranges_format(ids, NULL, 0);
	char *text = malloc(length + 1);

	if (text)
		ranges_format(ids, text, length + 1);
	return text;
}

/*
 * Return the request as it is stored. With `ids`: also the ids of tasks without a column of their
 * own.
 */
static char *request_text(const struct local_job *job, bool ids)
{
	const struct { const char *key; const struct ranges *ids; } kept[] = {
		{ "\"enrolled\":", &job->enrolled }, { "\"in_error\":", &job->in_error },
		{ "\"has_run\":", &job->has_run },
	};
	const char *before = job->request.members.n > 0 ? "," : "";
	struct out out;

	if (out_open_memory(&out, TEXT_BYTES))
		return NULL;
	json_write_literal(&out, "{");
	job_request_write(&out, &job->request);
	for (size_t i = 0; ids && i < sizeof(kept) / sizeof(*kept); i++) {
		char *text = kept[i].ids->n > 0 ? ids_write(kept[i].ids) : NULL;

		if (kept[i].ids->n == 0)
			continue;
		json_write_literal(&out, before);
		json_write_plain(&out, kept[i].key, text ? text : "");
		out.error = text || out.error ? out.error : -ENOMEM;
		before = ",";
		free(text);
	}
	json_write_literal(&out, "}");
	return out_detach(&out);
}

static char *execution_text(const struct local_job *job)
{
	struct out out;

	if (out_open_memory(&out, TEXT_BYTES))
		return NULL;
	json_write_literal(&out, "{");
	execution_write(&out, &job->execution, NULL);
	json_write_literal(&out, "}");
	return out_detach(&out);
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

size_t job_request_bytes(const struct local_job *job)
{
	char *text = request_text(job, false);
	size_t bytes = text ? strlen(text) : SIZE_MAX;

	free(text);
	return bytes;
}

size_t job_bytes(const struct local_job *job)
{
	size_t bytes = job_request_bytes(job);
	char *execution = execution_text(job);

	for (int k = 0; k < HOLD_KINDS; k++)
		bytes += ranges_format(&job->hold[k], NULL, 0);
	bytes += ranges_format(&job->enrolled, NULL, 0) + ranges_format(&job->in_error, NULL, 0) +
		 ranges_format(&job->has_run, NULL, 0) + ranges_format(&job->waiting, NULL, 0);
	bytes = execution && bytes != SIZE_MAX ? bytes + strlen(execution) : SIZE_MAX;
	free(execution);
	return bytes;
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

int job_save(struct local *local, const struct local_job *job, struct error *error)
{
	char *request = request_text(job, true), *execution = execution_text(job);
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
