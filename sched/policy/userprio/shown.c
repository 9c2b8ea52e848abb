/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept of a cycle for readers until the next one; and in which order customers are shown:
 * groups as they stand in the configuration's tree, then all others by name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/policy/userprio/inside.h"

/* Customers in the order of their names */

struct customer_names {
	const struct strings *strings;
	const uint32_t *names;
};

static int name_compare(const void *a, const void *b, void *context)
{
	const struct customer_names *n = context;

	return strcmp(strings_text(n->strings, n->names[*(const uint32_t *)a]), strings_text(n->strings, n->names[*(const uint32_t *)b]));
}

/* Few are new from one run to the next; all of them are after a change of the configuration. */
static void sort_new(struct shown *s, const struct customer_names *n, size_t known, size_t all)
{
	if (all - known > 64) {
		qsort_r(s->by_name, all, sizeof(*s->by_name), name_compare, (void *)n);
		return;
	}
	for (size_t k = known; k < all; k++) {
		uint32_t customer = s->by_name[k];
		size_t low = 0, high = k;

		while (low < high) {
			size_t middle = (low + high) / 2;

			if (name_compare(&s->by_name[middle], &customer, (void *)n) < 0)
				low = middle + 1;
			else
				high = middle;
		}
		memmove(&s->by_name[low + 1], &s->by_name[low], (k - low) * sizeof(*s->by_name));
		s->by_name[low] = customer;
	}
}

static int customers_reserve(struct shown *s, size_t n)
{
	size_t more = n + n / 2 + 64;

	if (n <= s->customers_capacity)
		return 0;
	if (array_grow(&s->by_name, more, sizeof(*s->by_name)) || array_grow(&s->display, more, sizeof(*s->display)) ||
	    array_grow(&s->shown_at, more, sizeof(*s->shown_at)))
		return -ENOMEM;
	s->customers_capacity = more;
	return 0;
}

