/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/ledger.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/columns.h"
#include "sched/mirror/state.h"

/* Ledger */

static void pools_create(struct ledger *ledger)
{
	pool_create(&ledger->objects, sizeof(struct ledger_object));
	pool_create(&ledger->jobs, sizeof(uint32_t));
	pool_create(&ledger->tasks, sizeof(struct ledger_task));
	pool_create(&ledger->closed, sizeof(uint32_t));
	pool_create(&ledger->ended, sizeof(struct ledger_task));
	pool_create(&ledger->names, sizeof(struct ledger_names));
}

static void pools_destroy(struct ledger *ledger)
{
	for (uint32_t i = 0; i < ledger->names.n; i++) {
		const struct ledger_names *names = pool_key(&ledger->names, i);

		strings_drop(ledger->strings, names->user);
		strings_drop(ledger->strings, names->project);
	}
	pool_destroy(&ledger->objects);
	pool_destroy(&ledger->jobs);
	pool_destroy(&ledger->tasks);
	pool_destroy(&ledger->closed);
	pool_destroy(&ledger->ended);
	pool_destroy(&ledger->names);
}

struct ledger *ledger_create(const struct ledger_calls *calls, struct strings *strings)
{
	struct ledger *ledger = calloc(1, sizeof(*ledger));

	if (ledger) {
		ledger->calls = *calls;
		ledger->strings = strings;
		pools_create(ledger);
	}
	return ledger;
}

void ledger_destroy(struct ledger *ledger)
{
	if (!ledger)
		return;
	pools_destroy(ledger);
	free(ledger->sums);
	free(ledger);
}

void ledger_clear(struct ledger *ledger)
{
	pools_destroy(ledger);
	pools_create(ledger);
}

/* Notes */

static int note(struct pool *pool, const void *key)
{
	if (pool_find(pool, key) != NONE)
		return 0;
	return pool_hold(pool, key, &(bool){ false }) == NONE ? -ENOMEM : 0;
}

int ledger_note_object(struct ledger *ledger, uint32_t kind, uint32_t object)
{
	return ledger ? note(&ledger->objects, &(struct ledger_object){ kind, object }) : 0;
}

int ledger_note_job(struct ledger *ledger, uint32_t job_number)
{
	return ledger ? note(&ledger->jobs, &job_number) : 0;
}

bool ledger_has_job(const struct ledger *ledger, uint32_t job_number)
{
	return ledger && pool_find(&ledger->jobs, &job_number) != NONE;
}

int ledger_note_task(struct ledger *ledger, const struct ledger_task *task)
{
	return ledger && (note(&ledger->tasks, task) || note(&ledger->jobs, &task->job_number)) ? -ENOMEM : 0;
}

int ledger_reserve_closed(struct ledger *ledger)
{
	return ledger ? pool_reserve(&ledger->closed) : 0;
}

void ledger_note_closed(struct ledger *ledger, uint32_t job_number)
{
	if (ledger)
		note(&ledger->closed, &job_number);
}

static struct ledger_task end_of(const struct ended_task *task)
{
	return (struct ledger_task){ task->number, task->id, task->submission_time, task->start_time };
}

int ledger_note_ends(struct ledger *ledger, const struct ended_task *tasks, size_t n)
{
	for (size_t i = 0; ledger && i < n; i++) {
		struct ledger_task end = end_of(&tasks[i]);

		if (!tasks[i].settled && pool_hold(&ledger->ended, &end, &(bool){ false }) == NONE) {
			ledger_drop_ends(ledger, tasks, i);
			return -ENOMEM;
		}
	}
	return 0;
}

void ledger_drop_ends(struct ledger *ledger, const struct ended_task *tasks, size_t n)
{
	for (size_t i = 0; ledger && i < n; i++) {
		struct ledger_task end = end_of(&tasks[i]);

		if (!tasks[i].settled)
			pool_drop(&ledger->ended, pool_find(&ledger->ended, &end));
	}
}

/* Hold a string again. This needs no memory, since the text exists. */
static void hold_again(struct strings *strings, uint32_t id)
{
	if (id != NONE)
		strings_hold(strings, strings_text(strings, id));
}

struct ledger_sum *ledger_sum(struct ledger *ledger, uint32_t user, uint32_t project)
{
	const struct ledger_names names = { user, project };
	uint32_t id;

	if (!ledger)
		return NULL;
	id = pool_find(&ledger->names, &names);
	if (id != NONE)
		return &ledger->sums[id];
	if (pool_reserve(&ledger->names))
		return NULL;
	if (array_reserve(&ledger->sums_capacity, ledger->names.capacity, COLUMN(ledger->sums)))
		return NULL;
	id = pool_hold(&ledger->names, &names, &(bool){ false });
	hold_again(ledger->strings, user);
	hold_again(ledger->strings, project);
	ledger->sums[id] = (struct ledger_sum){ 0 };
	return &ledger->sums[id];
}

/* Questions */

static int end_is_booked(struct ledger *ledger, const struct ledger_task *end)
{
	int found = pool_find(&ledger->ended, end) != NONE;

	if (!found && ledger->calls.ended)
		found = ledger->calls.ended(ledger->calls.context, end);
	return found < 0 ? -EAGAIN : found;
}

int ledger_task_settled(struct ledger *ledger, uint32_t job_number, int64_t submission_time, struct task *task)
{
	const struct ledger_task end = { job_number, task->id, submission_time, task->start_time };
	int settled;

	if (!ledger || task->asked)
		return task->settled;
	settled = end_is_booked(ledger, &end);
	if (settled < 0)
		return settled;
	task->asked = true;
	task->settled = settled;
	return settled;
}

/* Mark duplicate ends. A snapshot may report an end again before any run has booked it. */
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

int ledger_ends_settle(struct ledger *ledger, struct ended_task *tasks, size_t n)
{
	for (size_t i = 0; ledger && i < n; i++) {
		struct ledger_task end = end_of(&tasks[i]);
		int settled = tasks[i].asked ? tasks[i].settled : end_is_booked(ledger, &end);

		if (settled < 0)
			return settled;
		tasks[i].asked = true;
		tasks[i].settled = settled;
	}
	return ledger && n > 1 ? ends_settle_again(tasks, n) : 0;
}

/*
 * Ask the store for the debited usage of a job. Usage of a job that has ended is not returned, even
 * if its end could not be stored yet.
 */
static int recall(struct ledger *ledger, uint32_t job_number, int64_t submission_time, struct debited *debited)
{
	int found;

	if (!ledger || pool_find(&ledger->closed, &job_number) != NONE)
		return 0;
	found = ledger->calls.debited(ledger->calls.context, job_number, submission_time, debited);
	if (found == 2)
		return note(&ledger->closed, &job_number);
	return found < 0 ? -EAGAIN : 0;
}

int ledger_find(struct ledger *ledger, struct state *state, uint32_t job_number, int64_t submission_time,
		struct debited **debited)
{
	struct debited known = { 0 }, *d = *debited = debited_add(state, job_number);
	int rc;

	if (!d)
		return -ENOMEM;
	if (d->known && d->submission_time == submission_time)
		return 0;
	rc = recall(ledger, job_number, submission_time, &known);
	if (rc != 0) {
		debited_free(&known);
		return rc;
	}
	known.known = true;
	known.submission_time = submission_time;
	if (d->replaced) {
		usage_free(&known.usage);
		known.usage = d->usage;
		known.reported = d->reported;
		known.replaced = true;
		d->usage = (struct usage){ 0 };
	}
	debited_free(d);
	*d = known;
	return 0;
}
