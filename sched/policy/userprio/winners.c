/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For whom slots are being vacated: nobody else gets them meanwhile, and their shares count for the
 * winner already. Whoever has the slot is charged as long as he has it. When it is free the
 * winner's job starts there, if it still waits; else the slot is anybody's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/policy/userprio/inside.h"

uint32_t winners_find(const struct userprio_policy *p, const struct claim_key *key)
{
	return pool_find(&p->winners.keys, key);
}

int winners_add(struct userprio_policy *p, struct strings *strings, const struct claim_key *victim, const struct winner *winner)
{
	struct winners *w = &p->winners;
	uint32_t i = winners_find(p, victim);
	bool is_new;

	if (i == NONE) {
		if (pool_reserve(&w->keys))
			return -ENOMEM;
		if (w->keys.capacity > w->capacity) {
			if (array_grow(&w->items, w->keys.capacity, sizeof(*w->items)))
				return -ENOMEM;
			w->capacity = w->keys.capacity;
		}
		i = pool_hold(&w->keys, victim, &is_new);
		strings_hold(strings, strings_text(strings, victim->slot));	/* the claim holds it: needs no memory */
	}
	w->items[i] = *winner;
	return 0;
}

static void winner_remove(struct userprio_policy *p, struct strings *strings, uint32_t i)
{
	strings_drop(strings, ((const struct claim_key *)pool_key(&p->winners.keys, i))->slot);
	pool_drop(&p->winners.keys, i);
}

void winners_free(struct userprio_policy *p, struct strings *strings)
{
	pool_each(i, &p->winners.keys)
		winner_remove(p, strings, i);
	pool_destroy(&p->winners.keys);
	free(p->winners.items);
}

/* Customers have other numbers. */
void winners_follow(struct userprio_policy *p, const uint32_t *moved)
{
	pool_each(i, &p->winners.keys)
		p->winners.items[i].customer = moved[p->winners.items[i].customer];
}

/* In the cycle */

/*
 * Usage was updated to this moment: what changes hands now and back behind the cycle charges
 * nobody.
 */
void winners_stand_in(struct userprio_policy *p, const struct run *run, struct slot *slot, struct listed_slot *place, struct charged_slot *charged)
{
	const struct claim_key *key = pool_key(&p->accountant.keys, place->claim);
	const struct winner *w;

	place->winner = winners_find(p, key);
	w = place->winner == NONE ? NULL : &p->winners.items[place->winner];
	if (!w || w->job == 0)
		return;
	slot->customer = w->customer;
	slot->current_rank = w->rank;
	slot->since = w->since;
	slot->negotiating_group = w->negotiating_group;
	slot->autoregroup = w->autoregroup;
	slot->suspended = false;
	if (charged->customer == CUSTOMER_NONE || !p->in_force->due)
		return;
	customers_remove_match(&p->accountant.customers, charged->customer, charged->weight, charged->since, run->now);
	customers_add_match(&p->accountant.customers, w->customer, charged->weight, run->now);
	charged->customer = w->customer;
}

/* Behind the cycle: whom it has charged for a slot that its owner still has. */
void winners_step_back(struct userprio_policy *p, const struct run *run, struct claim *claim, const struct charged_slot *charged)
{
	bool is_free = charged->customer == CUSTOMER_NONE;

	claim->changed |= is_free != claim->free_of_charge || (!is_free && charged->customer == claim->customer && charged->since != claim->since);
	claim->free_of_charge = is_free;
	if (claim->free_of_charge || charged->customer == claim->customer) {
		claim->since = charged->customer == claim->customer ? charged->since : claim->since;
		return;
	}
	customers_remove_match(&p->accountant.customers, charged->customer, charged->weight, run->now, run->now);
	customers_add_match(&p->accountant.customers, claim->customer, claim->weight, run->now);
}

/* When slots are free */

/* The place of a job in run->waiting, which is in the order of the list; NONE: it does not wait. */
static uint32_t waiting_place(const struct run *run, uint32_t number)
{
	const struct jobs *j = &run->mirror->state->jobs;
	uint32_t row = jobs_find(j, number);
	size_t low = 0, high = run->waiting.n;

	if (row == INDEX_NONE)
		return NONE;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (j->place[run->waiting.rows[middle]] < j->place[row])
			low = middle + 1;
		else
			high = middle;
	}
	return low < run->waiting.n && run->waiting.rows[low] == row && run->waiting.first[low] != NONE ? (uint32_t)low : NONE;
}

static int winner_start(struct userprio_policy *p, struct run *run, const struct places *places, const struct claim_key *victim,
			const struct winner *w)
{
	const struct state *state = run->mirror->state;
	uint32_t instance = index_find(&state->instance_index, state->instance_names, victim->slot);
	uint32_t place = waiting_place(run, w->job), slots;
	const struct start_wish wish = { .place = place, .instance = instance, .customer = w->customer, .weight = -1.0, .rank = w->rank,
					 .negotiating_group = w->negotiating_group, .autoregroup = w->autoregroup, .begun = run->now,
					 .charge = true };
	int rc;

	if (instance == INDEX_NONE || place == NONE || !places->open(places->self, instance, &slots))
		return 0;
	rc = starts_make(p, run, places, &wish);
	return rc == -EAGAIN ? 0 : rc;
}

/*
 * Those whose slots are free now start; those whose jobs still have to wait keep these out of the
 * cycle. -ENOMEM; -ENOSPC: no more can be ordered.
 */
int winners_take(struct userprio_policy *p, struct run *run, const struct places *places)
{
	int rc = 0;

	pool_each(i, &p->winners.keys) {
		const struct claim_key victim = *(const struct claim_key *)pool_key(&p->winners.keys, i);
		struct winner *w = &p->winners.items[i];
		bool is_taken = accountant_claim_find(&p->accountant, &victim);
		uint32_t place = w->job && is_taken ? waiting_place(run, w->job) : NONE;

		if (rc)
			break;
		if (is_taken && place == NONE)
			w->job = 0;		/* it is gone: the slot is to be free all the same */
		else if (is_taken)
			rc = starts_reserve(p->in_force, place);
		else if (w->job)
			rc = winner_start(p, run, places, &victim, w);
		if (!is_taken && rc == 0) {
			before_hold(&p->in_force->before, run->strings, victim.slot);
			winner_remove(p, run->strings, i);
		}
	}
	return rc;
}
