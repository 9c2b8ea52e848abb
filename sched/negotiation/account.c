/* SPDX-License-Identifier: Apache-2.0 */
/* Whose claims there are, against whose were charged: HTCondor's check_matches. */
#include "sched/negotiation/inside.h"

uint32_t customer_group(const struct customers *c, uint32_t customer)
{
	return c->items[customer].is_group ? customer : c->items[customer].group;
}

uint32_t slot_customer(const struct slot *s)
{
	return s->state == SLOT_PREEMPTING && s->preempting_customer != CUSTOMER_NONE ? s->preempting_customer : s->customer;
}

bool slot_is_claimed(const struct negotiator *n, uint32_t slot)
{
	return n->slots[slot].state != SLOT_UNCLAIMED && slot_customer(&n->slots[slot]) != CUSTOMER_NONE;
}

/* Whom the slot is charged to. */
static uint32_t user_of(const struct negotiator *n, uint32_t slot)
{
	const struct slot *s = &n->slots[slot];

	if (s->state == SLOT_UNCLAIMED || !n->pool.visible[slot] || (n->conf->discount_suspended && s->suspended))
		return CUSTOMER_NONE;
	return s->customer;
}

static void charge_end(struct negotiator *n, struct charged_slot *charged)
{
	customers_remove_match(n->customers, charged->customer, charged->weight, charged->since, n->in->now);
	charged->customer = CUSTOMER_NONE;
}

void account_check(struct negotiator *n)
{
	for (uint32_t i = 0; i < n->nslots; i++)
		if (n->charged[i].customer != CUSTOMER_NONE && n->charged[i].customer != user_of(n, i))
			charge_end(n, &n->charged[i]);
	for (uint32_t i = 0; i < n->nslots; i++) {
		uint32_t customer = user_of(n, i);

		if (customer != CUSTOMER_NONE && n->charged[i].customer == CUSTOMER_NONE)
			account_match(n, i, customer, n->slots[i].weight);
	}
}

void account_match(struct negotiator *n, uint32_t slot, uint32_t customer, double weight)
{
	struct charged_slot *charged = &n->charged[slot];
	bool is_piece = n->slots[slot].partitionable && n->slots[slot].state == SLOT_UNCLAIMED;

	if (!is_piece && charged->customer == customer)
		return;
	if (!is_piece && charged->customer != CUSTOMER_NONE)
		charge_end(n, charged);
	customers_add_match(n->customers, customer, weight, n->in->now);
	if (!is_piece)
		*charged = (struct charged_slot){ customer, weight, n->in->now };
}
