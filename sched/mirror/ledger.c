/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/ledger.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/array.h"
#include "sched/mirror/state.h"

/* The whole */

static void pools_create(struct ledger *l)
{
	pool_create(&l->objects, sizeof(struct ledger_object));
	pool_create(&l->jobs, sizeof(uint32_t));
	pool_create(&l->tasks, sizeof(struct ledger_task));
	pool_create(&l->closed, sizeof(uint32_t));
	pool_create(&l->ended, sizeof(struct ledger_task));
	pool_create(&l->names, sizeof(struct ledger_names));
}

static void pools_destroy(struct ledger *l)
{
	for (uint32_t i = 0; i < l->names.n; i++) {
		const struct ledger_names *names = pool_key(&l->names, i);

		strings_drop(l->strings, names->user);
		strings_drop(l->strings, names->project);
	}
	pool_destroy(&l->objects);
	pool_destroy(&l->jobs);
	pool_destroy(&l->tasks);
	pool_destroy(&l->closed);
	pool_destroy(&l->ended);
	pool_destroy(&l->names);
}

struct ledger *ledger_create(const struct ledger_calls *calls, struct strings *strings)
{
	struct ledger *l = calloc(1, sizeof(*l));

	if (l) {
		l->calls = *calls;
		l->strings = strings;
		pools_create(l);
	}
	return l;
}

void ledger_destroy(struct ledger *l)
{
	if (!l)
		return;
	pools_destroy(l);
	free(l->sums);
	free(l);
}

void ledger_clear(struct ledger *l)
{
	pools_destroy(l);
	pools_create(l);
}

/* Notes */

static int note(struct pool *pool, const void *key)
{
	if (pool_find(pool, key) != NONE)
		return 0;
	return pool_hold(pool, key, &(bool){ false }) == NONE ? -ENOMEM : 0;
}

int ledger_note_object(struct ledger *l, uint32_t kind, uint32_t object)
{
	return l ? note(&l->objects, &(struct ledger_object){ kind, object }) : 0;
}

int ledger_note_job(struct ledger *l, uint32_t job_number)
{
	return l ? note(&l->jobs, &job_number) : 0;
}

bool ledger_has_job(const struct ledger *l, uint32_t job_number)
{
	return l && pool_find(&l->jobs, &job_number) != NONE;
}

int ledger_note_task(struct ledger *l, const struct ledger_task *task)
{
	return l && (note(&l->tasks, task) || note(&l->jobs, &task->job_number)) ? -ENOMEM : 0;
}

int ledger_reserve_closed(struct ledger *l)
{
	return l ? pool_reserve(&l->closed) : 0;
}

void ledger_note_closed(struct ledger *l, uint32_t job_number)
{
	if (l)
		note(&l->closed, &job_number);
}

static struct ledger_task end_of(const struct ended_task *t)
{
	return (struct ledger_task){ t->number, t->id, t->submission_time, t->start_time };
}

int ledger_note_ends(struct ledger *l, const struct ended_task *tasks, size_t n)
{
	for (size_t i = 0; l && i < n; i++) {
		struct ledger_task end = end_of(&tasks[i]);

		if (!tasks[i].settled && pool_hold(&l->ended, &end, &(bool){ false }) == NONE) {
			ledger_drop_ends(l, tasks, i);
			return -ENOMEM;
		}
	}
	return 0;
}

void ledger_drop_ends(struct ledger *l, const struct ended_task *tasks, size_t n)
{
	for (size_t i = 0; l && i < n; i++) {
		struct ledger_task end = end_of(&tasks[i]);

		if (!tasks[i].settled)
			pool_drop(&l->ended, pool_find(&l->ended, &end));
	}
}

/* Its text is there: this needs no memory. */
static void hold_again(struct strings *strings, uint32_t id)
{
	if (id != NONE)
		strings_hold(strings, strings_text(strings, id));
}

struct ledger_sum *ledger_sum(struct ledger *l, uint32_t user, uint32_t project)
{
	const struct ledger_names names = { user, project };
	uint32_t id;

	if (!l)
		return NULL;
	id = pool_find(&l->names, &names);
	if (id != NONE)
		return &l->sums[id];
	if (pool_reserve(&l->names))
		return NULL;
	if (l->names.capacity > l->sums_capacity) {
		if (array_grow(&l->sums, l->names.capacity, sizeof(*l->sums)))
			return NULL;
		l->sums_capacity = l->names.capacity;
	}
	id = pool_hold(&l->names, &names, &(bool){ false });
	hold_again(l->strings, user);
	hold_again(l->strings, project);
	l->sums[id] = (struct ledger_sum){ 0 };
	return &l->sums[id];
}

/* Questions */

static int end_is_booked(struct ledger *l, const struct ledger_task *end)
{
	int found = pool_find(&l->ended, end) != NONE;

	if (!found && l->calls.ended)
		found = l->calls.ended(l->calls.context, end);
	return found < 0 ? -EAGAIN : found;
}

int ledger_task_settled(struct ledger *l, uint32_t job_number, int64_t submission_time, struct task *t)
{
	const struct ledger_task end = { job_number, t->id, submission_time, t->start_time };
	int settled;

	if (!l || t->asked)
		return t->settled;
	settled = end_is_booked(l, &end);
	if (settled < 0)
		return settled;
	t->asked = true;
	t->settled = settled;
	return settled;
}

/* A snapshot may bring an end again before any run has booked it: the first one counts. */
static int ends_settle_again(struct ended_task *tasks, size_t n)
{
	struct pool ends;
	int rc = 0;

	pool_create(&ends, sizeof(struct ledger_task));
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct ledger_task end = end_of(&tasks[i]);
		bool is_new = true;

		if (!tasks[i].settled && pool_hold(&ends, &end, &is_new) == NONE)
			rc = -ENOMEM;
		tasks[i].settled |= !is_new;
	}
	pool_destroy(&ends);
	return rc;
}

int ledger_ends_settle(struct ledger *l, struct ended_task *tasks, size_t n)
{
	for (size_t i = 0; l && i < n; i++) {
		struct ledger_task end = end_of(&tasks[i]);
		int settled = tasks[i].asked ? tasks[i].settled : end_is_booked(l, &end);

		if (settled < 0)
			return settled;
		tasks[i].asked = true;
		tasks[i].settled = settled;
	}
	return l && n > 1 ? ends_settle_again(tasks, n) : 0;
}

/*
 * What was debited for a job that has ended since is not to be found, even if its end could not be
 * kept yet.
 */
static int recall(struct ledger *l, uint32_t job_number, int64_t submission_time, struct debited *debited)
{
	int found;

	if (!l || pool_find(&l->closed, &job_number) != NONE)
		return 0;
	found = l->calls.debited(l->calls.context, job_number, submission_time, debited);
	if (found == 2)
		return note(&l->closed, &job_number);
	return found < 0 ? -EAGAIN : 0;
}

int ledger_meet(struct ledger *l, struct state *state, uint32_t job_number, int64_t submission_time, struct debited **debited)
{
	struct debited known = { 0 }, *d = *debited = debited_add(state, job_number);
	int rc;

	if (!d)
		return -ENOMEM;
	if (d->known && d->submission_time == submission_time)
		return 0;
	rc = recall(l, job_number, submission_time, &known);
	if (rc != 0) {
		debited_free(&known);
		return rc;
	}
	known.known = true;
	known.submission_time = submission_time;
	if (d->replaced) {
		usage_free(&known.usage);
		known.usage = d->usage;
		known.told = d->told;
		known.replaced = true;
		d->usage = (struct usage){ 0 };
	}
	debited_free(d);
	*d = known;
	return 0;
}
