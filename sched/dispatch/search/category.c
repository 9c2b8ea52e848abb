/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/number.h"
#include "conf/base/wildcard.h"
#include "conf/lists.h"
#include "sched/dispatch/search/category.h"
#include "sched/dispatch/search/host_room.h"
#include "sched/dispatch/search/ranking.h"
#include "sched/dispatch/search/supply.h"
#include "sched/dispatch/why/why.h"

/* Requests */

/*
 * Return the amount of a request. NAN: not a number, or a negative amount of a consumable; no
 * object satisfies it.
 */
static double request_value(const struct complex *complex, const char *text)
{
	double value = 0.0;

	if (complex->type < TYPE_STRING && number_parse(text, &value) != 0)
		return NAN;
	if (complex->consumable == CONSUMABLE_NO)
		return value;
	return value < 0 ? NAN : fmin(value, LARGEST_NEED);
}

/* Return "name=value", cut to the length of a reason. NULL: memory is exhausted. */
static char *request_text(const struct resource *resource)
{
	char text[WHY_TEXT_BYTES];
	int n = snprintf(text, sizeof(text), "%s=%s", resource->name, resource_value(resource));

	if (n >= (int)sizeof(text))
		strcpy(text + sizeof(text) - 4, "...");
	return n < 0 ? NULL : strdup(text);
}

static int request_make(struct supply *supply, const struct resource *resource, struct resource_request *request)
{
	const struct complex *complex = resource->complex;

	request->column = complex ? cluster_column(&supply->cluster, complex) : UINT32_MAX;
	request->value_text = resource_value(resource);
	request->value = complex ? request_value(complex, request->value_text) : 0.0;
	request->sieve = UINT32_MAX;
	request->text = request_text(resource);
	return !request->text || (complex && request->column == UINT32_MAX) ? -ENOMEM : 0;
}

static void requests_free(struct resource_request *requests, size_t n)
{
	for (size_t i = 0; requests && i < n; i++)
		free((char *)requests[i].text);
	free(requests);
}

/* Read the requests of a list. Their texts point into the list. */
static int requests_read(struct supply *supply, const char *text, struct resource_list *list,
			 struct resource_request **requests, size_t *n)
{
	int rc = resource_list_read(list, supply->cell, text);

	*requests = rc ? NULL : calloc(list->n + 1, sizeof(**requests));
	if (!*requests)
		return -ENOMEM;
	for (*n = 0; *n < list->n && rc == 0; ++*n)
		rc = request_make(supply, &list->items[*n], &(*requests)[*n]);
	return rc;
}

const struct resource_request *category_request(const struct supply *supply, const struct category *category,
						const struct complex *complex)
{
	uint32_t column = supply->cluster.column_of[complex - supply->cell->complexes];

	for (size_t i = 0; column != UINT32_MAX && i < category->nhard; i++)
		if (category->hard[i].column == column)
			return &category->hard[i];
	return NULL;
}

double category_amount(const struct supply *supply, const struct category *category, const struct complex *complex)
{
	const struct resource_request *request = category_request(supply, category, complex);

	if (strcmp(complex->name, "slots") == 0)
		return 1.0;
	if (request)
		return isnan(request->value) ? 0.0 : request->value;
	return complex->consumable != CONSUMABLE_NO ? complex->consumption : 0.0;
}

bool limit_is_counted(const struct complex *complex)
{
	return complex->consumable != CONSUMABLE_NO || strcmp(complex->name, "slots") == 0;
}

/*
 * Return how much of a limit one entry uses. The master's entry uses all of a JOB or HOST
 * consumable.
 */
double limit_use(const struct supply *supply, const struct category *category, const struct complex *complex,
		 uint32_t slots, bool master)
{
	if (!limit_is_counted(complex))
		return 0.0;
	if (strcmp(complex->name, "slots") == 0)
		return slots;
	if (!complex_is_per_slot(complex))
		return master ? category_amount(supply, category, complex) : 0.0;
	return category_amount(supply, category, complex) * slots;
}

static int needs_create(struct category *category, const struct supply *supply)
{
	const struct cluster *cluster = &supply->cluster;

	category->need = calloc(cluster->nconsumables + 1, sizeof(*category->need));
	category->requested = calloc(cluster->ncolumns + 1, sizeof(*category->requested));
	if (!category->need || !category->requested)
		return -ENOMEM;
	for (size_t k = 0; k < cluster->nconsumables; k++) {
		const struct complex *complex = cluster->columns[cluster->consumables[k]].complex;

		category->need[k] = fmin(category_amount(supply, category, complex), LARGEST_NEED);
		category->exclusive_any |= complex->relop == RELOP_EXCL && category->need[k] != 0;
	}
	for (size_t i = 0; i < category->nhard; i++)
		if (category->hard[i].column != UINT32_MAX)
			category->requested[category->hard[i].column] = true;
	return 0;
}

