/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/bookings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/reserve/reserve.h"

void bookings_free(struct bookings *bookings)
{
	for (size_t i = 0; i < bookings->capacity; i++)
		free(bookings->tasks[i].parts);
	free(bookings->tasks);
	free(bookings->own);
	free(bookings->lines);
	*bookings = (struct bookings){ 0 };
}

/* Conditions for keeping bookings */

static bool is_exclusive(const struct cluster *cluster)
{
	bool any = false;

	for (size_t k = 0; k < cluster->nconsumables; k++)
		any |= cluster->columns[cluster->consumables[k]].complex->relop == RELOP_EXCL;
	return any;
}

static bool calendars_are_reported(const struct state *state)
{
	bool any = false;

	for (size_t i = 0; i < state->ninstances; i++)
		any |= state->instances[i].nchanges > 0;
	return any;
}

static bool can_keep(const struct dispatch *dispatch, const struct run *run, bool ahead)
{
	const struct state *state = run->mirror->state;

	return !ahead && !dispatch->lines && dispatch->timed == dispatch->reserves &&
	       quotas_sets(dispatch->quotas) == 0 && dispatch->cell->ncalendars == 0 &&
	       !is_exclusive(&dispatch->cluster) && !calendars_are_reported(state);
}

static void forget(struct bookings *bookings)
{
	for (size_t i = 0; i < bookings->capacity; i++)
		bookings->tasks[i].nparts = 0;
	bookings->nown = bookings->nbooked = 0;
}

/* About one percent of the limit. Kept bookings leave rounding errors only in this sum. */
#define MOST_TOTAL 0x1p59

bool bookings_begin(struct dispatch *dispatch, const struct run *run, bool ahead)
{
	struct bookings *bookings = &dispatch->bookings;
	bool holds = bookings->holds && bookings->state == run->mirror->state &&
		     dispatch->cluster.timelines.total < MOST_TOTAL && dispatch->cluster.limits.total < MOST_TOTAL;

	bookings->keeps = can_keep(dispatch, run, ahead);
	if (!bookings->keeps || !holds)
		forget(bookings);
	bookings->holds = bookings->inexact = false;	/* until bookings_end() */
	bookings->state = run->mirror->state;
	bookings->runs++;
	bookings->nlines = bookings->nseen = 0;
	return bookings->keeps && holds;
}

/* Lines */

static struct offer *offer_at(struct cluster *cluster, const struct booked_part *part)
{
	struct column *column = &cluster->columns[cluster->consumables[part->consumable]];

	if (part->number == 0)
		return &column->global;
	return part->number <= cluster->nhosts ? &column->hosts[part->number - 1]
					       : &column->instances[part->number - 1 - cluster->nhosts];
}

static int book(struct dispatch *dispatch, const struct booked_part *part, int64_t begin, int64_t end, double amount)
{
	bool is_pe = part->consumable == BOOKED_PE;
	struct timelines *timelines = is_pe ? &dispatch->cluster.limits : &dispatch->cluster.timelines;
	struct offer *offer = is_pe ? NULL : offer_at(&dispatch->cluster, part);
	int rc = 0;

	if (is_pe || offer->fixed < LARGEST_NEED * LARGEST_NEED)
		rc = dispatch->reserves
			     ? timeline_book(timelines, is_pe ? &dispatch->pes[part->number].line : &offer->used_line,
					     begin, end, amount)
			     : 0;
	dispatch->bookings.inexact |= rc == -ERANGE;
	return rc == -ERANGE ? 0 : rc;
}

static int take_back(struct dispatch *dispatch, const struct booked_part *part, int64_t begin, int64_t end)
{
	struct timelines *timelines =
		part->consumable == BOOKED_PE ? &dispatch->cluster.limits : &dispatch->cluster.timelines;
	double total = timelines->total;
	int rc = book(dispatch, part, begin, end, -part->amount);

	timelines->total = total - (timelines->total - total);
	return rc;
}

int bookings_undo(struct dispatch *dispatch)
{
	struct bookings *bookings = &dispatch->bookings;
	int rc = 0;

	for (size_t i = 0; i < bookings->nown && rc == 0; i++)
		rc = take_back(dispatch, &bookings->own[i].part, bookings->own[i].begin, bookings->own[i].end);
	bookings->nown = 0;
	return rc;
}

int bookings_note(struct dispatch *dispatch, const struct booked_part *part, int64_t begin, int64_t end)
{
	struct bookings *bookings = &dispatch->bookings;
	size_t capacity = 2 * bookings->own_capacity + 64;

	if (!bookings->holds || !dispatch->reserves)	/* bookings are not kept in time */
		return 0;
	if (bookings->nown == bookings->own_capacity) {
		if (array_grow(&bookings->own, capacity, sizeof(*bookings->own)))
			return -ENOMEM;
		bookings->own_capacity = capacity;
	}
	bookings->own[bookings->nown++] = (struct booked_own){ *part, begin, end };
	return 0;
}

/* Tasks */

int booked_task_add(struct booked_task *task, const struct booked_part *part)
{
	size_t capacity = 2 * task->capacity + 4;

	if (task->nparts == task->capacity) {
		if (array_grow(&task->parts, capacity, sizeof(*task->parts)))
			return -ENOMEM;
		task->capacity = capacity;
	}
	task->parts[task->nparts++] = *part;
	return 0;
}

