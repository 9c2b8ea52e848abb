/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of a cycle that are kept for readers until the next cycle, and the order in which
 * customers are shown. Groups come first, in the order of the configuration's tree, then all others
 * by name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"
#include "sched/policy/userprio/inside.h"

/* Customers in the order of their names */

struct customer_names {
	const struct strings *strings;
	const uint32_t *names;
};

static int name_compare(const void *a, const void *b, void *context)
{
	const struct customer_names *names = context;

	return strcmp(strings_text(names->strings, names->names[*(const uint32_t *)a]),
		      strings_text(names->strings, names->names[*(const uint32_t *)b]));
}

/*
 * Sort new customers into the order. There are few of them from one run to the next, but all are
 * new after a change of the configuration.
 */
static void sort_new(struct shown *shown, const struct customer_names *names, size_t known, size_t all)
{
	if (all - known > 64) {
		qsort_r(shown->by_name, all, sizeof(*shown->by_name), name_compare, (void *)names);
		return;
	}
	for (size_t k = known; k < all; k++) {
		uint32_t customer = shown->by_name[k];
		size_t low = 0, high = k;

		while (low < high) {
			size_t middle = (low + high) / 2;

			if (name_compare(&shown->by_name[middle], &customer, (void *)names) < 0)
				low = middle + 1;
			else
				high = middle;
		}
		memmove(&shown->by_name[low + 1], &shown->by_name[low], (k - low) * sizeof(*shown->by_name));
		shown->by_name[low] = customer;
	}
}

int shown_customers(struct userprio_policy *policy, const struct run *run)
{
	struct shown *shown = &policy->in_force->last;
	const struct accountant *accountant = &policy->accountant;
	const struct customer_names naming = { run->strings, accountant->names };
	size_t n = accountant->customers.n, named = n - accountant->ngroups;

	if (array_reserve(&shown->customers_capacity, n, COLUMN(shown->by_name), COLUMN(shown->display),
			  COLUMN(shown->shown_at)))
		return -ENOMEM;
	for (size_t k = shown->nnamed; k < named; k++)
		shown->by_name[k] = (uint32_t)(accountant->ngroups + k);
	sort_new(shown, &naming, shown->nnamed, named);
	shown->nnamed = named;
	shown->ncustomers = n;
	shown->ndisplayed = 0;
	for (uint32_t g = 0; g < accountant->ngroups; g++)
		shown->display[shown->ndisplayed++] = g;
	for (size_t k = 0; k < named; k++)
		if (!accountant->hidden[shown->by_name[k]])
			shown->display[shown->ndisplayed++] = shown->by_name[k];
	memset(shown->shown_at, 0xff, n * sizeof(*shown->shown_at));
	for (size_t k = 0; k < shown->ndisplayed; k++)
		shown->shown_at[shown->display[k]] = (uint32_t)k;
	return 0;
}

/* A cycle */

static void *copied(const void *from, size_t n, size_t size)
{
	void *copy = malloc(n * size + 1);

	if (copy && n > 0)
		memcpy(copy, from, n * size);
	return copy;
}

static void limits_drop(struct shown *shown, struct strings *strings)
{
	for (size_t i = 0; i < shown->nlimits; i++)
		strings_drop(strings, shown->limits[i].name);
	free(shown->limits);
	shown->limits = NULL;
	shown->nlimits = 0;
}

static void matches_drop(struct shown *shown, struct strings *strings)
{
	for (size_t i = 0; i < shown->nmatches; i++)
		strings_drop(strings, shown->matches[i].slot);
	shown->nmatches = 0;
}

static int limits_keep(struct shown *shown, const struct cycle_result *result, struct strings *strings)
{
	limits_drop(shown, strings);
	shown->limits = malloc(result->nlimits * sizeof(*shown->limits) + 1);
	for (size_t i = 0; shown->limits && i < result->nlimits; i++) {
		shown->limits[i] = (struct shown_limit){ strings_hold(strings, result->limits[i].name),
							 result->limits[i].most, result->limits[i].used };
		if (shown->limits[i].name == NONE)
			return -ENOMEM;
		shown->nlimits++;
	}
	return shown->limits ? 0 : -ENOMEM;
}

/* Keep the submitters in the order in which they were contacted first, followed by the others. */
static int contacts_keep(struct shown *shown, const struct cycle_result *result)
{
	uint32_t n = 0;

	free(shown->contacts);
	shown->contacts = copied(result->contacts, result->ncontacts, sizeof(*shown->contacts));
	shown->ncontacts = shown->contacts ? result->ncontacts : 0;
	if (array_grow(&shown->contact_order, shown->nsubmitters + 1, sizeof(*shown->contact_order)) ||
	    array_grow(&shown->contact_row, shown->nsubmitters + 1, sizeof(*shown->contact_row)) || !shown->contacts)
		return -ENOMEM;
	memset(shown->contact_row, 0xff, shown->nsubmitters * sizeof(*shown->contact_row));
	for (size_t i = 0; i < shown->ncontacts; i++)
		if (shown->contact_row[shown->contacts[i].submitter] == NONE) {
			shown->contact_row[shown->contacts[i].submitter] = n;
			shown->contact_order[n++] = shown->contacts[i].submitter;
		}
	for (uint32_t i = 0; i < shown->nsubmitters; i++)
		if (shown->contact_row[i] == NONE) {
			shown->contact_row[i] = n;
			shown->contact_order[n++] = i;
		}
	return 0;
}

