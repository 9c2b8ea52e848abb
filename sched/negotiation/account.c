/* SPDX-License-Identifier: Apache-2.0 */
/* Compare the current claims with the charged ones: HTCondor's check_matches. */
#include "sched/negotiation/inside.h"

uint32_t customer_group(const struct customers *customers, uint32_t customer)
{
	return customers->items[customer].is_group ? customer : customers->items[customer].group;
}

uint32_t slot_customer(const struct slot *slot)
{
	return slot->state == SLOT_PREEMPTING && slot->preempting_customer != CUSTOMER_NONE ? slot->preempting_customer
											    : slot->customer;
}

bool slot_is_claimed(const struct negotiator *negotiator, uint32_t slot)
{
	return negotiator->slots[slot].state != SLOT_UNCLAIMED &&
	       slot_customer(&negotiator->slots[slot]) != CUSTOMER_NONE;
}

/* Return the customer to which the slot is charged. */
static uint32_t user_of(const struct negotiator *negotiator, uint32_t slot)
{
	const struct slot *s = &negotiator->slots[slot];

	if (s->state == SLOT_UNCLAIMED || !negotiator->pool.visible[slot] ||
	    (negotiator->conf->discount_suspended && s->suspended))
		return CUSTOMER_NONE;
	return s->customer;
}

static void charge_end(struct negotiator *negotiator, struct charged_slot *charged)
{
	customers_remove_match(negotiator->customers, charged->customer, charged->weight, charged->since,
			       negotiator->in->now);
	charged->customer = CUSTOMER_NONE;
}

void account_check(struct negotiator *negotiator)
{
	for (uint32_t i = 0; i < negotiator->nslots; i++)
		if (negotiator->charged[i].customer != CUSTOMER_NONE &&
		    negotiator->charged[i].customer != user_of(negotiator, i))
			charge_end(negotiator, &negotiator->charged[i]);
	for (uint32_t i = 0; i < negotiator->nslots; i++) {
		uint32_t customer = user_of(negotiator, i);

		if (customer != CUSTOMER_NONE && negotiator->charged[i].customer == CUSTOMER_NONE)
			account_match(negotiator, i, customer, negotiator->slots[i].weight);
	}
}

void account_match(struct negotiator *negotiator, uint32_t slot, uint32_t customer, double weight)
{
	struct charged_slot *charged = &negotiator->charged[slot];
	bool is_piece = negotiator->slots[slot].partitionable && negotiator->slots[slot].state == SLOT_UNCLAIMED;

	if (!is_piece && charged->customer == customer)
		return;
	if (!is_piece && charged->customer != CUSTOMER_NONE)
		charge_end(negotiator, charged);
	customers_add_match(negotiator->customers, customer, weight, negotiator->in->now);
	if (!is_piece)
		*charged = (struct charged_slot){ customer, weight, negotiator->in->now };
}