static int task_take_back(struct dispatch *dispatch, struct booked_task *task)
{
	int rc = 0;

	for (size_t i = 0; i < task->nparts && rc == 0; i++)
		rc = take_back(dispatch, &task->parts[i], task->begin, task->end);
	return rc;
}

static int task_book(struct dispatch *dispatch, struct booked_task *task)
{
	int rc = 0;

	for (size_t i = 0; i < task->nparts && rc == 0; i++)
		rc = book(dispatch, &task->parts[i], task->begin, task->end, task->parts[i].amount);
	return rc;
}

/* List each line once per run. */
static int line_list(struct bookings *bookings, const struct booked_part *part, struct offer *offer)
{
	size_t capacity = 2 * bookings->lines_capacity + 64;

	if (offer->listed == bookings->runs)
		return 0;
	if (bookings->nlines == bookings->lines_capacity) {
		if (array_grow(&bookings->lines, capacity, sizeof(*bookings->lines)))
			return -ENOMEM;
		bookings->lines_capacity = capacity;
	}
	offer->listed = bookings->runs;
	bookings->lines[bookings->nlines++] = *part;
	return 0;
}

/*
 * Count what the task uses now. Tasks are counted in the order of the running tasks, because sums
 * of doubles depend on it.
 */
static int task_use(struct dispatch *dispatch, const struct booked_task *task)
{
	int rc = 0;

	for (size_t i = 0; i < task->nparts && rc == 0; i++) {
		const struct booked_part *part = &task->parts[i];
		struct offer *offer = part->consumable == BOOKED_PE ? NULL : offer_at(&dispatch->cluster, part);

		if (!offer) {
			dispatch->pes[part->number].used += (uint64_t)part->amount;
			continue;
		}
		dispatch->gives |= part->amount < 0;
		offer->used += part->amount;
		rc = line_list(&dispatch->bookings, part, offer);
	}
	return rc;
}

static int tasks_reserve(struct bookings *bookings, size_t n)
{
	if (n <= bookings->capacity)
		return 0;
	if (array_grow(&bookings->tasks, n, sizeof(*bookings->tasks)))
		return -ENOMEM;
	memset(bookings->tasks + bookings->capacity, 0, (n - bookings->capacity) * sizeof(*bookings->tasks));
	bookings->capacity = n;
	return 0;
}

static bool is_unchanged(const struct booked_task *task, const struct task *t, uint64_t made)
{
	return task->nparts > 0 && task->begun == t->begun && task->made == made &&
	       task->wallclock_limit == t->wallclock_limit;
}

static int task_renew(struct dispatch *dispatch, const struct run *run, struct booked_task *task, const struct task *t,
		      uint64_t made, struct category *category)
{
	int rc = task_take_back(dispatch, task);

	dispatch->bookings.nbooked -= task->nparts > 0;
	task->nparts = 0;
	task->begun = t->begun;
	task->made = made;
	task->wallclock_limit = t->wallclock_limit;
	task->begin = task->end = 0;
	rc = rc ? rc : running_parts(run, dispatch, t, category, task);
	dispatch->bookings.nbooked += task->nparts > 0;
	return rc;
}

int bookings_task(struct dispatch *dispatch, const struct run *run, uint32_t task, struct category *category)
{
	struct bookings *all = &dispatch->bookings;
	const struct task *t = &run->mirror->state->tasks.items[task];
	uint64_t made = run->mirror->requests.facts[job_fact(&run->mirror->state->jobs, t->row, category)].made;
	struct booked_task *booked_task;
	int64_t begin, end;
	int rc = tasks_reserve(all, run->mirror->state->tasks.capacity);

	if (rc)
		return rc;
	booked_task = &all->tasks[task];
	booked_task->seen = all->runs;
	if (!is_unchanged(booked_task, t, made))
		rc = task_renew(dispatch, run, booked_task, t, made, category);
	all->nseen += booked_task->nparts > 0;
	running_span(dispatch, t, booked_task->duration, &begin, &end);
	if (rc == 0 && (booked_task->begin != begin || booked_task->end != end)) {
		rc = task_take_back(dispatch, booked_task);
		booked_task->begin = begin;
		booked_task->end = end;
		rc = rc ? rc : task_book(dispatch, booked_task);
	}
	return rc ? rc : task_use(dispatch, booked_task);
}

/*
 * Report all changes of the kept lines for the search for start times, as if they had just been
 * booked.
 */
static int lines_report(struct dispatch *dispatch)
{
	struct bookings *bookings = &dispatch->bookings;
	int rc = 0;

	for (size_t i = 0; dispatch->reserves && i < bookings->nlines && rc == 0; i++) {
		changes_source(&dispatch->changes, bookings->lines[i].consumable, bookings->lines[i].number);
		rc = timeline_report(&dispatch->cluster.timelines,
				     offer_at(&dispatch->cluster, &bookings->lines[i])->used_line, &dispatch->changes);
	}
	return rc;
}

int bookings_end(struct dispatch *dispatch)
{
	struct bookings *bookings = &dispatch->bookings;
	int rc = 0;

	for (size_t i = 0; i < bookings->capacity && bookings->nseen < bookings->nbooked && rc == 0; i++)
		if (bookings->tasks[i].nparts > 0 && bookings->tasks[i].seen != bookings->runs) {
			rc = task_take_back(dispatch, &bookings->tasks[i]);
			bookings->tasks[i].nparts = 0;
			bookings->nbooked--;
		}
	rc = rc ? rc : lines_report(dispatch);
	bookings->holds = rc == 0 && !bookings->inexact;
	return rc;
}
