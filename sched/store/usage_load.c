/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage back into the scheduler: that of objects at the start, what was booked for a job when it is
 * met for the first time.
 */
#include <errno.h>
#include <string.h>

#include "sched/run/account.h"
#include "sched/store/base.h"
#include "sched/store/values.h"

const char *const usage_kinds[SHARER_KINDS] = { [SHARER_USER] = "user", [SHARER_PROJECT] = "project", [SHARER_DEPARTMENT] = "department" };

/* Objects */

static struct object *object_of_row(struct query *q, struct mirror *m)
{
	const char *kind = query_get_text(q, 0), *name = query_get_text(q, 1);
	uint32_t k = 0, id;

	while (k < SHARER_KINDS && strcmp(kind, usage_kinds[k]) != 0)
		k++;
	if (k == SHARER_KINDS || *name == '\0')
		query_damaged(q, k == SHARER_KINDS ? 0 : 1);
	if (q->rc != 0)
		return NULL;
	id = objects_add(&m->objects[k], m->strings, name);
	if (id == UINT32_MAX) {
		q->rc = error_set(q->error, -ENOMEM, "out of memory");
		return NULL;
	}
	/* a user without jobs has a line in the share tree, as before the restart */
	if (k == SHARER_USER)
		classes_enforce_user(&m->classes, m->cell, m->objects[k].items[id].name);
	return &m->objects[k].items[id];
}

static struct usage_in_project *project_of_row(struct query *q, struct mirror *m, struct object *object, const char *name)
{
	uint32_t project = strings_hold(m->strings, name);
	struct usage_in_project *p = project == NONE ? NULL : object_in_project(object, m->strings, project);

	strings_drop(m->strings, project);
	if (!p)
		q->rc = error_set(q->error, -ENOMEM, "out of memory");
	return p;
}

static void values_of_column(struct query *q, struct mirror *m, int column, struct usage *usage)
{
	const char *text = query_get_text(q, column);
	int rc;

	if (q->rc != 0)
		return;
	usage_free(usage);
	rc = values_of_text(m, text, usage);
	if (rc == -EUCLEAN)
		query_damaged(q, column);
	else if (rc != 0)
		q->rc = error_set(q->error, rc, "out of memory");
}

/* kind, name, project, time_stamp, told, usage, long_term_usage */
static void usage_of_row(struct query *q, struct mirror *m)
{
	struct object *object = object_of_row(q, m);
	const char *project = query_get_text(q, 2);
	struct usage_in_project *p;
	uint64_t told = (uint64_t)query_get_integer(q, 4, 0, INT64_MAX);

	if (!object)
		return;
	object->time_stamp = query_get_integer(q, 3, 0, TIME_MAX);
	object->told = told;
	if (told > m->tellings)
		m->tellings = told;
	p = *project ? project_of_row(q, m, object, project) : NULL;
	if (q->rc != 0)
		return;
	values_of_column(q, m, 5, p ? &p->usage : &object->usage);
	values_of_column(q, m, 6, p ? &p->long_term : &object->long_term);
}

static int usage_load(struct store *s, struct mirror *m, struct error *error)
{
	struct query q = query_read(s, STATEMENT_USAGE_EACH, "SELECT kind, name, project, time_stamp, told, usage, long_term_usage "
				    "FROM usage ORDER BY kind, name, project", error);

	while (query_row(&q))
		usage_of_row(&q, m);
	return query_end(&q);
}

/*
 * What usage decays by until the next run, even if the cell's half-life has been changed in
 * between.
 */
static int halftime_load(struct store *s, struct account *account, struct error *error)
{
	int64_t halftime = 0;
	int rc = meta_get_number(s, "halftime", 0, UINT32_MAX, &halftime, error);

	if (rc != 0 && rc != -ENOENT)
		return rc;
	account->last_halftime = s->halftime = s->halftime_kept = (uint32_t)halftime;
	return 0;
}

/* Questions of the ledger */

static int recall_tasks(struct store *s, uint32_t job_number, struct debited *debited)
{
	struct query q = query_read(s, STATEMENT_DEBITED_TASKS_EACH, "SELECT task_id, start_time, usage FROM debited_task "
				    "WHERE job_number = ? ORDER BY task_id, start_time", &s->unanswered);

	query_integer(&q, job_number);
	while (query_row(&q)) {
		uint32_t id = (uint32_t)query_get_integer(&q, 0, 0, UINT32_MAX);
		int64_t start_time = query_get_integer(&q, 1, INT64_MIN, INT64_MAX);
		struct debited_task *task = q.rc == 0 ? debited_get_task(debited, id, start_time) : NULL;

		if (task)
			values_of_column(&q, s->durable->run->mirror, 2, &task->usage);
		else if (q.rc == 0)
			q.rc = error_set(q.error, -ENOMEM, "out of memory");
	}
	return query_end(&q);
}

static int recall_debited(void *context, uint32_t job_number, int64_t submission_time, struct debited *debited)
{
	struct store *s = context;
	struct query q = query_read(s, STATEMENT_DEBITED_FIND, "SELECT submission_time, told, usage FROM debited WHERE job_number = ?",
				    &s->unanswered);
	bool found, same = false;
	int rc;

	query_integer(&q, job_number);
	found = query_row(&q);
	if (found)
		same = query_get_integer(&q, 0, INT64_MIN, INT64_MAX) == submission_time;
	if (same) {
		debited->told = (uint64_t)query_get_integer(&q, 1, 0, INT64_MAX);
		values_of_column(&q, s->durable->run->mirror, 2, &debited->usage);
	}
	rc = query_end(&q);
	if (rc == 0 && same)
		rc = recall_tasks(s, job_number, debited);
	return rc ? rc : same ? 1 : found ? 2 : 0;
}

static int recall_ended(void *context, const struct ledger_task *end)
{
	struct store *s = context;
	struct query q = query_read(s, STATEMENT_ENDED_FIND, "SELECT 1 FROM ended WHERE job_number = ? AND submission_time = ? "
				    "AND task_id = ? AND start_time = ?", &s->unanswered);
	bool found;

	query_integer(&q, end->job_number);
	query_integer(&q, end->submission_time);
	query_integer(&q, end->task);
	query_integer(&q, end->start_time);
	found = query_row(&q);
	return query_end(&q) ? q.rc : found;
}

const char *store_usage_unanswered(const struct store *s)
{
	return s->unanswered.text;
}

static int durable_load(struct store *s, const struct durable *durable, struct error *error)
{
	int rc = halftime_load(s, durable->run->account, error);

	if (rc == 0)
		rc = usage_load(s, durable->run->mirror, error);
	return rc ? rc : rows_load(s, durable, error);
}

int store_usage_attach(struct store *s, const struct durable *durable, const struct store_usage_options *options, struct error *error)
{
	const struct ledger_calls calls = { s, recall_debited, options->told_again ? recall_ended : NULL };
	struct mirror *m = durable->run->mirror;
	int64_t told = 0;
	int rc = meta_get_number(s, "tellings", 0, INT64_MAX, &told, error);

	if (rc == 0 || rc == -ENOENT)
		rc = durable_load(s, durable, error);
	if (rc != 0)
		return rc;
	m->tellings = (uint64_t)told > m->tellings ? (uint64_t)told : m->tellings;
	m->ledger = ledger_create(&calls, m->strings);
	if (!m->ledger)
		return error_set(error, -ENOMEM, "out of memory");
	s->durable = durable;
	s->options = *options;
	s->tellings = s->tellings_kept = (uint64_t)told;
	return 0;
}
