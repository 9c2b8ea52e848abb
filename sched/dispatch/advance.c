/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/advance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/lists.h"
#include "conf/search.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/match.h"

/* Looked up */

struct advance *dispatch_advance(const struct dispatch *d, uint32_t number)
{
	uint32_t i = d->advances.n > 0 ? index_find(&d->advances.index, d->advances.numbers, number) : INDEX_NONE;

	return i == INDEX_NONE ? NULL : &d->advances.items[i];
}

static const struct advance_place *place_of(const struct advance *a, uint32_t instance)
{
	size_t at;

	lower_bound(at, a->nplaces, a->places[at].instance < instance);
	return at < a->nplaces && a->places[at].instance == instance ? &a->places[at] : NULL;
}

bool advance_has(const struct advance *a, uint32_t instance)
{
	return place_of(a, instance) != NULL;
}

bool advance_has_queue(const struct dispatch *d, const struct advance *a, uint32_t queue)
{
	for (size_t i = 0; i < a->nplaces; i++)
		if (d->cluster.instances[a->places[i].instance].queue == queue)
			return true;
	return false;
}

uint32_t advance_place(const struct advance *a, uint32_t instance)
{
	const struct advance_place *place = place_of(a, instance);

	return place ? a->first_place + (uint32_t)(place - a->places) : UINT32_MAX;
}

struct offer *advance_offer(const struct advance *a, const struct cluster *c, size_t k, uint32_t instance)
{
	const struct advance_place *place = a->keeps[k] ? place_of(a, instance) : NULL;

	return place ? &a->offers[(size_t)(place - a->places) * c->nconsumables + k] : NULL;
}

/* Who may use it, and when */

static bool names(const struct dispatch *d, const struct strlist *list, const char *user, const char *group)
{
	const struct category someone = { .user = user, .group = group };

	for (size_t i = 0; i < list->n; i++) {
		char *set = list->items[i] + 1;
		const struct strlist one = { .items = &set, .n = 1 };

		if (list->items[i][0] == '@' ? category_in_lists(d, &someone, &one) : strcmp(list->items[i], user) == 0)
			return true;
	}
	return false;
}

bool advance_admits(const struct dispatch *d, const struct advance *a, const char *user, const char *group)
{
	return (a->access.n == 0 || names(d, &a->access, user, group)) && !names(d, &a->no_access, user, group);
}

bool advance_is_open(struct search *s)
{
	const struct category *category = s->category;
	const struct advance *a = category->advance;
	const char *state = a && a->told->state != NONE ? strings_text(s->d->strings, a->told->state) : "";

	if (!a)
		match_why(s, WHY_NO_ADVANCE, why_text(s->d->why, "%u", category->ar), NULL, 0, 0);
	else if (*state == 'E' && a->told->hard_error)
		match_why(s, WHY_ADVANCE_ERROR, why_text(s->d->why, "%u", category->ar), NULL, 0, 0);
	else if (*state != 'r' && *state != 'E')
		match_why(s, WHY_ADVANCE_WAITS, why_text(s->d->why, "%u", category->ar), NULL, 0, (double)a->told->start_time);
	else
		return true;
	return false;
}

bool advance_lasts(const struct advance *a, const char *complex, double *seconds)
{
	if (strcmp(complex, "h_rt") != 0 && strcmp(complex, "s_rt") != 0)
		return false;
	*seconds = (double)(a->told->end_time - a->told->start_time);
	return true;
}

/* Made and booked */

static void advance_free(struct advance *a)
{
	category_destroy(&a->category);
	free(a->keeps);
	strlist_free(&a->access);
	strlist_free(&a->no_access);
	free(a->places);
	free(a->offers);
}

void advances_free(struct dispatch *d)
{
	for (size_t i = 0; i < d->advances.n; i++)
		advance_free(&d->advances.items[i]);
	free(d->advances.items);
	index_free(&d->advances.index);
	d->advances = (struct advances){ 0 };
}

static const char *text_of(const struct dispatch *d, uint32_t id)
{
	return id == NONE ? NULL : strings_text(d->strings, id);
}

static int list_read(const struct dispatch *d, struct strlist *list, uint32_t id)
{
	struct error e;

	return id != NONE && strlist_parse(list, text_of(d, id), &e) == -ENOMEM ? -ENOMEM : 0;
}