/* Autocluster of a submitter that was refused. The refusal applies to all of its classes. */
struct refused {
	uint32_t customer, cluster;
};

static int refusals_keep(struct userprio_cell *cell, const struct run *run, const struct cycle_result *result)
{
	struct shown *shown = &cell->last;
	struct pool known;
	uint32_t *of = malloc((result->nrefusals + 1) * sizeof(*of));
	int rc = of ? 0 : -ENOMEM;
	bool is_new;

	free(shown->refusals);
	shown->refusals = copied(result->refusals, result->nrefusals, sizeof(*shown->refusals));
	shown->nrefusals = shown->refusals ? result->nrefusals : 0;
	pool_create(&known, sizeof(struct refused));
	for (uint32_t i = 0; rc == 0 && i < shown->nrefusals; i++) {
		uint32_t number = cell->requests.first_run[shown->refusals[i].submitter] + shown->refusals[i].request;
		const struct refused key = { cell->requests.submitters[shown->refusals[i].submitter].customer,
					     cell->requests.clusters[cell->requests.runs[number].class] };
		uint32_t id = pool_hold(&known, &key, &is_new);

		if (id == UINT32_MAX)
			rc = -ENOMEM;
		else
			of[id] = i;
	}
	for (uint32_t c = 0; rc == 0 && c < cell->classes.ngiven; c++) {
		struct ad_class *class = pool_alive(&cell->classes.keys, c) ? &cell->classes.items[c] : NULL;
		uint32_t id = UINT32_MAX;

		if (class && class->seen == run->number)
			id = pool_find(&known, &(struct refused){ class->customer, cell->requests.clusters[c] });
		if (id != UINT32_MAX)
			class->refusal = of[id];
	}
	pool_destroy(&known);
	free(of);
	return rc;
}

static int submitters_keep(struct userprio_cell *cell, const struct cycle_result *result)
{
	struct shown *shown = &cell->last;

	if (array_grow(&shown->submitters, cell->requests.nsubmitters + 1, sizeof(*shown->submitters)))
		return -ENOMEM;
	shown->nsubmitters = cell->requests.nsubmitters;
	for (size_t i = 0; i < shown->nsubmitters; i++) {
		shown->submitters[i] = cell->shown[i];
		if (i < result->nsubmitters)
			shown->submitters[i].result = result->submitters[i];
	}
	return 0;
}

/* Keep the results of a cycle before its matches become job starts. */
int shown_keep(struct userprio_policy *policy, const struct run *run)
{
	struct userprio_cell *cell = policy->in_force;
	struct shown *shown = &cell->last;
	const struct cycle_result *result = &cell->result;

	matches_drop(shown, run->strings);
	free(shown->groups);
	shown->groups = copied(result->groups, result->ngroups, sizeof(*shown->groups));
	shown->ngroups = shown->groups ? result->ngroups : 0;
	if (array_grow(&shown->uncut, shown->ngroups + 1, sizeof(*shown->uncut)))
		return -ENOMEM;
	for (size_t g = 0; g < shown->ngroups; g++)
		shown->uncut[g] = -1.0;
	for (size_t i = 0; i < result->nservices; i++)
		if (result->services[i].group < shown->ngroups)
			shown->uncut[result->services[i].group] = result->services[i].uncut;
	shown->cycle = (struct negotiation_record){ .account_ns = result->account_ns,
						    .quota_ns = result->quota_ns,
						    .slice_ns = result->slice_ns,
						    .match_ns = result->match_ns,
						    .pool_weight = result->pool_weight,
						    .pool_counted = result->pool_counted,
						    .least_weight = result->least_weight,
						    .spins = result->spins,
						    .rounds = result->rounds,
						    .slots = (uint32_t)cell->slots.n,
						    .trimmed = result->trimmed,
						    .submitters = (uint32_t)cell->requests.nsubmitters,
						    .duration_ns = cell->duration_ns };
	return submitters_keep(cell, result) || contacts_keep(shown, result) ||
			       limits_keep(shown, result, run->strings) || refusals_keep(cell, run, result) ||
			       !shown->groups
		       ? -ENOMEM
		       : 0;
}

/* Keep a match that became a job start, or that preempts a claim. -ENOMEM. */
int shown_match(struct userprio_policy *policy, const struct run *run, const struct shown_match *match)
{
	struct shown *shown = &policy->in_force->last;

	if (array_reserve(&shown->matches_capacity, shown->nmatches + 1, COLUMN(shown->matches)))
		return -ENOMEM;
	shown->matches[shown->nmatches++] = *match;
	/* the instance holds this name */
	strings_hold(run->strings, strings_text(run->strings, match->slot));
	shown->cycle.matches++;
	shown->cycle.preemptions += match->preemption != PREEMPTS_NONE;
	return 0;
}

void shown_free(struct shown *shown, struct strings *strings)
{
	limits_drop(shown, strings);
	matches_drop(shown, strings);
	free(shown->by_name);
	free(shown->display);
	free(shown->shown_at);
	free(shown->submitters);
	free(shown->contacts);
	free(shown->contact_order);
	free(shown->contact_row);
	free(shown->groups);
	free(shown->uncut);
	free(shown->refusals);
	free(shown->matches);
	*shown = (struct shown){ 0 };
}
