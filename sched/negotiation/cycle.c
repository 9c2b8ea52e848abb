/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a cycle. HTCondor's manual, "Negotiation"; fairlead-condor(5). */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/negotiation/inside.h"

void cycle_result_free(struct cycle_result *r)
{
	for (size_t i = 0; i < r->nlimits; i++)
		free(r->limits[i].name);
	free(r->matches);
	free(r->refusals);
	free(r->submitters);
	free(r->groups);
	free(r->contacts);
	free(r->services);
	free(r->limits);
	*r = (struct cycle_result){ 0 };
}

static int result_begin(struct negotiator *n)
{
	const struct cycle_input *in = n->in;
	struct cycle_result *r = n->result;
	size_t groups = n->conf->ngroups;

	for (size_t i = 0; i < r->nlimits; i++)
		free(r->limits[i].name);
	if (array_grow(&r->submitters, in->nsubmitters + 1, sizeof(*r->submitters)) < 0 ||
	    array_grow(&r->groups, groups + 1, sizeof(*r->groups)) < 0)
		return -ENOMEM;
	memset(r->submitters, 0, (in->nsubmitters + 1) * sizeof(*r->submitters));
	memset(r->groups, 0, (groups + 1) * sizeof(*r->groups));
	for (size_t i = 0; i < groups; i++) {
		r->groups[i].limit = -1;
		r->groups[i].capped_by = NONE;
	}
	r->nsubmitters = in->nsubmitters;
	r->ngroups = groups;
	r->nmatches = r->nrefusals = r->ncontacts = r->nservices = r->nlimits = 0;
	r->spins = r->rounds = 0;
	r->quota_ns = 0;
	return 0;
}

/* Whoever has lost its factor, or never had one, gets that of the configuration. */
static void choose_factors(struct negotiator *n)
{
	for (uint32_t i = 0; i < n->customers->n; i++) {
		struct customer *c = &n->customers->items[i];

		if (c->factor >= FACTOR_LEAST)
			continue;
		c->factor = condor_factor(n->conf, n->in->names[i], customer_group(n->customers, i));
		c->changed = true;
	}
}

static bool takes_part(struct negotiator *n, const struct cycle_submitter *s)
{
	struct classad_pair pair = { .my = s->ad };
	struct classad_value value;

	if (s->skip || !*s->name || (s->n == 0 && s->idle + s->running <= 0))
		return false;
	for (const char *c = s->name; *c; c++)
		if (isspace((unsigned char)*c))
			return false;
	if (!n->conf->submitter_constraint.program)
		return true;
	classad_room_reset(&n->moments.room);
	classad_evaluate(n->conf->submitter_constraint.program, &pair, &n->moments.room, &value);
	return classad_is_true(&value);
}

static int requests_room(struct negotiator *n)
{
	const struct cycle_input *in = n->in;
	size_t runs = 0, rejected = n->nrejected, counted = n->ncounted;
	size_t alike = n->clusters.keys.n > n->nclasses ? n->clusters.keys.n : n->nclasses;

	for (size_t i = 0; i < in->nsubmitters; i++)
		runs += in->submitters[i].n;
	if (room_for(&n->left, &n->nleft, runs + 1, sizeof(*n->left)) < 0 ||
	    room_for(&n->rejected, &n->nrejected, alike + 1, sizeof(*n->rejected)) < 0 ||
	    room_for(&n->counted_in, &n->ncounted, n->customers->n + 1, sizeof(*n->counted_in)) < 0 ||
	    array_grow(&n->states, in->nsubmitters + 1, sizeof(*n->states)) < 0 ||
	    array_grow(&n->left_of, in->nsubmitters + 1, sizeof(*n->left_of)) < 0)
		return -ENOMEM;
	memset(n->rejected + rejected, 0, (n->nrejected - rejected) * sizeof(*n->rejected));
	memset(n->counted_in + counted, 0, (n->ncounted - counted) * sizeof(*n->counted_in));
	memset(n->states, 0, (in->nsubmitters + 1) * sizeof(*n->states));
	return 0;
}

