/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of another scheduler. Values that a run changes are published as they were before it, so
 * that a process that continues from them makes the same run. These are customers, claims and their
 * charges, jobs for which a slot is being vacated, and the time of the last cycle.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/lists.h"
#include "sched/policy/userprio/inside.h"

/* Before a run */

static void names_drop(struct before_run *before, struct strings *strings)
{
	for (size_t i = 0; i < before->nnames; i++)
		strings_drop(strings, before->names[i]);
	before->nnames = 0;
}

void before_free(struct before_run *before, struct strings *strings)
{
	names_drop(before, strings);
	free(before->names);
	free(before->customers);
	free(before->hidden);
	free(before->waited);
	free(before->claims);
	free(before->claim_at);
	free(before->winners);
	*before = (struct before_run){ 0 };
}

/*
 * Hold a name that a record of the state before the run uses, since the run may release it before
 * that state is published.
 */
void before_hold(struct before_run *before, struct strings *strings, uint32_t name)
{
	uint32_t *held = array_add(&before->names, &before->nnames, sizeof(*held));

	if (held)
		*held = strings_hold(strings, strings_text(strings, name));
}

void before_end(struct before_run *before, uint32_t number, int64_t ended, bool finished)
{
	if (number >= before->nnumbers || before->claim_at[number] == NONE)
		return;
	before->claims[before->claim_at[number]].ended = ended;
	before->claims[before->claim_at[number]].finished = finished;
}

static int customers_copy(struct before_run *before, const struct userprio_policy *policy)
{
	const struct customers *customers = &policy->accountant.customers;
	const struct submitters *submitters = &policy->in_force->submitters;
	size_t known = submitters->customers_capacity < customers->n ? submitters->customers_capacity : customers->n;

	before->ncustomers = 0;
	if (array_grow(&before->customers, customers->n + 1, sizeof(*before->customers)) ||
	    array_grow(&before->hidden, customers->n + 1, sizeof(*before->hidden)) ||
	    array_grow(&before->waited, customers->n + 1, sizeof(*before->waited)))
		return -ENOMEM;
	memcpy(before->customers, customers->items, customers->n * sizeof(*before->customers));
	memcpy(before->hidden, policy->accountant.hidden, customers->n * sizeof(*before->hidden));
	memset(before->waited, 0, customers->n * sizeof(*before->waited));
	if (known > 0)
		memcpy(before->waited, submitters->waited, known * sizeof(*before->waited));
	before->ncustomers = customers->n;
	return 0;
}

static int claims_copy(struct before_run *before, const struct userprio_policy *policy)
{
	before->nclaims = before->nwinners = before->nnumbers = 0;
	if (array_grow(&before->claim_at, policy->accountant.keys.n + 1, sizeof(*before->claim_at)) ||
	    array_grow(&before->claims, policy->accountant.keys.used + 1, sizeof(*before->claims)) ||
	    array_grow(&before->winners, policy->winners.keys.used + 1, sizeof(*before->winners)))
		return -ENOMEM;
	memset(before->claim_at, 0xff, policy->accountant.keys.n * sizeof(*before->claim_at));
	before->nnumbers = policy->accountant.keys.n;
	pool_each(i, &policy->accountant.keys) {
		before->claim_at[i] = (uint32_t)before->nclaims;
		before->claims[before->nclaims++] =
			(struct claim_before){ .key = *(const struct claim_key *)pool_key(&policy->accountant.keys, i),
					       .claim = policy->accountant.claims[i] };
	}
	pool_each(i, &policy->winners.keys) before->winners[before->nwinners++] =
		(struct winner_before){ *(const struct claim_key *)pool_key(&policy->winners.keys, i),
					policy->winners.items[i] };
	return 0;
}

struct pool *userprio_places(struct policy *policy, size_t k)
{
	struct userprio_policy *p = (struct userprio_policy *)policy;

	return k == 0 ? &p->accountant.keys : k == 1 ? &p->winners.keys : NULL;
}

/*
 * Save the state before a run. If memory is exhausted, nothing is kept, and a process that
 * continues starts with unknown users.
 */
void userprio_remember(const struct policy *policy, struct state_head *head)
{
	const struct userprio_policy *p = (const struct userprio_policy *)policy;
	struct before_run *before = &p->in_force->before;

	head->cycle = p->cycle.number;
	head->cycle_begin = p->cycle.begin;
	head->cycle_end = p->cycle.end;
	head->customers_updated = p->accountant.customers.last_update;
	head->cycle_wanted = p->in_force->wanted;
	head->negotiated = p->begun;
	/* before_begin() drops its names, when the run's strings are available */
	before->is_stale = true;
	if (customers_copy(before, p) || claims_copy(before, p))
		before->ncustomers = before->nclaims = before->nwinners = 0;
}