/* Return the name to sort by. The order of unknown complexes does not matter. */
static const char *request_name(const struct supply *supply, const struct resource_request *request)
{
	return request->column == UINT32_MAX ? "" : supply->cluster.columns[request->column].complex->name;
}

static int requests_compare(const void *a, const void *b, void *supply)
{
	return strcmp(request_name(supply, *(const struct resource_request *const *)a),
		      request_name(supply, *(const struct resource_request *const *)b));
}

static bool is_tagging(const struct supply *supply, const struct resource_request *request)
{
	const struct complex *complex =
		request->column == UINT32_MAX ? NULL : supply->cluster.columns[request->column].complex;

	return complex && (complex->relop == RELOP_EXCL || complex->consumable == CONSUMABLE_JOB);
}

static int requests_order(struct category *category, struct supply *supply)
{
	bool any = false;

	for (size_t i = 0; i < category->nhard; i++)
		any |= is_tagging(supply, &category->hard[i]);
	if (!category->pe || !any)
		return 0;
	category->by_name = calloc(category->nhard, sizeof(*category->by_name));
	if (!category->by_name)
		return -ENOMEM;
	for (size_t i = 0; i < category->nhard; i++)
		category->by_name[i] = &category->hard[i];
	qsort_r(category->by_name, category->nhard, sizeof(*category->by_name), requests_compare, supply);
	return 0;
}

/* Duration */

static double limit_of(const struct category *category, const struct supply *supply, const char *name)
{
	for (size_t i = 0; i < category->nhard; i++)
		if (category->hard[i].column != UINT32_MAX &&
		    strcmp(supply->cluster.columns[category->hard[i].column].complex->name, name) == 0)
			return category->hard[i].value;
	return INFINITY;
}

/* Round to seconds. Sums from 2^32 - 1 seconds on count as without end. */
static int64_t whole_seconds(const struct supply *supply, double seconds)
{
	if (seconds == INFINITY)
		seconds = supply->cell->sched.default_duration;
	seconds += supply->cell->sched.with.duration_offset;
	return seconds >= UINT32_MAX ? TIMELINE_NEVER : seconds < 1 ? 1 : (int64_t)seconds;
}

/* Return a limit of the queue itself, or INFINITY. */
static double queue_limit(const struct supply *supply, uint32_t instance, const char *name)
{
	const struct queue_instance *queue_instance = &supply->cluster.instances[instance];
	const char *text = cell_queue_value(supply->cell, &supply->cell->queues[queue_instance->queue],
					    supply->cluster.host_names[queue_instance->host], name);
	uint32_t seconds;

	return text && number_time(text, &seconds) == 0 && seconds != UINT32_MAX ? seconds : INFINITY;
}

static double running_limit(const struct supply *supply, const struct category *category, uint32_t limit,
			    const struct grant *grant)
{
	double seconds = category->limit;
	bool asked = seconds != INFINITY;

	if (limit)
		return limit == UINT32_MAX ? INFINITY : limit;
	for (size_t k = 0; !asked && supply->timed && k < grant->n; k++) {
		seconds = fmin(seconds, queue_limit(supply, grant->entries[k].instance, "h_rt"));
		seconds = fmin(seconds, queue_limit(supply, grant->entries[k].instance, "s_rt"));
	}
	return seconds;
}

int64_t category_running_duration(const struct supply *supply, const struct category *category, uint32_t limit,
				  const struct grant *grant)
{
	return whole_seconds(supply, running_limit(supply, category, limit, grant));
}

bool category_runs_without_limit(const struct supply *supply, const struct category *category, uint32_t limit,
				 const struct grant *grant)
{
	return running_limit(supply, category, limit, grant) == INFINITY;
}

const struct category_pe *category_pe_of(const struct category *category, uint32_t pe)
{
	for (size_t i = 0; i < category->npes; i++)
		if (category->pes[i].pe == pe)
			return &category->pes[i];
	return NULL;
}

void category_mark(struct queue_ranking *ranking, struct category_pe *with)
{
	if (with->marked)
		return;
	with->marked = true;
	with->mark = ranking_mark(ranking);
}

/* Access */

static bool has_group(const struct userset *set, const char *group)
{
	for (size_t i = 0; group && i < set->entries.n; i++)
		if (set->entries.items[i][0] == '@' && strcmp(set->entries.items[i] + 1, group) == 0)
			return true;
	return false;
}

