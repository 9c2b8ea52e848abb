/* SPDX-License-Identifier: Apache-2.0 */
/* Usage of one user that decays for longer than the usage of all others. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "conf/cell.h"
#include "sched/whatif/inside.h"
#include "tickets/customers.h"
#include "tickets/usage_decay.h"

/* Return the part that is left, where one half-life applies to all usage. */
static double left(const struct cell *cell, bool is_customer, int64_t seconds)
{
	if (is_customer)
		return exp2(-(double)seconds / cell->condor.halflife);
	return half_life_left(half_life_decay(cell->slurm.half_life), seconds);
}

/* Move the time stamp back. Then the run decays each value by its own half-life. */
static void object_edit(struct object_usage *usage, int64_t seconds)
{
	if (usage->time_stamp > 0)
		usage->time_stamp = usage->time_stamp > seconds ? usage->time_stamp - seconds : 1;
}

static void one(const struct supposition *supposition, const struct cell *cell, struct event *event)
{
	if (event->type == EVENT_USER_USAGE && strcmp(event->object.name, supposition->name) == 0) {
		object_edit(&event->object, supposition->time);
	} else if (event->type == EVENT_ASSOCIATION_USAGE) {
		if (event->association.user && strcmp(event->association.user, supposition->name) == 0)
			event->association.usage_raw *= left(cell, false, supposition->time);
		/* values of the others were computed with this usage */
		event->association.values = NULL;
	} else if (event->type == EVENT_CUSTOMER && !event->customer.values.is_group &&
		   customer_is_of(event->customer.name, supposition->name)) {
		event->customer.values.rup =
			fmax(event->customer.values.rup * left(cell, true, supposition->time), RUP_LEAST);
	}
}

bool decay_any(const struct suppositions *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].kind == SUPPOSED_DECAY)
			return true;
	return false;
}

void decay_edit(const struct suppositions *list, const struct cell *cell, struct event *event)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].kind == SUPPOSED_DECAY)
			one(&list->items[i], cell, event);
}
