/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/sieve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/base/array.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/search.h"

#define NONE_YET UINT32_MAX
#define MOST_SIEVES 32			/* limit; it leaves marks for categories */

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

/*
 * Return whether the offer stays fixed in a run. For booked resources and adjusted loads only their
 * existence stays fixed.
 */
static bool is_fixed(const struct column *column)
{
	return column->complex->consumable == CONSUMABLE_NO && column->adjustment == 0.0;
}

/*
 * Return the number of the sieve for a request, created if needed. NONE_YET: memory is exhausted.
 */
static uint32_t number_of(struct sieves *sieves, const struct cluster *cluster, const struct resource_request *request)
{
	size_t capacity = sieves->capacity ? 2 * sieves->capacity : 64;
	uint32_t number;
	char key[400];

	snprintf(key, sizeof(key), "%u=%s", (unsigned)request->column,
		 is_fixed(&cluster->columns[request->column]) ? request->value_text : "");
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

/* Remove the mark from an instance, or keep it. */
static void instance_sift(struct search *search, const struct resource_request *request, uint32_t i, bool here,
			  struct sieve *sieve)
{
	bool fixed = is_fixed(&search->supply->cluster.columns[request->column]),
	     listed = queue_list_has(&search->shared->ranking.list, i);
	bool offered = match_is_offered(search, request, i),
	     has = offered && (!fixed || match_fits(search, request, LEVEL_QUEUE, i));

	if (here && has) {
		sieve->passing++;
		return;
	}
	queue_list_unmark(&search->shared->ranking.list, i, sieve->mark);
	if (here && listed && !offered)
		lack_add(&sieve->none, search->supply->cluster.instances[i].name, 0.0, 0.0);
	else if (here && listed)
		lack_add(&sieve->other, search->supply->cluster.instances[i].name, request->value,
			 match_had(search, request, LEVEL_QUEUE, i));
}

static void host_sift(struct search *search, const struct resource_request *request, uint32_t host, struct sieve *sieve)
{
	const struct cluster *cluster = &search->supply->cluster;
	bool here = !is_fixed(&cluster->columns[request->column]) || match_fits(search, request, LEVEL_HOST, host),
	     listed = false;

	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX;
	     i = cluster->instances[i].next_on_host) {
		instance_sift(search, request, i, here, sieve);
		listed |= queue_list_has(&search->shared->ranking.list, i);
	}
	if (!here && listed)		/* the host as a whole */
		lack_add(&sieve->other, cluster->host_names[host], request->value,
			 match_had(search, request, LEVEL_HOST, host));
}

static void sieve_make(struct search *search, const struct resource_request *request, struct sieve *sieve)
{
	sieve->mark = queue_list_mark(&search->shared->ranking.list);
	if (sieve->mark == QUEUE_LIST_NONE)
		return;
	search->shared->sieves.made++;
	for (uint32_t h = 0; h < search->supply->cluster.nhosts; h++)
		host_sift(search, request, h, sieve);
}

static uint32_t better(const struct sieve *sieve, uint32_t mark, uint32_t *passing)
{
	if (sieve->mark == QUEUE_LIST_NONE || sieve->passing >= *passing)
		return mark;
	*passing = sieve->passing;
	return sieve->mark;
}

uint32_t sieve_first(const struct search *search)
{
	uint32_t passing = UINT32_MAX, mark = QUEUE_LIST_NONE;

	for (size_t i = 0; i < search->question.category->nhard; i++)
		if (search->question.category->hard[i].sieve != NONE_YET)
			mark = better(&search->shared->sieves.items[search->question.category->hard[i].sieve], mark,
				      &passing);
	return mark;
}

/* Add the counts of the instances that the category does not need to try to its reasons. */
static void report_others(struct search *search, const struct resource_request *request, const struct sieve *sieve)
{
	const struct sieve_lack *none = &sieve->none, *other = &sieve->other;
	uint32_t list = search->question.category->verdict->why;

	if (none->count > 0 && !search->question.silent)
		why_raise(search->shared->why, list, WHY_NO_ATTRIBUTE, request->text, none->object, 0.0, 0.0,
			  none->count);
	if (other->count > 0 && !search->question.silent)
		why_raise(search->shared->why, list, WHY_ATTRIBUTE, request->text, other->object, request->value,
			  other->had, other->count);
}

uint32_t sieve_failed(struct search *search, struct resource_request *request, uint32_t mark)
{
	struct sieves *sieves = &search->shared->sieves;
	struct sieve *sieve;

	if (request->sieve == NONE_YET)
		request->sieve = number_of(sieves, &search->supply->cluster, request);
	if (request->sieve == NONE_YET)
		return mark;
	sieve = &sieves->items[request->sieve];
	if (sieve->mark == QUEUE_LIST_NONE && ++sieve->failures >= search->supply->cluster.ninstances &&
	    sieves->made < MOST_SIEVES)
		sieve_make(search, request, sieve);
	if (sieve->mark == QUEUE_LIST_NONE)
		return mark;
	report_others(search, request, sieve);
	return sieve_first(search);
}
