/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch object, which is kept from run to run: create, switch, save, resume, destroy. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/phase.h"
#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/picture.h"
#include "sched/dispatch/search/categories.h"
#include "sched/dispatch/search/parallel.h"

/* The cell */

static void access_free(struct access *access)
{
	strlist_free(&access->user_lists);
	strlist_free(&access->xuser_lists);
	strlist_free(&access->projects);
	strlist_free(&access->xprojects);
	*access = (struct access){ 0 };
}

static int names_of(struct strlist *list, const struct pairs *typed, const char *name)
{
	const struct pair *pair = pairs_find(typed, name);
	struct error error;

	return pair && strlist_parse(list, pair->text, &error) == -ENOMEM ? -ENOMEM : 0;
}

static int access_create(struct access *access, const struct cell *cell)
{
	const struct pairs *typed = &cell->global.typed;

	return names_of(&access->user_lists, typed, "user_lists") ||
			       names_of(&access->xuser_lists, typed, "xuser_lists") ||
			       names_of(&access->projects, typed, "projects") ||
			       names_of(&access->xprojects, typed, "xprojects")
		       ? -ENOMEM
		       : 0;
}

void dispatch_forget(struct dispatch *dispatch)
{
	categories_free(dispatch->categories);
	dispatch->categories = NULL;
	bookings_free(&dispatch->bookings);
	quotas_destroy(dispatch->quotas);
	dispatch->quotas = NULL;
	access_free(&dispatch->global_access);
	free(dispatch->hits);
	free(dispatch->calendars);
	free(dispatch->pes);
	free(dispatch->pe_list);
	skips_forget(&dispatch->skips);
	dispatch->hits = dispatch->pe_list = NULL;
	dispatch->calendars = NULL;
	dispatch->pes = NULL;
	picture_forget(&dispatch->picture);
	cluster_destroy(&dispatch->cluster);
	dispatch->cell = NULL;
}

static int quota_columns(struct dispatch *dispatch)
{
	for (size_t i = 0; i < dispatch->cell->nquotas; i++)
		for (size_t r = 0; r < dispatch->cell->quotas[i].nrules; r++)
			for (size_t l = 0; l < dispatch->cell->quotas[i].rules[r].nlimits; l++) {
				const struct formula *formula = &dispatch->cell->quotas[i].rules[r].limits[l].formula;

				for (size_t t = 0; t < formula->n; t++)
					if (cluster_name(&dispatch->cluster, formula->terms[t].x.name) ||
					    cluster_name(&dispatch->cluster, formula->terms[t].y.name))
						return -ENOMEM;
			}
	return 0;
}

static int cell_read(struct dispatch *dispatch, const struct cell *cell, const struct reported_instance *reported,
		     size_t n)
{
	struct quota_names names;

	if (cluster_create(&dispatch->cluster, cell, reported, n))
		return -ENOMEM;
	dispatch->cell = cell;
	names = (struct quota_names){ .queues = dispatch->cluster.queue_names,
				      .nqueues = cell->nqueues,
				      .hosts = dispatch->cluster.host_names,
				      .nhosts = dispatch->cluster.nhosts };
	if (quotas_create(&dispatch->quotas, cell, &names) || access_create(&dispatch->global_access, cell) ||
	    quota_columns(dispatch))
		return -ENOMEM;
	dispatch->hits = calloc(quotas_sets(dispatch->quotas) + 1, sizeof(*dispatch->hits));
	dispatch->calendars = calloc(cell->ncalendars + 1, sizeof(*dispatch->calendars));
	dispatch->pes = calloc(cell->npes + 1, sizeof(*dispatch->pes));
	dispatch->pe_list = calloc(cell->npes + 1, sizeof(*dispatch->pe_list));
	return dispatch->hits && dispatch->calendars && dispatch->pes && dispatch->pe_list
		       ? skips_create(&dispatch->skips, cell->nqueues, dispatch->cluster.nhosts)
		       : -ENOMEM;
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
	dispatch->strings = strings;
	pool_create(&dispatch->removed.numbers, sizeof(uint32_t));
	dispatch->why = calloc(1, sizeof(*dispatch->why));
	return dispatch->why ? 0 : -ENOMEM;
}

const struct pool *dispatch_remember(const struct dispatch *dispatch, struct state_head *head)
{
	head->dispatches = !dispatch->on ? RUN_ORDERS_NOTHING : dispatch->paused ? RUN_PAUSED : RUN_ORDERS;
	memcpy(head->range_scores, dispatch->range_scores, sizeof(head->range_scores));
	return &dispatch->removed.numbers;
}

int dispatch_resume(struct dispatch *dispatch, const struct run *run, const struct scheduler_event *from)
{
	bool is_new;

	memcpy(dispatch->range_scores, from->range_costs, sizeof(dispatch->range_scores));
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
	publish_why_free(dispatch);
	advances_free(dispatch);
	pledges_free(dispatch);
	dispatch_forget(dispatch);
	picture_free(&dispatch->picture, dispatch->strings);
	ranking_free(&dispatch->ranking);
	review_free(&dispatch->review);
	sieves_free(&dispatch->sieves);
	tags_free(&dispatch->tags);
	parallel_free(&dispatch->parallel);
	relevant_forget(dispatch);
	changes_free(&dispatch->changes);
	free(dispatch->loads);
	free(dispatch->avoided);
	if (dispatch->why)
		why_free(dispatch->why);
	free(dispatch->why);
	free(dispatch);
}

void dispatch_switch(struct dispatch *dispatch, bool on)
{
	dispatch->on = on;
}

void dispatch_pause(struct dispatch *dispatch, bool on)
{
	dispatch->paused = on;
}

void dispatch_schedule(struct dispatch *dispatch, struct schedule_lines *lines)
{
	dispatch->wanted_lines = lines;
}