void before_begin(struct before_run *before, struct strings *strings)
{
	if (before->is_stale)
		names_drop(before, strings);
	before->is_stale = false;
}

/* After the run */

static uint32_t group_name(const struct userprio_policy *policy, uint32_t group)
{
	return group < policy->accountant.ngroups ? policy->accountant.names[group] : NONE;
}

static int customer_remain(const struct userprio_policy *policy, struct state_publication *state, size_t i)
{
	const struct before_run *before = &policy->in_force->before;
	const struct customer *customer = &before->customers[i];
	struct customer_state *customer_state = state_add(state, STATE_CUSTOMERS, sizeof(*customer_state));

	if (!customer_state)
		return -ENOMEM;
	*customer_state = (struct customer_state){ .rup = customer->rup,
						   .factor = customer->factor,
						   .weight_used = customer->weight_used,
						   .tree_used = customer->tree_used,
						   .uncharged = customer->uncharged,
						   .weight_uncharged = customer->weight_uncharged,
						   .accumulated = customer->accumulated,
						   .weight_accumulated = customer->weight_accumulated,
						   .begin = customer->begin,
						   .last = customer->last,
						   .ceiling = customer->ceiling,
						   .floor = customer->floor,
						   .name = policy->accountant.names[i],
						   .used = customer->used,
						   .waited = before->waited[i],
						   .is_group = customer->is_group,
						   .hidden = before->hidden[i] };
	for (size_t k = 0; k < SETTINGS; k++) {
		customer_state->lease_until[k] = customer->leases[k].until;
		customer_state->lease_before[k] = customer->leases[k].before;
	}
	return 0;
}

static int claim_remain(const struct userprio_policy *policy, struct state_publication *state,
			const struct claim_before *of)
{
	struct charged_state *charged_state = state_add(state, STATE_CHARGED, sizeof(*charged_state));
	const struct claim *claim = &of->claim;

	if (!charged_state)
		return -ENOMEM;
	*charged_state = (struct charged_state){ .weight = claim->weight,
						 .current_rank = claim->current_rank,
						 .since = claim->since,
						 .begun = claim->begun,
						 .start = claim->start,
						 .slot = of->key.slot,
						 .customer = policy->accountant.names[claim->customer],
						 .negotiating_group = group_name(policy, claim->negotiating_group),
						 .job = of->key.job,
						 .task = of->key.task,
						 .cpus = claim->cpus,
						 .is_ranked = claim->is_ranked,
						 .free_of_charge = claim->free_of_charge,
						 .autoregroup = claim->autoregroup,
						 .ordered = claim->ordered,
						 .ended = of->ended,
						 .finished = of->finished };
	return 0;
}

static int winner_remain(const struct userprio_policy *policy, struct state_publication *state,
			 const struct winner_before *of)
{
	struct winner_state *winner_state = state_add(state, STATE_WINNERS, sizeof(*winner_state));

	if (!winner_state)
		return -ENOMEM;
	*winner_state = (struct winner_state){ .rank = of->winner.rank,
					       .since = of->winner.since,
					       .slot = of->key.slot,
					       .customer = policy->accountant.names[of->winner.customer],
					       .negotiating_group = group_name(policy, of->winner.negotiating_group),
					       .job = of->key.job,
					       .task = of->key.task,
					       .winner = of->winner.job,
					       .autoregroup = of->winner.autoregroup };
	return 0;
}

int userprio_remain(const struct policy *policy, struct state_publication *state)
{
	const struct userprio_policy *p = (const struct userprio_policy *)policy;
	const struct before_run *before = &p->in_force->before;
	int rc = 0;

	state->head.cycle_wanted = before->wanted;
	for (size_t i = 0; i < before->ncustomers && rc == 0; i++)
		rc = customer_remain(p, state, i);
	for (size_t i = 0; i < before->nclaims && rc == 0; i++)
		rc = claim_remain(p, state, &before->claims[i]);
	for (size_t i = 0; i < before->nwinners && rc == 0; i++)
		rc = winner_remain(p, state, &before->winners[i]);
	return rc;
}

/* Continue */

/*
 * Return the customer of a name. A hidden customer stays hidden, even if it has a slot that no
 * customer is charged for, or waits for one.
 */
