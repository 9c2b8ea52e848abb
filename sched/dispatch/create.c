/* SPDX-License-Identifier: Apache-2.0 */
/* What dispatch keeps from run to run: made, switched, told where to go on, given back. */
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

static void access_free(struct access *a)
{
	strlist_free(&a->user_lists);
	strlist_free(&a->xuser_lists);
	strlist_free(&a->projects);
	strlist_free(&a->xprojects);
	*a = (struct access){ 0 };
}

static int names_of(struct strlist *list, const struct pairs *typed, const char *name)
{
	const struct pair *pair = pairs_find(typed, name);
	struct error e;

	return pair && strlist_parse(list, pair->text, &e) == -ENOMEM ? -ENOMEM : 0;
}

static int access_create(struct access *a, const struct cell *cell)
{
	const struct pairs *typed = &cell->global.typed;

	return names_of(&a->user_lists, typed, "user_lists") || names_of(&a->xuser_lists, typed, "xuser_lists") ||
	       names_of(&a->projects, typed, "projects") || names_of(&a->xprojects, typed, "xprojects") ? -ENOMEM : 0;
}

void dispatch_forget(struct dispatch *d)
{
	categories_free(d->categories);
	d->categories = NULL;
	bookings_free(&d->bookings);
	quotas_destroy(d->quotas);
	d->quotas = NULL;
	access_free(&d->global_access);
	free(d->hits);
	free(d->calendars);
	free(d->pes);
	free(d->pe_list);
	free(d->skipped_queues);
	free(d->skipped_hosts);
	d->hits = d->pe_list = d->skipped_queues = d->skipped_hosts = NULL;
	d->calendars = NULL;
	d->pes = NULL;
	picture_forget(&d->picture);
	cluster_destroy(&d->cluster);
	d->cell = NULL;
}

static int quota_columns(struct dispatch *d)
{
	for (size_t i = 0; i < d->cell->nquotas; i++)
		for (size_t r = 0; r < d->cell->quotas[i].nrules; r++)
			for (size_t l = 0; l < d->cell->quotas[i].rules[r].nlimits; l++) {
				const struct formula *f = &d->cell->quotas[i].rules[r].limits[l].formula;

				for (size_t t = 0; t < f->n; t++)
					if (cluster_name(&d->cluster, f->terms[t].x.name) || cluster_name(&d->cluster, f->terms[t].y.name))
						return -ENOMEM;
			}
	return 0;
}

static int cell_read(struct dispatch *d, const struct cell *cell, const struct told_instance *told, size_t n)
{
	struct quota_names names;

	if (cluster_create(&d->cluster, cell, told, n))
		return -ENOMEM;
	d->cell = cell;
	names = (struct quota_names){ .queues = d->cluster.queue_names, .nqueues = cell->nqueues, .hosts = d->cluster.host_names,
				      .nhosts = d->cluster.nhosts };
	if (quotas_create(&d->quotas, cell, &names) || access_create(&d->global_access, cell) || quota_columns(d))
		return -ENOMEM;
	d->hits = calloc(quotas_sets(d->quotas) + 1, sizeof(*d->hits));
	d->calendars = calloc(cell->ncalendars + 1, sizeof(*d->calendars));
	d->pes = calloc(cell->npes + 1, sizeof(*d->pes));
	d->pe_list = calloc(cell->npes + 1, sizeof(*d->pe_list));
	d->skipped_queues = calloc(cell->nqueues + 1, sizeof(*d->skipped_queues));
	d->skipped_hosts = calloc(d->cluster.nhosts + 1, sizeof(*d->skipped_hosts));
	return d->hits && d->calendars && d->pes && d->pe_list && d->skipped_queues && d->skipped_hosts ? 0 : -ENOMEM;
}

int dispatch_learn(struct dispatch *d, const struct cell *cell, const struct told_instance *told, size_t n)
{
	int rc;

	dispatch_forget(d);
	rc = cell_read(d, cell, told, n);
	if (rc)
		dispatch_forget(d);
	return rc;
}

/* The whole */

int dispatch_create(struct dispatch **result, struct strings *strings)
{
	struct dispatch *d = *result = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->on = true;
	d->strings = strings;
	pool_create(&d->removed.numbers, sizeof(uint32_t));
	d->why = calloc(1, sizeof(*d->why));
	return d->why ? parallel_create(d) : -ENOMEM;
}

const struct pool *dispatch_remember(const struct dispatch *d, struct state_head *head)
{
	head->dispatches = !d->on ? RUN_ORDERS_NOTHING : d->paused ? RUN_PAUSED : RUN_ORDERS;
	memcpy(head->range_scores, d->range_scores, sizeof(head->range_scores));
	return &d->removed.numbers;
}

int dispatch_resume(struct dispatch *d, const struct run *run, const struct scheduler_event *from)
{
	bool is_new;

	memcpy(d->range_scores, from->range_costs, sizeof(d->range_scores));
	d->removed.state = run->mirror->state;
	for (size_t i = 0; i < from->nremoved; i++)
		if (pool_find(&d->removed.numbers, &from->removed[i]) == UINT32_MAX &&
		    pool_hold(&d->removed.numbers, &from->removed[i], &is_new) == UINT32_MAX)
			return -ENOMEM;
	return 0;
}

void dispatch_free(struct dispatch *d)
{
	if (!d)
		return;
	decisions_free(&d->decisions);
	pool_destroy(&d->removed.numbers);
	publish_why_free(d);
	advances_free(d);
	pledges_free(d);
	dispatch_forget(d);
	picture_free(&d->picture, d->strings);
	ranking_free(d);
	parallel_free(d);
	relevant_forget(d);
	changes_free(&d->changes);
	free(d->loads);
	free(d->avoided);
	if (d->why)
		why_free(d->why);
	free(d->why);
	free(d);
}

void dispatch_switch(struct dispatch *d, bool on)
{
	d->on = on;
}

void dispatch_pause(struct dispatch *d, bool on)
{
	d->paused = on;
}

void dispatch_schedule(struct dispatch *d, struct schedule_lines *lines)
{
	d->wanted_lines = lines;
}
