/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/calendars.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/dispatch/reserve/reserve.h"

int calendars_create(struct calendars *calendars, const struct cell *cell)
{
	calendars->ahead = calloc(cell->ncalendars + 1, sizeof(*calendars->ahead));
	return calendars->ahead ? 0 : -ENOMEM;
}

void calendars_forget(struct calendars *calendars)
{
	free(calendars->ahead);
	calendars->ahead = NULL;
}

static struct calendar_changes worked_out(struct calendars *calendars, const struct supply *supply,
					  const struct calendar *calendar)
{
	struct calendar_ahead *ahead = &calendars->ahead[calendar - supply->cell->calendars];

	if (ahead->n == 0 || supply->now < ahead->from || supply->now >= ahead->changes[0].until) {
		ahead->from = supply->now;
		ahead->n = calendar_changes(calendar, supply->now, ahead->changes, CALENDAR_AHEAD);
	}
	return (struct calendar_changes){ ahead->changes, ahead->n };
}

static struct calendar_changes changes_of(struct calendars *calendars, const struct supply *supply,
					  const struct run *run, const struct queue_instance *instance)
{
	const struct instance *reported = &run->mirror->state->instances[instance->reported];
	struct calendar_changes changes = { reported->changes, reported->nchanges };

	if (!changes.items && instance->calendar)
		changes = worked_out(calendars, supply, instance->calendar);
	while (changes.n > 0 && changes.items->until <= supply->now) {
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

static int changes_book(struct supply *supply, struct changes *times, uint32_t instance,
			const struct calendar_changes *changes, size_t slots)
{
	struct offer *offer = column_offer(&supply->cluster.columns[supply->cluster.slots], LEVEL_QUEUE, instance);
	int64_t from = supply->now;
	int rc = 0;

	if (!offer || !offer->fixed_text)
		return 0;
	changes_source(times, (uint32_t)slots, relevant_object(&supply->cluster, LEVEL_QUEUE, instance));
	for (size_t k = 0; k < changes->n && rc == 0; k++) {
		if (changes->items[k].state != CALENDAR_UNSAID)
			rc = timeline_book(&supply->cluster.timelines, &offer->used_line, from,
					   changes->items[k].until, offer->fixed);
		from = changes->items[k].until;
	}
	return rc == -ERANGE ? 0 : rc;
}

int calendars_put(struct calendars *calendars, struct supply *supply, struct changes *times, struct run *run)
{
	size_t slots = slots_number(&supply->cluster);
	int rc = 0;

	for (size_t k = 0; k < supply->cluster.nlist && rc == 0; k++) {
		struct queue_instance *instance = &supply->cluster.instances[supply->cluster.list[k]];
		struct calendar_changes changes = changes_of(calendars, supply, run, instance);

		if (changes.n == 0)
			continue;
		instance_close(instance, changes.items->state);
		if (changes.items->until < run->next_change)
			run->next_change = changes.items->until;
		if (supply->timed && instance->state != INSTANCE_OUT && slots < supply->cluster.nconsumables)
			rc = changes_book(supply, times, supply->cluster.list[k], &changes, slots);
	}
	return rc;
}