static uint32_t customer_of(struct userprio_policy *policy, struct run *run, uint32_t name)
{
	const char *text = mirror_text(run->mirror, name);
	uint32_t i = accountant_find(&policy->accountant, run->strings, text);

	return i == CUSTOMER_NONE ? accountant_customer(&policy->accountant, run->strings, policy->conf, text) : i;
}

static void customer_resume(struct userprio_policy *policy, struct run *run, const struct reported_customer *reported)
{
	uint32_t i = accountant_customer(&policy->accountant, run->strings, policy->conf,
					 mirror_text(run->mirror, reported->name));
	struct customer *customer;

	if (i == CUSTOMER_NONE || submitters_reserve(&policy->in_force->submitters, policy->accountant.customers.n))
		return;
	customer = &policy->accountant.customers.items[i];
	*customer = (struct customer){ .group = customer->group, .is_group = customer->is_group };
	customer->rup = reported->values.rup;
	customer->factor = reported->values.factor;
	customer->used = reported->values.used;
	customer->weight_used = reported->values.weight_used;
	customer->tree_used = reported->values.tree_used;
	customer->uncharged = reported->values.uncharged;
	customer->weight_uncharged = reported->values.weight_uncharged;
	customer->accumulated = reported->values.accumulated;
	customer->weight_accumulated = reported->values.weight_accumulated;
	customer->begin = reported->values.begin;
	customer->last = reported->values.last;
	customer->ceiling = reported->values.ceiling;
	customer->floor = reported->values.floor;
	memcpy(customer->leases, reported->values.leases, sizeof(customer->leases));
	customer->changed = true;
	policy->accountant.hidden[i] = reported->hidden;
	policy->in_force->submitters.waited[i] = reported->waited;
}

static uint32_t group_of(const struct userprio_policy *policy, const struct run *run, uint32_t name)
{
	uint32_t i = name == NONE ? CUSTOMER_NONE
				  : accountant_find(&policy->accountant, run->strings, mirror_text(run->mirror, name));

	return i < policy->accountant.ngroups ? i : UINT32_MAX;
}

static void claim_resume(struct userprio_policy *policy, struct run *run, const struct reported_charge *reported)
{
	const struct charge_values *values = &reported->values;
	const struct claim_key key = { reported->slot, values->job_number, values->task };
	const struct claim claim = { .customer = customer_of(policy, run, reported->customer),
				     .free_of_charge = values->free_of_charge,
				     .cpus = values->cpus,
				     .weight = values->weight,
				     .since = values->since,
				     .begun = values->begun,
				     .current_rank = values->current_rank,
				     .is_ranked = values->is_ranked,
				     .negotiating_group = group_of(policy, run, reported->negotiating_group),
				     .autoregroup = values->autoregroup,
				     .start = values->start,
				     .ordered = values->ordered };

	if (claim.customer != CUSTOMER_NONE && !accountant_claim_find(&policy->accountant, &key))
		accountant_claim_add(&policy->accountant, run->strings, &key, &claim);
	if (values->ended)
		claims_note_end(policy->in_force,
				&(struct claim_end){ values->job_number, values->task, values->start, values->ended,
						     values->finished ? TASK_FINISHED : TASK_REQUEUED });
}

static void winner_resume(struct userprio_policy *policy, struct run *run, const struct reported_winner *reported)
{
	const struct winner_values *values = &reported->values;
	const struct claim_key key = { reported->slot, values->job_number, values->task };
	const struct winner winner = { .job = values->winner,
				       .customer = customer_of(policy, run, reported->customer),
				       .rank = values->rank,
				       .negotiating_group = group_of(policy, run, reported->negotiating_group),
				       .autoregroup = values->autoregroup,
				       .since = values->since };

	if (winner.customer != CUSTOMER_NONE)
		winners_add(policy, run->strings, &key, &winner);
}

void userprio_resume(struct policy *policy, struct run *run, const struct scheduler_event *from)
{
	struct userprio_policy *p = (struct userprio_policy *)policy;
	const struct resume *reported = &run->mirror->resume;

	p->cycle = (struct cycle_times){ from->cycle, from->cycle_begin, from->cycle_end };
	p->accountant.customers.last_update = from->customers_updated;
	p->in_force->wanted = from->cycle_wanted;
	p->begun = from->negotiated;
	for (size_t i = 0; i < reported->ncustomers; i++)
		customer_resume(p, run, &reported->customers[i]);
	for (size_t i = 0; i < reported->ncharges; i++)
		claim_resume(p, run, &reported->charges[i]);
	for (size_t i = 0; i < reported->nwinners; i++)
		winner_resume(p, run, &reported->winners[i]);
}
