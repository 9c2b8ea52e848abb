/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/customers.h"

#include <math.h>
#include <string.h>

#include "tickets/six_decimals.h"

static double bounded(double value)
{
	return fmin(fmax(value, -CUSTOMER_MOST), CUSTOMER_MOST);
}

/* Return the value as it is stored. */
static double kept(const struct customers *customers, double value)
{
	value = bounded(value);
	return customers->six_decimals ? six_decimals(value) : value;
}

static double kept_usage(const struct customers *customers, double value)
{
	return kept(customers, fmax(value, 0.0));
}

void customer_begin(struct customer *customer, uint32_t group, bool is_group, double factor)
{
	*customer = (struct customer){
		.rup = RUP_LEAST,
		.factor = fmin(fmax(factor, 0.0), CUSTOMER_MOST),
		.group = group,
		.is_group = is_group,
		.ceiling = CEILING_NONE,
		.changed = true,
	};
}

/* Updates */

/*
 * Update a customer. The correction is part of the average use in the interval; it does not shorten
 * the interval. The usage of a group is that of its whole subtree, if that is not 0.
 */
static void customer_update(const struct customers *customers, struct customer *customer, double seconds, double beta,
			    int64_t now)
{
	double weight = customer->weight_used + customer->weight_uncharged / seconds;
	double slots = customer->used + customer->uncharged / seconds;
	double rup;

	if (customer->tree_used > 0.0)
		weight = customer->tree_used;
	rup = kept(customers, fmax(fmax(customer->rup, RUP_LEAST) * beta + bounded(weight) * (1.0 - beta), RUP_LEAST));
	customer->changed |= rup != customer->rup || customer->used > 0 || customer->weight_used > 0.0 ||
			     customer->uncharged != 0.0 || customer->weight_uncharged != 0.0;
	customer->rup = rup;
	customer->accumulated =
		kept_usage(customers, customer->accumulated + (customer->used * seconds + customer->uncharged));
	customer->weight_accumulated =
		kept_usage(customers, customer->weight_accumulated +
					      (customer->weight_used * seconds + customer->weight_uncharged));
	customer->uncharged = customer->weight_uncharged = 0.0;
	if (customer->accumulated > 0.0 && customer->begin == 0) {
		customer->begin = now;
		customer->changed = true;
	}
	if (slots > 0.0)
		customer->last = now;
}

/* In the first update it is unknown how old the priorities are, so they stay unchanged. */
void customers_update(struct customers *customers, int64_t now)
{
	int64_t before = customers->last_update;
	double seconds = (double)now - (double)before, beta;

	customers->last_update = now;
	if (seconds <= 0.0)
		return;
	beta = before == 0 ? 1.0 : pow(0.5, seconds / customers->halflife);
	for (size_t i = 0; i < customers->n; i++)
		customer_update(customers, &customers->items[i], seconds, beta, now);
}

/* Matches */

/*
 * Seconds from the last update to the begin or the end of a match. An update charges the whole
 * interval for what is in use at that time. So for a match that begins within an interval the time
 * before it is subtracted, and for a match that has ended the time since the last update is added.
 * Together that is the time between begin and end. This is also true if both are in one interval,
 * or if one or both are before the last update and are reported late. An end subtracts no more than
 * was charged, since clocks may go back.
 */
static double begin_since_update(const struct customers *customers, int64_t since)
{
	return (double)since - (double)customers->last_update;
}

static double end_since_update(const struct customers *customers, int64_t since, int64_t end)
{
	if (end < customers->last_update && end < since)
		end = since;
	return (double)end - (double)customers->last_update;
}

static void customer_add(const struct customers *customers, struct customer *customer, double weight, double seconds)
{
	if (customer->used < UINT32_MAX)
		customer->used++;
	customer->weight_used = kept_usage(customers, customer->weight_used + weight);
	customer->uncharged = bounded(customer->uncharged - seconds);
	customer->weight_uncharged = kept(customers, customer->weight_uncharged - seconds * weight);
	customer->changed = true;
}

static void customer_remove(const struct customers *customers, struct customer *customer, double weight, double seconds)
{
	if (customer->used > 0)
		customer->used--;
	customer->weight_used = kept_usage(customers, customer->weight_used - weight);
	customer->uncharged = bounded(customer->uncharged + seconds);
	customer->weight_uncharged = kept(customers, customer->weight_uncharged + seconds * weight);
	customer->changed = true;
}

/* Add weight to a group and its ancestors; to the root only if it is the group itself. */
static void tree_add(struct customers *customers, uint32_t group, double weight)
{
	uint32_t g = group;

	do {
		customers->items[g].tree_used = kept_usage(customers, customers->items[g].tree_used + weight);
		customers->items[g].changed = true;
		g = customers->items[g].group;
	} while (g != customers->root);
}

static uint32_t group_of(const struct customers *customers, uint32_t customer)
{
	return customers->items[customer].is_group ? customer : customers->items[customer].group;
}

void customers_add_match(struct customers *customers, uint32_t customer, double weight, int64_t since)
{
	uint32_t group = group_of(customers, customer);
	double seconds = begin_since_update(customers, since);

	customer_add(customers, &customers->items[customer], weight, seconds);
	if (group != customer)
		customer_add(customers, &customers->items[group], weight, seconds);
	tree_add(customers, group, weight);
}

void customers_remove_match(struct customers *customers, uint32_t customer, double weight, int64_t since, int64_t end)
{
	uint32_t group = group_of(customers, customer);
	double seconds = end_since_update(customers, since, end);

	customer_remove(customers, &customers->items[customer], weight, seconds);
	if (group != customer)
		customer_remove(customers, &customers->items[group], weight, seconds);
	tree_add(customers, group, -weight);
}

bool customer_is_of(const char *customer, const char *user)
{
	size_t n = strcspn(customer, "@"), length = strlen(user);

	return n >= length && strncmp(customer + n - length, user, length) == 0 &&
	       (n == length || customer[n - length - 1] == '.');
}
