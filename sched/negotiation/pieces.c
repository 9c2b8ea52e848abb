/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partitionable slots: a request takes RequestX out of X, for Cpus (1 unless said), Memory and
 * whatever else the slot has. It is charged the weight that the slot loses by it.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sched/negotiation/inside.h"

struct piece_taking {
	struct negotiator *n;
	const struct classad *slot, *job;
	struct classad *left;		/* NULL: only whether it fits */
	bool fits, cpus;
	int rc;
};

static void take(struct piece_taking *t, const char *resource, double amount)
{
	struct classad_pair pair = { .my = t->slot };
	struct classad_value value;
	double there = 0;

	classad_room_reset(&t->n->moments.room);
	classad_attribute(&pair, resource, &t->n->moments.room, &value);
	if (!classad_number(&value, &there) || !isfinite(there))
		there = 0;
	t->fits &= amount <= there;
	if (!t->left || amount == 0 || !t->fits)
		return;
	if (value.type == CLASSAD_INT && amount == floor(amount))
		value.integer -= (int64_t)amount;
	else
		value = (struct classad_value){ .type = CLASSAD_REAL, .real = there - amount };
	t->rc = classad_set_value(t->left, resource, &value);
}

static double amount_of(struct piece_taking *t, const char *request)
{
	struct classad_pair pair = { t->job, t->slot };
	struct classad_value value;
	double amount;

	classad_room_reset(&t->n->moments.room);
	classad_attribute(&pair, request, &t->n->moments.room, &value);
	return classad_number(&value, &amount) && amount > 0 ? amount : 0;
}

static void take_all(struct piece_taking *t)
{
	const struct classad *ad = t->job;
	const char *request;
	size_t at = 0;

	while (t->rc == 0 && (request = request_next(t->job, &ad, &at))) {
		t->cpus |= strcasecmp(request + 7, "Cpus") == 0;
		take(t, request + 7, amount_of(t, request));
	}
	if (!t->cpus && t->rc == 0)
		take(t, "Cpus", 1);
}

/* `left` says at first what is left now, where that is not what the ad behind it says. */
static int take_into(struct piece_taking *t, const struct classad *behind)
{
	const struct classad_names *key = &t->n->interest.key;

	for (size_t i = 0; i < key->n && t->rc == 0; i++) {
		const struct classad_expression *e = classad_find(t->slot, key->items[i]);
		struct classad_value value;

		if (e && e != classad_find(behind, key->items[i]) && classad_is_constant(e, &value))
			t->rc = classad_set_value(t->left, key->items[i], &value);
	}
	if (t->rc == 0)
		take_all(t);
	return t->rc;
}

bool piece_fits(struct negotiator *n, const struct slot_class *class, const struct classad *job, double *weight)
{
	struct piece_taking t = { .n = n, .slot = class->ad, .job = job, .fits = true };
	double after = 0;

	take_all(&t);
	*weight = 1;
	if (!t.fits || !n->conf->use_slot_weights)
		return t.fits;
	t = (struct piece_taking){ .n = n, .slot = class->ad, .job = job, .fits = true, .left = classad_create() };
	if (!t.left || take_into(&t, class->ad) < 0) {
		n->rc = -ENOMEM;
	} else {
		classad_put_behind(t.left, class->ad);
		after = slot_weight(n->conf, t.left, &n->moments.room);
	}
	classad_free(t.left);
	*weight = class->weight > after ? class->weight - after : 0;
	return true;
}

struct classad *piece_left(struct negotiator *n, uint32_t slot, const struct slot_class *class, const struct classad *job)
{
	struct piece_taking t = { .n = n, .slot = class->ad, .job = job, .fits = true, .left = classad_create() };

	if (!t.left || take_into(&t, n->slots[slot].ad) < 0) {
		classad_free(t.left);
		return NULL;
	}
	classad_put_behind(t.left, n->slots[slot].ad);
	return t.left;
}
