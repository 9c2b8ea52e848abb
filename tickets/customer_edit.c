/* SPDX-License-Identifier: Apache-2.0 */
/* Settings by operators, permanent or for a limited time. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "conf/base/error.h"
#include "tickets/customers.h"
#include "tickets/six_decimals.h"

#define WHOLE_MOST 9007199254740992.0	/* 2^53: limit of ceilings, floors and times */

static const char *const setting_names[SETTINGS] = {
	[SETTING_FACTOR] = "factor", [SETTING_CEILING] = "ceiling", [SETTING_FLOOR] = "floor"
};

static double setting_value(const struct customer *customer, enum customer_setting setting)
{
	switch (setting) {
	case SETTING_CEILING:
		return (double)customer->ceiling;
	case SETTING_FLOOR:
		return (double)customer->floor;
	default:
		return customer->factor;
	}
}

static void setting_put(struct customer *customer, enum customer_setting setting, double value)
{
	switch (setting) {
	case SETTING_CEILING:
		customer->ceiling = (int64_t)value;
		break;
	case SETTING_FLOOR:
		customer->floor = (int64_t)value;
		break;
	default:
		customer->factor = value >= FACTOR_LEAST ? fmin(value, CUSTOMER_MOST) : 0.0;
	}
	customer->changed = true;
}

static void lease_end(struct customer *customer, enum customer_setting setting)
{
	setting_put(customer, setting, customer->leases[setting].before);
	customer->leases[setting] = (struct lease){ 0 };
}

static size_t leases_end(struct customer *customer, int64_t now)
{
	size_t n = 0;

	for (int s = 0; s < SETTINGS; s++)
		if (customer->leases[s].until != 0 && customer->leases[s].until <= now) {
			lease_end(customer, s);
			n++;
		}
	return n;
}

size_t customers_end_leases(struct customers *customers, int64_t now)
{
	size_t n = 0;

	for (size_t i = 0; i < customers->n; i++)
		n += leases_end(&customers->items[i], now);
	return n;
}

/* Edits */

struct edit_range {
	double least, most;
	bool whole;
	const char *what;
};

static const struct edit_range ranges[] = {
	[EDIT_FACTOR] = { FACTOR_LEAST, CUSTOMER_MOST, false, "The priority factor" },
	[EDIT_PRIORITY] = { -CUSTOMER_MOST, CUSTOMER_MOST, false, "The priority" },
	[EDIT_CEILING] = { CEILING_NONE, WHOLE_MOST, true, "The ceiling" },
	[EDIT_FLOOR] = { 0.0, WHOLE_MOST, true, "The floor" },
	[EDIT_ACCUMULATED] = { 0.0, CUSTOMER_MOST, false, "The accumulated usage" },
	[EDIT_BEGIN] = { 0.0, WHOLE_MOST, true, "The begin usage time" },
	[EDIT_LAST] = { 0.0, WHOLE_MOST, true, "The last usage time" },
};

static int check_value(const struct customer_edit *edit, struct error *error)
{
	const struct edit_range *range = &ranges[edit->kind];

	if (!(edit->value >= range->least && edit->value <= range->most))
		return error_set(error, -EINVAL, "%s is %g; it must be from %g to %g", range->what, edit->value,
				 range->least, range->most);
	if (range->whole && edit->value != trunc(edit->value))
		return error_set(error, -EINVAL, "%s is %g; it must be a whole number", range->what, edit->value);
	if (edit->duration != 0 && edit->kind != EDIT_FACTOR && edit->kind != EDIT_CEILING && edit->kind != EDIT_FLOOR)
		return error_set(error, -EINVAL, "Only a factor, a ceiling or a floor can be set for a limited time");
	if (edit->duration < 0 || edit->duration > INT32_MAX)
		return error_set(error, -EINVAL, "The duration is %" PRId64 " s; it must be from 1 to %d",
				 edit->duration, INT32_MAX);
	return 0;
}

/*
 * Change a setting. In HTCondor a permanent value that is set during a lease applies at once and is
 * lost when the lease ends. Here it ends the lease.
 */
