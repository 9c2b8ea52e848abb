/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/bookings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/reserve/reserve.h"

void bookings_free(struct bookings *b)
{
	for (size_t i = 0; i < b->capacity; i++)
		free(b->tasks[i].parts);
	free(b->tasks);
	free(b->own);
	free(b->lines);
	*b = (struct bookings){ 0 };
}

/* May they be kept? */

static bool is_exclusive(const struct cluster *c)
{
	bool any = false;

	for (size_t k = 0; k < c->nconsumables; k++)
		any |= c->columns[c->consumables[k]].complex->relop == RELOP_EXCL;
	return any;
}

static bool calendars_are_told(const struct state *state)
{
	bool any = false;

	for (size_t i = 0; i < state->ninstances; i++)
		any |= state->instances[i].nchanges > 0;
	return any;
}

static bool can_keep(const struct dispatch *d, const struct run *run, bool ahead)
{
	const struct state *state = run->mirror->state;

	return !ahead && !d->lines && d->timed == d->reserves && quotas_sets(d->quotas) == 0 && d->cell->ncalendars == 0 &&
	       !is_exclusive(&d->cluster) && !calendars_are_told(state);
}

static void forget(struct bookings *b)
{
	for (size_t i = 0; i < b->capacity; i++)
		b->tasks[i].nparts = 0;
	b->nown = b->nbooked = 0;
}

/* A hundredth of what they may hold: kept ones leave rounding errors in that sum, no others. */
#define MOST_TOTAL 0x1p59

bool bookings_begin(struct dispatch *d, const struct run *run, bool ahead)
{
	struct bookings *b = &d->bookings;
	bool holds = b->holds && b->state == run->mirror->state && d->cluster.timelines.total < MOST_TOTAL && d->cluster.limits.total < MOST_TOTAL;

	b->keeps = can_keep(d, run, ahead);
	if (!b->keeps || !holds)
		forget(b);
	b->holds = b->inexact = false;	/* until the end */
	b->state = run->mirror->state;
	b->runs++;
	b->nlines = b->nseen = 0;
	return b->keeps && holds;
}

/* Lines */

static struct offer *offer_at(struct cluster *c, const struct booked_part *part)
{
	struct column *column = &c->columns[c->consumables[part->consumable]];

	if (part->number == 0)
		return &column->global;
	return part->number <= c->nhosts ? &column->hosts[part->number - 1] : &column->instances[part->number - 1 - c->nhosts];
}

static int book(struct dispatch *d, const struct booked_part *part, int64_t begin, int64_t end, double amount)
{
	bool is_pe = part->consumable == BOOKED_PE;
	struct timelines *t = is_pe ? &d->cluster.limits : &d->cluster.timelines;
	struct offer *o = is_pe ? NULL : offer_at(&d->cluster, part);
	int rc = 0;

	if (is_pe || o->fixed < LARGEST_NEED * LARGEST_NEED)
		rc = d->reserves ? timeline_book(t, is_pe ? &d->pes[part->number].line : &o->used_line, begin, end, amount) : 0;
	d->bookings.inexact |= rc == -ERANGE;
	return rc == -ERANGE ? 0 : rc;
}

static int take_back(struct dispatch *d, const struct booked_part *part, int64_t begin, int64_t end)
{
	struct timelines *t = part->consumable == BOOKED_PE ? &d->cluster.limits : &d->cluster.timelines;
	double total = t->total;
	int rc = book(d, part, begin, end, -part->amount);

	t->total = total - (t->total - total);
	return rc;
}

int bookings_undo(struct dispatch *d)
{
	struct bookings *b = &d->bookings;
	int rc = 0;

	for (size_t i = 0; i < b->nown && rc == 0; i++)
		rc = take_back(d, &b->own[i].part, b->own[i].begin, b->own[i].end);
	b->nown = 0;
	return rc;
}

