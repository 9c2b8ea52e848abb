/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/base/number.h"
#include "conf/base/wildcard.h"
#include "sched/dispatch/search/advance.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/host_capacity.h"

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

static int request_make(struct dispatch *dispatch, const struct resource *resource, struct resource_request *request)
{
	const struct complex *complex = resource->complex;

	request->column = complex ? cluster_column(&dispatch->cluster, complex) : UINT32_MAX;
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
static int requests_read(struct dispatch *dispatch, const char *text, struct resource_list *list,
			 struct resource_request **requests, size_t *n)
{
	int rc = resource_list_read(list, dispatch->cell, text);

	*requests = rc ? NULL : calloc(list->n + 1, sizeof(**requests));
	if (!*requests)
		return -ENOMEM;
	for (*n = 0; *n < list->n && rc == 0; ++*n)
		rc = request_make(dispatch, &list->items[*n], &(*requests)[*n]);
	return rc;
}

const struct resource_request *category_request(const struct dispatch *dispatch, const struct category *category,
						const struct complex *complex)
{
	uint32_t column = dispatch->cluster.column_of[complex - dispatch->cell->complexes];

	for (size_t i = 0; column != UINT32_MAX && i < category->nhard; i++)
		if (category->hard[i].column == column)
			return &category->hard[i];
	return NULL;
}

double category_amount(const struct dispatch *dispatch, const struct category *category, const struct complex *complex)
{
	const struct resource_request *request = category_request(dispatch, category, complex);

	if (strcmp(complex->name, "slots") == 0)
		return 1.0;
	if (request)
		return isnan(request->value) ? 0.0 : request->value;
	return complex->consumable != CONSUMABLE_NO ? complex->consumption : 0.0;
}

static int needs_create(struct category *category, const struct dispatch *dispatch)
{
	const struct cluster *cluster = &dispatch->cluster;

	category->need = calloc(cluster->nconsumables + 1, sizeof(*category->need));
	category->requested = calloc(cluster->ncolumns + 1, sizeof(*category->requested));
	if (!category->need || !category->requested)
		return -ENOMEM;
	for (size_t k = 0; k < cluster->nconsumables; k++) {
		const struct complex *complex = cluster->columns[cluster->consumables[k]].complex;

		category->need[k] = fmin(category_amount(dispatch, category, complex), LARGEST_NEED);
		category->exclusive_any |= complex->relop == RELOP_EXCL && category->need[k] != 0;
	}
	for (size_t i = 0; i < category->nhard; i++)
		if (category->hard[i].column != UINT32_MAX)
			category->requested[category->hard[i].column] = true;
	return 0;
}

/* Return the name to sort by. The order of unknown complexes does not matter. */
static const char *request_name(const struct dispatch *dispatch, const struct resource_request *request)
{
	return request->column == UINT32_MAX ? "" : dispatch->cluster.columns[request->column].complex->name;
}

static int requests_compare(const void *a, const void *b, void *d)
{
	return strcmp(request_name(d, *(const struct resource_request *const *)a),
		      request_name(d, *(const struct resource_request *const *)b));
}

static bool is_tagging(const struct dispatch *dispatch, const struct resource_request *request)
{
	const struct complex *complex =
		request->column == UINT32_MAX ? NULL : dispatch->cluster.columns[request->column].complex;

	return complex && (complex->relop == RELOP_EXCL || complex->consumable == CONSUMABLE_JOB);
}

static int requests_order(struct category *category, struct dispatch *dispatch)
{
	bool any = false;

	for (size_t i = 0; i < category->nhard; i++)
		any |= is_tagging(dispatch, &category->hard[i]);
	if (!category->pe || !any)
		return 0;
	category->by_name = calloc(category->nhard, sizeof(*category->by_name));
	if (!category->by_name)
		return -ENOMEM;
	for (size_t i = 0; i < category->nhard; i++)
		category->by_name[i] = &category->hard[i];
	qsort_r(category->by_name, category->nhard, sizeof(*category->by_name), requests_compare, dispatch);
	return 0;
}

/* Duration */

static double limit_of(const struct category *category, const struct dispatch *dispatch, const char *name)
{
	for (size_t i = 0; i < category->nhard; i++)
		if (category->hard[i].column != UINT32_MAX &&
		    strcmp(dispatch->cluster.columns[category->hard[i].column].complex->name, name) == 0)
			return category->hard[i].value;
	return INFINITY;
}

/* Round to seconds. Sums from 2^32 - 1 seconds on count as without end. */
static int64_t whole_seconds(const struct dispatch *dispatch, double seconds)
{
	if (seconds == INFINITY)
		seconds = dispatch->cell->sched.default_duration;
	seconds += dispatch->cell->sched.with.duration_offset;
	return seconds >= UINT32_MAX ? TIMELINE_NEVER : seconds < 1 ? 1 : (int64_t)seconds;
}

/* Return a limit of the queue itself, or INFINITY. */
static double queue_limit(const struct dispatch *dispatch, uint32_t instance, const char *name)
{
	const struct queue_instance *queue_instance = &dispatch->cluster.instances[instance];
	const char *text = cell_queue_value(dispatch->cell, &dispatch->cell->queues[queue_instance->queue],
					    dispatch->cluster.host_names[queue_instance->host], name);
	uint32_t seconds;

	return text && number_time(text, &seconds) == 0 && seconds != UINT32_MAX ? seconds : INFINITY;
}

static double running_limit(const struct dispatch *dispatch, const struct category *category, uint32_t limit,
			    const struct grant *grant)
{
	double seconds = category->limit;
	bool asked = seconds != INFINITY;

	if (limit)
		return limit == UINT32_MAX ? INFINITY : limit;
	for (size_t k = 0; !asked && dispatch->timed && k < grant->n; k++) {
		seconds = fmin(seconds, queue_limit(dispatch, grant->entries[k].instance, "h_rt"));
		seconds = fmin(seconds, queue_limit(dispatch, grant->entries[k].instance, "s_rt"));
	}
	return seconds;
}

int64_t category_running_duration(const struct dispatch *dispatch, const struct category *category, uint32_t limit,
				  const struct grant *grant)
{
	return whole_seconds(dispatch, running_limit(dispatch, category, limit, grant));
}

bool category_runs_without_limit(const struct dispatch *dispatch, const struct category *category, uint32_t limit,
				 const struct grant *grant)
{
	return running_limit(dispatch, category, limit, grant) == INFINITY;
}

void category_mark(struct dispatch *dispatch, struct category_pe *with)
{
	if (with->marked)
		return;
	with->marked = true;
	with->mark = ranking_mark(&dispatch->ranking);
}

bool category_is_possible(struct search *search)
{
	const struct category *category = search->category;
	const struct access *global = &search->d->global_access;

	if (category->ckpt && !cell_checkpoint(search->d->cell, category->ckpt))
		match_why(search, WHY_NO_CKPT, category->ckpt, NULL, 0, 0);
	else if (category->pe && category->npes == 0)
		match_why(search, WHY_NO_PE, category->pe, NULL, 0, 0);
	else if (category->ar == 0 || advance_is_open(search))
		return match_access(search, &global->user_lists, &global->xuser_lists, &global->projects,
				    &global->xprojects, "global");
	return false;
}

/* Access */

static bool has_group(const struct userset *set, const char *group)
{
	for (size_t i = 0; group && i < set->entries.n; i++)
		if (set->entries.items[i][0] == '@' && strcmp(set->entries.items[i] + 1, group) == 0)
			return true;
	return false;
}

bool category_in_lists(const struct dispatch *dispatch, const struct category *category, const struct strlist *lists)
{
	for (size_t i = 0; i < lists->n; i++) {
		const struct userset *set = cell_userset(dispatch->cell, lists->items[i]);

		if (set && (cell_userset_lists(dispatch->cell, set, category->user) || has_group(set, category->group)))
			return true;
	}
	return false;
}

static bool is_in_lists(const struct dispatch *dispatch, const char *entry, const struct strlist *lists)
{
	const struct category one = { .user = entry };

	if (*entry != '@')
		return category_in_lists(dispatch, &one, lists);
	for (size_t i = 0; i < lists->n; i++)
		if (strcmp(lists->items[i], entry + 1) == 0)
			return true;
	return false;
}

static size_t count_in_lists(const struct dispatch *dispatch, const struct strlist *users, const struct strlist *lists)
{
	size_t n = 0;

	for (size_t i = 0; i < users->n; i++)
		n += is_in_lists(dispatch, users->items[i], lists);
	return n;
}

bool category_all_in_lists(const struct dispatch *dispatch, const struct category *category,
			   const struct strlist *lists)
{
	return category->users ? count_in_lists(dispatch, category->users, lists) == category->users->n
			       : category_in_lists(dispatch, category, lists);
}

bool category_any_in_lists(const struct dispatch *dispatch, const struct category *category,
			   const struct strlist *lists)
{
	return category->users ? count_in_lists(dispatch, category->users, lists) > 0
			       : category_in_lists(dispatch, category, lists);
}

/* Creation */

static int pe_add(struct category *category, struct dispatch *dispatch, uint32_t pe)
{
	struct category_pe *category_pe = array_add(&category->pes, &category->npes, sizeof(*category_pe));
	struct quota_who who = { .user = category->user, .group = category->group, .project = category->project };

	if (!category_pe)
		return -ENOMEM;
	category_pe->pe = pe;
	category_pe->mark = QUEUE_LIST_NONE;
	category_pe->queues = calloc(dispatch->cell->nqueues + 1, 1);
	if (!category_pe->queues)
		return -ENOMEM;
	if (category->free_of_quotas)
		return quota_view_none(dispatch->quotas, &category_pe->view);
	who.pe = pe == UINT32_MAX ? NULL : dispatch->cell->pes[pe].name;
	return quota_view_make(dispatch->quotas, &category_pe->view, &who);
}

static int pes_create(struct category *category, struct dispatch *dispatch)
{
	int rc = 0;

	if (!category->pe)
		return pe_add(category, dispatch, UINT32_MAX);
	if (category->advance)	/* the reservation's PE, whatever PE the job names */
		return category->advance->pe == UINT32_MAX ? 0 : pe_add(category, dispatch, category->advance->pe);
	for (size_t i = 0; i < dispatch->cell->npes && rc == 0; i++)
		if (wildcard_match(category->pe, dispatch->cell->pes[dispatch->pe_list[i]].name, 0))
			rc = pe_add(category, dispatch, dispatch->pe_list[i]);
	return rc;
}

int category_create(struct category *category, struct dispatch *dispatch, const struct category_facts *facts)
{
	struct error error;
	int rc;

	*category = (struct category){ .now = facts->now,
				       .ar = facts->ar,
				       .avoided = facts->avoided,
				       .advance = facts->ar ? dispatch_advance(dispatch, facts->ar) : NULL };
	category_texts(category, facts);
	category->free_of_quotas = facts->free_of_quotas || category->advance;
	rc = category->pe ? slots_parse(&category->ranges, facts->pe_range ? facts->pe_range : "", &error) : 0;
	if (rc == -ENOMEM ||
	    requests_read(dispatch, facts->hard, &category->hard_list, &category->hard, &category->nhard) ||
	    requests_read(dispatch, facts->soft, &category->soft_list, &category->soft, &category->nsoft) ||
	    needs_create(category, dispatch) || requests_order(category, dispatch) || pes_create(category, dispatch))
		return -ENOMEM;
	category->profiles = calloc(dispatch->cluster.nprofiles * (category->npes + 1) + 1, 1);
	category->limit = fmin(limit_of(category, dispatch, "h_rt"), limit_of(category, dispatch, "s_rt"));
	category->duration = whole_seconds(dispatch, category->limit);
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