static int category_make(struct dispatch *d, struct advance *a)
{
	const char *pe = text_of(d, a->told->granted_pe);
	const struct category_facts facts = { .user = text_of(d, a->told->owner), .hard = text_of(d, a->told->hard), .pe = pe,
					      .pe_range = pe ? "1-" : NULL, .free_of_quotas = true };
	const struct cluster *c = &d->cluster;

	if (category_create(&a->category, d, &facts))
		return -ENOMEM;
	a->pe = UINT32_MAX;
	for (uint32_t i = 0; pe && i < d->cell->npes; i++)
		if (strcmp(d->cell->pes[i].name, pe) == 0)
			a->pe = i;
	a->keeps = calloc(c->nconsumables + 1, sizeof(*a->keeps));
	for (size_t k = 0; a->keeps && k < c->nconsumables; k++)
		a->keeps[k] = c->columns[c->consumables[k]].is_slots || a->category.requested[c->consumables[k]];
	return a->keeps ? 0 : -ENOMEM;
}

static int by_instance(const void *a, const void *b)
{
	const struct advance_place *x = a, *y = b;

	return x->instance < y->instance ? -1 : x->instance > y->instance;
}

/* The grant is in the order told, places are in that of their instances. */
static int places_make(struct dispatch *d, const struct run *run, struct advance *a, struct grant *g)
{
	const struct state *state = run->mirror->state;

	grant_clear(g);
	g->pe = a->pe;
	for (size_t k = 0; k < a->told->ngranted; k++) {
		uint32_t told = index_find(&state->instance_index, state->instance_names, a->told->granted[k].queue);
		uint32_t instance = told == INDEX_NONE ? UINT32_MAX : cluster_instance(&d->cluster, told);

		if (instance != UINT32_MAX && grant_add(g, instance, a->told->granted[k].slots, false))
			return -ENOMEM;
	}
	a->places = calloc(g->n + 1, sizeof(*a->places));
	if (!a->places)
		return -ENOMEM;
	for (a->nplaces = 0; a->nplaces < g->n; a->nplaces++)
		a->places[a->nplaces] = (struct advance_place){ g->entries[a->nplaces].instance, a->nplaces == 0, g->entries[a->nplaces].slots };
	qsort(a->places, a->nplaces, sizeof(*a->places), by_instance);
	return 0;
}

/* What its jobs find in a place: what it takes there itself. */
static struct offer offer_made(const struct dispatch *d, const struct advance *a, const struct advance_place *place, size_t k)
{
	const struct complex *complex = d->cluster.columns[d->cluster.consumables[k]].complex;
	double need = a->category.need[k];
	struct offer o = { .fixed_text = a->keeps[k] ? "" : NULL, .used_line = TIMELINE_EMPTY, .shared_line = TIMELINE_EMPTY };

	if (complex->consumable == CONSUMABLE_JOB)
		o.fixed = place->master ? need : 0.0;
	else
		o.fixed = complex->relop == RELOP_EXCL ? need : need * place->slots;
	o.configured = o.fixed;
	return o;
}

static int offers_make(struct dispatch *d, struct advance *a)
{
	size_t n = d->cluster.nconsumables;

	a->offers = calloc(a->nplaces * n + 1, sizeof(*a->offers));
	if (!a->offers)
		return -ENOMEM;
	for (size_t i = 0; i < a->nplaces * n; i++)
		a->offers[i] = offer_made(d, a, &a->places[i / n], i % n);
	a->first_place = d->advances.nplaces;
	d->advances.nplaces += (uint32_t)a->nplaces;
	return 0;
}

/* Nobody asks what was booked in the past: one change there does for all of a line. */
static int booked(struct dispatch *d, struct advance *a, struct grant *g)
{
	g->begin = a->told->start_time < d->now ? d->now - 1 : a->told->start_time;
	return grant_reserve(d, &a->category, g, a->told->end_time);
}

static int advance_make(struct dispatch *d, const struct run *run, struct advance *a, struct grant *g)
{
	if (list_read(d, &a->access, a->told->access) || list_read(d, &a->no_access, a->told->no_access) || category_make(d, a) ||
	    places_make(d, run, a, g) || offers_make(d, a))
		return -ENOMEM;
	return booked(d, a, g);
}

int advances_begin(struct dispatch *d, const struct run *run)
{
	const struct state *state = run->mirror->state;
	struct grant g = { 0 };
	int rc = 0;

	advances_free(d);
	d->advances.numbers = state->advance_numbers;
	d->advances.items = calloc(state->nadvances + 1, sizeof(*d->advances.items));
	if (!d->advances.items)
		return -ENOMEM;
	for (uint32_t i = 0; i < state->nadvances && rc == 0; i++) {
		d->advances.items[i] = (struct advance){ .number = state->advance_numbers[i], .told = &state->advances[i] };
		d->advances.n++;
		rc = index_reserve(&d->advances.index, state->advance_numbers);
		if (rc == 0)
			index_insert(&d->advances.index, state->advance_numbers, i);
		if (rc == 0)
			rc = advance_make(d, run, &d->advances.items[i], &g);
	}
	grant_free(&g);
	return rc;
}
