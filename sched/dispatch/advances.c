/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/advances.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/dispatch/book.h"
#include "sched/run/run.h"

static void advance_free(struct advance *advance)
{
	category_destroy(&advance->category);
	free(advance->keeps);
	strlist_free(&advance->access);
	strlist_free(&advance->no_access);
	free(advance->places);
	free(advance->offers);
}

void advances_free(struct advances *advances)
{
	for (size_t i = 0; i < advances->n; i++)
		advance_free(&advances->items[i]);
	free(advances->items);
	index_free(&advances->index);
	*advances = (struct advances){ 0 };
}

static const char *text_of(const struct supply *supply, uint32_t id)
{
	return id == NONE ? NULL : strings_text(supply->advances.strings, id);
}

static int list_read(const struct supply *supply, struct strlist *list, uint32_t id)
{
	struct error error;

	return id != NONE && strlist_parse(list, text_of(supply, id), &error) == -ENOMEM ? -ENOMEM : 0;
}

static int category_make(struct supply *supply, struct advance *advance)
{
	const char *pe = text_of(supply, advance->reported->granted_pe);
	const struct category_facts facts = { .user = text_of(supply, advance->reported->owner),
					      .hard = text_of(supply, advance->reported->hard),
					      .pe = pe,
					      .pe_range = pe ? "1-" : NULL,
					      .free_of_quotas = true };
	const struct cluster *cluster = &supply->cluster;

	if (category_create(&advance->category, supply, &facts))
		return -ENOMEM;
	advance->pe = UINT32_MAX;
	for (uint32_t i = 0; pe && i < supply->cell->npes; i++)
		if (strcmp(supply->cell->pes[i].name, pe) == 0)
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
static int places_make(struct supply *supply, const struct run *run, struct advance *a, struct grant *grant)
{
	const struct state *state = run->mirror->state;

	grant_clear(grant);
	grant->pe = a->pe;
	for (size_t k = 0; k < a->reported->ngranted; k++) {
		uint32_t reported =
			index_find(&state->instance_index, state->instance_names, a->reported->granted[k].queue);
		uint32_t instance =
			reported == INDEX_NONE ? UINT32_MAX : cluster_instance(&supply->cluster, reported);

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
static struct offer offer_made(const struct supply *supply, const struct advance *a,
			       const struct advance_place *place, size_t k)
{
	const struct complex *complex = supply->cluster.columns[supply->cluster.consumables[k]].complex;
	double need = a->category.need[k];
	struct offer offer = { .fixed_text = a->keeps[k] ? "" : NULL,
			       .used_line = TIMELINE_EMPTY,
			       .shared_line = TIMELINE_EMPTY };

	if (complex->consumable == CONSUMABLE_JOB)
		offer.fixed = place->master ? need : 0.0;
	else
		offer.fixed = complex->relop == RELOP_EXCL || !complex_is_per_slot(complex) ? need
											    : need * place->slots;
	offer.configured = offer.fixed;
	return offer;
}

static int offers_make(struct supply *supply, struct advance *advance)
{
	size_t n = supply->cluster.nconsumables;

	advance->offers = calloc(advance->nplaces * n + 1, sizeof(*advance->offers));
	if (!advance->offers)
		return -ENOMEM;
	for (size_t i = 0; i < advance->nplaces * n; i++)
		advance->offers[i] = offer_made(supply, advance, &advance->places[i / n], i % n);
	advance->first_place = supply->advances.nplaces;
	supply->advances.nplaces += (uint32_t)advance->nplaces;
	return 0;
}

/*
 * Book the reservation. Bookings in the past are not queried, so a begin in the past is booked as
 * now - 1, one common time for all.
 */
static int booked(struct bookings *bookings, struct advance *advance, struct grant *grant)
{
	int64_t start = advance->reported->start_time, now = bookings->supply->now;

	grant->begin = start < now ? now - 1 : start;
	return grant_reserve(bookings, &advance->category, grant, advance->reported->end_time);
}

static int advance_make(struct bookings *bookings, const struct run *run, struct advance *advance, struct grant *grant)
{
	struct supply *supply = bookings->supply;

	if (list_read(supply, &advance->access, advance->reported->access) ||
	    list_read(supply, &advance->no_access, advance->reported->no_access) || category_make(supply, advance) ||
	    places_make(supply, run, advance, grant) || offers_make(supply, advance))
		return -ENOMEM;
	return booked(bookings, advance, grant);
}

int advances_begin(struct bookings *bookings, const struct run *run)
{
	const struct state *state = run->mirror->state;
	struct advances *advances = &bookings->supply->advances;
	struct grant grant = { 0 };
	int rc = 0;

	advances_free(advances);
	advances->strings = run->strings;
	advances->numbers = state->advance_numbers;
	advances->items = calloc(state->nadvances + 1, sizeof(*advances->items));
	if (!advances->items)
		return -ENOMEM;
	for (uint32_t i = 0; i < state->nadvances && rc == 0; i++) {
		advances->items[i] =
			(struct advance){ .number = state->advance_numbers[i], .reported = &state->advances[i] };
		advances->n++;
		rc = index_reserve(&advances->index, state->advance_numbers);
		if (rc == 0)
			index_insert(&advances->index, state->advance_numbers, i);
		if (rc == 0)
			rc = advance_make(bookings, run, &advances->items[i], &grant);
	}
	grant_free(&grant);
	return rc;
}
