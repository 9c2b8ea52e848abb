/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/advance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/lists.h"
#include "conf/base/search.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/match.h"

/* Access */

struct advance *dispatch_advance(const struct dispatch *dispatch, uint32_t number)
{
	uint32_t i = dispatch->advances.n > 0
			     ? index_find(&dispatch->advances.index, dispatch->advances.numbers, number)
			     : INDEX_NONE;

	return i == INDEX_NONE ? NULL : &dispatch->advances.items[i];
}

static const struct advance_place *place_of(const struct advance *advance, uint32_t instance)
{
	size_t at;

	lower_bound(at, advance->nplaces, advance->places[at].instance < instance);
	return at < advance->nplaces && advance->places[at].instance == instance ? &advance->places[at] : NULL;
}

bool advance_has(const struct advance *advance, uint32_t instance)
{
	return place_of(advance, instance) != NULL;
}

bool advance_has_queue(const struct dispatch *dispatch, const struct advance *advance, uint32_t queue)
{
	for (size_t i = 0; i < advance->nplaces; i++)
		if (dispatch->cluster.instances[advance->places[i].instance].queue == queue)
			return true;
	return false;
}

uint32_t advance_place(const struct advance *advance, uint32_t instance)
{
	const struct advance_place *place = place_of(advance, instance);

	return place ? advance->first_place + (uint32_t)(place - advance->places) : UINT32_MAX;
}

struct offer *advance_offer(const struct advance *advance, const struct cluster *cluster, size_t k, uint32_t instance)
{
	const struct advance_place *place = advance->keeps[k] ? place_of(advance, instance) : NULL;

	return place ? &advance->offers[(size_t)(place - advance->places) * cluster->nconsumables + k] : NULL;
}

/* Permission and state */

static bool names(const struct dispatch *dispatch, const struct strlist *list, const char *user, const char *group)
{
	const struct category principal = { .user = user, .group = group };

	for (size_t i = 0; i < list->n; i++) {
		char *set = list->items[i] + 1;
		const struct strlist one = { .items = &set, .n = 1 };

		if (list->items[i][0] == '@' ? category_in_lists(dispatch, &principal, &one)
					     : strcmp(list->items[i], user) == 0)
			return true;
	}
	return false;
}

bool advance_admits(const struct dispatch *dispatch, const struct advance *advance, const char *user, const char *group)
{
	return (advance->access.n == 0 || names(dispatch, &advance->access, user, group)) &&
	       !names(dispatch, &advance->no_access, user, group);
}

bool advance_is_open(struct search *search)
{
	const struct category *category = search->category;
	const struct advance *advance = category->advance;
	const char *state = advance && advance->reported->state != NONE
				    ? strings_text(search->d->strings, advance->reported->state)
				    : "";

	if (!advance)
		match_why(search, WHY_NO_ADVANCE, why_text(search->d->why, "%u", category->ar), NULL, 0, 0);
	else if (*state == 'E' && advance->reported->hard_error)
		match_why(search, WHY_ADVANCE_ERROR, why_text(search->d->why, "%u", category->ar), NULL, 0, 0);
	else if (*state != 'r' && *state != 'E')
		match_why(search, WHY_ADVANCE_WAITS, why_text(search->d->why, "%u", category->ar), NULL, 0,
			  (double)advance->reported->start_time);
	else
		return true;
	return false;
}

bool advance_lasts(const struct advance *advance, const char *complex, double *seconds)
{
	if (strcmp(complex, "h_rt") != 0 && strcmp(complex, "s_rt") != 0)
		return false;
	*seconds = (double)(advance->reported->end_time - advance->reported->start_time);
	return true;
}

/* Creation and booking */

static void advance_free(struct advance *advance)
{
	category_destroy(&advance->category);
	free(advance->keeps);
	strlist_free(&advance->access);
	strlist_free(&advance->no_access);
	free(advance->places);
	free(advance->offers);
}

void advances_free(struct dispatch *dispatch)
{
	for (size_t i = 0; i < dispatch->advances.n; i++)
		advance_free(&dispatch->advances.items[i]);
	free(dispatch->advances.items);
	index_free(&dispatch->advances.index);
	dispatch->advances = (struct advances){ 0 };
}

static const char *text_of(const struct dispatch *dispatch, uint32_t id)
{
	return id == NONE ? NULL : strings_text(dispatch->strings, id);
}

static int list_read(const struct dispatch *dispatch, struct strlist *list, uint32_t id)
{
	struct error error;

	return id != NONE && strlist_parse(list, text_of(dispatch, id), &error) == -ENOMEM ? -ENOMEM : 0;
}

static int category_make(struct dispatch *dispatch, struct advance *advance)
{
	const char *pe = text_of(dispatch, advance->reported->granted_pe);
	const struct category_facts facts = { .user = text_of(dispatch, advance->reported->owner),
					      .hard = text_of(dispatch, advance->reported->hard),
					      .pe = pe,
					      .pe_range = pe ? "1-" : NULL,
					      .free_of_quotas = true };
	const struct cluster *cluster = &dispatch->cluster;

	if (category_create(&advance->category, dispatch, &facts))
		return -ENOMEM;
	advance->pe = UINT32_MAX;
	for (uint32_t i = 0; pe && i < dispatch->cell->npes; i++)
		if (strcmp(dispatch->cell->pes[i].name, pe) == 0)
			advance->pe = i;
	advance->keeps = calloc(cluster->nconsumables + 1, sizeof(*advance->keeps));
	for (size_t k = 0; advance->keeps && k < cluster->nconsumables; k++)
		advance->keeps[k] = cluster->columns[cluster->consumables[k]].is_slots ||
				    advance->category.requested[cluster->consumables[k]];
	return advance->keeps ? 0 : -ENOMEM;
}

