/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots that are alike in all that a value depends on which depends on job and slot. Their key is
 * what stands in these attributes, as text.
 */
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/negotiation/inside.h"

int room_for(void *array, size_t *capacity, size_t n, size_t bytes)
{
	size_t larger = *capacity + *capacity / 2;

	if (n <= *capacity)
		return 0;
	if (larger < n)
		larger = n;
	if (array_grow(array, larger, bytes) < 0)
		return -ENOMEM;
	*capacity = larger;
	return 0;
}

static int key_append(struct slot_classes *c, size_t *n, const char *text, size_t bytes)
{
	if (room_for(&c->text, &c->text_capacity, *n + bytes + 1, 1) < 0)
		return -ENOMEM;
	memcpy(c->text + *n, text, bytes);
	*n += bytes;
	c->text[*n] = '\0';
	return 0;
}

/* Values and expressions can't be mistaken for each other, nor for one that is not there. */
static int key_attribute(struct slot_classes *c, size_t *n, const struct classad_expression *e)
{
	struct classad_value value;
	int rc = 0;

	if (e && classad_is_constant(e, &value)) {
		char text[64];
		size_t bytes = classad_value_text(&value, text, sizeof(text));

		if (bytes < sizeof(text))
			rc = key_append(c, n, text, bytes);
		else if (room_for(&c->text, &c->text_capacity, *n + bytes + 2, 1) == 0)
			*n += classad_value_text(&value, c->text + *n, bytes + 1);
		else
			rc = -ENOMEM;
	} else if (e) {
		rc = key_append(c, n, "=", 1);
		if (rc == 0)
			rc = key_append(c, n, classad_expression_text(e), strlen(classad_expression_text(e)));
	}
	return rc == 0 ? key_append(c, n, "\x1f", 1) : rc;
}

static int key_write(struct negotiator *n, const struct classad *ad, double weight, bool partitionable, uint32_t single)
{
	struct slot_classes *c = &n->slot_classes;
	const struct classad_names *key = &n->interest.key;
	char head[96];
	size_t bytes = (size_t)snprintf(head, sizeof(head), "%a %d %u\x1f", weight, partitionable, single), at = 0;
	int rc = key_append(c, &at, head, bytes);

	for (size_t i = 0; i < key->n && rc == 0; i++)
		rc = key_attribute(c, &at, classad_find(ad, key->items[i]));
	return rc;
}

double attribute_number(struct negotiator *n, const struct classad *ad, const char *name, double otherwise)
{
	struct classad_pair pair = { .my = ad };
	struct classad_value value;
	double number;

	classad_room_reset(&n->moments.room);
	classad_attribute(&pair, name, &n->moments.room, &value);
	return classad_number(&value, &number) && isfinite(number) ? number : otherwise;
}

static void class_begin(struct negotiator *n, struct slot_class *class, const struct classad *ad, double weight, bool partitionable)
{
	const struct classad_expression *rank = classad_find(ad, "Rank");
	struct classad_value value;
	double cpus = attribute_number(n, ad, "Cpus", 1);

	*class = (struct slot_class){ .ad = ad, .weight = weight, .partitionable = partitionable, .single = NONE, .slot = NONE,
				      .pre = -FLT_MAX, .post = -FLT_MAX };
	class->per_cpu = partitionable && cpus > 1 ? weight / cpus : weight;
	class->rank_is_constant = !rank || classad_is_constant(rank, &value);
	class->rank = !rank ? 0 : class->rank_is_constant && !classad_number(&value, &class->rank) ? (double)NAN : class->rank;
}

uint32_t slot_class_of(struct negotiator *n, const struct classad *ad, double weight, bool partitionable, uint32_t single)
{
	struct slot_classes *c = &n->slot_classes;
	uint32_t class;
	size_t before = c->keys.n;

	if (room_for(&c->items, &c->capacity, before + 1, sizeof(*c->items)) < 0 ||
	    key_write(n, ad, weight, partitionable, single) < 0 || text_set_add(&c->keys, c->text, &class) < 0)
		return NONE;
	if (class == before) {
		class_begin(n, &c->items[class], ad, weight, partitionable);
		c->items[class].single = single;
	}
	return class;
}

void class_take_in(struct negotiator *n, uint32_t which, uint32_t slot, struct classad *left)
{
	struct slot_class *class = &n->slot_classes.items[which];
	const struct slot_facts *facts = &n->facts[slot];

	if (facts->pre > class->pre || facts->post > class->post) {
		class->pre = fmaxf(class->pre, facts->pre);
		class->post = fmaxf(class->post, facts->post);
		n->slot_classes.version++;
	}
	if (class->slot != NONE) {
		classad_free(left);
		return;
	}
	classad_free(class->left);
	class->left = left;
	class->ad = left;
	class->slot = slot;
}

float negotiators_rank(struct negotiator *n, const struct classad_expression *e, const struct classad *slot, const struct classad *job)
{
	struct classad_pair pair = { .my = slot, .target = job };
	struct classad_value value;
	double number;

	if (!e)
		return -FLT_MAX;
	classad_room_reset(&n->moments.room);
	classad_evaluate(e, &pair, &n->moments.room, &value);
	if (!classad_number(&value, &number) || isnan(number))
		return -FLT_MAX;
	return number > FLT_MAX ? FLT_MAX : number < -FLT_MAX ? -FLT_MAX : (float)number;
}

void slot_ranks(struct negotiator *n, const struct classad *ad, float *pre, float *post)
{
	*pre = n->interest.by_job[ROOT_PRE] ? 0 : negotiators_rank(n, n->conf->pre_job_rank.program, ad, NULL);
	*post = n->interest.by_job[ROOT_POST] ? 0 : negotiators_rank(n, n->conf->post_job_rank.program, ad, NULL);
}

void slot_classes_clear(struct slot_classes *c)
{
	for (size_t i = 0; i < c->keys.n; i++)
		classad_free(c->items[i].left);
	text_set_clear(&c->keys);
	c->version++;
}

void slot_classes_free(struct slot_classes *c)
{
	slot_classes_clear(c);
	text_set_free(&c->keys);
	free(c->items);
	free(c->text);
	*c = (struct slot_classes){ 0 };
}

/* Ranks may depend on the time, or on other slots. */
static bool ranks_hold(const struct negotiator *n)
{
	return !cross_is_on(n) && !n->interest.slots[ROOT_PRE].time && !n->interest.slots[ROOT_POST].time;
}

void slots_rank(struct negotiator *n)
{
	struct slot_classes *c = &n->slot_classes;
	bool hold = ranks_hold(n), changed = false;

	for (uint32_t i = 0; i < n->nslots; i++) {
		struct slot_facts *f = &n->facts[i];
		float pre = f->pre, post = f->post;

		if (f->known && hold)
			continue;
		slot_ranks(n, moment_free(n, i, n->slots[i].ad), &f->pre, &f->post);
		changed |= !f->known || f->pre != pre || f->post != post;
		f->known = true;
	}
	if (!changed)
		return;
	for (size_t i = 0; i < c->keys.n; i++)
		c->items[i].pre = c->items[i].post = -FLT_MAX;
	for (uint32_t i = 0; i < n->nslots; i++) {
		struct slot_class *class = &c->items[n->facts[i].class];

		class->pre = fmaxf(class->pre, n->facts[i].pre);
		class->post = fmaxf(class->post, n->facts[i].post);
	}
	c->version++;
}