static int edit_setting(struct customer *customer, enum customer_setting setting, const struct customer_edit *edit,
			double value, int64_t now, struct error *error)
{
	struct lease *lease = &customer->leases[setting];

	if (edit->duration > 0 && lease->until != 0)
		return error_set(error, -EALREADY, "A %s lease is already in effect: it ends in %" PRId64 " s",
				 setting_names[setting], lease->until - now);
	if (lease->until != 0)
		error_set(error, 0,
			  "The %s lease ended early: %" PRId64 " s were left", setting_names[setting],
			  lease->until - now);
	*lease = (struct lease){ 0 };
	if (edit->duration > 0)
		*lease = (struct lease){ .until = now + edit->duration, .before = setting_value(customer, setting) };
	setting_put(customer, setting, value);
	return 0;
}

static int edit_cancel(struct customer *customer, enum customer_setting setting, struct error *error)
{
	if (customer->leases[setting].until == 0)
		return error_set(error, -ENOENT, "There is no %s lease in effect", setting_names[setting]);
	lease_end(customer, setting);
	return 0;
}

static void edit_reset(struct customer *customer, int64_t now)
{
	customer->accumulated = customer->weight_accumulated = 0.0;
	customer->begin = now;
}

/*
 * Reset a customer. Slots in use until now must not be charged to it. The next update charges the
 * whole interval for what is in use, so the part up to now is subtracted in advance.
 */
static void edit_delete(const struct customers *customers, struct customer *customer, double factor, int64_t now)
{
	double seconds = customers->last_update < now ? (double)now - (double)customers->last_update : 0.0;
	struct customer before = *customer;

	customer_begin(customer, before.group, before.is_group, factor);
	customer->used = before.used;
	customer->weight_used = before.weight_used;
	customer->tree_used = before.tree_used;
	customer->uncharged = -seconds * before.used;
	customer->weight_uncharged = fmax(-seconds * before.weight_used, -CUSTOMER_MOST);
	if (customers->six_decimals)
		customer->weight_uncharged = six_decimals(customer->weight_uncharged);
}

static int edit_value(const struct customers *customers, struct customer *customer, const struct customer_edit *edit,
		      int64_t now, struct error *error)
{
	double value = customers->six_decimals ? six_decimals(edit->value) : edit->value;

	switch (edit->kind) {
	case EDIT_FACTOR:
		return edit_setting(customer, SETTING_FACTOR, edit, value, now, error);
	case EDIT_CEILING:
		return edit_setting(customer, SETTING_CEILING, edit, value, now, error);
	case EDIT_FLOOR:
		return edit_setting(customer, SETTING_FLOOR, edit, value, now, error);
	case EDIT_PRIORITY:
		customer->rup = fmax(value, RUP_LEAST);
		break;
	case EDIT_ACCUMULATED:
		customer->weight_accumulated = value;
		break;
	case EDIT_BEGIN:
		customer->begin = (int64_t)value;
		break;
	default:
		customer->last = (int64_t)value;
	}
	customer->changed = true;
	return 0;
}

int customer_edit(struct customers *customers, uint32_t customer, const struct customer_edit *edit, int64_t now,
		  struct error *error)
{
	struct customer *u = &customers->items[customer];
	int rc = edit->kind <= EDIT_LAST ? check_value(edit, error) : 0;

	if (rc < 0)
		return rc;
	leases_end(u, now);
	switch (edit->kind) {
	case EDIT_CANCEL_FACTOR_LEASE:
		return edit_cancel(u, SETTING_FACTOR, error);
	case EDIT_CANCEL_CEILING_LEASE:
		return edit_cancel(u, SETTING_CEILING, error);
	case EDIT_CANCEL_FLOOR_LEASE:
		return edit_cancel(u, SETTING_FLOOR, error);
	case EDIT_RESET_USAGE:
	case EDIT_RESET_ALL:
		edit_reset(u, now);
		break;
	case EDIT_DELETE:
		edit_delete(customers, u, edit->value, now);
		break;
	default:
		return edit_value(customers, u, edit, now, error);
	}
	u->changed = true;
	return 0;
}