static int by_instance(const void *a, const void *b)
{
	const struct advance_place *x = a, *y = b;

	return x->instance < y->instance ? -1 : x->instance > y->instance;
}

/*
 * Build the grant and the places. The grant is in the reported order, the places are sorted by
 * instance.
 */
static int places_make(struct dispatch *dispatch, const struct run *run, struct advance *a, struct grant *grant)
{
	const struct state *state = run->mirror->state;

	grant_clear(grant);
	grant->pe = a->pe;
	for (size_t k = 0; k < a->reported->ngranted; k++) {
		uint32_t reported =
			index_find(&state->instance_index, state->instance_names, a->reported->granted[k].queue);
		uint32_t instance =
			reported == INDEX_NONE ? UINT32_MAX : cluster_instance(&dispatch->cluster, reported);

		if (instance != UINT32_MAX && grant_add(grant, instance, a->reported->granted[k].slots, false))
			return -ENOMEM;
	}
	a->places = calloc(grant->n + 1, sizeof(*a->places));
	if (!a->places)
		return -ENOMEM;
	for (a->nplaces = 0; a->nplaces < grant->n; a->nplaces++)
		a->places[a->nplaces] = (struct advance_place){ grant->entries[a->nplaces].instance, a->nplaces == 0,
								grant->entries[a->nplaces].slots };
	qsort(a->places, a->nplaces, sizeof(*a->places), by_instance);
	return 0;
}

/* Return what its jobs find in a place: the amount that the reservation takes there. */
static struct offer offer_made(const struct dispatch *dispatch, const struct advance *a,
			       const struct advance_place *place, size_t k)
{
	const struct complex *complex = dispatch->cluster.columns[dispatch->cluster.consumables[k]].complex;
	double need = a->category.need[k];
	struct offer offer = { .fixed_text = a->keeps[k] ? "" : NULL,
			       .used_line = TIMELINE_EMPTY,
			       .shared_line = TIMELINE_EMPTY };

	if (complex->consumable == CONSUMABLE_JOB)
		offer.fixed = place->master ? need : 0.0;
	else
		offer.fixed = complex->relop == RELOP_EXCL ? need : need * place->slots;
	offer.configured = offer.fixed;
	return offer;
}

static int offers_make(struct dispatch *dispatch, struct advance *advance)
{
	size_t n = dispatch->cluster.nconsumables;

	advance->offers = calloc(advance->nplaces * n + 1, sizeof(*advance->offers));
	if (!advance->offers)
		return -ENOMEM;
	for (size_t i = 0; i < advance->nplaces * n; i++)
		advance->offers[i] = offer_made(dispatch, advance, &advance->places[i / n], i % n);
	advance->first_place = dispatch->advances.nplaces;
	dispatch->advances.nplaces += (uint32_t)advance->nplaces;
	return 0;
}

/*
 * Book the reservation. Bookings in the past are not queried, so a begin in the past is booked as
 * now - 1, one common time for all.
 */
static int booked(struct dispatch *dispatch, struct advance *advance, struct grant *grant)
{
	grant->begin =
		advance->reported->start_time < dispatch->now ? dispatch->now - 1 : advance->reported->start_time;
	return grant_reserve(dispatch, &advance->category, grant, advance->reported->end_time);
}

static int advance_make(struct dispatch *dispatch, const struct run *run, struct advance *advance, struct grant *grant)
{
	if (list_read(dispatch, &advance->access, advance->reported->access) ||
	    list_read(dispatch, &advance->no_access, advance->reported->no_access) ||
	    category_make(dispatch, advance) || places_make(dispatch, run, advance, grant) ||
	    offers_make(dispatch, advance))
		return -ENOMEM;
	return booked(dispatch, advance, grant);
}

int advances_begin(struct dispatch *dispatch, const struct run *run)
{
	const struct state *state = run->mirror->state;
	struct grant grant = { 0 };
	int rc = 0;

	advances_free(dispatch);
	dispatch->advances.numbers = state->advance_numbers;
	dispatch->advances.items = calloc(state->nadvances + 1, sizeof(*dispatch->advances.items));
	if (!dispatch->advances.items)
		return -ENOMEM;
	for (uint32_t i = 0; i < state->nadvances && rc == 0; i++) {
		dispatch->advances.items[i] =
			(struct advance){ .number = state->advance_numbers[i], .reported = &state->advances[i] };
		dispatch->advances.n++;
		rc = index_reserve(&dispatch->advances.index, state->advance_numbers);
		if (rc == 0)
			index_insert(&dispatch->advances.index, state->advance_numbers, i);
		if (rc == 0)
			rc = advance_make(dispatch, run, &dispatch->advances.items[i], &grant);
	}
	grant_free(&grant);
	return rc;
}
