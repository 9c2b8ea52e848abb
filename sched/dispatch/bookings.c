/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/bookings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/dispatch/search/supply.h"
#include "sched/dispatch/timeline/changes.h"
#include "sched/run/run.h"

void bookings_free(struct bookings *bookings)
{
	for (size_t i = 0; i < bookings->capacity; i++)
		free(bookings->tasks[i].parts);
	free(bookings->tasks);
	free(bookings->own);
	free(bookings->lines);
	*bookings = (struct bookings){ .supply = bookings->supply, .changes = bookings->changes };
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

static bool can_keep(const struct supply *supply, const struct state *state)
{
	return state->nadvances == 0 && quotas_sets(supply->quotas) == 0 && supply->cell->ncalendars == 0 &&
	       !is_exclusive(&supply->cluster) && !calendars_are_reported(state);
}

static void forget(struct bookings *bookings)
{
	for (size_t i = 0; i < bookings->capacity; i++) {
		bookings->tasks[i].nparts = 0;
		bookings->tasks[i].is_counted = false;
	}
	bookings->nown = bookings->nbooked = 0;
}

/* About one percent of the limit. Kept bookings leave rounding errors only in this sum. */
#define MOST_TOTAL 0x1p59

bool bookings_begin(struct bookings *bookings, const struct run *run, bool may_keep)
{
	const struct cluster *cluster = &bookings->supply->cluster;
	bool holds = bookings->holds && bookings->state == run->mirror->state &&
		     cluster->timelines.total < MOST_TOTAL && cluster->limits.total < MOST_TOTAL;

	bookings->keeps = may_keep && can_keep(bookings->supply, run->mirror->state);
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

static int book(struct bookings *bookings, const struct booked_part *part, int64_t begin, int64_t end, double amount)
{
	bool is_pe = part->consumable == BOOKED_PE;
	struct timelines *timelines = is_pe ? &bookings->supply->cluster.limits : &bookings->supply->cluster.timelines;
	struct offer *offer = is_pe ? NULL : offer_at(&bookings->supply->cluster, part);
	int rc = 0;

	if (is_pe || offer->fixed < LARGEST_NEED * LARGEST_NEED)
		rc = bookings->supply->reserves
			     ? timeline_book(timelines,
					     is_pe ? &bookings->supply->pes[part->number].line : &offer->used_line,
					     begin, end, amount)
			     : 0;
	bookings->inexact |= rc == -ERANGE;
	return rc == -ERANGE ? 0 : rc;
}

static int take_back(struct bookings *bookings, const struct booked_part *part, int64_t begin, int64_t end)
{
	struct timelines *timelines = part->consumable == BOOKED_PE ? &bookings->supply->cluster.limits
								    : &bookings->supply->cluster.timelines;
	double total = timelines->total;
	int rc = book(bookings, part, begin, end, -part->amount);

	timelines->total = total - (timelines->total - total);
	return rc;
}

int bookings_undo(struct bookings *bookings)
{
	int rc = 0;

	for (size_t i = 0; i < bookings->nown && rc == 0; i++)
		rc = take_back(bookings, &bookings->own[i].part, bookings->own[i].begin, bookings->own[i].end);
	bookings->nown = 0;
	return rc;
}

int bookings_note(struct bookings *bookings, const struct booked_part *part, int64_t begin, int64_t end)
{
	size_t capacity = 2 * bookings->own_capacity + 64;

	if (!bookings->holds || !bookings->supply->reserves)	/* bookings are not kept in time */
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

static int task_take_back(struct bookings *bookings, struct booked_task *task)
{
	int rc = 0;

	for (size_t i = 0; i < task->nparts && rc == 0; i++)
		rc = take_back(bookings, &task->parts[i], task->begin, task->end);
	return rc;
}

static int task_book(struct bookings *bookings, struct booked_task *task)
{
	int rc = 0;

	for (size_t i = 0; i < task->nparts && rc == 0; i++)
		rc = book(bookings, &task->parts[i], task->begin, task->end, task->parts[i].amount);
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
static int task_use(struct bookings *bookings, const struct booked_task *task)
{
	int rc = 0;

	for (size_t i = 0; i < task->nparts && rc == 0; i++) {
		const struct booked_part *part = &task->parts[i];
		struct offer *offer = part->consumable == BOOKED_PE ? NULL : offer_at(&bookings->supply->cluster, part);

		if (!offer) {
			bookings->supply->pes[part->number].used += (uint64_t)part->amount;
			continue;
		}
		bookings->supply->gives |= part->amount < 0;
		offer->used += part->amount;
		rc = line_list(bookings, part, offer);
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

static int task_forget(struct bookings *bookings, struct booked_task *task)
{
	int rc = task_take_back(bookings, task);

	bookings->nbooked -= task->is_counted;
	task->is_counted = false;
	task->nparts = 0;
	task->begin = task->end = 0;
	return rc;
}

int bookings_find(struct bookings *bookings, const struct run *run, uint32_t number, struct booked_task **found,
		  bool *has_changed)
{
	const struct task *task = &run->mirror->state->tasks.items[number];
	uint64_t made = run->mirror->requests.facts[job_fact(&run->mirror->state->jobs, task->row, category)].made;
	struct booked_task *booked;
	int rc = tasks_reserve(bookings, run->mirror->state->tasks.capacity);

	if (rc)
		return rc;
	booked = *found = &bookings->tasks[number];
	booked->seen = bookings->runs;
	*has_changed = !is_unchanged(booked, task, made);
	if (*has_changed)
		rc = task_forget(bookings, booked);
	booked->begun = task->begun;
	booked->made = made;
	booked->wallclock_limit = task->wallclock_limit;
	return rc;
}

int bookings_renew(struct bookings *bookings, struct booked_task *task, int64_t begin, int64_t end)
{
	int rc = 0;

	bookings->nseen += task->nparts > 0;
	bookings->nbooked += task->nparts > 0 && !task->is_counted;
	task->is_counted = task->nparts > 0;
	if (task->begin != begin || task->end != end) {
		rc = task_take_back(bookings, task);
		task->begin = begin;
		task->end = end;
		rc = rc ? rc : task_book(bookings, task);
	}
	return rc ? rc : task_use(bookings, task);
}

/*
 * Report all changes of the kept lines for the search for start times, as if they had just been
 * booked.
 */
static int lines_report(struct bookings *bookings)
{
	int rc = 0;

	for (size_t i = 0; bookings->supply->reserves && i < bookings->nlines && rc == 0; i++) {
		changes_source(bookings->changes, bookings->lines[i].consumable, bookings->lines[i].number);
		rc = timeline_report(&bookings->supply->cluster.timelines,
				     offer_at(&bookings->supply->cluster, &bookings->lines[i])->used_line,
				     bookings->changes);
	}
	return rc;
}

int bookings_end(struct bookings *bookings)
{
	int rc = 0;

	for (size_t i = 0; i < bookings->capacity && bookings->nseen < bookings->nbooked && rc == 0; i++)
		if (bookings->tasks[i].nparts > 0 && bookings->tasks[i].seen != bookings->runs)
			rc = task_forget(bookings, &bookings->tasks[i]);
	rc = rc ? rc : lines_report(bookings);
	bookings->holds = rc == 0 && !bookings->inexact;
	return rc;
}
