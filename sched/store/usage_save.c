/* SPDX-License-Identifier: Apache-2.0 */
/* Saving of bookings, from the ledger to the open transaction. */
#include <errno.h>
#include <time.h>

#include "sched/run/account.h"
#include "sched/store/base.h"
#include "sched/store/values.h"

static struct mirror *mirror_of(const struct store *store)
{
	return store->durable->run->mirror;
}

/* for debited usage, and for ends that may be reported again */
#define KEEP_S (7 * DAY_S)

/* Objects */

static void query_values(struct query *query, const struct mirror *mirror, const struct usage *usage)
{
	const char *text = query->rc == 0 ? values_text(mirror, usage, &query->store->values) : NULL;

	if (text)
		query_text(query, text);
	else if (query->rc == 0)
		query->rc = error_set(query->error, -ENOMEM, "out of memory");
}

static int usage_put(struct store *store, uint32_t kind, const struct object *object,
		     const struct usage_in_project *usage, struct error *error)
{
	struct query query =
		query_change(store, STATEMENT_USAGE_PUT,
			     "INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
			     "time_stamp = excluded.time_stamp, told = excluded.told, usage = excluded.usage, "
			     "long_term_usage = excluded.long_term_usage",
			     error);

	query_text(&query, usage_kinds[kind]);
	query_text(&query, mirror_text(mirror_of(store), object->name));
	query_text(&query, usage ? mirror_text(mirror_of(store), usage->project) : "");
	query_integer(&query, object->time_stamp);
	query_integer(&query, (int64_t)object->reported);
	query_values(&query, mirror_of(store), usage ? &usage->usage : &object->usage);
	query_values(&query, mirror_of(store), usage ? &usage->long_term : &object->long_term);
	return query_run(&query);
}

static int usage_remove(struct store *store, uint32_t kind, const struct object *object, struct error *error)
{
	struct query query =
		query_change(store, STATEMENT_USAGE_REMOVE, "DELETE FROM usage WHERE kind = ? AND name = ?", error);

	query_text(&query, usage_kinds[kind]);
	query_text(&query, mirror_text(mirror_of(store), object->name));
	return query_run(&query);
}

static int object_save(struct store *store, uint32_t kind, const struct object *object, struct error *error)
{
	int rc = object->replaced ? usage_remove(store, kind, object, error) : 0;

	if (rc == 0)
		rc = usage_put(store, kind, object, NULL, error);
	for (size_t i = 0; rc == 0 && i < object->nprojects; i++)
		rc = usage_put(store, kind, object, &object->projects[i], error);
	return rc;
}

static int objects_save(struct store *store, const struct ledger *ledger, struct error *error)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < ledger->objects.n; i++) {
		const struct ledger_object *noted = pool_key(&ledger->objects, i);

		rc = object_save(store, noted->kind, mirror_object(mirror_of(store), noted->kind, noted->object), error);
	}
	return rc;
}

/* Jobs */

static int debited_remove_row(struct store *store, uint32_t number, struct error *error)
{
	struct query query =
		query_change(store, STATEMENT_DEBITED_REMOVE, "DELETE FROM debited WHERE job_number = ?", error);

	query_integer(&query, number);
	return query_run(&query);
}

static int debited_put(struct store *store, uint32_t number, int64_t submission_time, const struct debited *debited,
		       int64_t now, struct error *error)
{
	struct query query =
		query_change(store, STATEMENT_DEBITED_PUT,
			     "INSERT INTO debited VALUES (?, ?, ?, ?, ?) ON CONFLICT (job_number) "
			     "DO UPDATE SET submission_time = excluded.submission_time, told = excluded.told, "
			     "booked = excluded.booked, usage = excluded.usage",
			     error);

	query_integer(&query, number);
	query_integer(&query, submission_time);
	query_integer(&query, (int64_t)debited->reported);
	query_integer(&query, now);
	query_values(&query, mirror_of(store), &debited->usage);
	return query_run(&query);
}

/*
 * Save the debited usage of jobs. Ended jobs come first, since another job may have their number by
 * now.
 */
static int jobs_save(struct store *store, const struct ledger *ledger, int64_t now, struct error *error)
{
	const struct mirror *mirror = mirror_of(store);
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < ledger->closed.n; i++)
		rc = debited_remove_row(store, *(const uint32_t *)pool_key(&ledger->closed, i), error);
	for (uint32_t i = 0; rc == 0 && i < ledger->jobs.n; i++) {
		uint32_t number = *(const uint32_t *)pool_key(&ledger->jobs, i), row = mirror_active_row(mirror, number);
		const struct debited *debited = mirror_find_booked(mirror, number);

		if (debited && (debited->known || (debited->replaced && row != INDEX_NONE)))
			rc = debited_put(store, number,
					 debited->known ? debited->submission_time
							: mirror_row_submission(mirror, row),
					 debited, now, error);
	}
	return rc;
}

