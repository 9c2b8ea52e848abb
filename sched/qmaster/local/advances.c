/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/advances.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/search.h"
#include "sched/mirror/tables.h"
#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/tell.h"

#define JOBS_A_TURN 200			/* of all that are over */
#define LOOK_NS (SECOND_NS / 5)		/* whether the last of their jobs have ended */

/* In memory */

static void clear(struct local_advance *a)
{
	free(a->owner);
	json_decref(a->reservation);
	*a = (struct local_advance){ 0 };
}

void local_advances_free(struct local_advances *a)
{
	for (size_t i = 0; i < a->n; i++)
		clear(&a->items[i]);
	free(a->items);
	*a = (struct local_advances){ 0 };
}

struct local_advance *local_advance_find(const struct local *l, uint32_t number)
{
	const struct local_advances *a = &l->advances;
	size_t at;

	lower_bound(at, a->n, a->items[at].number < number);
	return at < a->n && a->items[at].number == number ? &a->items[at] : NULL;
}

/* NULL: no memory. */
static struct local_advance *insert(struct local_advances *a, const struct local_advance *new)
{
	size_t at;

	if (!array_add(&a->items, &a->n, sizeof(*a->items)))
		return NULL;
	lower_bound(at, a->n - 1, a->items[at].number < new->number);
	memmove(&a->items[at + 1], &a->items[at], (a->n - 1 - at) * sizeof(*a->items));
	a->items[at] = *new;
	return &a->items[at];
}

static void forget(struct local_advances *a, struct local_advance *gone)
{
	size_t at = (size_t)(gone - a->items);

	clear(gone);
	memmove(&a->items[at], &a->items[at + 1], (--a->n - at) * sizeof(*a->items));
}

/* The store, and the scheduler */

static int save(struct local *l, const struct local_advance *a, struct error *error)
{
	char *text = json_dumps(a->reservation, JSON_COMPACT);
	const struct stored_advance stored = { .number = a->number, .owner = a->owner, .uid = a->uid, .submission_time = a->submission_time,
					       .start_time = a->start_time, .end_time = a->end_time, .deleted = a->deleted, .reservation = text };
	int rc = text ? store_advance_put(l->store, &stored, error) : error_set(error, -ENOMEM, "out of memory");

	free(text);
	return rc;
}

/* As it is at this date. */
static int say(struct local *l, struct local_advance *a, struct error *error)
{
	bool begun = clock_date() >= a->start_time;
	json_t *members = json_copy(a->reservation);
	int rc = -ENOMEM;

	if (members && !json_object_set_new(members, "number", json_integer(a->number)) && !json_object_set_new(members, "owner", json_string(a->owner)) &&
	    !json_object_set_new(members, "submission_time", json_integer(a->submission_time)) &&
	    !json_object_set_new(members, "start_time", json_integer(a->start_time)) && !json_object_set_new(members, "end_time", json_integer(a->end_time)) &&
	    !json_object_set_new(members, "state", json_string(a->deleted ? "d" : begun ? "r" : "w")))
		rc = tell_advance(l, members, error);
	else
		error_set(error, rc, "out of memory");
	json_decref(members);
	a->begun = begun;
	return rc;
}

static int read_one(void *local, const struct stored_advance *stored)
{
	struct local *l = local;
	struct local_advance a = { .number = stored->number, .uid = stored->uid, .submission_time = stored->submission_time,
				   .start_time = stored->start_time, .end_time = stored->end_time, .deleted = stored->deleted,
				   .owner = strdup(stored->owner), .reservation = json_loads(stored->reservation, 0, NULL) };

	if (!json_is_object(a.reservation)) {
		log_line(LOG_FAILURE, "advance reservation %u of the store is damaged, and left out", stored->number);
		clear(&a);
		return 0;
	}
	if (a.owner && insert(&l->advances, &a))
		return 0;
	clear(&a);
	return -ENOMEM;
}

int advances_tell(struct local *l, struct error *error)
{
	int rc;

	local_advances_free(&l->advances);
	rc = store_advances_each(l->store, read_one, l, error);
	for (size_t i = 0; rc == 0 && i < l->advances.n; i++) {
		rc = say(l, &l->advances.items[i], error);
		if (rc != -EINVAL)
			continue;
		log_line(LOG_FAILURE, "advance reservation %u of the store can't be told to the scheduler: %s", l->advances.items[i].number, error->text);
		rc = 0;
	}
	return rc;
}

