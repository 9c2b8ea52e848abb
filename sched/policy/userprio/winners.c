/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Winners: jobs for which slots are being vacated. No other job gets such a slot, and its share
 * counts for the winner already. The owner of the slot is charged as long as it has the slot. When
 * the slot is free, the winner's job starts there if it is still pending. Otherwise the slot is
 * free for all.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "sched/policy/userprio/inside.h"

uint32_t winners_find(const struct userprio_policy *policy, const struct claim_key *key)
{
	return pool_find(&policy->winners.keys, key);
}

int winners_add(struct userprio_policy *policy, struct strings *strings, const struct claim_key *victim,
		const struct winner *winner)
{
	struct winners *winners = &policy->winners;
	uint32_t i = winners_find(policy, victim);
	bool is_new;

	if (i == NONE) {
		if (pool_reserve(&winners->keys))
			return -ENOMEM;
		if (array_reserve(&winners->capacity, winners->keys.capacity, COLUMN(winners->items)))
			return -ENOMEM;
		i = pool_hold(&winners->keys, victim, &is_new);
		/* the claim holds it: needs no memory */
		strings_hold(strings, strings_text(strings, victim->slot));
	}
	winners->items[i] = *winner;
	return 0;
}

static void winner_remove(struct userprio_policy *policy, struct strings *strings, uint32_t i)
{
	strings_drop(strings, ((const struct claim_key *)pool_key(&policy->winners.keys, i))->slot);
	pool_drop(&policy->winners.keys, i);
}

void winners_free(struct userprio_policy *policy, struct strings *strings)
{
	pool_each(i, &policy->winners.keys)
		winner_remove(policy, strings, i);
	pool_destroy(&policy->winners.keys);
	free(policy->winners.items);
}

/* Renumber the customers of all winners. */
void winners_follow(struct userprio_policy *policy, const uint32_t *moved)
{
	pool_each(i, &policy->winners.keys)
		policy->winners.items[i].customer = moved[policy->winners.items[i].customer];
}

/* In the cycle */

/*
 * Let the winner own the slot during the cycle. Usage was updated to this moment. Therefore a
 * change of ownership that is undone after the cycle charges no customer.
 */
void winners_stand_in(struct userprio_policy *policy, const struct run *run, struct slot *slot,
		      struct listed_slot *place, struct charged_slot *charged)
{
	const struct claim_key *key = pool_key(&policy->accountant.keys, place->claim);
	const struct winner *winner;

	place->winner = winners_find(policy, key);
	winner = place->winner == NONE ? NULL : &policy->winners.items[place->winner];
	if (!winner || winner->job == 0)
		return;
	slot->customer = winner->customer;
	slot->current_rank = winner->rank;
	slot->since = winner->since;
	slot->negotiating_group = winner->negotiating_group;
	slot->autoregroup = winner->autoregroup;
	slot->suspended = false;
	if (charged->customer == CUSTOMER_NONE || !policy->in_force->due)
		return;
	customers_remove_match(&policy->accountant.customers, charged->customer, charged->weight, charged->since,
			       run->now);
	customers_add_match(&policy->accountant.customers, winner->customer, charged->weight, run->now);
	charged->customer = winner->customer;
}

/*
 * Give the slot back after the cycle: charge the owner that still has it, not the customer that the
 * cycle has charged.
 */
void winners_step_back(struct userprio_policy *policy, const struct run *run, struct claim *claim,
		       const struct charged_slot *charged)
{
	bool is_free = charged->customer == CUSTOMER_NONE;

	claim->changed |= is_free != claim->free_of_charge ||
			  (!is_free && charged->customer == claim->customer && charged->since != claim->since);
	claim->free_of_charge = is_free;
	if (claim->free_of_charge || charged->customer == claim->customer) {
		claim->since = charged->customer == claim->customer ? charged->since : claim->since;
		return;
	}
	customers_remove_match(&policy->accountant.customers, charged->customer, charged->weight, run->now, run->now);
	customers_add_match(&policy->accountant.customers, claim->customer, claim->weight, run->now);
}

/* When slots are free */

/* Return the index of a job in run->waiting, which is sorted; NONE: the job is not pending. */
static uint32_t waiting_place(const struct run *run, uint32_t number)
{
	const struct jobs *jobs = &run->mirror->state->jobs;
	uint32_t row = jobs_find(jobs, number);
	size_t low = 0, high = run->waiting.n;

	if (row == INDEX_NONE)
		return NONE;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (jobs->place[run->waiting.rows[middle]] < jobs->place[row])
			low = middle + 1;
		else
			high = middle;
	}
	return low < run->waiting.n && run->waiting.rows[low] == row && run->waiting.first[low] != NONE ? (uint32_t)low
													: NONE;
}

static int winner_start(struct userprio_policy *policy, struct run *run, const struct places *places,
			const struct claim_key *victim, const struct winner *winner)
{
	const struct state *state = run->mirror->state;
	uint32_t instance = index_find(&state->instance_index, state->instance_names, victim->slot);
	uint32_t place = waiting_place(run, winner->job), slots;
	const struct start_wish wish = { .place = place,
					 .instance = instance,
					 .customer = winner->customer,
					 .weight = -1.0,
					 .rank = winner->rank,
					 .negotiating_group = winner->negotiating_group,
					 .autoregroup = winner->autoregroup,
					 .begun = run->now,
					 .charge = true };
	int rc;

	if (instance == INDEX_NONE || place == NONE || !places->open(places->self, instance, &slots))
		return 0;
	rc = starts_make(policy, run, places, &wish);
	return rc == -EAGAIN ? 0 : rc;
}

/*
 * Start the winners whose slots are free now. Reserve tasks of the others, so that the cycle does
 * not match them. -ENOMEM; -ENOSPC: no more orders are possible.
 */
int winners_take(struct userprio_policy *policy, struct run *run, const struct places *places)
{
	int rc = 0;

	pool_each(i, &policy->winners.keys) {
		const struct claim_key victim = *(const struct claim_key *)pool_key(&policy->winners.keys, i);
		struct winner *winner = &policy->winners.items[i];
		bool is_taken = accountant_claim_find(&policy->accountant, &victim);
		uint32_t place = winner->job && is_taken ? waiting_place(run, winner->job) : NONE;

		if (rc)
			break;
		if (is_taken && place == NONE)
			/* the job is gone: the slot becomes free nevertheless */
			winner->job = 0;
		else if (is_taken)
			rc = starts_reserve(policy->in_force, place);
		else if (winner->job)
			rc = winner_start(policy, run, places, &victim, winner);
		if (!is_taken && rc == 0) {
			before_hold(&policy->in_force->before, run->strings, victim.slot);
			winner_remove(policy, run->strings, i);
		}
	}
	return rc;
}
