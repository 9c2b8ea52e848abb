/* SPDX-License-Identifier: Apache-2.0 */
/* Started tasks of the local cell. */
#include <errno.h>
#include <string.h>

#include "sched/store/base.h"

#define COLUMNS "job_number, task_id, state, attempt, boot, start_time, granted, granted_pe, state_letters, " \
	"directory, deleted, usage, ending"
#define LENGTH(ARRAY) (sizeof(ARRAY) / sizeof(*(ARRAY)))

static const char *const state_names[] = {
	[STORED_STARTING] = "starting", [STORED_RUNNING] = "running", [STORED_ENDED] = "ended"
};

static enum stored_state state_of_row(struct query *query, int column)
{
	const char *name = query_get_text(query, column);

	for (size_t i = 0; i < LENGTH(state_names); i++)
		if (strcmp(name, state_names[i]) == 0)
			return (enum stored_state)i;
	query_damaged(query, column);
	return STORED_ENDED;
}

static struct stored_task task_of_row(struct query *query)
{
	return (struct stored_task){
		.job_number = (uint32_t)query_get_integer(query, 0, 1, STORE_JOB_NUMBER_MAX),
		.task_id = (uint32_t)query_get_integer(query, 1, 1, UINT32_MAX),
		.state = state_of_row(query, 2),
		.attempt = (uint32_t)query_get_integer(query, 3, 0, UINT32_MAX),
		.boot = query_get_text(query, 4),
		.start_time = query_get_integer(query, 5, INT64_MIN, INT64_MAX),
		.granted = query_get_text(query, 6),
		.granted_pe = query_get_text(query, 7),
		.state_letters = query_get_text(query, 8),
		.directory = query_get_text(query, 9),
		.deleted = query_get_integer(query, 10, 0, 1),
		.usage = query_is_null(query, 11) ? NULL : query_get_text(query, 11),
		.ending = query_is_null(query, 12) ? NULL : query_get_text(query, 12),
	};
}

static const char sql_put[] =
	"INSERT INTO task (" COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
	"ON CONFLICT (job_number, task_id) DO UPDATE SET "
	"state = excluded.state, attempt = excluded.attempt, boot = excluded.boot, start_time = excluded.start_time, "
	"granted = excluded.granted, granted_pe = excluded.granted_pe, state_letters = excluded.state_letters, "
	"directory = excluded.directory, deleted = excluded.deleted, usage = excluded.usage, ending = excluded.ending";

int store_task_put(struct store *store, const struct stored_task *task, struct error *error)
{
	const char *const texts[] = { task->granted, task->granted_pe, task->state_letters, task->directory };
	struct query query;

	if (task->task_id < 1 || (unsigned)task->state >= LENGTH(state_names))
		return error_set(error, -EINVAL, "task %u of job %u has an invalid id or state", task->task_id,
				 task->job_number);
	query = query_change(store, STATEMENT_TASK_PUT, sql_put, error);
	query_integer(&query, task->job_number);
	query_integer(&query, task->task_id);
	query_text(&query, state_names[task->state]);
	query_integer(&query, task->attempt);
	query_text(&query, task->boot ? task->boot : "");
	query_integer(&query, task->start_time);
	for (size_t i = 0; i < LENGTH(texts); i++)
		query_text(&query, texts[i] ? texts[i] : "");
	query_integer(&query, task->deleted);
	query_text(&query, task->usage);
	query_text(&query, task->ending);
	if (query_run(&query) == -ENOENT)
		return error_set(error, -ENOENT, "the store has no job %u", task->job_number);
	return query.rc;
}

int store_task_remove(struct store *store, uint32_t job_number, uint32_t task_id, struct error *error)
{
	struct query query = query_change(store, STATEMENT_TASK_REMOVE,
					  "DELETE FROM task WHERE job_number = ? AND task_id = ?", error);

	query_integer(&query, job_number);
	query_integer(&query, task_id);
	return query_run_one(&query, "the store has no task %u of job %u", task_id, job_number);
}

int store_task_find(struct store *store, uint32_t job_number, uint32_t task_id, struct stored_task *task,
		    struct error *error)
{
	const char **const texts[] = { &task->boot,	 &task->granted, &task->granted_pe, &task->state_letters,
				       &task->directory, &task->usage,	 &task->ending };
	struct query query = query_read(store, STATEMENT_TASK_FIND,
					"SELECT " COLUMNS " FROM task WHERE job_number = ? AND task_id = ?", error);

	*task = (struct stored_task){ 0 };
	query_integer(&query, job_number);
	query_integer(&query, task_id);
	if (query_row(&query)) {
		*task = task_of_row(&query);
		if (query.rc == 0)
			query.rc = texts_keep(&store->task, texts, LENGTH(texts), query.error);
	} else if (query.rc == 0) {
		query.rc = error_set(query.error, -ENOENT, "the store has no task %u of job %u", task_id, job_number);
	}
	return query_end(&query);
}

int store_tasks_each(struct store *store, int (*each)(void *context, const struct stored_task *task), void *context,
		     struct error *error)
{
	struct query query = query_read(store, STATEMENT_TASKS_EACH,
					"SELECT " COLUMNS " FROM task ORDER BY job_number, task_id", error);
	int rc = 0;

	while (rc == 0 && query_row(&query)) {
		struct stored_task task = task_of_row(&query);

		if (query.rc == 0)
			rc = each(context, &task);
	}
	return query_end(&query) ? query.rc : rc;
}
