/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partitionable slots: a request takes RequestX out of X, for Cpus (default 1), Memory and any
 * other resource of the slot. It is charged the weight that the slot loses by this.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sched/negotiation/inside.h"

struct piece_taking {
	struct negotiator *n;
	const struct classad *slot, *job;
	struct classad *left;		/* NULL: only test whether it fits */
	bool fits, cpus;
	int rc;
};

static void take(struct piece_taking *taking, const char *resource, double amount)
{
	struct classad_pair pair = { .my = taking->slot };
	struct classad_value value;
	double there = 0;

	classad_room_reset(&taking->n->moments.room);
	classad_attribute(&pair, resource, &taking->n->moments.room, &value);
	if (!classad_number(&value, &there) || !isfinite(there))
		there = 0;
	taking->fits &= amount <= there;
	if (!taking->left || amount == 0 || !taking->fits)
		return;
	if (value.type == CLASSAD_INT && amount == floor(amount))
		value.integer -= (int64_t)amount;
	else
		value = (struct classad_value){ .type = CLASSAD_REAL, .real = there - amount };
	taking->rc = classad_set_value(taking->left, resource, &value);
}

static double amount_of(struct piece_taking *taking, const char *request)
{
	struct classad_pair pair = { taking->job, taking->slot };
	struct classad_value value;
	double amount;

	classad_room_reset(&taking->n->moments.room);
	classad_attribute(&pair, request, &taking->n->moments.room, &value);
	return classad_number(&value, &amount) && amount > 0 ? amount : 0;
}

static void take_all(struct piece_taking *taking)
{
	const struct classad *ad = taking->job;
	const char *request;
	size_t at = 0;

	while (taking->rc == 0 && (request = request_next(taking->job, &ad, &at))) {
		taking->cpus |= strcasecmp(request + 7, "Cpus") == 0;
		take(taking, request + 7, amount_of(taking, request));
	}
	if (!taking->cpus && taking->rc == 0)
		take(taking, "Cpus", 1);
}

/* Subtract the request from `left`, which holds the attributes that differ from the base ad. */
static int take_into(struct piece_taking *taking, const struct classad *behind)
{
	const struct classad_names *key = &taking->n->interest.key;

	for (size_t i = 0; i < key->n && taking->rc == 0; i++) {
		const struct classad_expression *expression = classad_find(taking->slot, key->items[i]);
		struct classad_value value;

		if (expression && expression != classad_find(behind, key->items[i]) &&
		    classad_is_constant(expression, &value))
			taking->rc = classad_set_value(taking->left, key->items[i], &value);
	}
	if (taking->rc == 0)
		take_all(taking);
	return taking->rc;
}

bool piece_fits(struct negotiator *negotiator, const struct slot_class *class, const struct classad *job,
		double *weight)
{
	struct piece_taking taking = { .n = negotiator, .slot = class->ad, .job = job, .fits = true };
	double after = 0;

	take_all(&taking);
	*weight = 1;
	if (!taking.fits || !negotiator->conf->use_slot_weights)
		return taking.fits;
	taking = (struct piece_taking){
		.n = negotiator, .slot = class->ad, .job = job, .fits = true, .left = classad_create()
	};
	if (!taking.left || take_into(&taking, class->ad) < 0) {
		negotiator->rc = -ENOMEM;
	} else {
		classad_set_base(taking.left, class->ad);
		after = slot_weight(negotiator->conf, taking.left, &negotiator->moments.room);
	}
	classad_free(taking.left);
	*weight = class->weight > after ? class->weight - after : 0;
	return true;
}

struct classad *piece_left(struct negotiator *negotiator, uint32_t slot, const struct slot_class *class,
			   const struct classad *job)
{
	struct piece_taking taking = {
		.n = negotiator, .slot = class->ad, .job = job, .fits = true, .left = classad_create()
	};

	if (!taking.left || take_into(&taking, negotiator->slots[slot].ad) < 0) {
		classad_free(taking.left);
		return NULL;
	}
	classad_set_base(taking.left, negotiator->slots[slot].ad);
	return taking.left;
}
