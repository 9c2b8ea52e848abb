/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/sieve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/array.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/match.h"

#define NONE_YET UINT32_MAX
#define MOST_SIEVES 32			/* made: marks that the categories leave */

void sieves_begin(struct sieves *sieves)
{
	text_set_clear(&sieves->keys);
	sieves->made = 0;
}

void sieves_free(struct sieves *sieves)
{
	text_set_free(&sieves->keys);
	free(sieves->items);
	*sieves = (struct sieves){ 0 };
}

/* Of what is booked, and of loads that starts adjust, it only stays so whether there is any. */
static bool is_fixed(const struct column *column)
{
	return column->complex->consumable == CONSUMABLE_NO && column->adjustment == 0.0;
}

/* NONE_YET: no memory. */
static uint32_t number_of(struct dispatch *d, const struct resource_request *w)
{
	struct sieves *sieves = &d->sieves;
	size_t capacity = sieves->capacity ? 2 * sieves->capacity : 64;
	uint32_t number;
	char key[400];

	snprintf(key, sizeof(key), "%u=%s", (unsigned)w->column, is_fixed(&d->cluster.columns[w->column]) ? w->value_text : "");
	number = text_set_find(&sieves->keys, key);
	if (number != INDEX_NONE)
		return number;
	if (sieves->keys.n == sieves->capacity) {
		if (array_grow(&sieves->items, capacity, sizeof(*sieves->items)))
			return NONE_YET;
		sieves->capacity = capacity;
	}
	if (text_set_add(&sieves->keys, key, &number))
		return NONE_YET;
	sieves->items[number] = (struct sieve){ .mark = QUEUE_LIST_NONE };
	return number;
}

static void lack_add(struct sieve_lack *lack, const char *object, double wanted, double had)
{
	if (lack->count++ > 0 && fabs(wanted - had) >= fabs(wanted - lack->had))
		return;
	lack->object = object;
	lack->had = had;
}

/* An instance loses the mark, or keeps it. */
static void instance_sift(struct search *s, const struct resource_request *w, uint32_t i, bool here, struct sieve *sieve)
{
	bool fixed = is_fixed(&s->d->cluster.columns[w->column]), listed = queue_list_has(&s->d->list, i);
	bool offered = match_is_offered(s, w, i), has = offered && (!fixed || match_fits(s, w, LEVEL_QUEUE, i));

	if (here && has) {
		sieve->passing++;
		return;
	}
	queue_list_unmark(&s->d->list, i, sieve->mark);
	if (here && listed && !offered)
		lack_add(&sieve->none, s->d->cluster.instances[i].name, 0.0, 0.0);
	else if (here && listed)
		lack_add(&sieve->other, s->d->cluster.instances[i].name, w->value, match_had(s, w, LEVEL_QUEUE, i));
}

static void host_sift(struct search *s, const struct resource_request *w, uint32_t host, struct sieve *sieve)
{
	const struct cluster *c = &s->d->cluster;
	bool here = !is_fixed(&c->columns[w->column]) || match_fits(s, w, LEVEL_HOST, host), listed = false;

	for (uint32_t i = c->hosts[host].first_instance; i != UINT32_MAX; i = c->instances[i].next_on_host) {
		instance_sift(s, w, i, here, sieve);
		listed |= queue_list_has(&s->d->list, i);
	}
	if (!here && listed)		/* as a whole */
		lack_add(&sieve->other, c->host_names[host], w->value, match_had(s, w, LEVEL_HOST, host));
}

static void sieve_make(struct search *s, const struct resource_request *w, struct sieve *sieve)
{
	sieve->mark = queue_list_mark(&s->d->list);
	if (sieve->mark == QUEUE_LIST_NONE)
		return;
	s->d->sieves.made++;
	for (uint32_t h = 0; h < s->d->cluster.nhosts; h++)
		host_sift(s, w, h, sieve);
}

static uint32_t better(const struct sieve *sieve, uint32_t mark, uint32_t *passing)
{
	if (sieve->mark == QUEUE_LIST_NONE || sieve->passing >= *passing)
		return mark;
	*passing = sieve->passing;
	return sieve->mark;
}

uint32_t sieve_first(const struct search *s)
{
	uint32_t passing = UINT32_MAX, mark = QUEUE_LIST_NONE;

	for (size_t i = 0; i < s->category->nhard; i++)
		if (s->category->hard[i].sieve != NONE_YET)
			mark = better(&s->d->sieves.items[s->category->hard[i].sieve], mark, &passing);
	return mark;
}

/* The category is spared from looking at the others: its reasons count them. */
static void tell_others(struct search *s, const struct resource_request *w, const struct sieve *sieve)
{
	const struct sieve_lack *none = &sieve->none, *other = &sieve->other;
	uint32_t list = s->category->verdict->why;

	if (none->count > 0 && !s->silent)
		why_raise(s->d->why, list, WHY_NO_ATTRIBUTE, w->text, none->object, 0.0, 0.0, none->count);
	if (other->count > 0 && !s->silent)
		why_raise(s->d->why, list, WHY_ATTRIBUTE, w->text, other->object, w->value, other->had, other->count);
}

uint32_t sieve_failed(struct search *s, struct resource_request *w, uint32_t mark)
{
	struct sieves *sieves = &s->d->sieves;
	struct sieve *sieve;

	if (w->sieve == NONE_YET)
		w->sieve = number_of(s->d, w);
	if (w->sieve == NONE_YET)
		return mark;
	sieve = &sieves->items[w->sieve];
	if (sieve->mark == QUEUE_LIST_NONE && ++sieve->failures >= s->d->cluster.ninstances && sieves->made < MOST_SIEVES)
		sieve_make(s, w, sieve);
	if (sieve->mark == QUEUE_LIST_NONE)
		return mark;
	tell_others(s, w, sieve);
	return sieve_first(s);
}