/* Append the submitters of each group that regroups to the root's list, after the root's own. */
static int submitters_regroup(struct negotiator *n)
{
	int rc = 0;

	for (size_t g = 1; g < n->conf->ngroups; g++)
		for (size_t i = 0; n->conf->groups[g].autoregroup && i < n->groups[g].n && rc == 0; i++)
			rc = pie_turns_add(&n->groups[0], n->groups[g].items[i].submitter);
	return rc;
}

/* Who asks for slots, by group; what they ask for is their group's demand. */
static int submitters_begin(struct negotiator *n)
{
	const struct cycle_input *in = n->in;
	size_t runs = 0;
	int rc = requests_room(n);

	for (size_t g = 0; g < n->conf->ngroups; g++) {
		n->groups[g].n = 0;
		n->quotas[g].demand = 0;
	}
	for (uint32_t i = 0; i < in->nsubmitters && rc == 0; i++) {
		const struct cycle_submitter *s = &in->submitters[i];
		uint32_t group = customer_group(n->customers, s->customer);

		n->left_of[i] = runs;
		for (size_t r = 0; r < s->n; r++)
			n->left[runs++] = s->requests[r].count;
		n->result->submitters[i].group = group;
		if (!takes_part(n, s))
			continue;
		n->quotas[group].demand += s->idle + s->running;
		rc = pie_turns_add(&n->groups[group], i);
	}
	return rc == 0 ? submitters_regroup(n) : rc;
}

static int limits_tell(struct negotiator *n)
{
	struct cycle_result *r = n->result;
	const struct limits *l = &n->limits;

	if (array_grow(&r->limits, l->names.n + 1, sizeof(*r->limits)) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < l->names.n; i++) {
		r->limits[i] = (struct limit_result){ strdup(l->names.texts[i]), l->most[i], l->used[i] };
		if (!r->limits[i].name)
			return -ENOMEM;
		r->nlimits++;
	}
	return 0;
}

static uint64_t lap(struct negotiator *n, uint64_t *last)
{
	uint64_t now = n->in->clock_ns ? n->in->clock_ns(n->in->context) : 0, ns = now - *last;

	*last = now;
	return ns;
}

static int account(struct negotiator *n)
{
	int rc = pool_see(n);

	customers_end_leases(n->customers, n->in->now);
	choose_factors(n);
	if (rc == 0) {
		customers_update(n->customers, n->in->now);
		account_check(n);
	}
	n->moments.described = NONE;
	return rc;
}

static int prepare(struct negotiator *n)
{
	int rc = cross_fill(n);

	if (rc == 0)
		rc = clauses_room(n);
	if (rc == 0) {
		slots_rank(n);
		rc = pool_fill(n);
	}
	if (rc == 0)
		rc = concurrency_count(n);
	return rc == 0 ? submitters_begin(n) : rc;
}

static void negotiate(struct negotiator *n)
{
	if (n->conf->ngroups > 1)
		groups_negotiate(n);
	else
		pie_with_floors(n, &n->groups[0], &(struct pie_limits){ .quota = INFINITY });
}

int negotiator_cycle(struct negotiator *n, const struct cycle_input *in, struct customers *customers, struct charged_slot *charged,
		     struct cycle_result *result)
{
	uint64_t last = 0;

	n->in = in;
	n->customers = customers;
	n->charged = charged;
	n->result = result;
	n->cycle = in->cycle;
	n->rc = 0;
	n->moments.room.now = in->now;
	n->moments.described = NONE;
	lap(n, &last);
	n->begin_ns = last;
	n->rc = result_begin(n);
	if (n->rc == 0)
		n->rc = account(n);
	result->account_ns = lap(n, &last);
	if (n->rc == 0)
		n->rc = prepare(n);
	result->slice_ns = lap(n, &last);
	result->pool_weight = n->pool.weight;
	result->least_weight = n->pool.least;
	result->pool_counted = n->pool.counted;
	result->trimmed = n->pool.trimmed;
	if (n->rc == 0)
		negotiate(n);
	if (n->rc == 0)
		refusals_settle(n);
	if (n->rc == 0)
		unmatched_find(n);
	result->match_ns = lap(n, &last) - result->quota_ns;
	return n->rc == 0 ? limits_tell(n) : n->rc;
}
