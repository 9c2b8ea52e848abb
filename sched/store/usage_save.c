/* SPDX-License-Identifier: Apache-2.0 */
/* What runs have booked, out of the ledger into the open transaction. */
#include <errno.h>
#include <time.h>

#include "sched/run/account.h"
#include "sched/store/base.h"
#include "sched/store/values.h"

static struct mirror *mirror_of(const struct store *s)
{
	return s->durable->run->mirror;
}

#define KEEP_S (7 * DAY_S)		/* what is debited, and ends that may be reported again */

/* Objects */

static void query_values(struct query *q, const struct mirror *m, const struct usage *usage)
{
	const char *text = q->rc == 0 ? values_text(m, usage, &q->store->values) : NULL;

	if (text)
		query_text(q, text);
	else if (q->rc == 0)
		q->rc = error_set(q->error, -ENOMEM, "out of memory");
}

static int usage_put(struct store *s, uint32_t kind, const struct object *o, const struct usage_in_project *p, struct error *error)
{
	struct query q = query_change(s, STATEMENT_USAGE_PUT, "INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
				      "time_stamp = excluded.time_stamp, told = excluded.told, usage = excluded.usage, "
				      "long_term_usage = excluded.long_term_usage", error);

	query_text(&q, usage_kinds[kind]);
	query_text(&q, strings_text(mirror_of(s)->strings, o->name));
	query_text(&q, p ? strings_text(mirror_of(s)->strings, p->project) : "");
	query_integer(&q, o->time_stamp);
	query_integer(&q, (int64_t)o->told);
	query_values(&q, mirror_of(s), p ? &p->usage : &o->usage);
	query_values(&q, mirror_of(s), p ? &p->long_term : &o->long_term);
	return query_run(&q);
}

static int usage_remove(struct store *s, uint32_t kind, const struct object *o, struct error *error)
{
	struct query q = query_change(s, STATEMENT_USAGE_REMOVE, "DELETE FROM usage WHERE kind = ? AND name = ?", error);

	query_text(&q, usage_kinds[kind]);
	query_text(&q, strings_text(mirror_of(s)->strings, o->name));
	return query_run(&q);
}

static int object_save(struct store *s, uint32_t kind, const struct object *o, struct error *error)
{
	int rc = o->replaced ? usage_remove(s, kind, o, error) : 0;

	if (rc == 0)
		rc = usage_put(s, kind, o, NULL, error);
	for (size_t i = 0; rc == 0 && i < o->nprojects; i++)
		rc = usage_put(s, kind, o, &o->projects[i], error);
	return rc;
}

static int objects_save(struct store *s, const struct ledger *l, struct error *error)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < l->objects.n; i++) {
		const struct ledger_object *noted = pool_key(&l->objects, i);

		rc = object_save(s, noted->kind, &mirror_of(s)->objects[noted->kind].items[noted->object], error);
	}
	return rc;
}

/* Jobs */

static int debited_remove_row(struct store *s, uint32_t number, struct error *error)
{
	struct query q = query_change(s, STATEMENT_DEBITED_REMOVE, "DELETE FROM debited WHERE job_number = ?", error);

	query_integer(&q, number);
	return query_run(&q);
}

static int debited_put(struct store *s, uint32_t number, int64_t submission_time, const struct debited *d, int64_t now, struct error *error)
{
	struct query q = query_change(s, STATEMENT_DEBITED_PUT, "INSERT INTO debited VALUES (?, ?, ?, ?, ?) ON CONFLICT (job_number) "
				      "DO UPDATE SET submission_time = excluded.submission_time, told = excluded.told, "
				      "booked = excluded.booked, usage = excluded.usage", error);

	query_integer(&q, number);
	query_integer(&q, submission_time);
	query_integer(&q, (int64_t)d->told);
	query_integer(&q, now);
	query_values(&q, mirror_of(s), &d->usage);
	return query_run(&q);
}

/* Numbers of ended jobs first: one may be another job's by now. */
static int jobs_save(struct store *s, const struct ledger *l, int64_t now, struct error *error)
{
	const struct state *state = mirror_of(s)->state;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < l->closed.n; i++)
		rc = debited_remove_row(s, *(const uint32_t *)pool_key(&l->closed, i), error);
	for (uint32_t i = 0; rc == 0 && i < l->jobs.n; i++) {
		uint32_t number = *(const uint32_t *)pool_key(&l->jobs, i), row = jobs_find(&state->jobs, number);
		const struct debited *d = debited_find(state, number);

		if (d && (d->known || (d->replaced && row != INDEX_NONE)))
			rc = debited_put(s, number, d->known ? d->submission_time : job_fact(&state->jobs, row, submission), d, now, error);
	}
	return rc;
}

