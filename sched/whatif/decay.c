/* SPDX-License-Identifier: Apache-2.0 */
/* Usage of one user that has decayed for longer than everybody else's. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "conf/cell.h"
#include "sched/whatif/inside.h"
#include "tickets/usage_decay.h"

/* "physics.ann@pool" is ann's. */
static bool is_customer_of(const char *customer, const char *user)
{
	size_t n = strcspn(customer, "@"), length = strlen(user);

	return n >= length && strncmp(customer + n - length, user, length) == 0 && (n == length || customer[n - length - 1] == '.');
}

/* What is left, with one half-life for all of it. */
static double left(const struct cell *cell, bool is_customer, int64_t seconds)
{
	if (is_customer)
		return exp2(-(double)seconds / cell->condor.halflife);
	return half_life_left(half_life_decay(cell->slurm.half_life), seconds);
}

/* As if it had been told earlier: the run lets each value decay by its own half-life. */
static void object_edit(struct object_usage *o, int64_t seconds)
{
	if (o->time_stamp > 0)
		o->time_stamp = o->time_stamp > seconds ? o->time_stamp - seconds : 1;
}

static void one(const struct supposition *s, const struct cell *cell, struct event *e)
{
	if (e->type == EVENT_USER_USAGE && strcmp(e->object.name, s->name) == 0) {
		object_edit(&e->object, s->time);
	} else if (e->type == EVENT_ASSOCIATION_USAGE) {
		if (e->association.user && strcmp(e->association.user, s->name) == 0)
			e->association.usage_raw *= left(cell, false, s->time);
		/* what the others have was computed with his usage */
		e->association.values = NULL;
	} else if (e->type == EVENT_CUSTOMER && !e->customer.values.is_group && is_customer_of(e->customer.name, s->name)) {
		e->customer.values.rup = fmax(e->customer.values.rup * left(cell, true, s->time), RUP_LEAST);
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