int shown_customers(struct userprio_policy *p, const struct run *run)
{
	struct shown *s = &p->in_force->last;
	const struct accountant *a = &p->accountant;
	const struct customer_names naming = { run->strings, a->names };
	size_t n = a->customers.n, named = n - a->ngroups;

	if (customers_reserve(s, n))
		return -ENOMEM;
	for (size_t k = s->nnamed; k < named; k++)
		s->by_name[k] = (uint32_t)(a->ngroups + k);
	sort_new(s, &naming, s->nnamed, named);
	s->nnamed = named;
	s->ncustomers = n;
	s->ndisplayed = 0;
	for (uint32_t g = 0; g < a->ngroups; g++)
		s->display[s->ndisplayed++] = g;
	for (size_t k = 0; k < named; k++)
		if (!a->hidden[s->by_name[k]])
			s->display[s->ndisplayed++] = s->by_name[k];
	memset(s->shown_at, 0xff, n * sizeof(*s->shown_at));
	for (size_t k = 0; k < s->ndisplayed; k++)
		s->shown_at[s->display[k]] = (uint32_t)k;
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

static void limits_drop(struct shown *s, struct strings *strings)
{
	for (size_t i = 0; i < s->nlimits; i++)
		strings_drop(strings, s->limits[i].name);
	free(s->limits);
	s->limits = NULL;
	s->nlimits = 0;
}

static void matches_drop(struct shown *s, struct strings *strings)
{
	for (size_t i = 0; i < s->nmatches; i++)
		strings_drop(strings, s->matches[i].slot);
	s->nmatches = 0;
}

static int limits_keep(struct shown *s, const struct cycle_result *r, struct strings *strings)
{
	limits_drop(s, strings);
	s->limits = malloc(r->nlimits * sizeof(*s->limits) + 1);
	for (size_t i = 0; s->limits && i < r->nlimits; i++) {
		s->limits[i] = (struct shown_limit){ strings_hold(strings, r->limits[i].name), r->limits[i].most, r->limits[i].used };
		if (s->limits[i].name == NONE)
			return -ENOMEM;
		s->nlimits++;
	}
	return s->limits ? 0 : -ENOMEM;
}

/* In the order in which they were contacted first, then those who were not. */
static int contacts_keep(struct shown *s, const struct cycle_result *r)
{
	uint32_t n = 0;

	free(s->contacts);
	s->contacts = copied(r->contacts, r->ncontacts, sizeof(*s->contacts));
	s->ncontacts = s->contacts ? r->ncontacts : 0;
	if (array_grow(&s->contact_order, s->nsubmitters + 1, sizeof(*s->contact_order)) ||
	    array_grow(&s->contact_row, s->nsubmitters + 1, sizeof(*s->contact_row)) || !s->contacts)
		return -ENOMEM;
	memset(s->contact_row, 0xff, s->nsubmitters * sizeof(*s->contact_row));
	for (size_t i = 0; i < s->ncontacts; i++)
		if (s->contact_row[s->contacts[i].submitter] == NONE) {
			s->contact_row[s->contacts[i].submitter] = n;
			s->contact_order[n++] = s->contacts[i].submitter;
		}
	for (uint32_t i = 0; i < s->nsubmitters; i++)
		if (s->contact_row[i] == NONE) {
			s->contact_row[i] = n;
			s->contact_order[n++] = i;
		}
	return 0;
}

/* A refusal is of an autocluster of a submitter: of all of its classes. */
struct refused {
	uint32_t customer, cluster;
};

static int refusals_keep(struct userprio_cell *u, const struct run *run, const struct cycle_result *r)
{
	struct shown *s = &u->last;
	struct pool known;
	uint32_t *of = malloc((r->nrefusals + 1) * sizeof(*of));
	int rc = of ? 0 : -ENOMEM;
	bool is_new;

	free(s->refusals);
	s->refusals = copied(r->refusals, r->nrefusals, sizeof(*s->refusals));
	s->nrefusals = s->refusals ? r->nrefusals : 0;
	pool_create(&known, sizeof(struct refused));
	for (uint32_t i = 0; rc == 0 && i < s->nrefusals; i++) {
		uint32_t number = u->requests.first_run[s->refusals[i].submitter] + s->refusals[i].request;
		const struct refused key = { u->requests.submitters[s->refusals[i].submitter].customer,
					     u->requests.clusters[u->requests.runs[number].class] };
		uint32_t id = pool_hold(&known, &key, &is_new);

		if (id == UINT32_MAX)
			rc = -ENOMEM;
		else
			of[id] = i;
	}
	for (uint32_t c = 0; rc == 0 && c < u->classes.ngiven; c++) {
		struct ad_class *class = pool_alive(&u->classes.keys, c) ? &u->classes.items[c] : NULL;
		uint32_t id = UINT32_MAX;

		if (class && class->seen == run->number)
			id = pool_find(&known, &(struct refused){ class->customer, u->requests.clusters[c] });
		if (id != UINT32_MAX)
			class->refusal = of[id];
	}
	pool_destroy(&known);
	free(of);
	return rc;
}

static int submitters_keep(struct userprio_cell *u, const struct cycle_result *r)
{
	struct shown *s = &u->last;

	if (array_grow(&s->submitters, u->requests.nsubmitters + 1, sizeof(*s->submitters)))
		return -ENOMEM;
	s->nsubmitters = u->requests.nsubmitters;
	for (size_t i = 0; i < s->nsubmitters; i++) {
		s->submitters[i] = u->shown[i];
		if (i < r->nsubmitters)
			s->submitters[i].result = r->submitters[i];
	}
	return 0;
}

/* What the cycle was, before its matches are made starts. */
int shown_keep(struct userprio_policy *p, const struct run *run)
{
	struct userprio_cell *u = p->in_force;
	struct shown *s = &u->last;
	const struct cycle_result *r = &u->result;

	matches_drop(s, run->strings);
	free(s->groups);
	s->groups = copied(r->groups, r->ngroups, sizeof(*s->groups));
	s->ngroups = s->groups ? r->ngroups : 0;
	if (array_grow(&s->uncut, s->ngroups + 1, sizeof(*s->uncut)))
		return -ENOMEM;
	for (size_t g = 0; g < s->ngroups; g++)
		s->uncut[g] = -1.0;
	for (size_t i = 0; i < r->nservices; i++)
		if (r->services[i].group < s->ngroups)
			s->uncut[r->services[i].group] = r->services[i].uncut;
	s->cycle = (struct negotiation_record){
		.account_ns = r->account_ns, .quota_ns = r->quota_ns, .slice_ns = r->slice_ns, .match_ns = r->match_ns,
		.pool_weight = r->pool_weight, .pool_counted = r->pool_counted, .least_weight = r->least_weight, .spins = r->spins,
		.rounds = r->rounds, .slots = (uint32_t)u->slots.n, .trimmed = r->trimmed, .submitters = (uint32_t)u->requests.nsubmitters,
		.duration_ns = u->duration_ns };
	return submitters_keep(u, r) || contacts_keep(s, r) || limits_keep(s, r, run->strings) || refusals_keep(u, run, r) || !s->groups ?
		-ENOMEM : 0;
}

/* A match that was made a start, or for which somebody has to go. -ENOMEM. */
int shown_match(struct userprio_policy *p, const struct run *run, const struct shown_match *match)
{
	struct shown *s = &p->in_force->last;
	size_t more = s->matches_capacity + s->matches_capacity / 2 + 64;

	if (s->nmatches == s->matches_capacity) {
		if (array_grow(&s->matches, more, sizeof(*s->matches)))
			return -ENOMEM;
		s->matches_capacity = more;
	}
	s->matches[s->nmatches++] = *match;
	strings_hold(run->strings, strings_text(run->strings, match->slot));	/* its instance holds it */
	s->cycle.matches++;
	s->cycle.preemptions += match->preemption != PREEMPTS_NOBODY;
	return 0;
}

void shown_free(struct shown *s, struct strings *strings)
{
	limits_drop(s, strings);
	matches_drop(s, strings);
	free(s->by_name);
	free(s->display);
	free(s->shown_at);
	free(s->submitters);
	free(s->contacts);
	free(s->contact_order);
	free(s->contact_row);
	free(s->groups);
	free(s->uncut);
	free(s->refusals);
	free(s->matches);
	*s = (struct shown){ 0 };
}
