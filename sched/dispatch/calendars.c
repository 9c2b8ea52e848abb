/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The effect of calendars on queue instances: calendar_conf(5). A state reported by the qmaster
 * counts, otherwise the calendar of the queue, if the cell has it. An instance that is closed now,
 * disabled or suspended, is set aside: only reservations consider it. All of its slots are booked
 * for the times at which it is or will be closed. Therefore no job starts there whose run time
 * overlaps one of these times.
 */
#include <errno.h>

#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/reserve/reserve.h"

static struct calendar_changes worked_out(struct dispatch *dispatch, const struct calendar *calendar)
{
	struct calendar_ahead *ahead = &dispatch->calendars[calendar - dispatch->cell->calendars];

	if (ahead->n == 0 || dispatch->now < ahead->from || dispatch->now >= ahead->changes[0].until) {
		ahead->from = dispatch->now;
		ahead->n = calendar_changes(calendar, dispatch->now, ahead->changes, CALENDAR_AHEAD);
	}
	return (struct calendar_changes){ ahead->changes, ahead->n };
}

static struct calendar_changes changes_of(struct dispatch *dispatch, const struct run *run,
					  const struct queue_instance *instance)
{
	const struct instance *reported = &run->mirror->state->instances[instance->reported];
	struct calendar_changes changes = { reported->changes, reported->nchanges };

	if (!changes.items && instance->calendar)
		changes = worked_out(dispatch, instance->calendar);
	while (changes.n > 0 && changes.items->until <= dispatch->now) {
		changes.items++;
		changes.n--;
	}
	return changes;
}

/* Return the index of `slots` among the consumables, or nconsumables. */
static size_t slots_number(const struct cluster *cluster)
{
	size_t k = 0;

	while (k < cluster->nconsumables && cluster->consumables[k] != cluster->slots)
		k++;
	return k;
}

static int changes_book(struct dispatch *dispatch, uint32_t instance, const struct calendar_changes *changes,
			size_t slots)
{
	struct offer *offer = column_offer(&dispatch->cluster.columns[dispatch->cluster.slots], LEVEL_QUEUE, instance);
	int64_t from = dispatch->now;
	int rc = 0;

	if (!offer || !offer->fixed_text)
		return 0;
	changes_source(&dispatch->changes, (uint32_t)slots, relevant_object(&dispatch->cluster, LEVEL_QUEUE, instance));
	for (size_t k = 0; k < changes->n && rc == 0; k++) {
		if (changes->items[k].state != CALENDAR_UNSAID)
			rc = timeline_book(&dispatch->cluster.timelines, &offer->used_line, from,
					   changes->items[k].until, offer->fixed);
		from = changes->items[k].until;
	}
	return rc == -ERANGE ? 0 : rc;
}

int calendars_put(struct dispatch *dispatch, struct run *run)
{
	size_t slots = slots_number(&dispatch->cluster);
	int rc = 0;

	for (size_t k = 0; k < dispatch->cluster.nlist && rc == 0; k++) {
		struct queue_instance *instance = &dispatch->cluster.instances[dispatch->cluster.list[k]];
		struct calendar_changes changes = changes_of(dispatch, run, instance);

		if (changes.n == 0)
			continue;
		instance_close(instance, changes.items->state);
		if (changes.items->until < run->next_change)
			run->next_change = changes.items->until;
		if (dispatch->timed && instance->state != INSTANCE_OUT && slots < dispatch->cluster.nconsumables)
			rc = changes_book(dispatch, dispatch->cluster.list[k], &changes, slots);
	}
	return rc;
}
