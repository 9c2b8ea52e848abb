/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of the local cell. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/store/base.h"

#define COLUMNS "job_number, owner, uid, gid, unix_group, submission_time, job, execution, waiting, is_array, " \
	"hold_user, hold_operator, hold_system, error"
#define LENGTH(ARRAY) (sizeof(ARRAY) / sizeof(*(ARRAY)))

/* Rows */

int texts_reserve(struct row_texts *memory, size_t bytes)
{
	char *larger = bytes > memory->capacity ? realloc(memory->bytes, bytes) : memory->bytes;

	if (bytes > memory->capacity && !larger)
		return -ENOMEM;
	memory->bytes = larger;
	memory->capacity = bytes > memory->capacity ? bytes : memory->capacity;
	return 0;
}

int texts_keep(struct row_texts *memory, const char **const texts[], size_t n, struct error *error)
{
	size_t bytes = 0;
	char *p;

	for (size_t i = 0; i < n; i++)
		bytes += *texts[i] ? strlen(*texts[i]) + 1 : 0;
	if (texts_reserve(memory, bytes))
		return error_set(error, -ENOMEM, "out of memory");
	p = memory->bytes;
	for (size_t i = 0; i < n; i++)
		if (*texts[i]) {
			*texts[i] = strcpy(p, *texts[i]);
			p += strlen(p) + 1;
		}
	return 0;
}

static struct stored_job job_of_row(struct query *query)
{
	return (struct stored_job){
		.job_number = (uint32_t)query_get_integer(query, 0, 1, STORE_JOB_NUMBER_MAX),
		.owner = query_get_text(query, 1),
		.uid = (uint32_t)query_get_integer(query, 2, 0, UINT32_MAX),
		.gid = (uint32_t)query_get_integer(query, 3, 0, UINT32_MAX),
		.group = query_get_text(query, 4),
		.submission_time = query_get_integer(query, 5, INT64_MIN, INT64_MAX),
		.job = query_get_text(query, 6),
		.execution = query_get_text(query, 7),
		.waiting = query_get_text(query, 8),
		.is_array = query_get_integer(query, 9, 0, 1),
		.hold_user = query_get_text(query, 10),
		.hold_operator = query_get_text(query, 11),
		.hold_system = query_get_text(query, 12),
		.error = query_is_null(query, 13) ? NULL : query_get_text(query, 13),
	};
}

/* Changes */

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

/* The job's tasks refer to its row, so the row is updated and never removed and inserted again. */
static const char sql_put[] =
	"INSERT INTO job (" COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job_number) "
	"DO UPDATE SET "
	"owner = excluded.owner, uid = excluded.uid, gid = excluded.gid, unix_group = excluded.unix_group, "
	"submission_time = excluded.submission_time, job = excluded.job, execution = excluded.execution, "
	"waiting = excluded.waiting, is_array = excluded.is_array, hold_user = excluded.hold_user, "
	"hold_operator = excluded.hold_operator, "
	"hold_system = excluded.hold_system, error = excluded.error";

int store_job_put(struct store *store, const struct stored_job *job, struct error *error)
{
	const char *const before[] = { job->job, job->execution, job->waiting };
	const char *const after[] = { job->hold_user, job->hold_operator, job->hold_system };
	struct query query;

	if (job->job_number < 1 || job->job_number > STORE_JOB_NUMBER_MAX)
		return error_set(error, -EINVAL, "a job number is %u: allowed are 1 to %d", job->job_number,
				 STORE_JOB_NUMBER_MAX);
	query = query_change(store, STATEMENT_JOB_PUT, sql_put, error);
	query_integer(&query, job->job_number);
	query_text(&query, text_or_empty(job->owner));
	query_integer(&query, job->uid);
	query_integer(&query, job->gid);
	query_text(&query, text_or_empty(job->group));
	query_integer(&query, job->submission_time);
	for (size_t i = 0; i < LENGTH(before); i++)
		query_text(&query, text_or_empty(before[i]));
	query_integer(&query, job->is_array);
	for (size_t i = 0; i < LENGTH(after); i++)
		query_text(&query, text_or_empty(after[i]));
	query_text(&query, job->error);
	return query_run(&query);
}

int store_job_remove(struct store *store, uint32_t job_number, struct error *error)
{
	struct query query = query_change(store, STATEMENT_JOB_REMOVE, "DELETE FROM job WHERE job_number = ?", error);

	query_integer(&query, job_number);
	return query_run_one(&query, "the store has no job %u", job_number);
}

/* Reading */

int store_job_find(struct store *store, uint32_t job_number, struct stored_job *job, struct error *error)
{
	const char **const texts[] = { &job->owner,	    &job->group,       &job->job,
				       &job->execution,	    &job->waiting,     &job->hold_user,
				       &job->hold_operator, &job->hold_system, &job->error };
	struct query query =
		query_read(store, STATEMENT_JOB_FIND, "SELECT " COLUMNS " FROM job WHERE job_number = ?", error);

	*job = (struct stored_job){ 0 };
	query_integer(&query, job_number);
	if (query_row(&query)) {
		*job = job_of_row(&query);
		if (query.rc == 0)
			query.rc = texts_keep(&store->job, texts, LENGTH(texts), query.error);
	} else if (query.rc == 0) {
		query.rc = error_set(query.error, -ENOENT, "the store has no job %u", job_number);
	}
	return query_end(&query);
}

int store_jobs_count(struct store *store, uint32_t uid, uint64_t *all, uint64_t *of_user, struct error *error)
{
	struct query query = query_read(
		store, STATEMENT_JOBS_COUNT,
		"SELECT count(*), count(*) FILTER (WHERE uid = ?) FROM job WHERE waiting <> '' OR "
		"EXISTS (SELECT 1 FROM task WHERE task.job_number = job.job_number AND task.state <> 'ended')",
		error);

	*all = *of_user = 0;
	query_integer(&query, uid);
	if (query_row(&query)) {
		*all = (uint64_t)query_get_integer(&query, 0, 0, INT64_MAX);
		*of_user = (uint64_t)query_get_integer(&query, 1, 0, INT64_MAX);
	}
	return query_end(&query);
}

int store_jobs_each(struct store *store, int (*each)(void *context, const struct stored_job *job), void *context,
		    struct error *error)
{
	struct query query =
		query_read(store, STATEMENT_JOBS_EACH, "SELECT " COLUMNS " FROM job ORDER BY job_number", error);
	int rc = 0;

	while (rc == 0 && query_row(&query)) {
		struct stored_job job = job_of_row(&query);

		if (query.rc == 0)
			rc = each(context, &job);
	}
	return query_end(&query) ? query.rc : rc;
}