static int task_put(struct store *store, const struct ledger_task *key, const struct debited_task *task,
		    struct error *error)
{
	struct query query = query_change(store, STATEMENT_DEBITED_TASK_PUT,
					  "INSERT OR REPLACE INTO debited_task VALUES (?, ?, ?, ?)", error);

	query_integer(&query, key->job_number);
	query_integer(&query, key->task);
	query_integer(&query, key->start_time);
	query_values(&query, mirror_of(store), &task->usage);
	return query_run(&query);
}

static int task_remove_row(struct store *store, const struct ledger_task *key, struct error *error)
{
	struct query query = query_change(store, STATEMENT_DEBITED_TASK_REMOVE, "DELETE FROM debited_task "
				      "WHERE job_number = ? AND task_id = ? AND start_time = ?", error);

	query_integer(&query, key->job_number);
	query_integer(&query, key->task);
	query_integer(&query, key->start_time);
	return query_run(&query);
}

/*
 * Save the debited usage of tasks. Call after jobs_save(). The rows of a job that is gone were
 * removed with it, or are kept in case it is reported again.
 */
static int tasks_save(struct store *store, const struct ledger *ledger, struct error *error)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < ledger->tasks.n; i++) {
		const struct ledger_task *key = pool_key(&ledger->tasks, i);
		const struct debited *debited = mirror_find_booked(mirror_of(store), key->job_number);
		const struct debited_task *task;

		if (!debited || !debited->known)
			continue;
		task = debited_find_task(debited, key->task, key->start_time);
		rc = task ? task_put(store, key, task, error) : task_remove_row(store, key, error);
	}
	return rc;
}

static int ends_save(struct store *store, const struct ledger *ledger, int64_t now, struct error *error)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < ledger->ended.n; i++) {
		const struct ledger_task *end = pool_key(&ledger->ended, i);
		struct query query;

		if (!pool_alive(&ledger->ended, i))
			continue;
		query = query_change(store, STATEMENT_ENDED_PUT, "INSERT OR REPLACE INTO ended VALUES (?, ?, ?, ?, ?)",
				     error);
		query_integer(&query, end->job_number);
		query_integer(&query, end->submission_time);
		query_integer(&query, end->task);
		query_integer(&query, end->start_time);
		query_integer(&query, now);
		rc = query_run(&query);
	}
	return rc;
}

/* History */

#define DAY_BYTES 32

static void day_text(int64_t now, char text[DAY_BYTES])
{
	time_t time = (time_t)now;
	struct tm tm = { 0 };

	gmtime_r(&time, &tm);
	strftime(text, DAY_BYTES, "%Y-%m-%d", &tm);
}

static int history_add(struct store *store, const char *day, const struct ledger_names *names,
		       const struct ledger_sum *sum, struct error *error)
{
	struct query query =
		query_change(store, STATEMENT_HISTORY_ADD,
			     "INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT "
			     "DO UPDATE SET cpu = cpu + excluded.cpu, mem = mem + excluded.mem, io = io + excluded.io, "
			     "wallclock = wallclock + excluded.wallclock, tasks = tasks + excluded.tasks",
			     error);

	query_text(&query, day);
	query_text(&query, mirror_text(mirror_of(store), names->user));
	query_text(&query, mirror_text(mirror_of(store), names->project));
	query_real(&query, sum->cpu);
	query_real(&query, sum->mem);
	query_real(&query, sum->io);
	query_real(&query, sum->wallclock);
	query_integer(&query, (int64_t)sum->tasks);
	return query_run(&query);
}

static int history_save(struct store *store, const struct ledger *ledger, int64_t now, struct error *error)
{
	char day[DAY_BYTES];
	int rc = 0;

	day_text(now, day);
	for (uint32_t i = 0; rc == 0 && i < ledger->names.n; i++)
		rc = history_add(store, day, pool_key(&ledger->names, i), &ledger->sums[i], error);
	return rc;
}

/* Removal of old data */

static int history_prune(struct store *store, int64_t now, struct error *error)
{
	unsigned days = store->options.history_days ? store->options.history_days : STORE_HISTORY_DAYS;
	struct query query = query_change(store, STATEMENT_HISTORY_PRUNE, "DELETE FROM history WHERE day < ?", error);
	char day[DAY_BYTES];

	day_text(now - (int64_t)days * DAY_S, day);
	query_text(&query, day);
	return query_run(&query);
}

static int ends_prune(struct store *store, int64_t now, struct error *error)
{
	struct query query = query_change(
		store, STATEMENT_ENDED_PRUNE,
		"DELETE FROM ended "
		"WHERE (job_number, submission_time, task_id, start_time) IN "
		"(SELECT job_number, submission_time, task_id, start_time FROM ended WHERE booked < ? LIMIT ?)",
		error);

	query_integer(&query, now - KEEP_S);
	query_integer(&query, PRUNED_AT_ONCE);
	return query_run(&query);
}

