/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of slots with equal values of all attributes on which values of both job and slot depend.
 * The key of a class is the text of these attributes.
 */
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
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

static int key_append(struct slot_classes *classes, size_t *n, const char *text, size_t bytes)
{
	if (room_for(&classes->text, &classes->text_capacity, *n + bytes + 1, 1) < 0)
		return -ENOMEM;
	memcpy(classes->text + *n, text, bytes);
	*n += bytes;
	classes->text[*n] = '\0';
	return 0;
}

/* Append an attribute to the key. Values, expressions and missing attributes cannot be confused. */
static int key_attribute(struct slot_classes *classes, size_t *n, const struct classad_expression *expression)
{
	struct classad_value value;
	int rc = 0;

	if (expression && classad_is_constant(expression, &value)) {
		char text[64];
		size_t bytes = classad_value_text(&value, text, sizeof(text));

		if (bytes < sizeof(text))
			rc = key_append(classes, n, text, bytes);
		else if (room_for(&classes->text, &classes->text_capacity, *n + bytes + 2, 1) == 0)
			*n += classad_value_text(&value, classes->text + *n, bytes + 1);
		else
			rc = -ENOMEM;
	} else if (expression) {
		rc = key_append(classes, n, "=", 1);
		if (rc == 0)
			rc = key_append(classes, n, classad_expression_text(expression),
					strlen(classad_expression_text(expression)));
	}
	return rc == 0 ? key_append(classes, n, "\x1f", 1) : rc;
}

static int key_write(struct negotiator *negotiator, const struct classad *ad, double weight, bool partitionable,
		     uint32_t single)
{
	struct slot_classes *classes = &negotiator->slot_classes;
	const struct classad_names *key = &negotiator->interest.key;
	char head[96];
	size_t bytes = (size_t)snprintf(head, sizeof(head), "%a %d %u\x1f", weight, partitionable, single), at = 0;
	int rc = key_append(classes, &at, head, bytes);

	for (size_t i = 0; i < key->n && rc == 0; i++)
		rc = key_attribute(classes, &at, classad_find(ad, key->items[i]));
	return rc;
}

double attribute_number(struct negotiator *negotiator, const struct classad *ad, const char *name, double otherwise)
{
	struct classad_pair pair = { .my = ad };
	struct classad_value value;
	double number;

	classad_room_reset(&negotiator->moments.room);
	classad_attribute(&pair, name, &negotiator->moments.room, &value);
	return classad_number(&value, &number) && isfinite(number) ? number : otherwise;
}

static void class_begin(struct negotiator *negotiator, struct slot_class *class, const struct classad *ad,
			double weight, bool partitionable)
{
	const struct classad_expression *rank = classad_find(ad, "Rank");
	struct classad_value value;
	double cpus = attribute_number(negotiator, ad, "Cpus", 1);

	*class = (struct slot_class){ .ad = ad,
				      .weight = weight,
				      .partitionable = partitionable,
				      .single = NONE,
				      .slot = NONE,
				      .pre = -FLT_MAX,
				      .post = -FLT_MAX };
	class->per_cpu = partitionable && cpus > 1 ? weight / cpus : weight;
	class->rank_is_constant = !rank || classad_is_constant(rank, &value);
	class->rank = !rank								 ? 0
		      : class->rank_is_constant && !classad_number(&value, &class->rank) ? (double)NAN
											 : class->rank;
}

uint32_t slot_class_of(struct negotiator *negotiator, const struct classad *ad, double weight, bool partitionable,
		       uint32_t single)
{
	struct slot_classes *classes = &negotiator->slot_classes;
	uint32_t class;
	size_t before = classes->keys.n;

	if (room_for(&classes->items, &classes->capacity, before + 1, sizeof(*classes->items)) < 0 ||
	    key_write(negotiator, ad, weight, partitionable, single) < 0 ||
	    text_set_add(&classes->keys, classes->text, &class) < 0)
		return NONE;
	if (class == before) {
		class_begin(negotiator, &classes->items[class], ad, weight, partitionable);
		classes->items[class].single = single;
	}
	return class;
}

void class_take_in(struct negotiator *negotiator, uint32_t which, uint32_t slot, struct classad *left)
{
	struct slot_class *class = &negotiator->slot_classes.items[which];
	const struct slot_facts *facts = &negotiator->facts[slot];

	if (facts->pre > class->pre || facts->post > class->post) {
		class->pre = fmaxf(class->pre, facts->pre);
		class->post = fmaxf(class->post, facts->post);
		negotiator->slot_classes.version++;
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

float negotiators_rank(struct negotiator *negotiator, const struct classad_expression *expression,
		       const struct classad *slot, const struct classad *job)
{
	struct classad_pair pair = { .my = slot, .target = job };
	struct classad_value value;
	double number;

	if (!expression)
		return -FLT_MAX;
	classad_room_reset(&negotiator->moments.room);
	classad_evaluate(expression, &pair, &negotiator->moments.room, &value);
	if (!classad_number(&value, &number) || isnan(number))
		return -FLT_MAX;
	return number > FLT_MAX ? FLT_MAX : number < -FLT_MAX ? -FLT_MAX : (float)number;
}

void slot_ranks(struct negotiator *negotiator, const struct classad *ad, float *pre, float *post)
{
	*pre = negotiator->interest.by_job[ROOT_PRE]
		       ? 0
		       : negotiators_rank(negotiator, negotiator->conf->pre_job_rank.program, ad, NULL);
	*post = negotiator->interest.by_job[ROOT_POST]
			? 0
			: negotiators_rank(negotiator, negotiator->conf->post_job_rank.program, ad, NULL);
}

void slot_classes_clear(struct slot_classes *classes)
{
	for (size_t i = 0; i < classes->keys.n; i++)
		classad_free(classes->items[i].left);
	text_set_clear(&classes->keys);
	classes->version++;
}

void slot_classes_free(struct slot_classes *classes)
{
	slot_classes_clear(classes);
	text_set_free(&classes->keys);
	free(classes->items);
	free(classes->text);
	*classes = (struct slot_classes){ 0 };
}

/* Return whether ranks stay valid: they may depend on the time, or on other slots. */
static bool ranks_hold(const struct negotiator *negotiator)
{
	return !cross_is_on(negotiator) && !negotiator->interest.slots[ROOT_PRE].time &&
	       !negotiator->interest.slots[ROOT_POST].time;
}

void slots_rank(struct negotiator *negotiator)
{
	struct slot_classes *classes = &negotiator->slot_classes;
	bool hold = ranks_hold(negotiator), changed = false;

	for (uint32_t i = 0; i < negotiator->nslots; i++) {
		struct slot_facts *facts = &negotiator->facts[i];
		float pre = facts->pre, post = facts->post;

		if (facts->known && hold)
			continue;
		slot_ranks(negotiator, moment_free(negotiator, i, negotiator->slots[i].ad), &facts->pre, &facts->post);
		changed |= !facts->known || facts->pre != pre || facts->post != post;
		facts->known = true;
	}
	if (!changed)
		return;
	for (size_t i = 0; i < classes->keys.n; i++)
		classes->items[i].pre = classes->items[i].post = -FLT_MAX;
	for (uint32_t i = 0; i < negotiator->nslots; i++) {
		struct slot_class *class = &classes->items[negotiator->facts[i].class];

		class->pre = fmaxf(class->pre, negotiator->facts[i].pre);
		class->post = fmaxf(class->post, negotiator->facts[i].post);
	}
	classes->version++;
}
