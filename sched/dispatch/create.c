/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch object, which is kept from run to run: create, switch, save, resume, destroy. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/dispatch/advances.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/phase.h"
#include "sched/dispatch/picture.h"
#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/search/categories.h"
#include "sched/dispatch/search/parallel.h"

/* The cell */
void dispatch_forget(struct dispatch *dispatch)
{
	categories_free(dispatch->categories);
	dispatch->categories = NULL;
	bookings_free(&dispatch->bookings);
	calendars_forget(&dispatch->calendars);
	skips_forget(&dispatch->searches.skips);
	picture_forget(&dispatch->picture);
	supply_forget(&dispatch->supply);
}

static int cell_read(struct dispatch *dispatch, const struct cell *cell, const struct reported_instance *reported,
		     size_t n)
{
	int rc = supply_create(&dispatch->supply, cell, reported, n);

	rc = rc ? rc : calendars_create(&dispatch->calendars, cell);
	return rc ? rc : skips_create(&dispatch->searches.skips, cell->nqueues, dispatch->supply.cluster.nhosts);
}

int dispatch_learn(struct dispatch *dispatch, const struct cell *cell, const struct reported_instance *reported,
		   size_t n)
{
	int rc;

	dispatch_forget(dispatch);
	rc = cell_read(dispatch, cell, reported, n);
	if (rc)
		dispatch_forget(dispatch);
	return rc;
}

/* The object */

int dispatch_create(struct dispatch **result, struct strings *strings)
{
	struct dispatch *dispatch = *result = calloc(1, sizeof(*dispatch));

	if (!dispatch)
		return -ENOMEM;
	dispatch->on = true;
	pool_create(&dispatch->removed.numbers, sizeof(uint32_t));
	dispatch->why = calloc(1, sizeof(*dispatch->why));
	dispatch->searches.why = dispatch->why;
	dispatch->published_why.why = dispatch->why;
	dispatch->published_why.strings = strings;
	dispatch->picture.supply = &dispatch->supply;
	dispatch->picture.strings = strings;
	dispatch->bookings.supply = &dispatch->supply;
	dispatch->bookings.changes = &dispatch->reservations.changes;
	return dispatch->why ? 0 : -ENOMEM;
}

const struct pool *dispatch_remember(const struct dispatch *dispatch, struct state_head *head)
{
	head->dispatches = !dispatch->on ? RUN_ORDERS_NOTHING : dispatch->paused ? RUN_PAUSED : RUN_ORDERS;
	memcpy(head->range_scores, dispatch->searches.costs.scores, sizeof(head->range_scores));
	return &dispatch->removed.numbers;
}

int dispatch_resume(struct dispatch *dispatch, const struct run *run, const struct scheduler_event *from)
{
	bool is_new;

	memcpy(dispatch->searches.costs.scores, from->range_costs, sizeof(dispatch->searches.costs.scores));
	dispatch->removed.state = run->mirror->state;
	for (size_t i = 0; i < from->nremoved; i++)
		if (pool_find(&dispatch->removed.numbers, &from->removed[i]) == UINT32_MAX &&
		    pool_hold(&dispatch->removed.numbers, &from->removed[i], &is_new) == UINT32_MAX)
			return -ENOMEM;
	return 0;
}

void dispatch_free(struct dispatch *dispatch)
{
	if (!dispatch)
		return;
	decisions_free(&dispatch->decisions);
	pool_destroy(&dispatch->removed.numbers);
	publish_why_free(&dispatch->published_why);
	advances_free(&dispatch->supply.advances);
	dispatch_forget(dispatch);
	picture_free(&dispatch->picture);
	searches_free(&dispatch->searches);
	review_free(&dispatch->review);
	relevant_forget(&dispatch->reservations);
	changes_free(&dispatch->reservations.changes);
	free(dispatch->loads);
	if (dispatch->why)
		why_free(dispatch->why);
	free(dispatch->why);
	free(dispatch);
}

void dispatch_switch(struct dispatch *dispatch, bool on)
{
	dispatch->on = on;
	dispatch->picture.is_off = !on;
}

void dispatch_pause(struct dispatch *dispatch, bool on)
{
	dispatch->paused = on;
}

void dispatch_schedule(struct dispatch *dispatch, struct schedule_lines *lines)
{
	dispatch->wanted_lines = lines;
}

struct publisher dispatch_publisher(struct dispatch *dispatch)
{
	return publish_why_publisher(&dispatch->published_why);
}

struct publisher dispatch_cluster_publisher(struct dispatch *dispatch)
{
	return picture_publisher(&dispatch->picture);
}