static int task_put(struct store *s, const struct ledger_task *key, const struct debited_task *task, struct error *error)
{
	struct query q = query_change(s, STATEMENT_DEBITED_TASK_PUT, "INSERT OR REPLACE INTO debited_task VALUES (?, ?, ?, ?)", error);

	query_integer(&q, key->job_number);
	query_integer(&q, key->task);
	query_integer(&q, key->start_time);
	query_values(&q, mirror_of(s), &task->usage);
	return query_run(&q);
}

static int task_remove_row(struct store *s, const struct ledger_task *key, struct error *error)
{
	struct query q = query_change(s, STATEMENT_DEBITED_TASK_REMOVE, "DELETE FROM debited_task "
				      "WHERE job_number = ? AND task_id = ? AND start_time = ?", error);

	query_integer(&q, key->job_number);
	query_integer(&q, key->task);
	query_integer(&q, key->start_time);
	return query_run(&q);
}

/*
 * After jobs_save(). Of a job that is gone all rows are, or stay in case that it is reported again.
 */
static int tasks_save(struct store *s, const struct ledger *l, struct error *error)
{
	const struct state *state = mirror_of(s)->state;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < l->tasks.n; i++) {
		const struct ledger_task *key = pool_key(&l->tasks, i);
		const struct debited *d = debited_find(state, key->job_number);
		const struct debited_task *task;

		if (!d || !d->known)
			continue;
		task = debited_find_task(d, key->task, key->start_time);
		rc = task ? task_put(s, key, task, error) : task_remove_row(s, key, error);
	}
	return rc;
}

