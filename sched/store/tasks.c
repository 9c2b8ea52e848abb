/* SPDX-License-Identifier: Apache-2.0 */
/* Started tasks of the local cell. */
#include <errno.h>
#include <string.h>

#include "sched/store/base.h"

#define COLUMNS "job_number, task_id, state, attempt, boot, start_time, granted, granted_pe, state_letters, directory, deleted, " \
	"usage, ending"
#define LENGTH(ARRAY) (sizeof(ARRAY) / sizeof(*(ARRAY)))

static const char *const state_names[] = { [STORED_STARTING] = "starting", [STORED_RUNNING] = "running", [STORED_ENDED] = "ended" };

static enum stored_state state_of_row(struct query *q, int column)
{
	const char *name = query_get_text(q, column);

	for (size_t i = 0; i < LENGTH(state_names); i++)
		if (strcmp(name, state_names[i]) == 0)
			return (enum stored_state)i;
	query_damaged(q, column);
	return STORED_ENDED;
}

static struct stored_task task_of_row(struct query *q)
{
	return (struct stored_task){
		.job_number = (uint32_t)query_get_integer(q, 0, 1, STORE_JOB_NUMBER_MAX),
		.task_id = (uint32_t)query_get_integer(q, 1, 1, UINT32_MAX), .state = state_of_row(q, 2),
		.attempt = (uint32_t)query_get_integer(q, 3, 0, UINT32_MAX), .boot = query_get_text(q, 4),
		.start_time = query_get_integer(q, 5, INT64_MIN, INT64_MAX), .granted = query_get_text(q, 6),
		.granted_pe = query_get_text(q, 7), .state_letters = query_get_text(q, 8), .directory = query_get_text(q, 9),
		.deleted = query_get_integer(q, 10, 0, 1), .usage = query_is_null(q, 11) ? NULL : query_get_text(q, 11),
		.ending = query_is_null(q, 12) ? NULL : query_get_text(q, 12),
	};
}

static const char sql_put[] =
	"INSERT INTO task (" COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job_number, task_id) DO UPDATE SET "
	"state = excluded.state, attempt = excluded.attempt, boot = excluded.boot, start_time = excluded.start_time, "
	"granted = excluded.granted, granted_pe = excluded.granted_pe, state_letters = excluded.state_letters, "
	"directory = excluded.directory, deleted = excluded.deleted, usage = excluded.usage, ending = excluded.ending";

int store_task_put(struct store *s, const struct stored_task *task, struct error *error)
{
	const char *const texts[] = { task->granted, task->granted_pe, task->state_letters, task->directory };
	struct query q;

	if (task->task_id < 1 || (unsigned)task->state >= LENGTH(state_names))
		return error_set(error, -EINVAL, "task %u of job %u has no possible id or state", task->task_id, task->job_number);
	q = query_change(s, STATEMENT_TASK_PUT, sql_put, error);
	query_integer(&q, task->job_number);
	query_integer(&q, task->task_id);
	query_text(&q, state_names[task->state]);
	query_integer(&q, task->attempt);
	query_text(&q, task->boot ? task->boot : "");
	query_integer(&q, task->start_time);
	for (size_t i = 0; i < LENGTH(texts); i++)
		query_text(&q, texts[i] ? texts[i] : "");
	query_integer(&q, task->deleted);
	query_text(&q, task->usage);
	query_text(&q, task->ending);
	if (query_run(&q) == -ENOENT)
		return error_set(error, -ENOENT, "the store has no job %u", task->job_number);
	return q.rc;
}

int store_task_remove(struct store *s, uint32_t job_number, uint32_t task_id, struct error *error)
{
	struct query q = query_change(s, STATEMENT_TASK_REMOVE, "DELETE FROM task WHERE job_number = ? AND task_id = ?", error);

	query_integer(&q, job_number);
	query_integer(&q, task_id);
	return query_run_one(&q, "the store has no task %u of job %u", task_id, job_number);
}

int store_task_find(struct store *s, uint32_t job_number, uint32_t task_id, struct stored_task *task, struct error *error)
{
	const char **const texts[] = { &task->boot, &task->granted, &task->granted_pe, &task->state_letters, &task->directory, &task->usage,
				       &task->ending };
	struct query q = query_read(s, STATEMENT_TASK_FIND, "SELECT " COLUMNS " FROM task WHERE job_number = ? AND task_id = ?", error);

	*task = (struct stored_task){ 0 };
	query_integer(&q, job_number);
	query_integer(&q, task_id);
	if (query_row(&q)) {
		*task = task_of_row(&q);
		if (q.rc == 0)
			q.rc = texts_keep(&s->task, texts, LENGTH(texts), q.error);
	} else if (q.rc == 0) {
		q.rc = error_set(q.error, -ENOENT, "the store has no task %u of job %u", task_id, job_number);
	}
	return query_end(&q);
}

int store_tasks_each(struct store *s, int (*each)(void *context, const struct stored_task *task), void *context, struct error *error)
{
	struct query q = query_read(s, STATEMENT_TASKS_EACH, "SELECT " COLUMNS " FROM task ORDER BY job_number, task_id", error);
	int rc = 0;

	while (rc == 0 && query_row(&q)) {
		struct stored_task task = task_of_row(&q);

		if (q.rc == 0)
			rc = each(context, &task);
	}
	return query_end(&q) ? q.rc : rc;
}
