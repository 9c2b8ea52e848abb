/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/customers.h"

#include <math.h>

#include "tickets/six_decimals.h"

static double bounded(double value)
{
	return fmin(fmax(value, -CUSTOMER_MOST), CUSTOMER_MOST);
}

/* as it is kept */
static double kept(const struct customers *c, double value)
{
	value = bounded(value);
	return c->six_decimals ? six_decimals(value) : value;
}

static double kept_usage(const struct customers *c, double value)
{
	return kept(c, fmax(value, 0.0));
}

void customer_begin(struct customer *c, uint32_t group, bool is_group, double factor)
{
	*c = (struct customer){
		.rup = RUP_LEAST, .factor = fmin(fmax(factor, 0.0), CUSTOMER_MOST), .group = group, .is_group = is_group,
		.ceiling = CEILING_NONE, .changed = true,
	};
}

/* The update */

/*
 * The correction is part of the average use in the interval; it does not shorten the interval. What
 * a group uses is what its whole subtree uses, as long as that is anything.
 */
static void customer_update(const struct customers *c, struct customer *u, double seconds, double beta, int64_t now)
{
	double weight = u->weight_used + u->weight_uncharged / seconds;
	double slots = u->used + u->uncharged / seconds;
	double rup;

	if (u->tree_used > 0.0)
		weight = u->tree_used;
	rup = kept(c, fmax(fmax(u->rup, RUP_LEAST) * beta + bounded(weight) * (1.0 - beta), RUP_LEAST));
	u->changed |= rup != u->rup || u->used > 0 || u->weight_used > 0.0 || u->uncharged != 0.0 || u->weight_uncharged != 0.0;
	u->rup = rup;
	u->accumulated = kept_usage(c, u->accumulated + (u->used * seconds + u->uncharged));
	u->weight_accumulated = kept_usage(c, u->weight_accumulated + (u->weight_used * seconds + u->weight_uncharged));
	u->uncharged = u->weight_uncharged = 0.0;
	if (u->accumulated > 0.0 && u->begin == 0) {
		u->begin = now;
		u->changed = true;
	}
	if (slots > 0.0)
		u->last = now;
}

/* In the first one nobody knows since when there are these priorities: they stay as they are. */
void customers_update(struct customers *c, int64_t now)
{
	int64_t before = c->last_update;
	double seconds = (double)now - (double)before, beta;

	c->last_update = now;
	if (seconds <= 0.0)
		return;
	beta = before == 0 ? 1.0 : pow(0.5, seconds / c->halflife);
	for (size_t i = 0; i < c->n; i++)
		customer_update(c, &c->items[i], seconds, beta, now);
}

/* Matches */

/*
 * An update charges the whole interval for what is in use when it comes. So a match that begins in
 * the middle is paid back the time before it, and one that has ended there is charged the time from
 * the last update: together that is what lay between, also when both are in one interval, and when
 * one or both lie before the last update and are told only now. An end gives back no more than was
 * charged: clocks may go back.
 */
static double begin_since_update(const struct customers *c, int64_t since)
{
	return (double)since - (double)c->last_update;
}

static double end_since_update(const struct customers *c, int64_t since, int64_t end)
{
	if (end < c->last_update && end < since)
		end = since;
	return (double)end - (double)c->last_update;
}

static void customer_add(const struct customers *c, struct customer *u, double weight, double seconds)
{
	if (u->used < UINT32_MAX)
		u->used++;
	u->weight_used = kept_usage(c, u->weight_used + weight);
	u->uncharged = bounded(u->uncharged - seconds);
	u->weight_uncharged = kept(c, u->weight_uncharged - seconds * weight);
	u->changed = true;
}

static void customer_remove(const struct customers *c, struct customer *u, double weight, double seconds)
{
	if (u->used > 0)
		u->used--;
	u->weight_used = kept_usage(c, u->weight_used - weight);
	u->uncharged = bounded(u->uncharged + seconds);
	u->weight_uncharged = kept(c, u->weight_uncharged + seconds * weight);
	u->changed = true;
}

/* The group and those above it; the root only if it is the group itself. */
static void tree_add(struct customers *c, uint32_t group, double weight)
{
	uint32_t g = group;

	do {
		c->items[g].tree_used = kept_usage(c, c->items[g].tree_used + weight);
		c->items[g].changed = true;
		g = c->items[g].group;
	} while (g != c->root);
}

static uint32_t group_of(const struct customers *c, uint32_t customer)
{
	return c->items[customer].is_group ? customer : c->items[customer].group;
}

void customers_add_match(struct customers *c, uint32_t customer, double weight, int64_t since)
{
	uint32_t group = group_of(c, customer);
	double seconds = begin_since_update(c, since);

	customer_add(c, &c->items[customer], weight, seconds);
	if (group != customer)
		customer_add(c, &c->items[group], weight, seconds);
	tree_add(c, group, weight);
}

void customers_remove_match(struct customers *c, uint32_t customer, double weight, int64_t since, int64_t end)
{
	uint32_t group = group_of(c, customer);
	double seconds = end_since_update(c, since, end);

	customer_remove(c, &c->items[customer], weight, seconds);
	if (group != customer)
		customer_remove(c, &c->items[group], weight, seconds);
	tree_add(c, group, -weight);
}