static int debited_keep_row(struct store *store, uint32_t number, int64_t now, struct error *error)
{
	struct query query = query_change(store, STATEMENT_DEBITED_KEEP,
					  "UPDATE debited SET booked = ? WHERE job_number = ?", error);

	query_integer(&query, now);
	query_integer(&query, number);
	return query_run(&query);
}

/*
 * Remove old debited usage. The usage booked for an existing job is kept, even if the job has used
 * nothing for a week. *all stays true if there is no more.
 */
static int debited_prune(struct store *store, int64_t now, bool *all, struct error *error)
{
	uint32_t numbers[PRUNED_AT_ONCE];
	size_t n = 0;
	struct query query = query_read(store, STATEMENT_DEBITED_OLD,
					"SELECT job_number FROM debited WHERE booked < ? LIMIT ?", error);
	int rc;

	query_integer(&query, now - KEEP_S);
	query_integer(&query, PRUNED_AT_ONCE);
	while (n < PRUNED_AT_ONCE && query_row(&query))
		numbers[n++] = (uint32_t)query_get_integer(&query, 0, 0, UINT32_MAX);
	rc = query_end(&query);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = mirror_job_is_present(mirror_of(store), numbers[i]) ? debited_keep_row(store, numbers[i], now, error) :
								   debited_remove_row(store, numbers[i], error);
	*all = n < PRUNED_AT_ONCE;
	return rc;
}

/* Prune once a day. If there is too much for one run, the next runs continue. */
static int prune(struct store *store, int64_t now, struct error *error)
{
	bool all = false;
	int rc = store->options.reported_again ? ends_prune(store, now, error) : 0;

	if (rc != 0 || store->pruned_day == now / DAY_S)
		return rc;
	rc = history_prune(store, now, error);
	if (rc == 0)
		rc = debited_prune(store, now, &all, error);
	if (rc == 0)
		rc = rows_prune(store, now, &all, error);
	if (all)
		store->pruned_day = now / DAY_S;
	return rc;
}

/* Saving */

static int numbers_save(struct store *store, struct error *error)
{
	uint64_t report_count = mirror_report_count(mirror_of(store));
	int rc = 0;

	if (store->durable->run->account->last_halftime != store->halftime_kept)
		rc = meta_put_number(store, "halftime", store->halftime = store->durable->run->account->last_halftime,
				     error);
	if (rc == 0 && report_count != store->tellings_kept)
		rc = meta_put_number(store, "tellings", (int64_t)(store->report_count = report_count), error);
	return rc;
}

int store_usage_save(struct store *store, int64_t now, struct error *error)
{
	const struct ledger *ledger = store->durable ? mirror_ledger(mirror_of(store)) : NULL;
	int rc;

	error = error ? error : &store->unwanted;
	if (!ledger)
		return error_set(error, -EINVAL, "no scheduler's usage is kept in this store");
	rc = numbers_save(store, error);
	if (rc == 0)
		rc = objects_save(store, ledger, error);
	if (rc == 0)
		rc = jobs_save(store, ledger, now, error);
	if (rc == 0)
		rc = tasks_save(store, ledger, error);
	if (rc == 0 && store->options.reported_again)
		rc = ends_save(store, ledger, now, error);
	if (rc == 0)
		rc = history_save(store, ledger, now, error);
	if (rc == 0)
		rc = rows_save(store, error);
	if (rc == 0)
		rc = prune(store, now, error);
	store->takes_ledger = store->takes_rows = rc == 0;
	if (rc != 0 && !store->failed)
		/* half of a run's bookings would be worse than none */
		store_fail(store, rc, error);
	return rc;
}

static bool has_used(const struct object *object)
{
	return object->usage.n > 0 || object->long_term.n > 0 || object->nprojects > 0;
}

int store_usage_save_all(struct store *store, int64_t now, struct error *error)
{
	const struct mirror *mirror = store->durable ? mirror_of(store) : NULL;

	for (uint32_t k = 0; mirror && k < SHARER_KINDS; k++)
		for (uint32_t i = 0; i < mirror_object_count(mirror, k); i++)
			if (has_used(mirror_object(mirror, k, i)) && ledger_note_object(mirror_ledger(mirror), k, i))
				return error_set(error, -ENOMEM, "out of memory");
	return store_usage_save(store, now, error);
}

void usage_committed(struct store *store)
{
	const struct ledger *ledger = store->durable ? mirror_ledger(mirror_of(store)) : NULL;

	if (store->takes_rows)
		rows_committed(store);
	store->takes_rows = false;
	if (!store->takes_ledger || !ledger)
		return;
	mirror_stored(mirror_of(store));
	store->halftime_kept = store->halftime;
	store->tellings_kept = store->report_count;
	store->takes_ledger = false;
}