bool category_in_lists(const struct cell *cell, const struct category *category, const struct strlist *lists)
{
	for (size_t i = 0; i < lists->n; i++) {
		const struct userset *set = cell_userset(cell, lists->items[i]);

		if (set && (cell_userset_lists(cell, set, category->user) || has_group(set, category->group)))
			return true;
	}
	return false;
}

static bool is_in_lists(const struct cell *cell, const char *entry, const struct strlist *lists)
{
	const struct category one = { .user = entry };

	if (*entry != '@')
		return category_in_lists(cell, &one, lists);
	for (size_t i = 0; i < lists->n; i++)
		if (strcmp(lists->items[i], entry + 1) == 0)
			return true;
	return false;
}

static size_t count_in_lists(const struct cell *cell, const struct strlist *users, const struct strlist *lists)
{
	size_t n = 0;

	for (size_t i = 0; i < users->n; i++)
		n += is_in_lists(cell, users->items[i], lists);
	return n;
}

bool category_all_in_lists(const struct cell *cell, const struct category *category,
			   const struct strlist *lists)
{
	return category->users ? count_in_lists(cell, category->users, lists) == category->users->n
			       : category_in_lists(cell, category, lists);
}

bool category_any_in_lists(const struct cell *cell, const struct category *category,
			   const struct strlist *lists)
{
	return category->users ? count_in_lists(cell, category->users, lists) > 0
			       : category_in_lists(cell, category, lists);
}

/* Creation */

static int pe_add(struct category *category, struct supply *supply, uint32_t pe)
{
	struct category_pe *category_pe = array_add(&category->pes, &category->npes, sizeof(*category_pe));
	struct quota_who who = { .user = category->user, .group = category->group, .project = category->project };

	if (!category_pe)
		return -ENOMEM;
	category_pe->pe = pe;
	category_pe->mark = QUEUE_LIST_NONE;
	category_pe->queues = calloc(supply->cell->nqueues + 1, 1);
	if (!category_pe->queues)
		return -ENOMEM;
	if (category->free_of_quotas)
		return quota_view_none(supply->quotas, &category_pe->view);
	who.pe = pe == UINT32_MAX ? NULL : supply->cell->pes[pe].name;
	return quota_view_make(supply->quotas, &category_pe->view, &who);
}

static int pes_create(struct category *category, struct supply *supply)
{
	int rc = 0;

	if (!category->pe)
		return pe_add(category, supply, UINT32_MAX);
	if (category->advance)	/* the reservation's PE, whatever PE the job names */
		return category->advance->pe == UINT32_MAX ? 0 : pe_add(category, supply, category->advance->pe);
	for (size_t i = 0; i < supply->cell->npes && rc == 0; i++)
		if (wildcard_match(category->pe, supply->cell->pes[supply->pe_list[i]].name, 0))
			rc = pe_add(category, supply, supply->pe_list[i]);
	return rc;
}

int category_create(struct category *category, struct supply *supply, const struct category_facts *facts)
{
	struct error error;
	int rc;

	*category = (struct category){ .now = facts->now,
				       .ar = facts->ar,
				       .avoided = facts->avoided,
				       .advance = facts->advance };
	category_texts(category, facts);
	category->free_of_quotas = facts->free_of_quotas || category->advance;
	rc = category->pe ? slots_parse(&category->ranges, facts->pe_range ? facts->pe_range : "", &error) : 0;
	if (rc == -ENOMEM ||
	    requests_read(supply, facts->hard, &category->hard_list, &category->hard, &category->nhard) ||
	    requests_read(supply, facts->soft, &category->soft_list, &category->soft, &category->nsoft) ||
	    needs_create(category, supply) || requests_order(category, supply) || pes_create(category, supply))
		return -ENOMEM;
	category->profiles = calloc(supply->cluster.nprofiles * (category->npes + 1) + 1, 1);
	category->limit = fmin(limit_of(category, supply, "h_rt"), limit_of(category, supply, "s_rt"));
	category->duration = whole_seconds(supply, category->limit);
	return category->profiles ? 0 : -ENOMEM;
}

void category_destroy(struct category *category)
{
	category_forget(category);
	for (size_t i = 0; i < category->npes; i++) {
		quota_view_free(&category->pes[i].view);
		free(category->pes[i].queues);
	}
	free(category->pes);
	requests_free(category->hard, category->nhard);
	requests_free(category->soft, category->nsoft);
	resource_list_free(&category->hard_list);
	resource_list_free(&category->soft_list);
	free(category->need);
	free(category->requested);
	free(category->by_name);
	free(category->profiles);
	slots_free(&category->ranges);
}
