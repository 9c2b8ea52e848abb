/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calendars make of queue instances: calendar_conf(5). What the qmaster has told of one
 * counts, else what the calendar of its queue says, if the cell has it. One that is closed now, off
 * or suspended, is out until reservations are sought. For as long as it is, and will be, all of its
 * slots are booked: who meets that does not start there.
 */
#include <errno.h>

#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/reserve/reserve.h"

static struct calendar_changes worked_out(struct dispatch *d, const struct calendar *calendar)
{
	struct calendar_ahead *ahead = &d->calendars[calendar - d->cell->calendars];

	if (ahead->n == 0 || d->now < ahead->from || d->now >= ahead->changes[0].until) {
		ahead->from = d->now;
		ahead->n = calendar_changes(calendar, d->now, ahead->changes, CALENDAR_AHEAD);
	}
	return (struct calendar_changes){ ahead->changes, ahead->n };
}

static struct calendar_changes changes_of(struct dispatch *d, const struct run *run, const struct queue_instance *i)
{
	const struct instance *told = &run->mirror->state->instances[i->told];
	struct calendar_changes changes = { told->changes, told->nchanges };

	if (!changes.items && i->calendar)
		changes = worked_out(d, i->calendar);
	while (changes.n > 0 && changes.items->until <= d->now) {
		changes.items++;
		changes.n--;
	}
	return changes;
}

/* The number of `slots` among the consumables; nconsumables. */
static size_t slots_number(const struct cluster *c)
{
	size_t k = 0;

	while (k < c->nconsumables && c->consumables[k] != c->slots)
		k++;
	return k;
}

static int changes_book(struct dispatch *d, uint32_t instance, const struct calendar_changes *changes, size_t slots)
{
	struct offer *o = column_offer(&d->cluster.columns[d->cluster.slots], LEVEL_QUEUE, instance);
	int64_t from = d->now;
	int rc = 0;

	if (!o || !o->fixed_text)
		return 0;
	changes_source(&d->changes, (uint32_t)slots, relevant_object(&d->cluster, LEVEL_QUEUE, instance));
	for (size_t k = 0; k < changes->n && rc == 0; k++) {
		if (changes->items[k].state != CALENDAR_UNSAID)
			rc = timeline_book(&d->cluster.timelines, &o->used_line, from, changes->items[k].until, o->fixed);
		from = changes->items[k].until;
	}
	return rc == -ERANGE ? 0 : rc;
}

int calendars_put(struct dispatch *d, struct run *run)
{
	size_t slots = slots_number(&d->cluster);
	int rc = 0;

	for (size_t k = 0; k < d->cluster.nlist && rc == 0; k++) {
		struct queue_instance *i = &d->cluster.instances[d->cluster.list[k]];
		struct calendar_changes changes = changes_of(d, run, i);

		if (changes.n == 0)
			continue;
		instance_close(i, changes.items->state);
		if (changes.items->until < run->next_change)
			run->next_change = changes.items->until;
		if (d->timed && i->state != INSTANCE_OUT && slots < d->cluster.nconsumables)
			rc = changes_book(d, d->cluster.list[k], &changes, slots);
	}
	return rc;
}
