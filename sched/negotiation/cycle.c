/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a cycle. Sources: HTCondor's manual, "Negotiation"; fairlead-condor(5). */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/negotiation/inside.h"

void cycle_result_free(struct cycle_result *result)
{
	for (size_t i = 0; i < result->nlimits; i++)
		free(result->limits[i].name);
	free(result->matches);
	free(result->refusals);
	free(result->submitters);
	free(result->groups);
	free(result->contacts);
	free(result->services);
	free(result->limits);
	*result = (struct cycle_result){ 0 };
}

static int result_begin(struct negotiator *negotiator)
{
	const struct cycle_input *in = negotiator->in;
	struct cycle_result *result = negotiator->result;
	size_t groups = negotiator->conf->ngroups;

	for (size_t i = 0; i < result->nlimits; i++)
		free(result->limits[i].name);
	if (array_grow(&result->submitters, in->nsubmitters + 1, sizeof(*result->submitters)) < 0 ||
	    array_grow(&result->groups, groups + 1, sizeof(*result->groups)) < 0)
		return -ENOMEM;
	memset(result->submitters, 0, (in->nsubmitters + 1) * sizeof(*result->submitters));
	memset(result->groups, 0, (groups + 1) * sizeof(*result->groups));
	for (size_t i = 0; i < groups; i++) {
		result->groups[i].limit = -1;
		result->groups[i].capped_by = NONE;
	}
	result->nsubmitters = in->nsubmitters;
	result->ngroups = groups;
	result->nmatches = result->nrefusals = result->ncontacts = result->nservices = result->nlimits = 0;
	result->spins = result->rounds = 0;
	result->quota_ns = 0;
	return 0;
}

/* Set the factor of customers without one to that of the configuration. */
static void choose_factors(struct negotiator *negotiator)
{
	for (uint32_t i = 0; i < negotiator->customers->n; i++) {
		struct customer *customer = &negotiator->customers->items[i];

		if (customer->factor >= FACTOR_LEAST)
			continue;
		customer->factor = condor_factor(negotiator->conf, negotiator->in->names[i],
						 customer_group(negotiator->customers, i));
		customer->changed = true;
	}
}

static bool is_considered(struct negotiator *negotiator, const struct cycle_submitter *submitter)
{
	struct classad_pair pair = { .my = submitter->ad };
	struct classad_value value;

	if (submitter->skip || !*submitter->name || (submitter->n == 0 && submitter->idle + submitter->running <= 0))
		return false;
	for (const char *c = submitter->name; *c; c++)
		if (isspace((unsigned char)*c))
			return false;
	if (!negotiator->conf->submitter_constraint.program)
		return true;
	classad_room_reset(&negotiator->moments.room);
	classad_evaluate(negotiator->conf->submitter_constraint.program, &pair, &negotiator->moments.room, &value);
	return classad_is_true(&value);
}

static int requests_room(struct negotiator *negotiator)
{
	const struct cycle_input *in = negotiator->in;
	size_t runs = 0, rejected = negotiator->nrejected, counted = negotiator->ncounted;
	size_t keys =
		negotiator->clusters.keys.n > negotiator->nclasses ? negotiator->clusters.keys.n : negotiator->nclasses;

	for (size_t i = 0; i < in->nsubmitters; i++)
		runs += in->submitters[i].n;
	if (room_for(&negotiator->left, &negotiator->nleft, runs + 1, sizeof(*negotiator->left)) < 0 ||
	    room_for(&negotiator->rejected, &negotiator->nrejected, keys + 1, sizeof(*negotiator->rejected)) < 0 ||
	    room_for(&negotiator->counted_in, &negotiator->ncounted, negotiator->customers->n + 1,
		     sizeof(*negotiator->counted_in)) < 0 ||
	    array_grow(&negotiator->states, in->nsubmitters + 1, sizeof(*negotiator->states)) < 0 ||
	    array_grow(&negotiator->left_of, in->nsubmitters + 1, sizeof(*negotiator->left_of)) < 0)
		return -ENOMEM;
	memset(negotiator->rejected + rejected, 0, (negotiator->nrejected - rejected) * sizeof(*negotiator->rejected));
	memset(negotiator->counted_in + counted, 0, (negotiator->ncounted - counted) * sizeof(*negotiator->counted_in));
	memset(negotiator->states, 0, (in->nsubmitters + 1) * sizeof(*negotiator->states));
	return 0;
}

/* Append the submitters of each group that regroups to the root's list, after the root's own. */
static int submitters_regroup(struct negotiator *negotiator)
{
	int rc = 0;

	for (size_t g = 1; g < negotiator->conf->ngroups; g++)
		for (size_t i = 0; negotiator->conf->groups[g].autoregroup && i < negotiator->groups[g].n && rc == 0;
		     i++)
			rc = pie_turns_add(&negotiator->groups[0], negotiator->groups[g].items[i].submitter);
	return rc;
}

