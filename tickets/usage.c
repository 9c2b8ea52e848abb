/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/usage.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tickets/tickets.h"

static struct usage_item *usage_find(const struct usage *usage, uint32_t name)
{
	for (size_t i = 0; i < usage->n; i++)
		if (usage->items[i].name == name)
			return &usage->items[i];
	return NULL;
}

double usage_get(const struct usage *usage, uint32_t name)
{
	const struct usage_item *item = usage_find(usage, name);

	return item ? item->value : 0.0;
}

int usage_add(struct usage *usage, uint32_t name, double value)
{
	struct usage_item *item = usage_find(usage, name), *larger;

	if (!item) {
		larger = realloc(usage->items, (usage->n + 1) * sizeof(*usage->items));
		if (!larger)
			return -ENOMEM;
		usage->items = larger;
		item = &usage->items[usage->n++];
		*item = (struct usage_item){ .name = name };
	}
	item->value += value;
	return 0;
}

int usage_raise(struct usage *usage, uint32_t name, double value)
{
	struct usage_item *item = usage_find(usage, name);

	if (!item)
		return usage_add(usage, name, value) ? -ENOMEM : 1;
	if (value <= item->value)
		return 0;
	item->value = value;
	return 1;
}

int usage_copy(struct usage *to, const struct usage *from)
{
	struct usage copy = { .n = from->n };

	if (from->n > 0) {
		copy.items = malloc(from->n * sizeof(*copy.items));
		if (!copy.items)
			return -ENOMEM;
		memcpy(copy.items, from->items, from->n * sizeof(*copy.items));
	}
	usage_free(to);
	*to = copy;
	return 0;
}

void usage_free(struct usage *usage)
{
	free(usage->items);
	*usage = (struct usage){ 0 };
}

double usage_combine(const struct usage *usage, const struct usage_weights *weights)
{
	double sum = 0.0;

	if (!(weights->sum > 0))
		return 0.0;
	for (size_t i = 0; i < usage->n; i++) {
		uint32_t name = usage->items[i].name;

		if (name < weights->n && weights->listed[name])
			sum += usage->items[i].value *
			       (weights->parts ? weights->parts[name] : weights->by_name[name] / weights->sum);
	}
	return sum;
}

double decay_constant(double half_life_minutes)
{
	if (half_life_minutes < 0)
		return 0.0;
	if (half_life_minutes == 0)
		return 1.0;
	return 1 - (-log(0.5) / (half_life_minutes * 60)) * 60;
}

/*
 * Return the decay factor. pow() is the most expensive operation here. `minutes` is > 0, so a
 * zeroed cache entry never matches.
 */
static double factor_of(struct usage_decay *decay, double constant, double minutes)
{
	struct decay_factor *last = decay->last;

	if (last[0].constant != constant || last[0].minutes != minutes) {
		struct decay_factor other = last[1];

		last[1] = last[0];
		if (other.constant != constant || other.minutes != minutes)
			other = (struct decay_factor){ constant, minutes, pow(constant, minutes) };
		last[0] = other;
	}
	return last[0].factor;
}

static double constant_of(const struct usage_decay *decay, uint32_t name)
{
	return name < decay->n && !isnan(decay->by_name[name]) ? decay->by_name[name] : decay->constant;
}

static void factors_fill(struct usage_decay *decay, double minutes)
{
	decay->minutes = minutes;
	decay->finite = true;
	for (uint32_t name = 0; name <= decay->n; name++) {
		decay->factors[name] = factor_of(decay, constant_of(decay, name), minutes);
		decay->finite &= isfinite(decay->factors[name]) != 0;
	}
}

/*
 * Decay values one by one. If a factor is not finite, it is counted once for adjacent names with
 * the same constant.
 */
static void decay_one_by_one(struct usage *usage, struct usage_decay *decay, double minutes, uint64_t *clamped)
{
	double last_constant = NAN, factor = 1.0;

	for (size_t i = 0; i < usage->n; i++) {
		double constant = constant_of(decay, usage->items[i].name);

		if (constant != last_constant) {
			factor = factor_of(decay, constant, minutes);
			if (!isfinite(factor))
				++*clamped;
			factor = isfinite(factor) ? factor : 0.0;
			last_constant = constant;
		}
		usage->items[i].value = tickets_finite(usage->items[i].value * factor, clamped);
	}
}

void usage_decay(struct usage *usage, struct usage_decay *decay, int64_t stamp, int64_t now, uint64_t *clamped)
{
	double minutes = (double)(now - stamp) / 60;

	if (stamp == 0 || now <= stamp)
		return;
	if (decay->factors && decay->minutes != minutes)
		factors_fill(decay, minutes);
	if (!decay->factors || !decay->finite) {
		decay_one_by_one(usage, decay, minutes, clamped);
		return;
	}
	for (size_t i = 0; i < usage->n; i++) {
		double factor = decay->factors[usage->items[i].name < decay->n ? usage->items[i].name : decay->n];

		usage->items[i].value = tickets_finite(usage->items[i].value * factor, clamped);
	}
}