static int ends_save(struct store *s, const struct ledger *l, int64_t now, struct error *error)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < l->ended.n; i++) {
		const struct ledger_task *end = pool_key(&l->ended, i);
		struct query q;

		if (!pool_alive(&l->ended, i))
			continue;
		q = query_change(s, STATEMENT_ENDED_PUT, "INSERT OR REPLACE INTO ended VALUES (?, ?, ?, ?, ?)", error);
		query_integer(&q, end->job_number);
		query_integer(&q, end->submission_time);
		query_integer(&q, end->task);
		query_integer(&q, end->start_time);
		query_integer(&q, now);
		rc = query_run(&q);
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

static int history_add(struct store *s, const char *day, const struct ledger_names *names, const struct ledger_sum *sum,
		       struct error *error)
{
	struct query q = query_change(s, STATEMENT_HISTORY_ADD, "INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT "
				      "DO UPDATE SET cpu = cpu + excluded.cpu, mem = mem + excluded.mem, io = io + excluded.io, "
				      "wallclock = wallclock + excluded.wallclock, tasks = tasks + excluded.tasks", error);

	query_text(&q, day);
	query_text(&q, strings_text(mirror_of(s)->strings, names->user));
	query_text(&q, strings_text(mirror_of(s)->strings, names->project));
	query_real(&q, sum->cpu);
	query_real(&q, sum->mem);
	query_real(&q, sum->io);
	query_real(&q, sum->wallclock);
	query_integer(&q, (int64_t)sum->tasks);
	return query_run(&q);
}

static int history_save(struct store *s, const struct ledger *l, int64_t now, struct error *error)
{
	char day[DAY_BYTES];
	int rc = 0;

	day_text(now, day);
	for (uint32_t i = 0; rc == 0 && i < l->names.n; i++)
		rc = history_add(s, day, pool_key(&l->names, i), &l->sums[i], error);
	return rc;
}

/* What is too old */

static int history_prune(struct store *s, int64_t now, struct error *error)
{
	unsigned days = s->options.history_days ? s->options.history_days : STORE_HISTORY_DAYS;
	struct query q = query_change(s, STATEMENT_HISTORY_PRUNE, "DELETE FROM history WHERE day < ?", error);
	char day[DAY_BYTES];

	day_text(now - (int64_t)days * DAY_S, day);
	query_text(&q, day);
	return query_run(&q);
}

static int ends_prune(struct store *s, int64_t now, struct error *error)
{
	struct query q = query_change(s, STATEMENT_ENDED_PRUNE, "DELETE FROM ended "
				      "WHERE (job_number, submission_time, task_id, start_time) IN "
				      "(SELECT job_number, submission_time, task_id, start_time FROM ended WHERE booked < ? LIMIT ?)",
				      error);

	query_integer(&q, now - KEEP_S);
	query_integer(&q, PRUNED_AT_ONCE);
	return query_run(&q);
}

static int debited_keep_row(struct store *s, uint32_t number, int64_t now, struct error *error)
{
	struct query q = query_change(s, STATEMENT_DEBITED_KEEP, "UPDATE debited SET booked = ? WHERE job_number = ?", error);

	query_integer(&q, now);
	query_integer(&q, number);
	return query_run(&q);
}

/*
 * What was booked for a job that is still there is needed, even if it has used nothing for a week.
 * *all: there are no more.
 */
static int debited_prune(struct store *s, int64_t now, bool *all, struct error *error)
{
	const struct jobs *jobs = &mirror_of(s)->state->jobs;
	uint32_t numbers[PRUNED_AT_ONCE];
	size_t n = 0;
	struct query q = query_read(s, STATEMENT_DEBITED_OLD, "SELECT job_number FROM debited WHERE booked < ? LIMIT ?", error);
	int rc;

	query_integer(&q, now - KEEP_S);
	query_integer(&q, PRUNED_AT_ONCE);
	while (n < PRUNED_AT_ONCE && query_row(&q))
		numbers[n++] = (uint32_t)query_get_integer(&q, 0, 0, UINT32_MAX);
	rc = query_end(&q);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = jobs_find(jobs, numbers[i]) != INDEX_NONE ? debited_keep_row(s, numbers[i], now, error) :
								   debited_remove_row(s, numbers[i], error);
	*all = n < PRUNED_AT_ONCE;
	return rc;
}

/* Once a day, and with the next runs what was too much for one. */
static int prune(struct store *s, int64_t now, struct error *error)
{
	bool all = false;
	int rc = s->options.told_again ? ends_prune(s, now, error) : 0;

	if (rc != 0 || s->pruned_day == now / DAY_S)
		return rc;
	rc = history_prune(s, now, error);
	if (rc == 0)
		rc = debited_prune(s, now, &all, error);
	if (rc == 0)
		rc = rows_prune(s, now, &all, error);
	if (all)
		s->pruned_day = now / DAY_S;
	return rc;
}

/* The whole */

static int numbers_save(struct store *s, struct error *error)
{
	int rc = 0;

	if (s->durable->run->account->last_halftime != s->halftime_kept)
		rc = meta_put_number(s, "halftime", s->halftime = s->durable->run->account->last_halftime, error);
	if (rc == 0 && mirror_of(s)->tellings != s->tellings_kept)
		rc = meta_put_number(s, "tellings", (int64_t)(s->tellings = mirror_of(s)->tellings), error);
	return rc;
}

int store_usage_save(struct store *s, int64_t now, struct error *error)
{
	const struct ledger *l = s->durable ? mirror_of(s)->ledger : NULL;
	int rc;

	error = error ? error : &s->unwanted;
	if (!l)
		return error_set(error, -EINVAL, "no scheduler's usage is kept in this store");
	rc = numbers_save(s, error);
	if (rc == 0)
		rc = objects_save(s, l, error);
	if (rc == 0)
		rc = jobs_save(s, l, now, error);
	if (rc == 0)
		rc = tasks_save(s, l, error);
	if (rc == 0 && s->options.told_again)
		rc = ends_save(s, l, now, error);
	if (rc == 0)
		rc = history_save(s, l, now, error);
	if (rc == 0)
		rc = rows_save(s, error);
	if (rc == 0)
		rc = prune(s, now, error);
	s->takes_ledger = s->takes_rows = rc == 0;
	if (rc != 0 && !s->failed)
		/* half of a run's bookings would be worse than none */
		store_fail(s, rc, error);
	return rc;
}

static bool has_used(const struct object *o)
{
	return o->usage.n > 0 || o->long_term.n > 0 || o->nprojects > 0;
}

int store_usage_save_all(struct store *s, int64_t now, struct error *error)
{
	const struct mirror *m = s->durable ? mirror_of(s) : NULL;

	for (uint32_t k = 0; m && k < SHARER_KINDS; k++)
		for (uint32_t i = 0; i < m->objects[k].n; i++)
			if (has_used(&m->objects[k].items[i]) && ledger_note_object(m->ledger, k, i))
				return error_set(error, -ENOMEM, "out of memory");
	return store_usage_save(s, now, error);
}

void usage_committed(struct store *s)
{
	const struct ledger *l = s->durable ? mirror_of(s)->ledger : NULL;

	if (s->takes_rows)
		rows_committed(s);
	s->takes_rows = false;
	if (!s->takes_ledger || !l)
		return;
	for (uint32_t i = 0; i < l->objects.n; i++) {
		const struct ledger_object *noted = pool_key(&l->objects, i);

		mirror_of(s)->objects[noted->kind].items[noted->object].replaced = false;
	}
	ledger_clear(mirror_of(s)->ledger);
	s->halftime_kept = s->halftime;
	s->tellings_kept = s->tellings;
	s->takes_ledger = false;
}