/* Collect the submitters with requests by group. Their requests are the group's demand. */
static int submitters_begin(struct negotiator *negotiator)
{
	const struct cycle_input *in = negotiator->in;
	size_t runs = 0;
	int rc = requests_room(negotiator);

	for (size_t g = 0; g < negotiator->conf->ngroups; g++) {
		negotiator->groups[g].n = 0;
		negotiator->quotas[g].demand = 0;
	}
	for (uint32_t i = 0; i < in->nsubmitters && rc == 0; i++) {
		const struct cycle_submitter *submitter = &in->submitters[i];
		uint32_t group = customer_group(negotiator->customers, submitter->customer);

		negotiator->left_of[i] = runs;
		for (size_t r = 0; r < submitter->n; r++)
			negotiator->left[runs++] = submitter->requests[r].count;
		negotiator->result->submitters[i].group = group;
		if (!is_considered(negotiator, submitter))
			continue;
		negotiator->quotas[group].demand += submitter->idle + submitter->running;
		rc = pie_turns_add(&negotiator->groups[group], i);
	}
	return rc == 0 ? submitters_regroup(negotiator) : rc;
}

static int limits_report(struct negotiator *negotiator)
{
	struct cycle_result *result = negotiator->result;
	const struct limits *limits = &negotiator->limits;

	if (array_grow(&result->limits, limits->names.n + 1, sizeof(*result->limits)) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < limits->names.n; i++) {
		result->limits[i] =
			(struct limit_result){ strdup(limits->names.texts[i]), limits->most[i], limits->used[i] };
		if (!result->limits[i].name)
			return -ENOMEM;
		result->nlimits++;
	}
	return 0;
}

static uint64_t lap(struct negotiator *negotiator, uint64_t *last)
{
	uint64_t now = negotiator->in->clock_ns ? negotiator->in->clock_ns(negotiator->in->context) : 0,
		 ns = now - *last;

	*last = now;
	return ns;
}

static int account(struct negotiator *negotiator)
{
	int rc = pool_see(negotiator);

	customers_end_leases(negotiator->customers, negotiator->in->now);
	choose_factors(negotiator);
	if (rc == 0) {
		customers_update(negotiator->customers, negotiator->in->now);
		account_check(negotiator);
	}
	negotiator->moments.described = NONE;
	return rc;
}

static int prepare(struct negotiator *negotiator)
{
	int rc = cross_fill(negotiator);

	if (rc == 0)
		rc = clauses_room(negotiator);
	if (rc == 0) {
		slots_rank(negotiator);
		rc = pool_fill(negotiator);
	}
	if (rc == 0)
		rc = concurrency_count(negotiator);
	return rc == 0 ? submitters_begin(negotiator) : rc;
}

static void negotiate(struct negotiator *negotiator)
{
	if (negotiator->conf->ngroups > 1)
		groups_negotiate(negotiator);
	else
		pie_with_floors(negotiator, &negotiator->groups[0], &(struct pie_limits){ .quota = INFINITY });
}

int negotiator_cycle(struct negotiator *negotiator, const struct cycle_input *in, struct customers *customers,
		     struct charged_slot *charged, struct cycle_result *result)
{
	uint64_t last = 0;

	negotiator->in = in;
	negotiator->customers = customers;
	negotiator->charged = charged;
	negotiator->result = result;
	negotiator->cycle = in->cycle;
	negotiator->rc = 0;
	negotiator->moments.room.now = in->now;
	negotiator->moments.described = NONE;
	lap(negotiator, &last);
	negotiator->begin_ns = last;
	negotiator->rc = result_begin(negotiator);
	if (negotiator->rc == 0)
		negotiator->rc = account(negotiator);
	result->account_ns = lap(negotiator, &last);
	if (negotiator->rc == 0)
		negotiator->rc = prepare(negotiator);
	result->slice_ns = lap(negotiator, &last);
	result->pool_weight = negotiator->pool.weight;
	result->least_weight = negotiator->pool.least;
	result->pool_counted = negotiator->pool.counted;
	result->trimmed = negotiator->pool.trimmed;
	if (negotiator->rc == 0)
		negotiate(negotiator);
	if (negotiator->rc == 0)
		refusals_settle(negotiator);
	if (negotiator->rc == 0)
		unmatched_find(negotiator);
	result->match_ns = lap(negotiator, &last) - result->quota_ns;
	return negotiator->rc == 0 ? limits_report(negotiator) : negotiator->rc;
}