int local_advance_add(struct local *l, struct local_advance *a, struct error *error)
{
	struct local_advance *added = insert(&l->advances, a);
	int rc = added ? say(l, added, error) : error_set(error, -ENOMEM, "out of memory");

	if (!added)
		clear(a);
	if (rc == 0)
		rc = save(l, added, error);
	if (rc)
		local_fail(l, error);
	local_changed(l);
	return rc;
}

int local_advance_delete(struct local *l, struct local_advance *a, struct error *error)
{
	int rc;

	a->deleted = true;
	l->advances.look_ns = 0;
	rc = save(l, a, error);
	if (rc == 0)
		rc = say(l, a, error);
	if (rc)
		local_fail(l, error);
	local_changed(l);
	return rc;
}

/* Jobs */

/*
 * The next job in it from a place of the scheduler's list on; its place, and `list_end` if there is
 * none.
 */
static size_t job_next(const struct local *l, uint32_t number, size_t place, uint32_t *row)
{
	const struct mirror *m = l->intake->mirror;
	const struct jobs *j = &m->state->jobs;

	for (; place < j->list_end; place++) {
		*row = j->list[place];
		if (*row != NONE && requests_key(&m->requests, job_fact(j, *row, category))->ar == number)
			break;
	}
	return place;
}

bool local_advance_runs(const struct local *l, const struct local_advance *a)
{
	const struct jobs *j = &l->intake->mirror->state->jobs;
	uint32_t row;

	for (size_t place = job_next(l, a->number, 0, &row); place < j->list_end; place = job_next(l, a->number, place + 1, &row))
		if (j->first_task[row] != NONE)
			return true;
	return false;
}

/* Of one that is over, as many as may go in this turn; *n: of all of them. */
static int jobs_end(struct local *l, const struct local_advance *a, size_t *n, struct error *error)
{
	const struct jobs *j = &l->intake->mirror->state->jobs;
	uint32_t numbers[JOBS_A_TURN], row;
	size_t found = 0;
	int rc = 0;

	for (size_t place = job_next(l, a->number, 0, &row); place < j->list_end && *n + found < JOBS_A_TURN; place = job_next(l, a->number, place + 1, &row))
		numbers[found++] = job_fact(j, row, number);
	for (size_t i = 0; i < found && rc == 0; i++)
		rc = delete_job_whole(l, numbers[i], error);
	*n += found;
	return rc;
}

/* Does any job ask for it still? */
static bool has_jobs(const struct local *l, const struct local_advance *a)
{
	uint32_t row;

	return job_next(l, a->number, 0, &row) < l->intake->mirror->state->jobs.list_end;
}

/* Time */

static int end_go_on(struct local *l, struct local_advance *a, size_t *jobs, bool *gone, struct error *error)
{
	int rc = jobs_end(l, a, jobs, error);

	*gone = rc == 0 && !has_jobs(l, a);
	if (!*gone)
		return rc;
	local_changed(l);
	rc = tell_advance_end(l, a->number, error);
	return rc && rc != -EINVAL ? rc : store_advance_remove(l->store, a->number, error);
}

/* Those that are deleted; a look at all jobs for each of them, so not in each turn. */
static void ends_go_on(struct local *l)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct error error = { "" };
	size_t jobs = 0;

	if (now_ns < l->advances.look_ns)
		return;
	for (size_t i = 0; i < l->advances.n; ) {
		struct local_advance *a = &l->advances.items[i];
		bool gone = false;

		if (a->deleted && end_go_on(l, a, &jobs, &gone, &error)) {
			local_fail(l, &error);
			return;
		}
		if (gone)
			forget(&l->advances, a);
		else
			i++;
	}
	l->advances.look_ns = clock_monotonic_ns() + LOOK_NS;
}

void advances_due(struct local *l)
{
	int64_t date = l->advances.n > 0 ? clock_date() : 0;
	struct error error = { "" };

	for (size_t i = 0; i < l->advances.n; i++) {
		struct local_advance *a = &l->advances.items[i];

		if (a->deleted)
			continue;
		if (date >= a->end_time)
			local_advance_delete(l, a, &error);
		else if (!a->begun && date >= a->start_time && say(l, a, &error))
			local_fail(l, &error);
	}
	if (l->advances.n > 0)
		ends_go_on(l);
}

uint64_t advances_due_ns(const struct local *l)
{
	uint64_t due = NEVER_NS;

	for (size_t i = 0; i < l->advances.n; i++) {
		const struct local_advance *a = &l->advances.items[i];
		uint64_t at = a->deleted ? l->advances.look_ns : clock_at_date_ns(a->begun ? a->end_time : a->start_time);

		due = at < due ? at : due;
	}
	return due;
}
