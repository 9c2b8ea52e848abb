/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of the local cell. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/store/base.h"

#define COLUMNS "job_number, owner, uid, gid, unix_group, submission_time, job, execution, waiting, is_array, hold_user, hold_operator, " \
	"hold_system, error"
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

static struct stored_job job_of_row(struct query *q)
{
	return (struct stored_job){
		.job_number = (uint32_t)query_get_integer(q, 0, 1, STORE_JOB_NUMBER_MAX), .owner = query_get_text(q, 1),
		.uid = (uint32_t)query_get_integer(q, 2, 0, UINT32_MAX), .gid = (uint32_t)query_get_integer(q, 3, 0, UINT32_MAX),
		.group = query_get_text(q, 4), .submission_time = query_get_integer(q, 5, INT64_MIN, INT64_MAX),
		.job = query_get_text(q, 6), .execution = query_get_text(q, 7), .waiting = query_get_text(q, 8),
		.is_array = query_get_integer(q, 9, 0, 1), .hold_user = query_get_text(q, 10), .hold_operator = query_get_text(q, 11),
		.hold_system = query_get_text(q, 12), .error = query_is_null(q, 13) ? NULL : query_get_text(q, 13),
	};
}

/* Changes */

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

/* The job's tasks refer to it: it is changed in its place, never removed and made anew. */
static const char sql_put[] =
	"INSERT INTO job (" COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job_number) DO UPDATE SET "
	"owner = excluded.owner, uid = excluded.uid, gid = excluded.gid, unix_group = excluded.unix_group, "
	"submission_time = excluded.submission_time, job = excluded.job, execution = excluded.execution, waiting = excluded.waiting, "
	"is_array = excluded.is_array, hold_user = excluded.hold_user, hold_operator = excluded.hold_operator, "
	"hold_system = excluded.hold_system, error = excluded.error";

int store_job_put(struct store *s, const struct stored_job *job, struct error *error)
{
	const char *const before[] = { job->job, job->execution, job->waiting };
	const char *const after[] = { job->hold_user, job->hold_operator, job->hold_system };
	struct query q;

	if (job->job_number < 1 || job->job_number > STORE_JOB_NUMBER_MAX)
		return error_set(error, -EINVAL, "a job number is %u: allowed are 1 to %d", job->job_number, STORE_JOB_NUMBER_MAX);
	q = query_change(s, STATEMENT_JOB_PUT, sql_put, error);
	query_integer(&q, job->job_number);
	query_text(&q, text_or_empty(job->owner));
	query_integer(&q, job->uid);
	query_integer(&q, job->gid);
	query_text(&q, text_or_empty(job->group));
	query_integer(&q, job->submission_time);
	for (size_t i = 0; i < LENGTH(before); i++)
		query_text(&q, text_or_empty(before[i]));
	query_integer(&q, job->is_array);
	for (size_t i = 0; i < LENGTH(after); i++)
		query_text(&q, text_or_empty(after[i]));
	query_text(&q, job->error);
	return query_run(&q);
}

int store_job_remove(struct store *s, uint32_t job_number, struct error *error)
{
	struct query q = query_change(s, STATEMENT_JOB_REMOVE, "DELETE FROM job WHERE job_number = ?", error);

	query_integer(&q, job_number);
	return query_run_one(&q, "the store has no job %u", job_number);
}

/* Reading */

int store_job_find(struct store *s, uint32_t job_number, struct stored_job *job, struct error *error)
{
	const char **const texts[] = { &job->owner, &job->group, &job->job, &job->execution, &job->waiting, &job->hold_user,
				       &job->hold_operator, &job->hold_system, &job->error };
	struct query q = query_read(s, STATEMENT_JOB_FIND, "SELECT " COLUMNS " FROM job WHERE job_number = ?", error);

	*job = (struct stored_job){ 0 };
	query_integer(&q, job_number);
	if (query_row(&q)) {
		*job = job_of_row(&q);
		if (q.rc == 0)
			q.rc = texts_keep(&s->job, texts, LENGTH(texts), q.error);
	} else if (q.rc == 0) {
		q.rc = error_set(q.error, -ENOENT, "the store has no job %u", job_number);
	}
	return query_end(&q);
}

int store_jobs_count(struct store *s, uint32_t uid, uint64_t *all, uint64_t *of_user, struct error *error)
{
	struct query q = query_read(s, STATEMENT_JOBS_COUNT, "SELECT count(*), count(*) FILTER (WHERE uid = ?) FROM job WHERE waiting <> '' OR "
				    "EXISTS (SELECT 1 FROM task WHERE task.job_number = job.job_number AND task.state <> 'ended')", error);

	*all = *of_user = 0;
	query_integer(&q, uid);
	if (query_row(&q)) {
		*all = (uint64_t)query_get_integer(&q, 0, 0, INT64_MAX);
		*of_user = (uint64_t)query_get_integer(&q, 1, 0, INT64_MAX);
	}
	return query_end(&q);
}

int store_jobs_each(struct store *s, int (*each)(void *context, const struct stored_job *job), void *context, struct error *error)
{
	struct query q = query_read(s, STATEMENT_JOBS_EACH, "SELECT " COLUMNS " FROM job ORDER BY job_number", error);
	int rc = 0;

	while (rc == 0 && query_row(&q)) {
		struct stored_job job = job_of_row(&q);

		if (q.rc == 0)
			rc = each(context, &job);
	}
	return query_end(&q) ? q.rc : rc;
}