int bookings_note(struct dispatch *d, const struct booked_part *part, int64_t begin, int64_t end)
{
	struct bookings *b = &d->bookings;
	size_t capacity = 2 * b->own_capacity + 64;

	if (!b->holds || !d->reserves)	/* without reservations nothing is booked in time */
		return 0;
	if (b->nown == b->own_capacity) {
		if (array_grow(&b->own, capacity, sizeof(*b->own)))
			return -ENOMEM;
		b->own_capacity = capacity;
	}
	b->own[b->nown++] = (struct booked_own){ *part, begin, end };
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

static int task_take_back(struct dispatch *d, struct booked_task *task)
{
	int rc = 0;

	for (size_t i = 0; i < task->nparts && rc == 0; i++)
		rc = take_back(d, &task->parts[i], task->begin, task->end);
	return rc;
}

static int task_book(struct dispatch *d, struct booked_task *task)
{
	int rc = 0;

	for (size_t i = 0; i < task->nparts && rc == 0; i++)
		rc = book(d, &task->parts[i], task->begin, task->end, task->parts[i].amount);
	return rc;
}

/* Each line once in a run. */
static int line_list(struct bookings *b, const struct booked_part *part, struct offer *o)
{
	size_t capacity = 2 * b->lines_capacity + 64;

	if (o->listed == b->runs)
		return 0;
	if (b->nlines == b->lines_capacity) {
		if (array_grow(&b->lines, capacity, sizeof(*b->lines)))
			return -ENOMEM;
		b->lines_capacity = capacity;
	}
	o->listed = b->runs;
	b->lines[b->nlines++] = *part;
	return 0;
}

/* It is in use now, in the order in which all that runs is told. */
static int task_use(struct dispatch *d, const struct booked_task *task)
{
	int rc = 0;

	for (size_t i = 0; i < task->nparts && rc == 0; i++) {
		const struct booked_part *part = &task->parts[i];
		struct offer *o = part->consumable == BOOKED_PE ? NULL : offer_at(&d->cluster, part);

		if (!o) {
			d->pes[part->number].used += (uint64_t)part->amount;
			continue;
		}
		d->gives |= part->amount < 0;
		o->used += part->amount;
		rc = line_list(&d->bookings, part, o);
	}
	return rc;
}

static int tasks_reserve(struct bookings *b, size_t n)
{
	if (n <= b->capacity)
		return 0;
	if (array_grow(&b->tasks, n, sizeof(*b->tasks)))
		return -ENOMEM;
	memset(b->tasks + b->capacity, 0, (n - b->capacity) * sizeof(*b->tasks));
	b->capacity = n;
	return 0;
}

static bool is_as_it_was(const struct booked_task *b, const struct task *t, uint64_t made)
{
	return b->nparts > 0 && b->begun == t->begun && b->made == made && b->wallclock_limit == t->wallclock_limit;
}

static int task_renew(struct dispatch *d, const struct run *run, struct booked_task *b, const struct task *t, uint64_t made,
		      struct category *category)
{
	int rc = task_take_back(d, b);

	d->bookings.nbooked -= b->nparts > 0;
	b->nparts = 0;
	b->begun = t->begun;
	b->made = made;
	b->wallclock_limit = t->wallclock_limit;
	b->begin = b->end = 0;
	rc = rc ? rc : running_parts(run, d, t, category, b);
	d->bookings.nbooked += b->nparts > 0;
	return rc;
}

int bookings_task(struct dispatch *d, const struct run *run, uint32_t task, struct category *category)
{
	struct bookings *all = &d->bookings;
	const struct task *t = &run->mirror->state->tasks.items[task];
	uint64_t made = run->mirror->requests.facts[job_fact(&run->mirror->state->jobs, t->row, category)].made;
	struct booked_task *b;
	int64_t begin, end;
	int rc = tasks_reserve(all, run->mirror->state->tasks.capacity);

	if (rc)
		return rc;
	b = &all->tasks[task];
	b->seen = all->runs;
	if (!is_as_it_was(b, t, made))
		rc = task_renew(d, run, b, t, made, category);
	all->nseen += b->nparts > 0;
	running_span(d, t, b->duration, &begin, &end);
	if (rc == 0 && (b->begin != begin || b->end != end)) {
		rc = task_take_back(d, b);
		b->begin = begin;
		b->end = end;
		rc = rc ? rc : task_book(d, b);
	}
	return rc ? rc : task_use(d, b);
}

/* For the search of moments: where each line changes, as if it had just been booked. */
static int lines_tell(struct dispatch *d)
{
	struct bookings *b = &d->bookings;
	int rc = 0;

	for (size_t i = 0; d->reserves && i < b->nlines && rc == 0; i++) {
		changes_source(&d->changes, b->lines[i].consumable, b->lines[i].number);
		rc = timeline_tell(&d->cluster.timelines, offer_at(&d->cluster, &b->lines[i])->used_line, &d->changes);
	}
	return rc;
}

int bookings_end(struct dispatch *d)
{
	struct bookings *b = &d->bookings;
	int rc = 0;

	for (size_t i = 0; i < b->capacity && b->nseen < b->nbooked && rc == 0; i++)
		if (b->tasks[i].nparts > 0 && b->tasks[i].seen != b->runs) {
			rc = task_take_back(d, &b->tasks[i]);
			b->tasks[i].nparts = 0;
			b->nbooked--;
		}
	rc = rc ? rc : lines_tell(d);
	b->holds = rc == 0 && !b->inexact;
	return rc;
}
