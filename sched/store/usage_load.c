/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading of usage into the scheduler: usage of objects at the start, usage booked for a job when
 * the job is seen for the first time.
 */
#include <errno.h>
#include <string.h>

#include "sched/run/account.h"
#include "sched/store/base.h"
#include "sched/store/values.h"

const char *const usage_kinds[SHARER_KINDS] = {
	[SHARER_USER] = "user", [SHARER_PROJECT] = "project", [SHARER_DEPARTMENT] = "department"
};

/* Objects */

static struct object *object_of_row(struct query *query, struct mirror *mirror)
{
	const char *kind = query_get_text(query, 0), *name = query_get_text(query, 1);
	struct object *object;
	uint32_t k = 0;

	while (k < SHARER_KINDS && strcmp(kind, usage_kinds[k]) != 0)
		k++;
	if (k == SHARER_KINDS || *name == '\0')
		query_damaged(query, k == SHARER_KINDS ? 0 : 1);
	if (query->rc != 0)
		return NULL;
	/* a user without jobs has a line in the share tree, as before the restart */
	object = mirror_load_object(mirror, k, name);
	if (!object)
		query->rc = error_set(query->error, -ENOMEM, "out of memory");
	return object;
}

static struct usage_in_project *project_of_row(struct query *query, struct mirror *mirror, struct object *object,
					       const char *name)
{
	struct usage_in_project *usage = mirror_load_project_usage(mirror, object, name);

	if (!usage)
		query->rc = error_set(query->error, -ENOMEM, "out of memory");
	return usage;
}

static void values_of_column(struct query *query, struct mirror *mirror, int column, struct usage *usage)
{
	const char *text = query_get_text(query, column);
	int rc;

	if (query->rc != 0)
		return;
	usage_free(usage);
	rc = values_of_text(mirror, text, usage);
	if (rc == -EUCLEAN)
		query_damaged(query, column);
	else if (rc != 0)
		query->rc = error_set(query->error, rc, "out of memory");
}

/* kind, name, project, time_stamp, told, usage, long_term_usage */
static void usage_of_row(struct query *query, struct mirror *mirror)
{
	struct object *object = object_of_row(query, mirror);
	const char *project = query_get_text(query, 2);
	struct usage_in_project *usage;
	uint64_t reported = (uint64_t)query_get_integer(query, 4, 0, INT64_MAX);

	if (!object)
		return;
	object->time_stamp = query_get_integer(query, 3, 0, TIME_MAX);
	object->reported = reported;
	mirror_raise_report_count(mirror, reported);
	usage = *project ? project_of_row(query, mirror, object, project) : NULL;
	if (query->rc != 0)
		return;
	values_of_column(query, mirror, 5, usage ? &usage->usage : &object->usage);
	values_of_column(query, mirror, 6, usage ? &usage->long_term : &object->long_term);
}

static int usage_load(struct store *store, struct mirror *mirror, struct error *error)
{
	struct query query = query_read(store, STATEMENT_USAGE_EACH,
					"SELECT kind, name, project, time_stamp, told, usage, long_term_usage "
					"FROM usage ORDER BY kind, name, project",
					error);

	while (query_row(&query))
		usage_of_row(&query, mirror);
	return query_end(&query);
}

/*
 * Load the half-life by which usage decays until the next run, even if the cell's half-life has
 * been changed in between.
 */
static int halftime_load(struct store *store, struct account *account, struct error *error)
{
	int64_t halftime = 0;
	int rc = meta_get_number(store, "halftime", 0, UINT32_MAX, &halftime, error);

	if (rc != 0 && rc != -ENOENT)
		return rc;
	account->last_halftime = store->halftime = store->halftime_kept = (uint32_t)halftime;
	return 0;
}

/* Questions of the ledger */

static int recall_tasks(struct store *store, uint32_t job_number, struct debited *debited)
{
	struct query query = query_read(store, STATEMENT_DEBITED_TASKS_EACH,
					"SELECT task_id, start_time, usage FROM debited_task "
					"WHERE job_number = ? ORDER BY task_id, start_time",
					&store->unanswered);

	query_integer(&query, job_number);
	while (query_row(&query)) {
		uint32_t id = (uint32_t)query_get_integer(&query, 0, 0, UINT32_MAX);
		int64_t start_time = query_get_integer(&query, 1, INT64_MIN, INT64_MAX);
		struct debited_task *task = query.rc == 0 ? debited_get_task(debited, id, start_time) : NULL;

		if (task)
			values_of_column(&query, store->durable->run->mirror, 2, &task->usage);
		else if (query.rc == 0)
			query.rc = error_set(query.error, -ENOMEM, "out of memory");
	}
	return query_end(&query);
}

static int recall_debited(void *context, uint32_t job_number, int64_t submission_time, struct debited *debited)
{
	struct store *store = context;
	struct query query =
		query_read(store, STATEMENT_DEBITED_FIND,
			   "SELECT submission_time, told, usage FROM debited WHERE job_number = ?", &store->unanswered);
	bool found, same = false;
	int rc;

	query_integer(&query, job_number);
	found = query_row(&query);
	if (found)
		same = query_get_integer(&query, 0, INT64_MIN, INT64_MAX) == submission_time;
	if (same) {
		debited->reported = (uint64_t)query_get_integer(&query, 1, 0, INT64_MAX);
		values_of_column(&query, store->durable->run->mirror, 2, &debited->usage);
	}
	rc = query_end(&query);
	if (rc == 0 && same)
		rc = recall_tasks(store, job_number, debited);
	return rc ? rc : same ? 1 : found ? 2 : 0;
}

static int recall_ended(void *context, const struct ledger_task *end)
{
	struct store *store = context;
	struct query query = query_read(store, STATEMENT_ENDED_FIND,
					"SELECT 1 FROM ended WHERE job_number = ? AND submission_time = ? "
					"AND task_id = ? AND start_time = ?",
					&store->unanswered);
	bool found;

	query_integer(&query, end->job_number);
	query_integer(&query, end->submission_time);
	query_integer(&query, end->task);
	query_integer(&query, end->start_time);
	found = query_row(&query);
	return query_end(&query) ? query.rc : found;
}

const char *store_usage_unanswered(const struct store *store)
{
	return store->unanswered.text;
}

static int durable_load(struct store *store, const struct durable *durable, struct error *error)
{
	int rc = halftime_load(store, durable->run->account, error);

	if (rc == 0)
		rc = usage_load(store, durable->run->mirror, error);
	return rc ? rc : rows_load(store, durable, error);
}

int store_usage_attach(struct store *store, const struct durable *durable, const struct store_usage_options *options,
		       struct error *error)
{
	const struct ledger_calls calls = { store, recall_debited, options->reported_again ? recall_ended : NULL };
	struct mirror *mirror = durable->run->mirror;
	int64_t reported = 0;
	int rc = meta_get_number(store, "tellings", 0, INT64_MAX, &reported, error);

	if (rc == 0 || rc == -ENOENT)
		rc = durable_load(store, durable, error);
	if (rc != 0)
		return rc;
	mirror_raise_report_count(mirror, (uint64_t)reported);
	if (mirror_keep_ledger(mirror, &calls))
		return error_set(error, -ENOMEM, "out of memory");
	store->durable = durable;
	store->options = *options;
	store->report_count = store->tellings_kept = (uint64_t)reported;
	return 0;
}
